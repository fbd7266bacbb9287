#include "sum_shape.h"

#include "check.h"
#include "kernel_arguments.h"

/* Returns numbers of 32 bits that the terms of one column take. */
static size_t words_of(const clspi_sum_shape *shape)
{
    return shape->terms * (clsp_type_bytes(shape->precision) / sizeof(float));
}

/* ---- registers and local memory ---- */

/* Returns the columns of an item. More of them mean fewer loads of basis values, as long as
   registers last and few lanes lie beyond the row's end. Measured on an H200: 2 columns are best up
   to 12 terms and for symmetric rows, 4 else (cl/patch/sum_columns.cl). */
static uint32_t columns_of(const clsp_context *ctx, const clspi_sum_shape *shape, uint32_t width)
{
    const size_t group = ctx->tuning.work_group;
    const bool in_sectors = shape->kind == CLSPI_SUM_BANDS && shape->sector > 0;
    uint32_t columns =
        (shape->terms <= 12 && !in_sectors) || shape->kind == CLSPI_SUM_SYMMETRIC ? 2 : 4;

    while (columns > 1 && (columns * words_of(shape) > ctx->tuning.item_registers ||
                           clspi_round_up(width, columns * group) * 4 > (size_t)width * 5))
        columns--;
    return columns;
}

/* Returns the rows of a work-group. */
static uint32_t rows_of(const clspi_sum_shape *shape)
{
    return shape->terms <= (shape->sector > 0 ? 4 : 8) ? 16 : 32;
}

static bool fits_local(const clsp_context *ctx, const clspi_sum_shape *shape)
{
    return shape->terms > 4 && ctx->device.local_is_real && shape->kind != CLSPI_SUM_BANDS &&
           (words_of(shape) + 2) * shape->block_rows * sizeof(float) <= ctx->device.local_bytes;
}

/* ---- stores that begin at sectors ---- */

bool clspi_few_rows(const clspi_sum_shape *shape, size_t num_rows)
{
    return num_rows / shape->period < clspi_max(4, shape->terms);
}

/* Tells whether rows of one remainder go on to other T_i of a banded table soon: then an item loads
   them too often. */
static bool few_rows_of_spans(const clspi_sum_job *job, uint32_t period)
{
    enum { SPAN_ROWS = 4 };

    return job->is_banded && job->num_rows / period / SPAN_ROWS < job->controls;
}

/* Gives the shape a sector where rows begin anywhere in one, and there are enough of them. It takes
   the place of symmetric rows: with twice as many terms as those begin with, arithmetic costs more
   than sectors. */
static void choose_sector(clspi_sum_shape *shape, const clspi_tuning *tuning,
                          const clspi_sum_job *job)
{
    enum {
        SECTORS = 4,   /* in a row, at least */
        MOST = 1 << 30 /* so that no number of a column or a row, rounded up, overflows */
    };
    const uint32_t sector = tuning->sector_bytes / (uint32_t)clsp_type_bytes(shape->precision);
    uint32_t period = sector;

    for (uint32_t x = job->width; period > 1 && x % 2 == 0; x /= 2)
        period /= 2;
    shape->period = period;
    if (period <= 1 || few_rows_of_spans(job, period) || job->width < SECTORS * sector ||
        job->width > MOST || job->num_rows > MOST ||
        (!job->is_banded && shape->terms >= 2 * tuning->symmetric_terms) ||
        clspi_few_rows(shape, job->num_rows))
        shape->period = 1;
    else
        shape->sector = sector;
}

clspi_sum_shape clspi_without_sectors(const clsp_context *ctx, const clspi_sum_shape *shape)
{
    clspi_sum_shape other = *shape;

    other.sector = 0;
    other.period = 1;
    other.block_rows = rows_of(&other);
    other.stage = fits_local(ctx, &other);
    return other;
}

/* ---- the shape ---- */

/* Chooses how many symmetric rows an item makes at a time, and those of a block. Two sums a row and
   column stand beside what columns_of counts: 4 rows are for GPUs with many registers. */
static void choose_symmetric(const clsp_context *ctx, clspi_sum_shape *shape)
{
    enum { MANY = 36 };
    const bool few = ctx->tuning.item_registers < MANY;

    shape->rows = !few && shape->terms <= 24 && shape->precision == CLSP_F32 ? 4 : 2;
    if (few) shape->columns = 1;
    shape->block_rows = 32;
}

