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

/* Opens the output, or the part of it that is asked for, whose grids the source is to make. */
static bool open_file(stream *s, const mesh_request *r, const mesh_shape *shape,
                      const clsp_context *ctx, mesh_source *source, io_message *message)
{
    const char *path = r->base.outputs[0];
    parts_range range;
    if (r->base.num_parts == 0)
        return mesh_file_open(&s->file, find_format(r), shape, NULL, path, message);
    part_record record = parts_record(&r->base);
    parts_name_device(&record, ctx);
    if (!parts_take(&r->base, source->num_grids, "patches", &range)) return false;
    source->first = (size_t)range.first;
    source->end = (size_t)(range.first + range.count);
    const mesh_part part = {source->first, (size_t)range.count, &record};
    return mesh_file_open(&s->file, find_format(r), shape, &part, path, message);
}

bool stream_output(const mesh_request *r, const mesh_source *whole, const clsp_context *ctx,
                   const io_progress *progress, mesh_times *times)
{
    io_message message = {""};
    stream s = {.failed = false};
    mesh_source own = *whole, *source = &own;
    mesh_shape shape = mesh_shape_of_grids(source->grids, source->num_grids, source->rest);
    shape.precision = source->precision;
    shape.has_normals = source->has_normals;
    shape.has_texture = r->texture;
    bool done = open_file(&s, r, &shape, ctx, source, &message) && run(&s, source, progress, times);
    if (!done && message.text[0]) complain("%s", message.text);
    return done;
}
