#include "axis_sum.h"

#include "check.h"
#include "kernel_arguments.h"

enum {
    SECTOR_ROWS = 4 /* rows that an item of sum_columns or sum_bands makes at a time */
};

/* ---- preparing ---- */

static clsp_status create_kernel(clspi_axis_sum *sum, clspi_kernel *kernel,
                                 const clspi_sum_shape *shape)
{
    return clspi_sum_kernel(kernel, sum->ctx, shape, sum->coords, sum->table->is_banded);
}

/* Shapes the table from which whole sectors of rows are made. */
static void shape_permuted(clspi_basis_table *permuted, const clspi_tensor_desc *desc,
                           const clspi_basis_table *table, uint32_t period)
{
    clspi_table_shape(permuted, desc, table->direction, table->by);
    clspi_table_permute(permuted, period);
}

/* Makes the product of a table and T_i, where it goes by tiles. */
static clsp_status create_product(clspi_axis_sum *sum, uint32_t stride_t)
{
    clspi_gemm_desc desc = {.precision = sum->shape.precision,
                            .m = sum->num_rows,
                            .n = sum->width,
                            .k = sum->table->terms,
                            .lda = 1,
                            .step_a = sum->table->stride,
                            .ldb = stride_t,
                            .stride_b = (size_t)sum->controls * stride_t,
                            .stride_c = (size_t)sum->num_rows * sum->width,
                            .method = CLSPI_GEMM_OWN};

    if (sum->shape.kind != CLSPI_SUM_ROWS || sum->table->is_banded ||
        !clspi_gemm_by_tiles(sum->ctx, &desc))
        return CLSP_OK;
    desc.batch = clspi_gemm_most(&desc);
    return clspi_gemm_create(&sum->product, sum->ctx, &desc);
}

clsp_status clspi_axis_sum_prepare(clspi_axis_sum *sum, clsp_context *ctx,
                                   const clspi_axis_sum_desc *d)
{
    clspi_basis_table *const table = d->table;
    const clspi_sum_job job = {.precision = d->desc->precision,
                               .coords = clspi_coords(d->desc),
                               .terms = table->terms,
                               .inner_terms = d->inner_terms,
                               .controls = d->desc->controls[table->direction] - table->by,
                               .width = d->width,
                               .num_rows = d->permuted ? d->num_rows : 0,
                               .is_symmetric =
                                   clspi_pairs_rows(d->desc) && clspi_is_unit_axis(&table->axis),
                               .is_banded = table->is_banded};

    *sum = (clspi_axis_sum){.ctx = ctx,
                            .shape = clspi_sum_choose(ctx, &job),
                            .table = table,
                            .permuted = d->permuted,
                            .coords = job.coords,
                            .controls = d->desc->controls[table->direction] - table->by,
                            .width = d->width,
                            .num_rows = d->num_rows};
    if (sum->shape.kind == CLSPI_SUM_SYMMETRIC) clspi_table_make_symmetric(table);
    CLSPI_CHECK(create_product(sum, d->stride_t));
    if (sum->shape.sector == 0) return create_kernel(sum, &sum->plain, &sum->shape);
    shape_permuted(d->permuted, d->desc, table, sum->shape.period);
    return create_kernel(sum, &sum->sectors, &sum->shape);
}

void clspi_axis_sum_release(clspi_axis_sum *sum)
{
    sum->table = NULL;
    clspi_gemm_destroy(&sum->product);
    clspi_kernel_release(&sum->sectors);
    clspi_kernel_release(&sum->plain);
}

/* ---- launches ---- */

/* One launch: some rows with the source that belongs to them. */
typedef struct launch_job {
    const clspi_axis_sum *sum;
    clspi_sum_source source;
    clspi_rows rows;
} launch_job;

clspi_rows clspi_rows_of_part(const clspi_rows *rows, const clspi_part *part, size_t row)
{
    clspi_rows some = *rows;

    some.first_patch += part->piece;
    some.num_patches = part->num_pieces;
    some.first_row += (uint32_t)part->line;
    some.num_rows = (uint32_t)(part->num_lines / part->num_pieces);
    some.offset += part->before * row;
    return some;
}

clspi_row_range clspi_row_range_of(size_t first_patch, const clspi_rows *rows)
{
    const clspi_row_range range = {.first_patch = first_patch,
                                   .offset = rows->offset,
                                   .num_patches = (uint32_t)rows->num_patches,
                                   .first_row = rows->first_row,
                                   .num_rows = rows->num_rows};

    return range;
}

