#include "mesh_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "distance_set.h"
#include "glb.h"
#include "job_report.h"
#include "obj.h"
#include "parts.h"
#include "patch_edges.h"
#include "picture.h"
#include "ply.h"
#include "stl.h"
#include "vtk.h"
#include "stream_output.h"

/* Names all inputs together. */
static void name_inputs(mesh_work *w)
{
    const mesh_request *r = w->r;
    const char *first = strcmp(r->base.inputs[0], "-") == 0 ? "standard input" : r->base.inputs[0];
    if (r->base.num_inputs == 1)
        snprintf(w->name, sizeof(w->name), "%s", first);
    else
        snprintf(w->name, sizeof(w->name), "%lu files", (unsigned long)r->base.num_inputs);
}

void mesh_work_begin(mesh_work *w, const mesh_request *r)
{
    *w = (mesh_work){
        .r = r, .result = {.precision = r->base.precision}, .streamed = stream_suits(r)};
    w->progress = (io_progress){progress_report, &w->bar};
    w->result.has_normals = mesh_request_needs_normals(r);
    name_inputs(w);
}

bool mesh_work_memory(const mesh_work *w)
{
    complain("%s: not enough memory", w->name);
    return false;
}

void mesh_work_print_shared(void *user, const char *what, const clsp_report *report)
{
    mesh_work *w = user;
    if (w->r->base.sharing.report) progress_end(&w->bar); /* until it is drawn anew */
    job_report_shared(&w->r->base, what, report);
}

bool mesh_work_open(mesh_work *w)
{
    return w->contexts.ctx || sharing_open(&w->contexts, &w->r->base);
}

/* Makes room for the values of all vertices, and sets those of polyhedra, whose faces are flat and
   follow the patches. */
static bool make_values(mesh_work *w, const mesh_source *source)
{
    const size_t grids = (size_t)mesh_source_points(source), all = (size_t)w->num_points;
    free(w->values);
    w->values = NULL;
    if (source->colors == COLORING_PLAIN || source->colors == COLORING_DISTANCE) return true;
    w->values = malloc((all + 1) * sizeof(*w->values));
    for (size_t i = grids; w->values && i < all; i++)
        w->values[i] = source->colors == COLORING_PATCH ? (double)source->num_grids : 0;
    return w->values || mesh_work_memory(w);
}

/* Makes the vertices of a source and what is done with them. */
static bool make_mesh(mesh_work *w, const mesh_source *source)
{
    bool done;
    mesh_clear(&w->result);
    w->num_points = mesh_source_points(source);
    progress_start(&w->bar, w->streamed ? "writing" : "evaluating", request_verbosity(&w->r->base));
    progress_count(&w->bar, (double)w->num_points, "points");
    if (source->rest && source->end == source->num_grids)
        w->num_points += source->rest->num_vertices;
    if (!make_values(w, source)) return false;
    if (w->streamed)
        done = stream_output(w->r, source, w->contexts.ctx, &w->progress, &w->times);
    else
        done = mesh_source_fill(source, &w->result, w->values);
    progress_end(&w->bar);
    if (!done || w->streamed || !source->rest) return done;
    return mesh_append(&w->result, source->rest) || mesh_work_memory(w);
}

bool mesh_work_make(mesh_work *w, const mesh_source *source)
{
    parts_range range;
    mesh_source own = *source;
    if (!parts_take(&w->r->base, source->num_grids, "patches", &range)) return false;
    own.first = (size_t)range.first;
    own.end = (size_t)(range.first + range.count);
    return make_mesh(w, &own);
}

/* The least curvature that is shown in full colour: what is smaller may be rounding, in relation to
   the mesh's size. */
static double least_curvature(const mesh_work *w)
{
    double low[3], high[3], size = 0;
    mesh_bounds(&w->result, low, high);
    for (int k = 0; k < 3; k++)
        size = hypot(size, high[k] / 2 - low[k] / 2);
    const double part = w->r->base.precision == MESH_F32 ? 1e-4 : 1e-9;
    if (!(size > 0)) return 0;
    return w->r->picture.colors == COLORING_GAUSS ? part / size / size : part / size;
}

