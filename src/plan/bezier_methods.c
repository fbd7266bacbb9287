#include "bezier_methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_matrix.h"
#include "buffer.h"
#include "check.h"

enum {
    TILE_V = 8, /* CLSP_TILE of bezier_points.cl, for surfaces */
    CHUNK = 16, /* its CLSP_CHUNK */
    ROWS = 4    /* points along u of an item that stages, its ROWS */
};

struct clspi_bezier_method {
    clspi_bezier_method_desc desc;
    clspi_bezier_matrix *matrix; /* of CLSP_BEZIER_MATRIX, which uses nothing of what follows */
    clspi_bezier_table tables[2];
    clspi_kernel kernel;
    bool stage;
    cl_uint tile[2]; /* samples of a work-group that stages, else of an item */
    cl_mem points;   /* retained */
    size_t num_patches;
};

/* A part of a job that one launch makes. */
typedef struct part {
    size_t first_patch;
    cl_uint num_patches, first_u, num_u, first_v, num_v;
    cl_mem out;
    size_t offset;
} part;

/* ---- kernels ---- */

static cl_uint tile_wanted(const clspi_bezier_method_desc *d)
{
    return d->nums[1] == 1 ? 1 : TILE_V;
}

/* Whether a chunk of control points and the values of a tile fit local memory, for a work-group of
   any size up to the tuning table's. */
static bool can_stage(const clsp_context *ctx, const clspi_bezier_method_desc *d)
{
    const size_t real_bytes = d->precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    const size_t tile = tile_wanted(d);
    const size_t reals = CHUNK * (CHUNK * d->coords + tile + ROWS * ctx->tuning.work_group / tile);

    return ctx->device.local_is_real && reals * real_bytes <= ctx->device.local_bytes;
}

static void points_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                           const clspi_bezier_method_desc *d, bool stage)
{
    clspi_bezier_rows_options(text, ctx, d->precision, d->coords);
    const size_t used = strlen(text);
    snprintf(text + used, CLSPI_BEZIER_OPTIONS_MAX - used,
             " -DCLSP_STAGE=%d -DCLSP_CHUNK=%d -DCLSP_TILE=%u", stage, CHUNK, tile_wanted(d));
}

static clsp_status create_kernel(clspi_bezier_method *method, clsp_context *ctx)
{
    const clspi_bezier_method_desc *const d = &method->desc;
    const bool brute = d->method == CLSP_BEZIER_BRUTE;
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clsp_status status;

    method->stage = !brute && can_stage(ctx, d);
    method->tile[0] = method->tile[1] = 1;
    if (!brute && d->nums[1] > 1) method->tile[1] = clspi_bezier_lanes(ctx, d->precision);
    points_options(options, ctx, d, method->stage);
    if (!method->stage)
        return clspi_kernel_create(&method->kernel, ctx, "bezier_points", options,
                                   brute ? "bezier_brute" : "bezier_multilevel");
    CLSPI_TRY(clspi_kernel_create_grouped(&method->kernel, ctx, "bezier_points", options,
                                          "bezier_multilevel"));
    method->tile[1] = (cl_uint)clspi_min(tile_wanted(d), method->kernel.local);
    method->tile[0] = ROWS * (cl_uint)method->kernel.local / method->tile[1];

fail:
    return status;
}

/* ---- preparing ---- */

static clsp_status fill_tables(clspi_bezier_method *method, clspi_series *series)
{
    const clspi_bezier_method_desc *const d = &method->desc;
    clspi_bezier_table *const tables = method->tables;
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clsp_status status;

    clspi_bezier_table_options(options, series->ctx, d->precision);
    for (int k = 0; k < 2; k++)
        clspi_bezier_table_shape(&tables[k], d->orders[k] - 1, d->nums[k], d->intervals[k]);
    CLSPI_TRY(clspi_bezier_table_fill(&tables[0], series, d->precision, options));
    if (clspi_bezier_table_same(&tables[0], &tables[1]))
        return clspi_bezier_table_share(&tables[1], series->ctx, &tables[0]);
    if (tables[1].values == tables[0].values) clspi_bezier_table_release(&tables[1]);
    CLSPI_TRY(clspi_bezier_table_fill(&tables[1], series, d->precision, options));

fail:
    return status;
}

static void release_tables(clspi_bezier_method *method)
{
    clspi_bezier_table_release(&method->tables[0]);
    clspi_bezier_table_release(&method->tables[1]);
}

