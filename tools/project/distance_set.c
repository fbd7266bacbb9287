#include "distance_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cad_model.h"
#include "command.h"
#include "option_table.h"
#include "point_file.h"
#include "point_tree.h"
#include "project_model.h"
#include "project_search.h"

enum { DIM = 3, CHUNK = 1 << 16 /* points of one call */ };

struct distance_set {
    const char *path;
    bool has_model;
    splines content;
    project_search search;
    point_tree tree;
    double *points; /* [tree.num][3] */
    uint8_t *axes;
};

static bool no_memory(const distance_set *d)
{
    complain("%s: not enough memory", d->path);
    return false;
}

/* ---- curves and surfaces ---- */

static bool open_model(distance_set *d, clsp_context *ctx)
{
    clsp_device_info info = {0};
    const bool has_fp64 = clsp_context_device(ctx, &info) == CLSP_OK && info.fp64;
    const mesh_precision precision = has_fp64 ? MESH_F64 : MESH_F32;
    d->content.without_mesh = true;
    if (!project_model_read(&d->content, &d->path, 1, precision)) return false;
    const cad_model *part = d->content.cad;
    if (part && part->faces_read < part->faces_in_file)
        complain("warning: %s: %u of %u faces are read", d->path, part->faces_read,
                 part->faces_in_file);
    if (d->content.batches[0].type.dim != DIM) {
        complain("%s: spline 0 is not of 3 coordinates", d->path);
        return false;
    }
    d->search = (project_search){.ctx = ctx,
                                 .content = &d->content,
                                 .dim = DIM,
                                 .precision = precision,
                                 .opts = {.num_nearest = 1},
                                 .most = CHUNK};
    return project_search_open(&d->search);
}

/* ---- points ---- */

/* Leaves out points that are not finite. Returns how many stay. */
static size_t keep_finite(double *points, size_t num)
{
    size_t kept = 0;
    for (size_t i = 0; i < num; i++)
        if (isfinite(points[3 * i]) && isfinite(points[3 * i + 1]) && isfinite(points[3 * i + 2]))
            memmove(points + 3 * kept++, points + 3 * i, 3 * sizeof(*points));
    return kept;
}

/* Reads all points of an open file; *num: their number. */
static bool read_points(distance_set *d, point_file *file, size_t *num)
{
    size_t capacity = 0, more;
    *num = 0;
    do {
        double *moved = array_reserve(d->points, &capacity, *num + CHUNK, DIM * sizeof(*d->points));
        if (!moved) return no_memory(d);
        d->points = moved;
        more = point_file_read(file, d->points + DIM * *num, CHUNK);
        *num += keep_finite(d->points + DIM * *num, more);
    } while (more > 0);
    if (file->failed) complain("%s", file->message->text);
    return !file->failed;
}

static bool open_points(distance_set *d)
{
    point_file file;
    io_message message;
    size_t num = 0;
    if (!point_file_open(&file, d->path, DIM, NULL, &message)) {
        complain("%s", message.text);
        return false;
    }
    const bool done = read_points(d, &file, &num);
    point_file_close(&file);
    if (!done) return false;
    if (num == 0) {
        complain("%s: there is no point to measure distances to", d->path);
        return false;
    }
    d->axes = calloc(num, sizeof(*d->axes));
    if (!d->axes) return no_memory(d);
    point_tree_make(&d->tree, d->points, d->axes, num);
    return true;
}

/* ---- both ---- */

distance_set *distance_set_open(clsp_context *ctx, const char *path)
{
    const char *dot = strrchr(path, '.');
    distance_set *d = calloc(1, sizeof(*d));
    if (!d) {
        complain("%s: not enough memory", path);
        return NULL;
    }
    d->path = path;
    d->has_model =
        option_number_of("g2 json igs iges step stp brep bv", dot ? dot + 1 : "", true) >= 0;
    if (d->has_model ? open_model(d, ctx) : open_points(d)) return d;
    distance_set_close(d);
    return NULL;
}

static double distance_of(const nearest_row *row)
{
    return row->status == NEAREST_FOUND || row->status == NEAREST_CUT ? row->distance : (double)NAN;
}

bool distance_set_find(distance_set *d, const double *places, size_t num, double *distances)
{
    for (size_t i = 0; !d->has_model && i < num; i++)
        distances[i] = point_tree_distance(&d->tree, places + DIM * i);
    for (size_t first = 0; d->has_model && first < num; first += CHUNK) {
        const size_t count = num - first < CHUNK ? num - first : CHUNK;
        if (!project_search_run(&d->search, places + DIM * first, count, first)) return false;
        for (size_t i = 0; i < count; i++)
            distances[first + i] = distance_of(&d->search.rows[i]);
    }
    return true;
}

void distance_set_close(distance_set *d)
{
    if (!d) return;
    if (d->search.ctx) project_search_close(&d->search);
    splines_clear(&d->content);
    free(d->points);
    free(d->axes);
    free(d);
}
