/* Every program of the Bezier family that a plan may choose by itself, built ahead of use. */
#include <string.h>

#include "bezier_at.h"
#include "bezier_desc.h"
#include "bezier_edges.h"
#include "bezier_finish.h"
#include "bezier_plan.h"
#include "bezier_programs.h"
#include "bezier_shared.h"
#include "bezier_vertices.h"
#include "check.h"
#include "program.h"

/* ---- sums ---- */

static clsp_status build_shape(clsp_context *ctx, const clspi_bezier_shape *shape,
                               clsp_kernel_fn fn, void *user)
{
    const char *const name = clspi_bezier_columns_name(shape);
    char options[CLSPI_BEZIER_OPTIONS_MAX];

    clspi_bezier_columns_options(options, ctx, shape);
    return clspi_program_report_grouped(ctx, name, options, name, fn, user);
}

/* The shapes for wide and for narrow grids of one order, which may be the same, for rows that begin
   anywhere in a line of the cache, and where both sums are not made by one kernel, for the second
   alone. */
static clsp_status build_columns(clsp_context *ctx, clsp_precision precision, cl_uint order,
                                 clsp_kernel_fn fn, void *user)
{
    enum { DIM = 3, WIDE = 6144, NARROW = 30, ODD = 6001, ROWS = 2000 };
    clsp_status status;

    const clspi_bezier_shape odd =
        clspi_bezier_choose(ctx, precision, DIM, order, order, ODD, ROWS, false);
    if (odd.in_columns && odd.line > 0) CLSPI_TRY(build_shape(ctx, &odd, fn, user));
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        const clspi_bezier_shape wide =
            clspi_bezier_choose(ctx, precision, DIM, order, order, WIDE, ROWS, symmetric);
        const clspi_bezier_shape narrow =
            clspi_bezier_choose(ctx, precision, DIM, order, order, NARROW, ROWS, symmetric);
        if (!wide.in_columns || (symmetric && !wide.mirror)) return CLSP_OK;
        CLSPI_TRY(build_shape(ctx, &wide, fn, user));
        if (narrow.columns != wide.columns) CLSPI_TRY(build_shape(ctx, &narrow, fn, user));
        if (!wide.fused) continue;
        const clspi_bezier_shape alone =
            clspi_bezier_choose(ctx, precision, DIM, order, 0, WIDE, ROWS, symmetric);
        CLSPI_TRY(build_shape(ctx, &alone, fn, user));
    }
    return CLSP_OK;

fail:
    return status;
}

/* The derivatives that CLSP_BEZIER_NORMAL and CLSP_BEZIER_DUV are made of. */
static clsp_status build_hodographs(clsp_context *ctx, clsp_precision precision, cl_uint dim,
                                    clsp_kernel_fn fn, void *user)
{
    static const cl_uint by[][3] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clsp_status status;

    for (size_t i = 0; i < CLSPI_COUNT(by); i++) {
        clspi_bezier_hodograph_options(options, ctx, precision, dim, by[i]);
        CLSPI_TRY(clspi_program_report(ctx, "bezier_hodograph", options, fn, user));
    }
    return CLSP_OK;

fail:
    return status;
}

/* ---- vertices ---- */

/* What stands for the descriptions that users give: the kernels differ by what a vertex holds, and
   where they sum by the order. */
static const struct {
    uint32_t attributes, rational;
    clsp_storage storage;
} vertices[] = {
    {CLSP_BEZIER_POINT | CLSP_BEZIER_NORMAL, 0, CLSP_STORE_AS_COMPUTED},
    {CLSP_BEZIER_POINT | CLSP_BEZIER_NORMAL, 1, CLSP_STORE_AS_COMPUTED},
    {CLSP_BEZIER_POINT | CLSP_BEZIER_NORMAL | CLSP_BEZIER_PARAMS, 0, CLSP_STORE_AS_COMPUTED},
    {CLSP_BEZIER_POINT | CLSP_BEZIER_DU | CLSP_BEZIER_DV, 0, CLSP_STORE_AS_COMPUTED},
    {CLSP_BEZIER_POINT | CLSP_BEZIER_WEIGHT, 0, CLSP_STORE_AS_COMPUTED},
    {CLSP_BEZIER_POINT, 1, CLSP_STORE_AS_COMPUTED},
    {CLSP_BEZIER_POINT, 0, CLSP_STORE_F16},
    {CLSP_BEZIER_POINT | CLSP_BEZIER_DUU | CLSP_BEZIER_DUV | CLSP_BEZIER_DVV, 1,
     CLSP_STORE_AS_COMPUTED},
};

