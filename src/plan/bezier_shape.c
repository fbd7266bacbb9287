#include "bezier_shape.h"

#include <stdio.h>

#include "bezier_at.h"
#include "bezier_programs.h"
#include "check.h"
#include "program.h"

/* ---- choice ---- */

cl_uint clspi_bezier_lanes(const clsp_context *ctx, clsp_precision precision)
{
    const size_t real_bytes = precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    const size_t native = clspi_max(16, ctx->device.native_vector_bytes);
    const size_t bytes = clspi_min(native, ctx->tuning.max_vector_bytes);

    return bytes == 0 ? 1 : (cl_uint)(bytes / real_bytes);
}

/* More columns an item mean fewer loads of B_i(u), as long as registers last and few lanes lie
   beyond the row's end. Measured on an H200: 2 columns are best up to order 12 and for mirrored
   rows, 4 else (docs/kernels.md). */
static cl_uint columns_of(const clsp_context *ctx, const clspi_bezier_shape *shape, cl_uint width)
{
    const size_t words = (size_t)shape->order_u * (shape->precision == CLSP_F64 ? 2 : 1);
    const size_t group = ctx->tuning.work_group;
    cl_uint columns = shape->order_u <= 12 || shape->mirror ? 2 : 4;

    while (columns > 1 && (columns * words > ctx->tuning.item_registers ||
                           clspi_round_up(width, columns * group) * 4 > (size_t)width * 5))
        columns--;
    return columns;
}

/* Pairs of rows that an item makes at a time, and of a block. */
static void choose_mirror(clspi_bezier_shape *shape)
{
    shape->rows = shape->order_u <= 24 && shape->precision == CLSP_F32 ? 4 : 2;
    shape->block_rows = 32;
}

clspi_bezier_shape clspi_bezier_choose(const clsp_context *ctx, clsp_precision precision,
                                       cl_uint dim, cl_uint order_u, cl_uint order_v, cl_uint width,
                                       bool symmetric)
{
    enum {
        FUSED_MAX = 36
    }; /* order_u * order_v: the first sum is made again for each block of rows */
    const clspi_tuning *const tuning = &ctx->tuning;
    const size_t words = (size_t)order_u * (precision == CLSP_F64 ? 2 : 1);
    clspi_bezier_shape shape = {.precision = precision, .dim = 1, .order_u = order_u};

    shape.lanes = clspi_bezier_lanes(ctx, precision);
    shape.in_columns = shape.lanes == 1 && words <= tuning->single_column;
    if (!shape.in_columns) return shape;
    shape.mirror = symmetric && order_u >= tuning->mirror_order;
    shape.fused =
        order_u < tuning->mirror_order && order_v > 0 && (uint64_t)order_u * order_v <= FUSED_MAX;
    if (shape.fused) shape.dim = dim;
    shape.columns = columns_of(ctx, &shape, width);
    shape.block_rows = order_u <= 8 ? 16 : 32;
    if (shape.mirror) choose_mirror(&shape);
    shape.stage = order_u > 4 && ctx->device.local_is_real &&
                  (words + 2) * shape.block_rows * sizeof(cl_float) <= ctx->device.local_bytes;
    return shape;
}

const char *clspi_bezier_columns_name(const clspi_bezier_shape *shape)
{
    return shape->mirror ? "bezier_mirror" : "bezier_columns";
}

/* ---- options ---- */

static int real_options(char *text, const clsp_context *ctx, clsp_precision precision)
{
    const bool wide = precision == CLSP_F64;

    return snprintf(text, CLSPI_BEZIER_OPTIONS_MAX,
                    "-DCLSP_REAL=%d -DCLSP_LANES=%u -DCLSP_FMA=%d -DCLSP_ADDRESS=%u",
                    wide ? 64 : 32, clspi_bezier_lanes(ctx, precision), wide || ctx->device.fma,
                    ctx->device.address_bits);
}

void clspi_bezier_table_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                                clsp_precision precision)
{
    real_options(text, ctx, precision);
}

void clspi_bezier_rows_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                               clsp_precision precision, cl_uint dim)
{
    const int used = real_options(text, ctx, precision);

    snprintf(text + used, (size_t)(CLSPI_BEZIER_OPTIONS_MAX - used), " -DCLSP_DIM=%u", dim);
}

void clspi_bezier_columns_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                                  const clspi_bezier_shape *shape)
{
    int used = real_options(text, ctx, shape->precision);

    used += snprintf(text + used, (size_t)(CLSPI_BEZIER_OPTIONS_MAX - used),
                     " -DCLSP_ORDER_U=%u -DCLSP_COLUMNS=%u -DCLSP_BLOCK_ROWS=%u -DCLSP_STAGE=%d",
                     shape->order_u, shape->columns, shape->block_rows, shape->stage);
    if (shape->mirror)
        snprintf(text + used, (size_t)(CLSPI_BEZIER_OPTIONS_MAX - used), " -DCLSP_ROWS=%u",
                 shape->rows);
    else
        snprintf(text + used, (size_t)(CLSPI_BEZIER_OPTIONS_MAX - used),
                 " -DCLSP_DIM=%u -DCLSP_FUSED=%d", shape->dim, shape->fused);
}

void clspi_bezier_hodograph_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                                    clsp_precision precision, cl_uint dim, const cl_uint by[3])
{
    const int used = real_options(text, ctx, precision);

    snprintf(text + used, (size_t)(CLSPI_BEZIER_OPTIONS_MAX - used),
             " -DCLSP_DIM=%u -DCLSP_BY_U=%u -DCLSP_BY_V=%u -DCLSP_BY_W=%u", dim, by[0], by[1],
             by[2]);
}

/* ---- all of them ---- */

static clsp_status build_shape(clsp_context *ctx, const clspi_bezier_shape *shape,
                               clsp_kernel_fn fn, void *user)
{
    const char *const name = clspi_bezier_columns_name(shape);
    char options[CLSPI_BEZIER_OPTIONS_MAX];

    clspi_bezier_columns_options(options, ctx, shape);
    return clspi_program_report_grouped(ctx, name, options, name, fn, user);
}

/* The shapes for wide and for narrow grids of one order, which may be the same, and where both
   sums are not made by one kernel, for the second alone. */
static clsp_status build_columns(clsp_context *ctx, clsp_precision precision, cl_uint order,
                                 clsp_kernel_fn fn, void *user)
{
    enum { DIM = 3, WIDE = 6000, NARROW = 30 };
    clsp_status status;

    for (int symmetric = 0; symmetric < 2; symmetric++) {
        const clspi_bezier_shape wide =
            clspi_bezier_choose(ctx, precision, DIM, order, order, WIDE, symmetric);
        const clspi_bezier_shape narrow =
            clspi_bezier_choose(ctx, precision, DIM, order, order, NARROW, symmetric);
        if (!wide.in_columns || (symmetric && !wide.mirror)) return CLSP_OK;
        CLSPI_TRY(build_shape(ctx, &wide, fn, user));
        if (narrow.columns != wide.columns) CLSPI_TRY(build_shape(ctx, &narrow, fn, user));
        if (!wide.fused) continue;
        const clspi_bezier_shape alone =
            clspi_bezier_choose(ctx, precision, DIM, order, 0, WIDE, symmetric);
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
        CLSPI_TRY(build_hodographs(ctx, p, DIM, fn, user));
        for (cl_uint order = 1; order <= MAX_ORDER; order++)
            CLSPI_TRY(build_columns(ctx, p, order, fn, user));
    }
    CLSPI_TRY(clspi_bezier_at_build_all(ctx, fn, user));
    return CLSP_OK;

fail:
    return status;
}