/* Returns the work-groups along the columns of one patch or, with one column an item, of all. */
static size_t tiles_of(const clspi_axis_sum *sum, size_t num_patches)
{
    const size_t columns = sum->shape.columns == 1 ? num_patches * sum->width : sum->width;

    return clspi_div_up(columns, sum->shape.columns * sum->plain.local);
}

/* Returns the patches that are counted apart from the tiles. */
static size_t separate_patches(const clspi_axis_sum *sum, size_t num_patches)
{
    return sum->shape.columns == 1 ? 1 : num_patches;
}

/* Returns the work-groups along the columns of a row that is shifted by less than a sector. A row
   begins at a multiple of sector / period beyond the range. */
static uint32_t sector_tiles_of(const clspi_axis_sum *sum, size_t offset)
{
    const uint32_t unit = sum->shape.sector / sum->shape.period;
    const size_t shift = sum->shape.sector - unit + offset % unit;

    return (uint32_t)clspi_div_up(sum->width + shift, sum->shape.columns * sum->sectors.local);
}

/* What launches of sum_columns and of sum_bands have in common. */
typedef struct block_launch {
    const clspi_kernel *kernel;
    const clspi_basis_table *table;
    clspi_row_blocks rows;
    clspi_row_range at;
    size_t items;
} block_launch;

static block_launch plain_blocks(const launch_job *job)
{
    const clspi_axis_sum *const sum = job->sum;
    const clspi_rows *const rows = &job->rows;
    block_launch blocks = {
        .kernel = &sum->plain,
        .table = sum->table,
        .rows = {.width = sum->width,
                 .num_tiles = (uint32_t)tiles_of(sum, rows->num_patches),
                 .num_blocks = (uint32_t)clspi_div_up(rows->num_rows, sum->shape.block_rows),
                 .period = 1,
                 .block_rows = sum->shape.block_rows},
        .at = clspi_row_range_of(job->source.first_patch, rows)};

    blocks.items = (size_t)blocks.rows.num_tiles * blocks.rows.num_blocks *
                   separate_patches(sum, rows->num_patches) * sum->plain.local;
    return blocks;
}

/* Rows are stored in whole sectors; those of a remainder are spread evenly among blocks. */
static block_launch sector_blocks(const launch_job *job)
{
    const clspi_axis_sum *const sum = job->sum;
    const clspi_rows *const rows = &job->rows;
    const uint32_t period = sum->shape.period;
    const uint32_t num_rows = (uint32_t)clspi_div_up(rows->num_rows, period);
    const uint32_t num_blocks = (uint32_t)clspi_div_up(num_rows, sum->shape.block_rows);
    const size_t block_rows = clspi_div_up(num_rows, num_blocks);
    block_launch blocks = {
        .kernel = &sum->sectors,
        .table = sum->permuted,
        .rows = {.width = sum->width,
                 .num_tiles = sector_tiles_of(sum, rows->offset),
                 .num_blocks = num_blocks * period,
                 .period = period,
                 .block_rows = (uint32_t)clspi_round_up(block_rows, SECTOR_ROWS)},
        .at = clspi_row_range_of(job->source.first_patch, rows)};

    blocks.at.first_row /= period;
    blocks.items = (size_t)blocks.rows.num_tiles * blocks.rows.num_blocks * rows->num_patches *
                   sum->sectors.local;
    return blocks;
}

static block_launch blocks_of(const launch_job *job, bool in_sectors)
{
    return in_sectors ? sector_blocks(job) : plain_blocks(job);
}

static clsp_status launch_columns(const launch_job *job, clspi_series *series, bool in_sectors)
{
    const block_launch blocks = blocks_of(job, in_sectors);
    const clspi_basis_table *const inner = job->source.inner ? job->source.inner : job->sum->table;
    const clspi_sum_columns_args args = {.source = job->source.buffer,
                                         .table_u = blocks.table->values,
                                         .table_v = inner->values,
                                         .out = job->rows.out,
                                         .sum = {.terms_v = inner->terms,
                                                 .stride_u = blocks.table->stride,
                                                 .stride_v = inner->stride,
                                                 .stride_t = job->source.stride},
                                         .rows = blocks.rows,
                                         .at = blocks.at};

    return clspi_launch_sum_columns(series, blocks.kernel, &args, blocks.items);
}

