#include "partial_sums.h"

#include "buffer.h"
#include "check.h"
#include "line_sums.h"

/* ---- preparing ---- */

clsp_status clspi_partial_shape(clspi_partial_sums *sums, clsp_context *ctx,
                                const clspi_tensor_desc *desc, const clspi_basis_table *table,
                                uint32_t lines, uint32_t controls)
{
    size_t bytes = clsp_type_bytes(desc->precision);

    sums->ctx = ctx;
    sums->precision = desc->precision;
    sums->table = table;
    sums->coords = clspi_coords(desc);
    sums->lines = lines;
    sums->controls = controls;
    sums->count = 0;
    if ((uint64_t)table->stride * sums->coords > UINT32_MAX ||
        !clspi_size_mul(&bytes, (size_t)table->stride * sums->coords) ||
        !clspi_size_mul(&bytes, lines))
        return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                          "one patch is larger than the address space");
    sums->stride = table->stride * sums->coords;
    sums->patch_bytes = bytes;
    return CLSP_OK;
}

static bool by_lines(const clspi_partial_sums *sums)
{
    return clspi_line_sums_fit(sums->ctx, sums->precision, sums->table);
}

clsp_status clspi_partial_kernel(clspi_partial_sums *sums)
{
    if (sums->kernel.kernel) return CLSP_OK;
    if (by_lines(sums))
        return clspi_line_sums_prepare(&sums->kernel, sums->ctx, sums->precision, sums->coords,
                                       sums->table->terms);
    const clspi_options options =
        clspi_tensor_sums_options(sums->ctx, sums->precision, sums->coords, sums->table->is_banded);
    return clspi_kernel_create(&sums->kernel, sums->ctx, "tensor_sums",
                               &clspi_partial_sums_signature, &options);
}

void clspi_partial_release_kernel(clspi_partial_sums *sums)
{
    clspi_kernel_release(&sums->kernel);
}

void clspi_partial_release(clspi_partial_sums *sums)
{
    clspi_partial_release_kernel(sums);
    clspi_buffer_release(&sums->kept);
}

/* ---- what is kept ---- */

static size_t patches_to_keep(const clspi_partial_sums *sums, size_t num_patches, size_t more)
{
    const clspi_tuning *const tuning = &sums->ctx->tuning;
    const clsp_device_info *const device = &sums->ctx->device;
    const uint64_t share = tuning->keep_share ? device->global_bytes / tuning->keep_share : 0;
    const size_t bytes = clspi_max(sums->patch_bytes, more);
    const uint64_t keep = more > 0 ? 0 : clspi_min_u64(share, device->max_alloc_bytes);

    if (num_patches <= keep / bytes) return num_patches;
    const uint64_t scratch = clspi_min_u64(tuning->scratch_bytes, device->max_alloc_bytes);
    return clspi_min(num_patches, clspi_max(1, (size_t)(scratch / bytes)));
}

clsp_status clspi_partial_reserve(clspi_partial_sums *sums, size_t num_patches, size_t more)
{
    sums->count = 0;
    sums->max_patches = patches_to_keep(sums, num_patches, more);
    return clspi_buffer_reserve(&sums->kept, &sums->kept_bytes, sums->ctx,
                                sums->max_patches * sums->patch_bytes);
}

/* ---- launches ---- */

/* Some samples of all lines of some patches, and where the sums go. */
typedef struct sum_job {
    clsp_range patches;
    uint32_t first_sample, end_sample;
    cl_mem points, out;
    size_t offset;
    uint32_t stride; /* reals from line to line of out */
} sum_job;

