#include "tensor_sum.h"

#include "buffer.h"
#include "check.h"
#include "differences.h"
#include "vertex_layout.h"

bool clspi_sum_is_fused(const clspi_tensor_sum *sum)
{
    return sum->desc->directions == 2 && sum->outer.table && sum->outer.shape.fused;
}

/* Returns how many reals the middle sum of a volume makes for one patch. */
static size_t middle_reals(const clspi_tensor_sum *sum)
{
    return (size_t)sum->controls[0] * sum->middle.num_rows * sum->middle.width;
}

/* ---- preparing ---- */

/* Checks that every size that is multiplied out for one patch fits size_t, a row's length 32 bits.
 */
static clsp_status check_sizes(const clspi_tensor_sum *sum)
{
    const clspi_tensor_desc *const d = sum->desc;
    const uint32_t coords = clspi_coords(d);
    const uint64_t inner = (uint64_t)(d->directions == 1 ? 1 : d->axis[d->directions - 1].num);
    const uint64_t row = inner * coords * (d->directions == 3 ? d->axis[1].num : 1);
    const uint64_t lines = d->directions == 3 ? (uint64_t)sum->controls[0] * sum->controls[1] : 1;
    size_t points = clsp_type_bytes(d->precision), out = points;

    if (row <= UINT32_MAX && lines <= UINT32_MAX && clspi_size_mul(&points, coords) &&
        clspi_size_mul(&points, sum->controls[0]) && clspi_size_mul(&points, sum->controls[1]) &&
        clspi_size_mul(&points, sum->controls[2]) && clspi_size_mul(&out, (size_t)row) &&
        clspi_size_mul(&out, d->axis[0].num))
        return CLSP_OK;
    return clspi_fail(&sum->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "one patch is larger than the address space");
}

static clsp_status prepare_outer(clspi_tensor_sum *sum, clspi_grid_tables *tables, uint32_t width,
                                 uint32_t inner_terms)
{
    const clspi_axis_sum_desc desc = {
        .desc = sum->desc,
        .table = &tables->table[0][sum->by[0]],
        .permuted = clspi_layout_is_plain(sum->desc) ? &tables->permuted : NULL,
        .width = width,
        .num_rows = sum->desc->axis[0].num,
        .stride_t = sum->desc->directions == 2 ? sum->partial.stride
                                               : sum->middle.num_rows * sum->middle.width,
        .inner_terms = inner_terms};

    return clspi_axis_sum_prepare(&sum->outer, sum->ctx, &desc);
}

static clsp_status prepare_middle(clspi_tensor_sum *sum, clspi_grid_tables *tables, uint32_t width)
{
    const clspi_axis_sum_desc desc = {.desc = sum->desc,
                                      .table = &tables->table[1][sum->by[1]],
                                      .width = width,
                                      .num_rows = sum->desc->axis[1].num,
                                      .stride_t = sum->partial.stride};

    return clspi_axis_sum_prepare(&sum->middle, sum->ctx, &desc);
}

/* Returns the terms of the sum over v that the kernel of the one over u may make too: tables of
   both are banded or neither is. 0: it may not. */
static uint32_t fusible_terms(const clspi_basis_table *v, const clspi_basis_table *u)
{
    return v->is_banded == u->is_banded ? v->terms : 0;
}

/* Prepares the sums over one direction after the other. */
static clsp_status prepare_sums(clspi_tensor_sum *sum, clspi_grid_tables *tables, bool last_in_rows)
{
    const clspi_tensor_desc *const d = sum->desc;
    const uint32_t last = d->directions - 1;
    const clspi_basis_table *const inner = &tables->table[last][sum->by[last]];
    const uint32_t width = inner->axis.num * clspi_coords(d);
    const uint32_t lines = d->directions == 1   ? 1
                           : d->directions == 2 ? sum->controls[0]
                                                : sum->controls[0] * sum->controls[1];

    CLSPI_CHECK(clspi_partial_shape(&sum->partial, sum->ctx, d, inner, lines, sum->controls[last]));
    if (d->directions == 2 && !last_in_rows)
        CLSPI_CHECK(
            prepare_outer(sum, tables, width, fusible_terms(inner, &tables->table[0][sum->by[0]])));
    if (d->directions == 3) {
        CLSPI_CHECK(prepare_middle(sum, tables, width));
        CLSPI_CHECK(prepare_outer(sum, tables, width * d->axis[1].num, 0));
    }
    return clspi_sum_is_fused(sum) ? CLSP_OK : clspi_partial_kernel(&sum->partial);
}

