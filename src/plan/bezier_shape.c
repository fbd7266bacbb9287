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

/* Rows of a work-group. */
static cl_uint rows_of(const clspi_bezier_shape *shape)
{
    return shape->order_u <= (shape->line > 0 ? 4 : 8) ? 16 : 32;
}

static bool fits_local(const clsp_context *ctx, const clspi_bezier_shape *shape)
{
    const size_t words = (size_t)shape->order_u * (shape->precision == CLSP_F64 ? 2 : 1);

    return shape->order_u > 4 && ctx->device.local_is_real &&
           (words + 2) * shape->block_rows * sizeof(cl_float) <= ctx->device.local_bytes;
}

/* ---- stores that begin at lines ---- */

bool clspi_bezier_few_rows(const clspi_bezier_shape *shape, cl_uint num_rows)
{
    return num_rows / shape->period < clspi_max(4, shape->order_u);
}

/* Where rows begin anywhere in a line, and there are enough of them. It takes the place of
   mirroring: with twice as many terms as that begins with, arithmetic costs more than lines. */
static void choose_line(clspi_bezier_shape *shape, const clspi_tuning *tuning, cl_uint width,
                        cl_uint num_rows)
{
    enum {
        LINES = 4,     /* in a row, at least */
        MOST = 1 << 30 /* so that no number of a column or a row, rounded up, overflows */
    };
    const cl_uint line = tuning->line_bytes /
                         (cl_uint)(shape->precision == CLSP_F64 ? sizeof(double) : sizeof(float));
    cl_uint period = line;

    for (cl_uint x = width; period > 1 && x % 2 == 0; x /= 2)
        period /= 2;
    shape->period = period;
    if (period <= 1 || width < LINES * line || width > MOST || num_rows > MOST ||
        shape->order_u >= 2 * tuning->mirror_order || clspi_bezier_few_rows(shape, num_rows))
        shape->period = 1;
    else
        shape->line = line;
}

clspi_bezier_shape clspi_bezier_without_lines(const clsp_context *ctx,
                                              const clspi_bezier_shape *shape)
{
    clspi_bezier_shape other = *shape;

    other.line = 0;
    other.period = 1;
    other.block_rows = rows_of(&other);
    other.stage = fits_local(ctx, &other);
    return other;
}

/* ---- the shape ---- */

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
                                       cl_uint num_rows, bool symmetric)
{
    enum {
        FUSED_MAX = 36
    }; /* order_u * order_v: the first sum is made again for each block of rows */
    const clspi_tuning *const tuning = &ctx->tuning;
    const size_t words = (size_t)order_u * (precision == CLSP_F64 ? 2 : 1);
    clspi_bezier_shape shape = {.precision = precision, .dim = 1, .order_u = order_u, .period = 1};

    shape.lanes = clspi_bezier_lanes(ctx, precision);
    shape.in_columns = shape.lanes == 1 && words <= tuning->single_column;
    if (!shape.in_columns) return shape;
    choose_line(&shape, tuning, width, num_rows);
    shape.mirror = symmetric && order_u >= tuning->mirror_order && shape.line == 0;
    shape.fused = order_u < tuning->mirror_order && order_v > 0 && precision == CLSP_F32 &&
                  (uint64_t)order_u * order_v <= FUSED_MAX;
    if (shape.fused) shape.dim = dim;
    shape.columns = columns_of(ctx, &shape, width);
    shape.block_rows = rows_of(&shape);
    if (shape.mirror) choose_mirror(ctx, &shape);
    shape.stage = fits_local(ctx, &shape);
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
                 " -DCLSP_DIM=%u -DCLSP_FUSED=%d -DCLSP_LINE=%u", shape->dim, shape->fused,
                 shape->line);
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