static clsp_status launch_bands(const launch_job *job, clspi_series *series, bool in_sectors)
{
    const block_launch blocks = blocks_of(job, in_sectors);
    const clspi_basis_table *const inner = job->source.inner ? job->source.inner : job->sum->table;
    const clspi_sum_bands_args args = {.t = job->source.buffer,
                                       .table_u = blocks.table->values,
                                       .first_u = blocks.table->first,
                                       .table_v = inner->values,
                                       .first_v = inner->first,
                                       .out = job->rows.out,
                                       .sum = {.controls = job->sum->controls,
                                               .stride_u = blocks.table->stride,
                                               .stride_t = job->source.stride,
                                               .controls_v = job->source.controls,
                                               .stride_v = inner->stride},
                                       .rows = blocks.rows,
                                       .at = blocks.at};

    return clspi_launch_sum_bands(series, blocks.kernel, &args, blocks.items);
}

clspi_half_rows clspi_half_of(uint32_t num_u, uint32_t first_row, uint32_t num_rows)
{
    enum { MULTIPLE = 4 }; /* of the first row, so that vectors of them can be loaded whole */
    const uint32_t half = (num_u + 1) / 2, last = first_row + num_rows - 1;
    const uint32_t low = last < half ? last : num_u - 1 - last; /* where the last row is found */
    const uint32_t first = first_row < half ? first_row : num_u - 1 - first_row;
    const bool crosses = first_row < half && last >= half;
    const clspi_half_rows rows = {(uint32_t)clspi_min(first, low) / MULTIPLE * MULTIPLE,
                                  crosses ? half : (uint32_t)clspi_max(first, low) + 1};

    return rows;
}

static clsp_status launch_symmetric(const launch_job *job, clspi_series *series)
{
    const clspi_axis_sum *const sum = job->sum;
    const clspi_rows *const rows = &job->rows;
    const clspi_half_rows half = clspi_half_of(sum->num_rows, rows->first_row, rows->num_rows);
    const clspi_sum_symmetric_args args = {
        .t = job->source.buffer,
        .table = sum->table->values,
        .out = rows->out,
        .sum = {.stride_t = job->source.stride,
                .stride_table = sum->table->stride,
                .width = sum->width,
                .num_u = sum->num_rows,
                .first_half = half.first,
                .end_half = half.end,
                .num_tiles = (uint32_t)tiles_of(sum, rows->num_patches),
                .num_blocks = (uint32_t)clspi_div_up(half.end - half.first, sum->shape.block_rows)},
        .at = clspi_row_range_of(job->source.first_patch, rows)};

    return clspi_launch_sum_symmetric(series, &sum->plain, &args,
                                      (size_t)args.sum.num_tiles * args.sum.num_blocks *
                                          separate_patches(sum, rows->num_patches) *
                                          sum->plain.local);
}

static clsp_status launch_rows(const launch_job *job, clspi_series *series)
{
    const clspi_axis_sum *const sum = job->sum;
    const clspi_basis_table *const table = sum->table;
    const clspi_rows *const rows = &job->rows;
    const uint32_t num_blocks = (uint32_t)clspi_div_up(rows->num_rows, CLSPI_ROW_BLOCK_ROWS);
    const clspi_sum_rows_args args = {
        .t = job->source.buffer,
        .table = table->values,
        .first = table->first,
        .out = rows->out,
        .sum = {.t_offset = job->source.first_patch * sum->controls * job->source.stride,
                .controls = sum->controls,
                .terms = table->terms,
                .stride_t = job->source.stride,
                .stride_table = table->stride,
                .width = sum->width,
                .num_blocks = num_blocks,
                .items = (uint32_t)(rows->num_patches * num_blocks * sum->width)},
        .at = clspi_row_range_of(job->source.first_patch, rows)};

    return clspi_launch_sum_rows(series, &sum->plain, &args, args.sum.items);
}

/* ---- all launches ---- */

/* Returns the multiple of rows that launches begin at: of every vector of rows of one remainder. */
static size_t rows_multiple(const clspi_axis_sum *sum, bool in_sectors)
{
    return in_sectors ? SECTOR_ROWS * (size_t)sum->shape.period : CLSPI_ROWS_MULTIPLE;
}