clsp_status clspi_sum_prepare(clspi_tensor_sum *sum, clspi_series *series,
                              const clspi_tensor_desc *desc, clspi_grid_tables *tables,
                              bool last_in_rows)
{
    sum->ctx = series->ctx;
    sum->middles.count = 0;
    sum->desc = desc;
    for (int k = 0; k < 3; k++)
        sum->controls[k] = desc->controls[k] - sum->by[k];
    CLSPI_CHECK(check_sizes(sum));
    CLSPI_CHECK(sum->method ? sum->method->prepare(&sum->method_state, series, desc, sum->controls)
                            : prepare_sums(sum, tables, last_in_rows));
    sum->row_reals = (size_t)desc->axis[1].num * desc->axis[2].num * clspi_coords(desc);
    sum->points_per_patch =
        (size_t)sum->controls[0] * sum->controls[1] * sum->controls[2] * clspi_coords(desc);
    return CLSP_OK;
}

void clspi_sum_release_kernels(clspi_tensor_sum *sum)
{
    clspi_partial_release_kernel(&sum->partial);
    clspi_axis_sum_release(&sum->middle);
    clspi_axis_sum_release(&sum->outer);
}

void clspi_sum_release(clspi_tensor_sum *sum)
{
    clspi_sum_release_kernels(sum);
    if (sum->method) sum->method->release(&sum->method_state);
    clspi_partial_release(&sum->partial);
    clspi_buffer_release(&sum->points);
    clspi_buffer_release(&sum->middle_sums);
}

/* ---- control points ---- */

static clsp_status load_points(clspi_tensor_sum *sum, clspi_series *series, cl_mem points,
                               size_t num_patches)
{
    if (sum->by[0] + sum->by[1] + sum->by[2] > 0) {
        const size_t bytes =
            num_patches * sum->points_per_patch * clsp_type_bytes(sum->desc->precision);
        CLSPI_CHECK(clspi_buffer_reserve(&sum->points, &sum->points_bytes, sum->ctx, bytes));
        const clspi_difference_job job = {sum->by, points, num_patches, sum->points};
        return clspi_differences(series, sum->desc, &job);
    }
    CLSPI_CHECK(clspi_cl(&sum->ctx->log, clRetainMemObject(points), "clRetainMemObject"));
    clspi_buffer_release(&sum->points);
    sum->points = points;
    sum->points_bytes = 0; /* it is the plan's */
    return CLSP_OK;
}

/* Makes room between the sums of so many volumes. */
static clsp_status reserve_middle(clspi_tensor_sum *sum, size_t num_patches)
{
    sum->middles.count = 0;
    return clspi_buffer_reserve(&sum->middle_sums, &sum->middle_bytes, sum->ctx,
                                num_patches * middle_reals(sum) *
                                    clsp_type_bytes(sum->desc->precision));
}

clsp_status clspi_sum_load(clspi_tensor_sum *sum, clspi_series *series, cl_mem points,
                           size_t num_patches)
{
    const bool is_volume = sum->desc->directions == 3;

    CLSPI_CHECK(load_points(sum, series, points, num_patches));
    if (sum->method)
        return sum->method->load
                   ? sum->method->load(sum->method_state, series, sum->points, num_patches)
                   : CLSP_OK;
    if (sum->desc->directions == 1 || clspi_sum_is_fused(sum)) return CLSP_OK;
    CLSPI_CHECK(clspi_partial_reserve(
        &sum->partial, num_patches,
        is_volume ? middle_reals(sum) * clsp_type_bytes(sum->desc->precision) : 0));
    if (is_volume) CLSPI_CHECK(reserve_middle(sum, sum->partial.max_patches));
    if (sum->partial.max_patches < num_patches) return CLSP_OK;
    return clspi_partial_make(&sum->partial, series, sum->points, (clsp_range){0, num_patches});
}

/* ---- evaluation ---- */

static clsp_status eval_surfaces(clspi_tensor_sum *sum, clspi_series *series,
                                 const clspi_rows *rows)
{
    const clspi_partial_sums *const partial = &sum->partial;
    const bool fused = clspi_sum_is_fused(sum);
    const clspi_sum_source source = {.buffer = fused ? sum->points : partial->kept,
                                     .first_patch =
                                         rows->first_patch - (fused ? 0 : partial->first),
                                     .stride = partial->stride,
                                     .inner = partial->table,
                                     .controls = partial->controls};

    return clspi_axis_sum_enqueue(&sum->outer, series, &source, rows);
}