/* Launches whole lines; of one that is too long some samples at a time. */
static clsp_status launch_lines(const clspi_partial_sums *sums, clspi_series *series,
                                const sum_job *job, const clspi_part *part)
{
    const size_t line = part->piece * sums->lines + part->line;
    const clspi_tuning *const tuning = &sums->ctx->tuning;
    const size_t num = job->end_sample - job->first_sample;
    const uint64_t most = clspi_launch_lines(tuning, sums->table->terms * (uint64_t)sums->coords,
                                             sums->coords, tuning->work_group, 1);
    clspi_cut cut = {.per_piece = num, .left = num};
    clspi_part samples;
    clspi_line_job lines = {.table = sums->table,
                            .points = job->points,
                            .out = job->out,
                            .first_line = job->patches.first * sums->lines + line,
                            .num_lines = part->num_lines,
                            .stride = job->stride,
                            .coords = sums->coords,
                            .controls = sums->controls};

    while (clspi_cut_next(&cut, part->num_lines > 1 ? UINT64_MAX : most, &samples)) {
        lines.first_sample = job->first_sample + (uint32_t)samples.before;
        lines.end_sample = lines.first_sample + (uint32_t)samples.num_lines;
        lines.offset = job->offset + line * job->stride + samples.before * sums->coords;
        CLSPI_CHECK(clspi_line_sums_enqueue(&sums->kernel, series, &lines));
    }
    return CLSP_OK;
}

static clsp_status launch_samples(const clspi_partial_sums *sums, clspi_series *series,
                                  const sum_job *job, const clspi_part *part)
{
    const uint32_t num_samples = job->end_sample - job->first_sample;
    const uint32_t num_lines = (uint32_t)(part->num_lines / part->num_pieces);
    const clspi_partial_sums_args args = {
        .points = job->points,
        .table = sums->table->values,
        .first = sums->table->first,
        .t = job->out,
        .at = {.first_patch = job->patches.first + part->piece,
               .offset = job->offset + part->piece * sums->lines * job->stride,
               .lines = sums->lines,
               .first_line = (uint32_t)part->line,
               .num_lines = num_lines,
               .controls = sums->controls,
               .terms = sums->table->terms,
               .first_sample = job->first_sample,
               .stride_table = sums->table->stride,
               .num_samples = num_samples,
               .items = (uint32_t)(part->num_lines * num_samples),
               .stride_t = job->stride}};

    return clspi_launch_partial_sums(series, &sums->kernel, &args, args.at.items);
}

/* Enqueues launches that are short enough. */
static clsp_status enqueue(const clspi_partial_sums *sums, clspi_series *series, const sum_job *job)
{
    const clspi_tuning *const tuning = &sums->ctx->tuning;
    const bool lines = by_lines(sums);
    const uint64_t samples = job->end_sample - job->first_sample;
    const uint64_t items = lines ? samples * sums->coords : samples;
    const uint64_t fma = (uint64_t)sums->table->terms * samples * sums->coords;
    const uint64_t most = clspi_launch_lines(tuning, fma, items, tuning->work_group, 1);
    clspi_cut cut = {.per_piece = sums->lines, .left = job->patches.count * sums->lines};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part))
        CLSPI_CHECK(lines ? launch_lines(sums, series, job, &part)
                          : launch_samples(sums, series, job, &part));
    return CLSP_OK;
}

clsp_status clspi_partial_make_in(clspi_partial_sums *sums, clspi_series *series, cl_mem points,
                                  clsp_range patches, cl_mem out)
{
    const sum_job job = {.patches = patches,
                         .end_sample = sums->table->stride,
                         .points = points,
                         .out = out,
                         .stride = sums->stride};

    CLSPI_CHECK(clspi_partial_kernel(sums));
    return enqueue(sums, series, &job);
}

clsp_status clspi_partial_make(clspi_partial_sums *sums, clspi_series *series, cl_mem points,
                               clsp_range patches)
{
    if (patches.first >= sums->first && patches.first + patches.count <= sums->first + sums->count)
        return CLSP_OK;
    sums->count = 0;
    CLSPI_CHECK(clspi_partial_make_in(sums, series, points, patches, sums->kept));
    sums->first = patches.first;
    sums->count = patches.count;
    return CLSP_OK;
}

clsp_status clspi_partial_rows(clspi_partial_sums *sums, clspi_series *series, cl_mem points,
                               const clspi_rows *rows)
{
    const sum_job job = {.patches = {rows->first_patch, rows->num_patches},
                         .first_sample = rows->first_row,
                         .end_sample = rows->first_row + rows->num_rows,
                         .points = points,
                         .out = rows->out,
                         .offset = rows->offset,
                         .stride = rows->num_rows * sums->coords};

    CLSPI_CHECK(clspi_partial_kernel(sums));
    return enqueue(sums, series, &job);
}
