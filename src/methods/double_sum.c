/* Double sums point by point (double_sum.cl). */
#include <stdlib.h>

#include "bezier_sums.h"
#include "check.h"
#include "kernel_arguments.h"
#include "term_sums.h"
#include "vertex_assembly.h"

enum { CHUNK = CLSPI_DOUBLE_SUM_CHUNK, ROWS = CLSPI_DOUBLE_SUM_ROWS };

typedef struct double_sum {
    const clspi_tensor_desc *desc;
    uint32_t orders[2]; /* terms of the double sum */
    bool has_tables;    /* else every value is computed again */
    clspi_basis_table tables[2];
    clspi_kernel kernel;
    bool stage;
    uint32_t tile[2]; /* samples of a work-group that stages, else of an item */
} double_sum;

/* ---- the kernel ---- */

static uint32_t tile_wanted(const clspi_tensor_desc *d)
{
    return d->axis[1].num == 1 ? 1 : CLSPI_DOUBLE_SUM_TILE;
}

/* Tells whether a chunk of control points and the values of a tile fit local memory, for a
   work-group of any size up to the tuning table's. */
static bool can_stage(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    const size_t tile = tile_wanted(d), items = ctx->tuning.work_group;
    const size_t reals = CHUNK * (CHUNK * clspi_coords(d) + tile + ROWS * items / tile);

    return ctx->device.local_is_real &&
           reals * clsp_type_bytes(d->precision) <= ctx->device.local_bytes;
}

static clspi_options options_of(const clsp_context *ctx, const double_sum *sum)
{
    const clspi_tensor_desc *const d = sum->desc;
    clspi_options options = clspi_options_of(ctx, d->precision);

    clspi_option(&options, "DIM", clspi_coords(d));
    clspi_option(&options, "STAGE", sum->stage);
    clspi_option(&options, "TILE", tile_wanted(d));
    return options;
}

static clsp_status create_kernel(double_sum *sum, clsp_context *ctx)
{
    const clspi_tensor_desc *const d = sum->desc;

    sum->stage = sum->has_tables && can_stage(ctx, d);
    sum->tile[0] = sum->tile[1] = 1;
    const clspi_options options = options_of(ctx, sum);
    if (!sum->stage)
        return clspi_kernel_create(
            &sum->kernel, ctx, "double_sum",
            sum->has_tables ? &clspi_table_sum_signature : &clspi_power_sum_signature, &options);
    CLSPI_CHECK(clspi_kernel_create_grouped(&sum->kernel, ctx, "double_sum",
                                            &clspi_table_sum_signature, &options));
    sum->tile[1] = (uint32_t)clspi_min(tile_wanted(d), sum->kernel.local);
    sum->tile[0] = ROWS * (uint32_t)sum->kernel.local / sum->tile[1];
    return CLSP_OK;
}

/* ---- preparing ---- */

static void release_tables(double_sum *sum)
{
    clspi_table_release(&sum->tables[0]);
    clspi_table_release(&sum->tables[1]);
}

static clsp_status fill_tables(double_sum *sum, clspi_series *series)
{
    const clspi_tensor_desc *const d = sum->desc;
    clspi_basis_table *const tables = sum->tables;

    release_tables(sum);
    for (uint32_t k = 0; k < 2; k++)
        clspi_table_shape(&tables[k], d, k, d->controls[k] - sum->orders[k]);
    CLSPI_CHECK(clspi_table_fill(&tables[0], series, d));
    return clspi_table_same(&tables[0], &tables[1])
               ? clspi_table_share(&tables[1], series->ctx, &tables[0])
               : clspi_table_fill(&tables[1], series, d);
}

static clsp_status prepare(void **state, clspi_series *series, const clspi_tensor_desc *desc,
                           const uint32_t controls[3], bool has_tables)
{
    double_sum *const sum = *state ? *state : calloc(1, sizeof *sum);

    if (!sum)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for a plan");
    *state = sum;
    sum->desc = desc;
    sum->has_tables = has_tables;
    sum->orders[0] = controls[0];
    sum->orders[1] = controls[1];
    clspi_kernel_release(&sum->kernel);
    if (has_tables) CLSPI_CHECK(fill_tables(sum, series));
    return create_kernel(sum, series->ctx);
}

static clsp_status prepare_with_tables(void **state, clspi_series *series,
                                       const clspi_tensor_desc *desc, const uint32_t controls[3])
{
    return prepare(state, series, desc, controls, true);
}

static clsp_status prepare_with_powers(void **state, clspi_series *series,
                                       const clspi_tensor_desc *desc, const uint32_t controls[3])
{
    return prepare(state, series, desc, controls, false);
}

static void release(void **state)
{
    double_sum *const sum = *state;

    if (!sum) return;
    release_tables(sum);
    clspi_kernel_release(&sum->kernel);
    free(sum);
    *state = NULL;
}

/* ---- launches ---- */