/* Makes the middle sums of some volumes in the place of so many others from the first one on. */
static clsp_status make_middle(clspi_tensor_sum *sum, clspi_series *series, clsp_range patches,
                               size_t before)
{
    const clspi_partial_sums *const partial = &sum->partial;
    const size_t lines = sum->controls[0];

    CLSPI_CHECK(clspi_partial_make(&sum->partial, series, sum->points, patches));
    const clspi_sum_source t = {.buffer = partial->kept,
                                .first_patch = (patches.first - partial->first) * lines,
                                .stride = partial->stride};
    const clspi_rows middle = {.num_patches = patches.count * lines,
                               .num_rows = sum->middle.num_rows,
                               .out = sum->middle_sums,
                               .offset = before * middle_reals(sum)};
    return clspi_axis_sum_enqueue(&sum->middle, series, &t, &middle);
}

static clsp_status eval_volumes(clspi_tensor_sum *sum, clspi_series *series, const clspi_rows *rows)
{
    const clsp_range patches = {rows->first_patch, rows->num_patches}, has = sum->middles;

    if (patches.first < has.first || patches.first + patches.count > has.first + has.count) {
        sum->middles.count = 0;
        CLSPI_CHECK(make_middle(sum, series, patches, 0));
        sum->middles = patches;
    }
    const clspi_sum_source made = {.buffer = sum->middle_sums,
                                   .first_patch = rows->first_patch - sum->middles.first,
                                   .stride = sum->middle.num_rows * sum->middle.width};
    return clspi_axis_sum_enqueue(&sum->outer, series, &made, rows);
}

/* ---- queues of launches ---- */

bool clspi_sum_fits(const clspi_tensor_sum *sum, size_t count)
{
    enum { SHARE = 8 }; /* of the device's memory */
    const clsp_device_info *const device = &sum->ctx->device;
    size_t bytes = clsp_type_bytes(sum->desc->precision);

    if (sum->desc->directions == 1 || clspi_sum_is_fused(sum)) return true;
    if (sum->desc->directions == 2) return count <= sum->partial.max_patches;
    return clspi_size_mul(&bytes, middle_reals(sum)) && clspi_size_mul(&bytes, count) &&
           bytes <= device->max_alloc_bytes && bytes <= device->global_bytes / SHARE;
}

clsp_status clspi_sum_ready(clspi_tensor_sum *sum, clspi_series *series, clsp_range patches)
{
    clspi_cut cut = {.per_piece = 1, .piece = patches.first, .left = patches.count};
    clspi_part part;

    if (sum->desc->directions == 1 || clspi_sum_is_fused(sum)) return CLSP_OK;
    if (sum->desc->directions == 2)
        return clspi_partial_make(&sum->partial, series, sum->points, patches);
    CLSPI_CHECK(reserve_middle(sum, patches.count));
    while (clspi_cut_next(&cut, sum->partial.max_patches, &part))
        CLSPI_CHECK(
            make_middle(sum, series, (clsp_range){part.piece, part.num_pieces}, part.before));
    sum->middles = patches;
    return CLSP_OK;
}

clsp_status clspi_sum_eval(clspi_tensor_sum *sum, clspi_series *series, const clspi_rows *rows)
{
    const bool fused = clspi_sum_is_fused(sum);
    clspi_cut cut = {.per_piece = 1, .left = rows->num_patches};
    clspi_part part;

    if (sum->method) return sum->method->eval(sum->method_state, series, sum->points, rows);
    if (sum->desc->directions == 1)
        return clspi_partial_rows(&sum->partial, series, sum->points, rows);
    while (clspi_cut_next(&cut, fused ? SIZE_MAX : sum->partial.max_patches, &part)) {
        clspi_rows some = *rows;
        some.first_patch += part.piece;
        some.num_patches = part.num_pieces;
        some.offset += part.piece * rows->num_rows * sum->row_reals;
        if (!fused && sum->desc->directions == 2)
            CLSPI_CHECK(clspi_partial_make(&sum->partial, series, sum->points,
                                           (clsp_range){some.first_patch, some.num_patches}));
        CLSPI_CHECK(sum->desc->directions == 2 ? eval_surfaces(sum, series, &some)
                                               : eval_volumes(sum, series, &some));
    }
    return CLSP_OK;
}
