#include "line_sums.h"

#include "check.h"

static clspi_options options_of(const clsp_context *ctx, clsp_type precision, uint32_t coords,
                                uint32_t terms)
{
    clspi_options options = clspi_options_of(ctx, precision);

    clspi_option(&options, "DIM", coords);
    clspi_option(&options, "TERMS", terms);
    return options;
}

bool clspi_line_sums_fit(const clsp_context *ctx, clsp_type precision,
                         const clspi_basis_table *table)
{
    const size_t words = table->terms * (clsp_type_bytes(precision) / sizeof(float));

    return table->is_banded && words <= ctx->tuning.single_column;
}

clsp_status clspi_line_sums_prepare(clspi_kernel *kernel, clsp_context *ctx, clsp_type precision,
                                    uint32_t coords, uint32_t terms)
{
    const clspi_options options = options_of(ctx, precision, coords, terms);

    return clspi_kernel_create(kernel, ctx, "sum_lines", &clspi_sum_lines_signature, &options);
}

/* Returns how many lines are made at the same time: the others follow in the same items, as far as
   the device is kept busy all the same. */
static size_t lines_together(const clsp_context *ctx, const clspi_line_job *job, size_t columns)
{
    enum { MOST = 32 }; /* lines of an item */
    const size_t wanted = ctx->device.compute_units * ctx->tuning.items_per_unit * 2;
    const size_t each = clspi_max(1, clspi_min(MOST, job->num_lines * columns / wanted));

    return clspi_div_up(job->num_lines, each);
}

clsp_status clspi_line_sums_enqueue(const clspi_kernel *kernel, clspi_series *series,
                                    const clspi_line_job *job)
{
    const size_t samples = job->end_sample - job->first_sample, columns = samples * job->coords;
    const size_t together = lines_together(series->ctx, job, columns), items = together * columns;
    const clspi_sum_lines_args args = {.points = job->points,
                                       .table = job->table->values,
                                       .first = job->table->first,
                                       .t = job->out,
                                       .at = {.first_line = job->first_line,
                                              .offset = job->offset,
                                              .num_lines = (uint32_t)job->num_lines,
                                              .num_together = (uint32_t)together,
                                              .controls = job->controls,
                                              .first_sample = job->first_sample,
                                              .num_samples = (uint32_t)samples,
                                              .stride_table = job->table->stride,
                                              .stride_t = job->stride,
                                              .items = (uint32_t)items}};

    return clspi_launch_sum_lines(series, kernel, &args, items);
}

clsp_status clspi_line_sums_build(const clspi_build *build, clsp_type precision, uint32_t coords,
                                  uint32_t terms)
{
    const clspi_options options = options_of(build->ctx, precision, coords, terms);

    return clspi_program_build(build, "sum_lines", &options);
}