clsp_status clspi_bezier_method_prepare(clspi_bezier_method **method, clspi_series *series,
                                        const clspi_bezier_method_desc *desc)
{
    clspi_bezier_method *const m = *method ? *method : calloc(1, sizeof *m);
    clsp_status status;

    if (!m)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for a plan");
    *method = m;
    m->desc = *desc;
    m->num_patches = 0;
    clspi_kernel_release(&m->kernel);
    if (desc->method == CLSP_BEZIER_MATRIX)
        return clspi_bezier_matrix_prepare(&m->matrix, series, desc);
    release_tables(m);
    if (desc->method == CLSP_BEZIER_MULTILEVEL) CLSPI_TRY(fill_tables(m, series));
    return create_kernel(m, series->ctx);

fail:
    return status;
}

void clspi_bezier_method_release(clspi_bezier_method **method)
{
    clspi_bezier_method *const m = *method;

    if (!m) return;
    clspi_bezier_matrix_release(&m->matrix);
    release_tables(m);
    clspi_kernel_release(&m->kernel);
    clspi_buffer_release(&m->points);
    free(m);
    *method = NULL;
}

clsp_status clspi_bezier_method_load(clspi_bezier_method *method, clspi_series *series,
                                     cl_mem points, size_t num_patches)
{
    const cl_int code = clRetainMemObject(points);

    if (code != CL_SUCCESS) return clspi_cl(&series->ctx->log, code, "clRetainMemObject");
    clspi_buffer_release(&method->points);
    method->points = points;
    method->num_patches = num_patches;
    return method->desc.method == CLSP_BEZIER_MATRIX
               ? clspi_bezier_matrix_load(method->matrix, series, points, num_patches)
               : CLSP_OK;
}

/* ---- point by point ---- */

static clsp_status launch_multilevel(const clspi_bezier_method *method, clspi_series *series,
                                     const part *at)
{
    const clspi_bezier_method_desc *const d = &method->desc;
    const clspi_bezier_table *const u = &method->tables[0], *const v = &method->tables[1];
    const cl_uint tiles_u = (cl_uint)clspi_div_up(at->num_u, method->tile[0]);
    const cl_uint tiles_v = (cl_uint)clspi_div_up(at->num_v, method->tile[1]);
    const cl_uint2 first = clspi_halves(at->first_patch), offset = clspi_halves(at->offset);
    const clspi_arg args[] = {
        CLSPI_ARG(method->points), CLSPI_ARG(first),        CLSPI_ARG(at->num_patches),
        CLSPI_ARG(d->orders[0]),   CLSPI_ARG(d->orders[1]), CLSPI_ARG(u->values),
        CLSPI_ARG(u->stride),      CLSPI_ARG(v->values),    CLSPI_ARG(v->stride),
        CLSPI_ARG(at->first_u),    CLSPI_ARG(at->num_u),    CLSPI_ARG(at->first_v),
        CLSPI_ARG(at->num_v),      CLSPI_ARG(d->nums[1]),   CLSPI_ARG(tiles_u),
        CLSPI_ARG(tiles_v),        CLSPI_ARG(at->out),      CLSPI_ARG(offset),
    };
    const size_t tiles = (size_t)at->num_patches * tiles_u * tiles_v;

    return clspi_series_launch(series, &method->kernel, args, CLSPI_COUNT(args),
                               method->stage ? tiles * method->kernel.local : tiles);
}

/* Where a grid begins and ends, and the rests to 1, as bezier_brute takes them. */
typedef union ends {
    cl_float4 narrow;
    cl_double4 wide;
} ends;

static ends ends_of(const clspi_bezier_method_desc *d, int direction)
{
    const double *const t = d->intervals[direction];
    ends e;

    if (d->precision == CLSP_F64)
        e.wide = (cl_double4){{t[0], t[1], 1.0 - t[0], 1.0 - t[1]}};
    else
        e.narrow =
            (cl_float4){{(float)t[0], (float)t[1], (float)(1.0 - t[0]), (float)(1.0 - t[1])}};
    return e;
}

static clsp_status launch_brute(const clspi_bezier_method *method, clspi_series *series,
                                const part *at)
{
    const clspi_bezier_method_desc *const d = &method->desc;
    const ends u = ends_of(d, 0), v = ends_of(d, 1);
    const size_t bytes = d->precision == CLSP_F64 ? sizeof u.wide : sizeof u.narrow;
    const cl_uint2 first = clspi_halves(at->first_patch), offset = clspi_halves(at->offset);
    const clspi_arg args[] = {
        CLSPI_ARG(method->points),
        CLSPI_ARG(first),
        CLSPI_ARG(at->num_patches),
        CLSPI_ARG(d->orders[0]),
        CLSPI_ARG(d->orders[1]),
        CLSPI_ARG(d->nums[0]),
        {bytes, &u},
        CLSPI_ARG(d->nums[1]),
        {bytes, &v},
        CLSPI_ARG(at->first_u),
        CLSPI_ARG(at->num_u),
        CLSPI_ARG(at->first_v),
        CLSPI_ARG(at->num_v),
        CLSPI_ARG(d->nums[1]),
        CLSPI_ARG(at->out),
        CLSPI_ARG(offset),
    };

    return clspi_series_launch(series, &method->kernel, args, CLSPI_COUNT(args),
                               (size_t)at->num_patches * at->num_u * at->num_v);
}