/* A plan as far as options of kernels depend on it. */
static clsp_status sketch(clsp_bezier_plan *plan, clsp_context *ctx, clsp_precision precision,
                          size_t kind, cl_uint order)
{
    const clsp_bezier_desc desc = {.precision = precision,
                                   .degree_u = order - 1,
                                   .degree_v = order - 1,
                                   .num_u = 1000,
                                   .num_v = 1000,
                                   .rational = vertices[kind].rational,
                                   .storage = vertices[kind].storage,
                                   .attributes = vertices[kind].attributes,
                                   .watertight = 1};
    memset(plan, 0, sizeof *plan);
    plan->ctx = ctx;
    plan->directions = 2;
    plan->coords = 3 + desc.rational;
    plan->real_bytes = precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    plan->store_bytes = desc.storage == CLSP_STORE_F16 ? sizeof(cl_half) : plan->real_bytes;
    return clspi_bezier_resolve(ctx, &desc, &plan->desc);
}

static clsp_status build_vertices(clsp_context *ctx, clsp_precision precision, size_t kind,
                                  clsp_kernel_fn fn, void *user)
{
    static const cl_uint orders[] = {2, 3, 4, 8, 9, 12, 13, 16, 20};
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clsp_bezier_plan plan;
    clsp_status status;

    for (size_t i = 0; i < CLSPI_COUNT(orders); i++) {
        CLSPI_TRY(sketch(&plan, ctx, precision, kind, orders[i]));
        if (!clspi_bezier_vertices_fit(&plan)) break;
        clspi_bezier_vertices_options(options, sizeof options, &plan);
        CLSPI_TRY(clspi_program_report_grouped(ctx, "bezier_vertices", options, "bezier_vertices",
                                               fn, user));
    }
    CLSPI_TRY(sketch(&plan, ctx, precision, kind, 4));
    clspi_bezier_finish_options(options, sizeof options, &plan);
    CLSPI_TRY(clspi_program_report(ctx, "bezier_finish", options, fn, user));
    clspi_bezier_edges_options(options, sizeof options, &plan);
    return clspi_program_report(ctx, "bezier_edges", options, fn, user);

fail:
    return status;
}

static clsp_status build_faces(clsp_context *ctx, clsp_kernel_fn fn, void *user)
{
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clsp_status status = CLSP_OK;

    for (int triangle = 0; triangle < 2; triangle++) {
        clspi_bezier_faces_options(options, sizeof options, ctx, triangle);
        CLSPI_TRY(clspi_program_report(ctx, "bezier_faces", options, fn, user));
    }

fail:
    return status;
}

clsp_status clspi_bezier_build_all(clsp_context *ctx, clsp_kernel_fn fn, void *user)
{
    enum { DIM = 3, MAX_ORDER = 32 }; /* the other dimensions differ by an index only */
    const clsp_precision last = ctx->device.fp64 ? CLSP_F64 : CLSP_F32;
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clsp_status status;

    for (clsp_precision p = CLSP_F32; p <= last; p++) {
        clspi_bezier_table_options(options, ctx, p);
        CLSPI_TRY(clspi_program_report(ctx, "bernstein", options, fn, user));
        clspi_bezier_rows_options(options, ctx, p, DIM);
        CLSPI_TRY(clspi_program_report(ctx, "bezier_rows", options, fn, user));
        CLSPI_TRY(clspi_bezier_shared_build(ctx, p, fn, user));
        CLSPI_TRY(build_hodographs(ctx, p, DIM, fn, user));
        for (cl_uint order = 1; order <= MAX_ORDER; order++)
            CLSPI_TRY(build_columns(ctx, p, order, fn, user));
        for (size_t kind = 0; kind < CLSPI_COUNT(vertices); kind++)
            CLSPI_TRY(build_vertices(ctx, p, kind, fn, user));
    }
    CLSPI_TRY(clspi_bezier_at_build_all(ctx, fn, user));
    CLSPI_TRY(build_faces(ctx, fn, user));
    return CLSP_OK;

fail:
    return status;
}
