#include "tile_rows.h"

#include "buffer.h"
#include "check.h"
#include "svm_atomics.h"

enum { GROUPS_PER_UNIT = 4 /* that stay; those that come too late find nothing left */ };

static const char program[] = "tile_rows";

/* ---- the kernel ---- */

/* Makes the build options, without CLSP_GROUP. */
static clspi_options options_of(const clsp_context *ctx, clsp_type precision, bool is_banded)
{
    const clspi_options reals = clspi_options_of(ctx, precision);
    clspi_options options = {.used = 0};

    clspi_svm_atomics(ctx, &options);
    clspi_options_add(&options, &reals);
    if (is_banded) clspi_option(&options, "BANDED", 1);
    return options;
}

static clsp_status create_kernel(clspi_kernel *kernel, clsp_context *ctx,
                                 const clspi_tensor_desc *desc)
{
    const clspi_options options = options_of(ctx, desc->precision, clspi_is_banded(desc, 0));

    return clspi_kernel_create_grouped(kernel, ctx, program, &clspi_tile_rows_signature, &options);
}

clsp_status clspi_tile_kernel_build(const clspi_build *build, clsp_type precision, bool is_banded)
{
    clspi_options options;

    if (!clspi_svm_atomics(build->ctx, &options)) return CLSP_OK;
    options = options_of(build->ctx, precision, is_banded);
    return clspi_program_build_grouped(build, program, &clspi_tile_rows_signature, &options);
}

void clspi_tile_kernel_release(clspi_tile_kernel *kernel)
{
    clspi_kernel_release(&kernel->kernel);
    clspi_table_release(&kernel->table);
    clspi_buffer_release(&kernel->t);
    kernel->t_bytes = 0;
}

/* ---- preparation ---- */

const char *clspi_tile_kernel_refusal(const clsp_context *ctx, const clspi_tensor_desc *desc,
                                      const clspi_grid_sums *sums, size_t count)
{
    size_t bytes = clsp_type_bytes(desc->precision) * clspi_coords(desc);
    const size_t row = (size_t)desc->axis[1].num * clspi_coords(desc);
    clspi_basis_table along_v = {0};
    clspi_options options;

    if (!clspi_svm_atomics(ctx, &options)) return "the device has no SVM atomics";
    if (desc->directions != 2 || desc->is_triangle) return "no persistent kernel for this form";
    if (sums->method) return "no persistent kernel for this method";
    if (desc->axis[0].num == 0) return "there is no grid";
    if (row > INT32_MAX || count > INT32_MAX) return "rows or patches are too many";
    clspi_table_shape(&along_v, desc, 1, 0);
    if (!clspi_size_mul(&bytes, along_v.stride) || !clspi_size_mul(&bytes, desc->controls[0]) ||
        !clspi_size_mul(&bytes, count) || bytes > ctx->device.max_alloc_bytes ||
        bytes > ctx->device.global_bytes / 8)
        return "partial sums of all patches do not fit the device";
    return NULL;
}

/* Makes the kernel, once, and the table for the grid as it is now. */
static clsp_status prepare(clspi_tile_kernel *kernel, clspi_series *series,
                           const clspi_tensor_desc *desc)
{
    clspi_basis_table wanted = {0};

    if (!kernel->kernel.kernel) CLSPI_CHECK(create_kernel(&kernel->kernel, series->ctx, desc));
    clspi_table_shape(&wanted, desc, 0, 0);
    if (kernel->table.values && clspi_table_same(&kernel->table, &wanted)) return CLSP_OK;
    clspi_table_release(&kernel->table);
    kernel->table = wanted;
    const clsp_status status = clspi_table_fill(&kernel->table, series, desc);
    if (status != CLSP_OK) clspi_table_release(&kernel->table);
    return status;
}

/* ---- evaluation ---- */

static clsp_status launch(const clspi_tile_kernel *kernel, clspi_series *series,
                          const clspi_tensor_sum *sum, const clspi_queued_tiles *job)
{
    const clspi_tensor_desc *const d = sum->desc;
    const clspi_tiling *const tiling = job->tiling;
    const size_t units = clspi_max(1, series->ctx->device.compute_units);
    const size_t groups = clspi_min(job->num_tiles, units * GROUPS_PER_UNIT);
    const clspi_tile_rows_args args = {
        .counter = job->counter,
        .t = kernel->t,
        .table = kernel->table.values,
        .first = kernel->table.first,
        .out = job->out,
        .job = {.num_tiles = (uint32_t)job->num_tiles,
                .patches_per_tile = (uint32_t)tiling->pieces_per_tile,
                .tile_rows = (uint32_t)tiling->tile_lines,
                .tiles_per_patch = (uint32_t)tiling->tiles_per_piece,
                .num_patches = (uint32_t)job->tiling->num_pieces,
                .controls = sum->controls[0],
                .terms = kernel->table.terms,
                .stride_t = sum->partial.stride,
                .stride_table = kernel->table.stride,
                .width = (uint32_t)sum->row_reals,
                .num_u = d->axis[0].num}};

    return clspi_launch_tile_rows(series, &kernel->kernel, &args, groups * kernel->kernel.local);
}

clsp_status clspi_tile_kernel_enqueue(clspi_tile_kernel *kernel, clspi_series *series,
                                      const clspi_tensor_desc *desc, clspi_grid_sums *sums,
                                      const clspi_queued_tiles *job)
{
    clspi_tensor_sum *const sum = &sums->sum[0];

    if (job->tiling->num_pieces == 0 || job->num_tiles == 0) return CLSP_OK;
    CLSPI_CHECK(prepare(kernel, series, desc));
    /* the refusal has seen that this fits */
    CLSPI_CHECK(clspi_buffer_reserve(&kernel->t, &kernel->t_bytes, series->ctx,
                                     sum->partial.patch_bytes * job->tiling->num_pieces));
    const clsp_range patches = {job->first_piece, job->tiling->num_pieces};
    CLSPI_CHECK(clspi_partial_make_in(&sum->partial, series, sum->points, patches, kernel->t));
    return launch(kernel, series, sum, job);
}