/* Multiply-adds of a point, or what takes as long: a value of bezier_brute has two powers and a
   quotient for each factor of C(n, k). */
static uint64_t work_of_a_point(const clspi_bezier_method_desc *d)
{
    enum { POWERS = 100, FACTOR = 4 };
    const uint64_t terms = (uint64_t)d->orders[0] * d->orders[1];
    const uint64_t value = POWERS + (uint64_t)FACTOR * d->orders[1];

    return terms * (d->coords + 1 + (d->method == CLSP_BEZIER_BRUTE ? value : 0));
}

/* What one launch may cover: some whole patches, or else rows of one, or a part of one row. Tiles
   count whole. */
static part most_of(const clspi_bezier_method *method, const clsp_context *ctx, cl_uint num_rows)
{
    const cl_uint *const tile = method->tile;
    const uint64_t points = (uint64_t)tile[0] * tile[1];
    const uint64_t by_work = ctx->tuning.max_launch_fma / work_of_a_point(&method->desc) / points;
    const uint64_t groups = ctx->tuning.max_groups;
    const uint64_t by_groups = method->stage ? groups : groups * method->kernel.local;
    const size_t tiles = clspi_max(1, (size_t)(by_work < by_groups ? by_work : by_groups));
    const size_t tiles_u = clspi_div_up(num_rows, tile[0]);
    const size_t tiles_v = clspi_div_up(method->desc.nums[1], tile[1]);
    const size_t most_v = clspi_min(tiles, tiles_v), most_u = clspi_min(tiles / most_v, tiles_u);
    part most = {.num_patches = 1};

    most.num_v = (cl_uint)clspi_min(method->desc.nums[1], most_v * tile[1]);
    most.num_u = (cl_uint)clspi_min(num_rows, most_u * tile[0]);
    if (most_u == tiles_u && most_v == tiles_v)
        most.num_patches = (cl_uint)(tiles / (tiles_u * tiles_v));
    return most;
}

/* All launches of some whole patches, or of one in parts. */
static clsp_status enqueue_parts(const clspi_bezier_method *method, clspi_series *series,
                                 const clspi_bezier_range *range, const part *most, part at)
{
    const cl_uint num_v = method->desc.nums[1], coords = method->desc.coords;
    const size_t offset = at.offset;
    clsp_status status;

    for (cl_uint u = 0; u < range->num_rows; u += most->num_u) {
        at.first_u = range->first_row + u;
        at.num_u = (cl_uint)clspi_min(most->num_u, range->num_rows - u);
        for (cl_uint v = 0; v < num_v; v += most->num_v) {
            at.first_v = v;
            at.num_v = (cl_uint)clspi_min(most->num_v, num_v - v);
            at.offset = offset + ((size_t)u * num_v + v) * coords;
            CLSPI_TRY(method->desc.method == CLSP_BEZIER_BRUTE
                          ? launch_brute(method, series, &at)
                          : launch_multilevel(method, series, &at));
        }
    }
    return CLSP_OK;

fail:
    return status;
}

clsp_status clspi_bezier_method_eval(clspi_bezier_method *method, clspi_series *series,
                                     const clspi_bezier_range *range)
{
    const size_t patch_reals = (size_t)range->num_rows * method->desc.nums[1] * method->desc.coords;
    clsp_status status;

    if (method->desc.method == CLSP_BEZIER_MATRIX)
        return clspi_bezier_matrix_eval(method->matrix, series, range);
    const part most = most_of(method, series->ctx, range->num_rows);
    for (size_t p = 0; p < range->num_patches; p += most.num_patches) {
        const part at = {.first_patch = range->first_patch + p,
                         .num_patches =
                             (cl_uint)clspi_min(most.num_patches, range->num_patches - p),
                         .out = range->out,
                         .offset = range->offset + p * patch_reals};
        CLSPI_TRY(enqueue_parts(method, series, range, &most, at));
    }
    return CLSP_OK;

fail:
    return status;
}