/* Measures the distances of all vertices, for colours. */
static bool make_distances(mesh_work *w)
{
    if (mesh_request_colors(w->r) != COLORING_DISTANCE || w->values) return true;
    if (!mesh_work_open(w)) return false;
    distance_set *d = distance_set_open(w->contexts.ctx, w->r->picture.distance_to);
    if (!d) return false;
    w->values = malloc((w->result.num_vertices + 1) * sizeof(*w->values));
    const bool done =
        w->values ? distance_set_find(d, w->result.positions, w->result.num_vertices, w->values)
                  : mesh_work_memory(w);
    distance_set_close(d);
    return done;
}

static const char *title_of(coloring_kind colors)
{
    return colors == COLORING_GAUSS      ? "Gauss curvature"
           : colors == COLORING_DISTANCE ? "distance"
                                         : "mean curvature";
}

static bool write_picture(const mesh_work *w, const char *path, io_message *message)
{
    const picture_options *o = &w->r->picture;
    raster_paint paint = {.values = w->values, .title = title_of(o->colors)};
    if (w->colors && o->own_colors) paint.colors.kind = COLORING_OWN;
    uint32_t *edges = NULL;
    if (o->edges) paint.edges = edges = patch_edges(&w->result, &paint.num_edges);
    bool done = !o->edges || edges;
    if (done && w->values)
        done = picture_request_colors(o, &paint.colors, w->values, (size_t)w->num_points,
                                      least_curvature(w));
    if (!done) io_fail(message, "%s: not enough memory", w->name);
    done = done && picture_write(&w->result, &paint, &o->view, path, &w->progress, message);
    free(edges);
    return done;
}

static bool write_output(mesh_work *w, const char *path, io_message *message)
{
    mesh m = w->result;
    const int format = request_format(&w->r->base, path);
    if (!w->r->normals && !mesh_request_shows_normals(format)) m.normals = NULL;
    m.has_texture = w->r->texture;
    switch (format) {
    case FORMAT_OBJ:
        return obj_write(&m, path, &w->progress, message);
    case FORMAT_PLY:
        return mesh_file_write(&ply_format, &m, path, &w->progress, message);
    case FORMAT_VTK:
        return mesh_file_write(&vtk_format, &m, path, &w->progress, message);
    case FORMAT_STL:
        return stl_write(&m, path, &w->progress, message);
    case FORMAT_GLB:
        return glb_write(&m, path, &w->progress, message);
    default:
        return write_picture(w, path, message);
    }
}

bool mesh_work_write(mesh_work *w)
{
    const mesh_request *r = w->r;
    io_message message;
    double start = seconds_now();
    if (w->streamed) return true;
    if (!make_distances(w)) return false;
    for (size_t i = 0; i < r->base.num_outputs; i++) {
        progress_start(&w->bar, "writing", request_verbosity(&r->base));
        bool done = write_output(w, r->base.outputs[i], &message);
        progress_end(&w->bar);
        if (done) continue;
        complain("%s", message.text);
        return false;
    }
    w->write_seconds = seconds_now() - start;
    return true;
}

static void print_report(const mesh_work *w, size_t num, const char *things)
{
    clsp_device_info info = {0};
    print_name(stderr, w->name);
    fprintf(stderr, ": %lu %s, %lu points", (unsigned long)num, things,
            (unsigned long)w->num_points);
    if (w->contexts.ctx && clsp_context_device(w->contexts.ctx, &info) == CLSP_OK)
        fprintf(stderr, ", on %s (%s)", info.name, info.platform);
    fprintf(stderr, "\nread %.1f ms, plan %.1f ms, evaluate %.1f ms, write %.1f ms\n",
            1e3 * w->read_seconds, 1e3 * w->times.plan, 1e3 * w->times.evaluate,
            1e3 * (w->write_seconds + w->times.take));
}

bool mesh_work_report(const mesh_work *w, size_t num, const char *things)
{
    const job_stage stages[] = {{"read", w->read_seconds},
                                {"plan", w->times.plan},
                                {"evaluate", w->times.evaluate},
                                {"write", w->write_seconds + w->times.take}};
    const job_summary summary = {w->contexts.ctx,   "points", w->num_points,
                                 w->times.evaluate, stages,   sizeof(stages) / sizeof(stages[0])};
    if (!w->r->base.quiet) print_report(w, num, things);
    return job_report_write(&w->r->base, &summary);
}

void mesh_work_end(mesh_work *w)
{
    sharing_close(&w->contexts);
    mesh_clear(&w->result);
    free(w->values);
    free(w->colors);
    w->values = NULL;
    w->colors = NULL;
}
