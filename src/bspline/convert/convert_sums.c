/* The sums that make control points over a target's knots. */
#include "check.h"
#include "convert_target.h"

/* Tells whether pieces in several directions are to be put in order after the sums. */
static bool is_reordered(const clspi_convert_target *target)
{
    return target->pieces && target->desc.directions > 1;
}

size_t clspi_convert_row_reals(const clspi_convert_target *target)
{
    return (size_t)target->desc.axis[1].num * target->desc.axis[2].num *
           clspi_coords(&target->desc);
}

size_t clspi_convert_line_rows(const clspi_convert_target *target)
{
    return is_reordered(target) ? target->knots[0].degree + 1 : 1;
}

size_t clspi_convert_multiple(const clspi_convert_target *target)
{
    size_t multiple = CLSPI_ROWS_MULTIPLE;

    while (multiple % clspi_convert_line_rows(target) != 0)
        multiple += CLSPI_ROWS_MULTIPLE;
    return multiple;
}

/* ---- preparing ---- */

/* Tells whether pieces of surfaces are made in one pass. */
static bool is_one_pass(const clspi_convert_target *target, const clsp_context *ctx)
{
    const clspi_basis_table *const table[2] = {&target->tables.table[0][0],
                                               &target->tables.table[1][0]};

    return target->pieces && !target->sum.method && target->sum.by[0] + target->sum.by[1] == 0 &&
           clspi_surface_pieces_fit(ctx, &target->desc, table);
}

/* Makes the kernels of pieces of surfaces, or of sums and what puts their pieces in order. */
static clsp_status prepare_kernels(clspi_convert_target *target, clspi_series *series)
{
    const clspi_tensor_desc *const d = &target->desc;
    const clspi_basis_table *const table[2] = {&target->tables.table[0][0],
                                               &target->tables.table[1][0]};

    clspi_sum_release_kernels(&target->sum); /* of a call that failed */
    clspi_surface_pieces_release(&target->surface);
    clspi_kernel_release(&target->order.kernel);
    if (is_one_pass(target, series->ctx))
        return clspi_surface_pieces_prepare(&target->surface, series->ctx, d, table, target->knots);
    CLSPI_CHECK(clspi_sum_prepare(&target->sum, series, d, &target->tables, false));
    return is_reordered(target)
               ? clspi_piece_order_prepare(&target->order, series->ctx, d, target->knots)
               : CLSP_OK;
}

/* Makes kernels and tables of knots that all patches share. */
static clsp_status prepare_shared(clspi_convert_target *target, clspi_series *series)
{
    const clspi_tensor_desc *const d = &target->desc;

    for (cl_uint k = 0; k < 3; k++) {
        target->sum.by[k] = target->conversion[k].by;
        clspi_table_shape(&target->tables.table[k][target->sum.by[k]], d, k, target->sum.by[k]);
    }
    CLSPI_CHECK(prepare_kernels(target, series));
    for (cl_uint k = 0; k < d->directions && !target->sum.method; k++)
        CLSPI_CHECK(clspi_table_fill(&target->tables.table[k][target->sum.by[k]], series, d));
    return CLSP_OK;
}

clsp_status clspi_convert_prepare(clspi_convert_target *target, clspi_series *series)
{
    if (target->is_ready) return CLSP_OK;
    CLSPI_CHECK(target->own.num > 0 ? clspi_own_target_prepare(&target->own, series, target->plan)
                                    : prepare_shared(target, series));
    target->is_ready = true;
    return CLSP_OK;
}

/* ---- rows ---- */

/* Makes rows a part at a time, in memory that stays in a cache, and puts their pieces in order. */
static clsp_status make_pieces(clspi_convert_target *target, clspi_series *series,
                               const clspi_rows *rows)
{
    const size_t row = clspi_convert_row_reals(target), multiple = clspi_convert_multiple(target);
    const size_t bytes = row * clsp_type_bytes(target->desc.precision);
    const uint64_t scratch =
        clspi_min_u64(series->ctx->tuning.scratch_bytes, series->ctx->device.max_alloc_bytes);
    const size_t most = clspi_max((size_t)(scratch / bytes), multiple);
    const size_t all = rows->num_patches * rows->num_rows;
    clspi_cut cut = {.per_piece = rows->num_rows, .multiple = multiple, .left = all};
    clspi_part part;

    CLSPI_CHECK(
        clspi_piece_order_reserve(&target->order, series->ctx, clspi_min(all, most) * bytes));
    while (clspi_cut_next(&cut, most, &part)) {
        clspi_rows some = clspi_rows_of_part(rows, &part, row);
        const size_t offset = some.offset;
        some.out = target->order.rows;
        some.offset = 0;
        CLSPI_CHECK(clspi_sum_eval(&target->sum, series, &some));
        CLSPI_CHECK(
            clspi_piece_order_enqueue(&target->order, series, part.num_lines, rows->out, offset));
    }
    return CLSP_OK;
}

clsp_status clspi_convert_rows(clspi_convert_target *target, clspi_series *series, cl_mem points,
                               size_t num_patches, const clspi_rows *rows)
{
    CLSPI_CHECK(clspi_convert_prepare(target, series));
    if (target->surface.kernel.kernel)
        return clspi_surface_pieces_enqueue(&target->surface, series, points, rows);
    if (target->load != target->plan->tensor.loads)
        CLSPI_CHECK(clspi_sum_load(&target->sum, series, points, num_patches));
    target->load = target->plan->tensor.loads;
    return is_reordered(target) ? make_pieces(target, series, rows)
                                : clspi_sum_eval(&target->sum, series, rows);
}
