#include "bezier_shape.h"

#include <stdio.h>

#include "check.h"

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

/* Pairs of rows that an item makes at a time, and of a block. Two sums a pair and column stand
   beside what columns_of counts: 4 pairs are for GPUs with many registers. */
static void choose_mirror(const clsp_context *ctx, clspi_bezier_shape *shape)
{
    enum { MANY = 36 };
    const bool few = ctx->tuning.item_registers < MANY;

    shape->rows = !few && shape->order_u <= 24 && shape->precision == CLSP_F32 ? 4 : 2;
    if (few) shape->columns = 1;
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
    shape.fused = order_u < tuning->mirror_order && order_v > 0 && precision == CLSP_F32 &&
                  (uint64_t)order_u * order_v <= FUSED_MAX;
    if (shape.fused) shape.dim = dim;
    shape.columns = columns_of(ctx, &shape, width);
    shape.block_rows = order_u <= 8 ? 16 : 32;
    if (shape.mirror) choose_mirror(ctx, &shape);
    shape.stage = order_u > 4 && ctx->device.local_is_real &&
                  (words + 2) * shape.block_rows * sizeof(cl_float) <= ctx->device.local_bytes;
    return shape;
}

const char *clspi_bezier_columns_name(const clspi_bezier_shape *shape)
{
    return shape->mirror ? "bezier_mirror" : "bezier_columns";
}

/* ---- options ---- */

static int real_options(char *text, size_t size, const clsp_context *ctx, clsp_precision precision)
{
    const bool wide = precision == CLSP_F64;

    return snprintf(text, size, "-DCLSP_REAL=%d -DCLSP_LANES=%u -DCLSP_FMA=%d -DCLSP_ADDRESS=%u",
                    wide ? 64 : 32, clspi_bezier_lanes(ctx, precision), wide || ctx->device.fma,
                    ctx->device.address_bits);
}

void clspi_bezier_table_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                                clsp_precision precision)
{
    real_options(text, CLSPI_BEZIER_OPTIONS_MAX, ctx, precision);
}

void clspi_bezier_rows_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                               clsp_precision precision, cl_uint dim)
{
    const int used = real_options(text, CLSPI_BEZIER_OPTIONS_MAX, ctx, precision);

    snprintf(text + used, (size_t)(CLSPI_BEZIER_OPTIONS_MAX - used), " -DCLSP_DIM=%u", dim);
}

void clspi_bezier_columns_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                                  const clspi_bezier_shape *shape)
{
    int used = real_options(text, CLSPI_BEZIER_OPTIONS_MAX, ctx, shape->precision);

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
    const int used = real_options(text, CLSPI_BEZIER_OPTIONS_MAX, ctx, precision);

    snprintf(text + used, (size_t)(CLSPI_BEZIER_OPTIONS_MAX - used),
             " -DCLSP_DIM=%u -DCLSP_BY_U=%u -DCLSP_BY_V=%u -DCLSP_BY_W=%u", dim, by[0], by[1],
             by[2]);
}

void clspi_bezier_shared_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                                 clsp_precision precision, const char *pop_options)
{
    const int used = snprintf(text, CLSPI_BEZIER_OPTIONS_MAX, "%s%s ", pop_options,
                              clspi_bezier_lanes(ctx, precision) == 1 ? "" : " -DCLSP_GROUP=1");

    real_options(text + used, (size_t)(CLSPI_BEZIER_OPTIONS_MAX - used), ctx, precision);
}