/* Returns the rows of patches that one launch may cover. */
static uint64_t rows_of_a_launch(const clspi_axis_sum *sum, bool in_sectors)
{
    const clspi_tuning *const tuning = &sum->ctx->tuning;
    const uint64_t fma = (uint64_t)sum->width * sum->table->terms;
    const size_t local = in_sectors ? sum->sectors.local : sum->plain.local;

    if (sum->shape.kind == CLSPI_SUM_ROWS)
        return clspi_launch_lines(tuning, fma, sum->width, tuning->work_group,
                                  CLSPI_ROW_BLOCK_ROWS);
    if (in_sectors) /* at worst a block has SECTOR_ROWS rows */
        return clspi_launch_lines(tuning, fma,
                                  sector_tiles_of(sum, sum->shape.sector - 1) * (uint64_t)local,
                                  local, SECTOR_ROWS);
    return clspi_launch_lines(tuning, fma, tiles_of(sum, 1) * local, local, sum->shape.block_rows);
}

static clsp_status launch(const launch_job *job, clspi_series *series, bool in_sectors)
{
    switch (job->sum->shape.kind) {
    case CLSPI_SUM_COLUMNS:
        return launch_columns(job, series, in_sectors);
    case CLSPI_SUM_SYMMETRIC:
        return launch_symmetric(job, series);
    case CLSPI_SUM_BANDS:
        return launch_bands(job, series, in_sectors);
    default:
        return launch_rows(job, series);
    }
}

/* Enqueues launches that are short enough, of several whole patches or of some rows of one. */
static clsp_status enqueue_as(const clspi_axis_sum *sum, clspi_series *series,
                              const clspi_sum_source *source, const clspi_rows *rows,
                              bool in_sectors)
{
    const uint64_t most = rows_of_a_launch(sum, in_sectors);
    clspi_cut cut = {.per_piece = rows->num_rows,
                     .multiple = rows_multiple(sum, in_sectors),
                     .left = rows->num_patches * rows->num_rows};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        launch_job job = {
            .sum = sum, .source = *source, .rows = clspi_rows_of_part(rows, &part, sum->width)};
        job.source.first_patch += part.piece;
        CLSPI_CHECK(launch(&job, series, in_sectors));
    }
    return CLSP_OK;
}

/* Tells whether rows go by tiles, of the same bits: many columns of many rows, by launches of their
   own. */
static bool is_product(const clspi_axis_sum *sum, const clspi_series *series,
                       const clspi_rows *rows)
{
    enum { LEAST = 32 };

    return sum->product && !series->queue && rows->num_rows >= LEAST &&
           clspi_gemm_is_busy(sum->ctx, (uint64_t)rows->num_patches * rows->num_rows * sum->width);
}

static clsp_status enqueue_product(const clspi_axis_sum *sum, clspi_series *series,
                                   const clspi_sum_source *source, const clspi_rows *rows)
{
    const clspi_gemm_buffers at = {.a = sum->table->values,
                                   .b = source->buffer,
                                   .b_offset = source->first_patch * sum->controls * source->stride,
                                   .c = rows->out,
                                   .c_offset = rows->offset};
    const clspi_gemm_part part = {.products = {0, rows->num_patches},
                                  .rows = {rows->first_row, rows->num_rows},
                                  .stride_c = (size_t)rows->num_rows * sum->width};

    return clspi_gemm_enqueue(sum->product, series, &at, &part);
}

/* Sums in sectors where the shape has them, or for few rows as if it had none: the same bits. */
clsp_status clspi_axis_sum_enqueue(clspi_axis_sum *sum, clspi_series *series,
                                   const clspi_sum_source *source, const clspi_rows *rows)
{
    if (is_product(sum, series, rows)) return enqueue_product(sum, series, source, rows);
    if (sum->shape.sector == 0) return enqueue_as(sum, series, source, rows, false);
    if (rows->first_row % rows_multiple(sum, true) == 0 &&
        !clspi_few_rows(&sum->shape, rows->num_rows))
        return enqueue_as(sum, series, source, rows, true);
    const clspi_sum_shape shape = clspi_without_sectors(sum->ctx, &sum->shape);
    if (!sum->plain.kernel) CLSPI_CHECK(create_kernel(sum, &sum->plain, &shape));
    clspi_axis_sum plain = *sum;
    plain.shape = shape;
    return enqueue_as(&plain, series, source, rows, false);
}
