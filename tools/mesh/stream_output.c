#include "stream_output.h"

#include "command.h"
#include "parts.h"
#include "ply.h"
#include "vtk.h"
#include "progress.h"

static const mesh_format *find_format(const mesh_request *r)
{
    switch (request_format(&r->base, r->base.outputs[0])) {
    case FORMAT_PLY:
        return &ply_format;
    case FORMAT_VTK:
        return &vtk_format;
    default:
        return NULL;
    }
}

bool stream_suits(const mesh_request *r)
{
    const mesh_format *format = find_format(r);
    if (!format || r->base.num_outputs > 1) return false;
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
static void finish(stream *s, const io_progress *progress)
{
    const mesh *rest = s->file.own.rest;
    const mesh_vertices v = {.count = rest ? rest->num_vertices : 0,
                             .precision = MESH_F64,
                             .positions = rest ? rest->positions : NULL,
                             .normals = rest ? rest->normals : NULL,
                             .stride = 3,
                             .normal_stride = 3};
    if (v.count == 0 || take(s, &v)) mesh_file_faces(&s->file, progress);
}

static bool run(stream *s, const mesh_source *source, const io_progress *progress,
                mesh_times *times)
{
    const mesh_sink sink = {take, s};
    bool done = source->make(source, &sink);
    double start = seconds_now();
    if (done) finish(s, progress);
    done = mesh_file_close(&s->file, done || s->failed);
    times->take += seconds_now() - start;
    return done;
}

/* Opens the output, or the part of it whose grids the source makes. */
static bool open_file(stream *s, const mesh_request *r, const mesh_shape *shape,
                      const clsp_context *ctx, const mesh_source *source, io_message *message)
{
    part_record record = parts_record(&r->base);
    const mesh_part part = {source->first, source->end - source->first, &record};
    parts_name_device(&record, ctx);
    return mesh_file_open(&s->file, find_format(r), shape, r->base.num_parts > 0 ? &part : NULL,
                          r->base.outputs[0], message);
}

bool stream_output(const mesh_request *r, const mesh_source *source, const clsp_context *ctx,
                   const io_progress *progress, mesh_times *times)
{
    io_message message = {""};
    stream s = {.failed = false};
    mesh_shape shape = mesh_shape_of_grids(source->grids, source->num_grids, source->rest);
    shape.precision = source->precision;
    shape.has_normals = source->has_normals;
    shape.has_texture = r->texture;
    const bool done =
        open_file(&s, r, &shape, ctx, source, &message) && run(&s, source, progress, times);
    if (!done && message.text[0]) complain("%s", message.text);
    return done;
}