/* Some rows of patches, or a part of one tile of rows along v. */
typedef struct sum_part {
    cl_mem points;
    clspi_rows rows;
    uint32_t first_v, num_v;
} sum_part;

static clsp_status launch(const double_sum *sum, clspi_series *series, const sum_part *part)
{
    const clspi_tensor_desc *const d = sum->desc;
    const clspi_rows *const rows = &part->rows;
    const clspi_sample_range at = {.first_patch = rows->first_patch,
                                   .offset = rows->offset + (size_t)part->first_v * clspi_coords(d),
                                   .num_patches = (uint32_t)rows->num_patches,
                                   .order_u = sum->orders[0],
                                   .order_v = sum->orders[1],
                                   .first_u = rows->first_row,
                                   .num_u = rows->num_rows,
                                   .first_v = part->first_v,
                                   .num_v = part->num_v,
                                   .row = d->axis[1].num,
                                   .stride_u = sum->tables[0].stride,
                                   .stride_v = sum->tables[1].stride,
                                   .tiles_u = (uint32_t)clspi_div_up(rows->num_rows, sum->tile[0]),
                                   .tiles_v = (uint32_t)clspi_div_up(part->num_v, sum->tile[1])};
    const size_t tiles = rows->num_patches * at.tiles_u * at.tiles_v;
    const clspi_table_sum_args table_args = {.points = part->points,
                                             .table_u = sum->tables[0].values,
                                             .table_v = sum->tables[1].values,
                                             .out = rows->out,
                                             .at = at};
    const clspi_power_sum_args power_args = {.points = part->points,
                                             .out = rows->out,
                                             .at = at,
                                             .axis_u = clspi_sample_axis_of(d, 0),
                                             .axis_v = clspi_sample_axis_of(d, 1)};

    return sum->has_tables ? clspi_launch_table_sum(series, &sum->kernel, &table_args,
                                                    sum->stage ? tiles * sum->kernel.local : tiles)
                           : clspi_launch_power_sum(series, &sum->kernel, &power_args, tiles);
}

/* Returns the multiply-adds of a point, or what takes as long: a value that is computed has two
   powers and a quotient for each factor of C(n, k). */
static uint64_t work_of_a_point(const double_sum *sum)
{
    enum { POWERS = 100, FACTOR = 4 };
    const uint64_t terms = (uint64_t)sum->orders[0] * sum->orders[1];
    const uint64_t value = POWERS + (uint64_t)FACTOR * sum->orders[1];

    return terms * (clspi_coords(sum->desc) + 1 + (sum->has_tables ? 0 : value));
}

/* Returns the tiles that one launch may cover. */
static uint64_t tiles_of_a_launch(const double_sum *sum, const clsp_context *ctx)
{
    const uint64_t points = (uint64_t)sum->tile[0] * sum->tile[1];

    return clspi_launch_lines(&ctx->tuning, points * work_of_a_point(sum),
                              sum->stage ? sum->kernel.local : 1, sum->kernel.local, 1);
}

/* Enqueues some rows: all columns at once, or else so many tiles along v at a time. */
static clsp_status enqueue_rows(const double_sum *sum, clspi_series *series, cl_mem points,
                                const clspi_rows *rows, uint64_t tiles)
{
    const uint32_t num_v = sum->desc->axis[1].num;
    const uint32_t step = (uint32_t)clspi_min_u64(num_v, tiles * sum->tile[1]);

    for (uint32_t v = 0; v < num_v; v += step) {
        const sum_part part = {points, *rows, v, (uint32_t)clspi_min(step, num_v - v)};
        CLSPI_CHECK(launch(sum, series, &part));
    }
    return CLSP_OK;
}

static clsp_status eval(void *state, clspi_series *series, cl_mem points, const clspi_rows *rows)
{
    const double_sum *const sum = state;
    const uint32_t num_v = sum->desc->axis[1].num;
    const uint64_t tiles = tiles_of_a_launch(sum, series->ctx);
    const uint64_t tile_rows = tiles / clspi_div_up(num_v, sum->tile[1]);
    clspi_cut cut = {.per_piece = rows->num_rows,
                     .multiple = sum->tile[0],
                     .left = rows->num_patches * rows->num_rows};
    clspi_part part;

    while (clspi_cut_next(&cut, tile_rows > 0 ? tile_rows * sum->tile[0] : 1, &part)) {
        const clspi_rows some =
            clspi_rows_of_part(rows, &part, (size_t)num_v * clspi_coords(sum->desc));
        CLSPI_CHECK(enqueue_rows(sum, series, points, &some, tiles));
    }
    return CLSP_OK;
}

const clspi_sum_method clspi_table_sums = {prepare_with_tables, NULL, eval, release,
                                           &clspi_host_table_sums};
const clspi_sum_method clspi_power_sums = {prepare_with_powers, NULL, eval, release,
                                           &clspi_host_power_sums};