/* Tells whether a kernel makes both sums: the inner one is made again for each block of rows. */
static bool is_fused(const clspi_tuning *tuning, const clspi_sum_job *job)
{
    enum { FUSED_MAX = 36, BANDS_MAX = 16 }; /* terms of both sums multiplied */

    if (job->inner_terms == 0 || job->precision != CLSP_F32 ||
        (uint64_t)job->terms * job->inner_terms > (job->is_banded ? BANDS_MAX : FUSED_MAX))
        return false;
    return job->is_banded ? tuning->fuses_bands : job->terms < tuning->symmetric_terms;
}

clspi_sum_shape clspi_sum_choose(const clsp_context *ctx, const clspi_sum_job *job)
{
    const clspi_tuning *const tuning = &ctx->tuning;
    clspi_sum_shape shape = {.kind = CLSPI_SUM_ROWS,
                             .precision = job->precision,
                             .dim = 1,
                             .terms = job->terms,
                             .period = 1};

    if (words_of(&shape) > tuning->single_column) return shape;
    choose_sector(&shape, tuning, job);
    shape.kind = job->is_banded ? CLSPI_SUM_BANDS
                 : job->is_symmetric && job->terms >= tuning->symmetric_terms && shape.sector == 0
                     ? CLSPI_SUM_SYMMETRIC
                     : CLSPI_SUM_COLUMNS;
    shape.fused = is_fused(tuning, job) && !(job->is_banded && shape.sector > 0);
    if (shape.fused) {
        shape.dim = job->coords;
        shape.inner_terms = job->inner_terms;
    }
    shape.columns = columns_of(ctx, &shape, job->width);
    shape.block_rows = rows_of(&shape);
    if (shape.kind == CLSPI_SUM_SYMMETRIC) choose_symmetric(ctx, &shape);
    shape.stage = fits_local(ctx, &shape);
    return shape;
}

/* ---- kernels ---- */

clspi_options clspi_tensor_sums_options(const clsp_context *ctx, clsp_type precision,
                                        uint32_t coords, bool is_banded)
{
    clspi_options options = clspi_options_of(ctx, precision);

    clspi_option(&options, "DIM", coords);
    if (is_banded) clspi_option(&options, "BANDED", 1);
    return options;
}

/* Makes the options of kernels that have their terms in registers, without CLSP_GROUP. */
static clspi_options column_options(const clsp_context *ctx, const clspi_sum_shape *shape)
{
    clspi_options options = clspi_options_of(ctx, shape->precision);

    clspi_option(&options, "TERMS_U", shape->terms);
    clspi_option(&options, "COLUMNS", shape->columns);
    clspi_option(&options, "BLOCK_ROWS", shape->block_rows);
    clspi_option(&options, "STAGE", shape->stage);
    if (shape->kind == CLSPI_SUM_SYMMETRIC) {
        clspi_option(&options, "ROWS", shape->rows);
        return options;
    }
    clspi_option(&options, "SECTOR", shape->sector);
    clspi_option(&options, "DIM", shape->dim);
    clspi_option(&options, "FUSED", shape->fused);
    if (shape->kind == CLSPI_SUM_BANDS && shape->fused)
        clspi_option(&options, "TERMS_V", shape->inner_terms);
    return options;
}

/* The program of each kind, whose kernel has its name. */
static const struct {
    const char *program;
    const clspi_signature *signature;
} kinds[] = {[CLSPI_SUM_ROWS] = {"tensor_sums", &clspi_sum_rows_signature},
             [CLSPI_SUM_COLUMNS] = {"sum_columns", &clspi_sum_columns_signature},
             [CLSPI_SUM_SYMMETRIC] = {"sum_symmetric", &clspi_sum_symmetric_signature},
             [CLSPI_SUM_BANDS] = {"sum_bands", &clspi_sum_bands_signature}};

clsp_status clspi_sum_kernel(clspi_kernel *kernel, clsp_context *ctx, const clspi_sum_shape *shape,
                             uint32_t coords, bool is_banded)
{
    const char *const program = kinds[shape->kind].program;
    const clspi_signature *const signature = kinds[shape->kind].signature;

    if (shape->kind == CLSPI_SUM_ROWS) {
        const clspi_options options =
            clspi_tensor_sums_options(ctx, shape->precision, coords, is_banded);
        return clspi_kernel_create(kernel, ctx, program, signature, &options);
    }
    const clspi_options options = column_options(ctx, shape);
    return clspi_kernel_create_grouped(kernel, ctx, program, signature, &options);
}

clsp_status clspi_sum_build(const clspi_build *build, const clspi_sum_shape *shape)
{
    const clspi_options options = column_options(build->ctx, shape);

    return clspi_program_build_grouped(build, kinds[shape->kind].program,
                                       kinds[shape->kind].signature, &options);
}
