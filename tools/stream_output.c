#include "stream_output.h"

#include <stdlib.h>

#include "command.h"
#include "io/ply.h"
#include "io/vtk.h"
#include "progress.h"

static const mesh_format *find_format(const bezier_request *r)
{
    switch (bezier_request_format(r, r->outputs[0])) {
    case FORMAT_PLY:
        return &ply_format;
    case FORMAT_VTK:
        return &vtk_format;
    default:
        return NULL;
    }
}

bool stream_suits(const bezier_request *r)
{
    const mesh_format *format = find_format(r);
    if (!format || r->num_outputs > 1) return false;
    if (r->tolerance > 0 && r->tolerance_unit == UNIT_PIXEL) return false;
    return !r->normals || !format->normals;
}

/* The file, and whether it is of no use to go on. */
typedef struct stream {
    mesh_file file;
    bool failed;
} stream;

static bool take(void *user, const mesh_vertices *v)
{
    stream *s = user;
    s->failed = !mesh_file_vertices(&s->file, v);
    return !s->failed;
}

/* Writes what stands behind the vertices of patches. */
static void finish(stream *s, const mesh *polyhedra, const io_progress *progress)
{
    const mesh_vertices v = {.count = polyhedra->num_vertices,
                             .precision = MESH_F64,
                             .positions = polyhedra->positions,
                             .normals = polyhedra->normals,
                             .stride = 3,
                             .normal_stride = 3};
    if (v.count == 0 || take(s, &v)) mesh_file_faces(&s->file, progress);
}

static bool run(clsp_context *ctx, stream *s, const evaluate_task *task,
                const io_progress *progress, evaluate_times *times)
{
    const evaluate_sink sink = {take, s};
    bool done = evaluate_patches(ctx, task, &sink, progress, times);
    double start = seconds_now();
    if (done) finish(s, &task->content->polyhedra, progress);
    done = mesh_file_close(&s->file, done || s->failed);
    times->take += seconds_now() - start;
    return done;
}

bool stream_output(clsp_context *ctx, const bezier_request *r, const evaluate_task *task,
                   const io_progress *progress, evaluate_times *times)
{
    io_message message = {""};
    stream s = {.failed = false};
    mesh_grid *grids = tessellation_grids(task->grids, task->content);
    if (!grids) {
        complain("%s: not enough memory", task->name);
        return false;
    }
    mesh_shape shape = mesh_shape_of_grids(grids, bezierview_num_patches(task->content),
                                           &task->content->polyhedra);
    shape.precision = task->precision;
    shape.has_normals = task->has_normals;
    shape.has_texture = r->texture;
    bool done = mesh_file_open(&s.file, find_format(r), &shape, r->outputs[0], &message) &&
                run(ctx, &s, task, progress, times);
    if (!done && message.text[0]) complain("%s", message.text);
    free(grids);
    return done;
}
