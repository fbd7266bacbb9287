#include "differences.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "kernel_arguments.h"
#include "split.h"

static clspi_options options_of(const clsp_context *ctx, const clspi_tensor_desc *desc,
                                const uint32_t by[3])
{
    clspi_options options = clspi_options_of(ctx, desc->precision);

    clspi_option(&options, "DIM", clspi_coords(desc));
    clspi_option(&options, "BY_U", by[0]);
    clspi_option(&options, "BY_V", by[1]);
    clspi_option(&options, "BY_W", by[2]);
    if (desc->basis.factors) clspi_option(&options, "SCALED", 1);
    return options;
}

clsp_status clspi_differences_build(const clspi_build *build, const clspi_tensor_desc *desc,
                                    const uint32_t by[3])
{
    const clspi_options options = options_of(build->ctx, desc, by);

    return clspi_program_build(build, "differences", &options);
}

/* ---- factors ---- */

/* Factors of first and second differences in each direction, [3][2][stride]. */
typedef struct factor_table {
    cl_mem buffer; /* another one that is not read where differences have no factors */
    uint32_t stride;
} factor_table;

/* Writes factors in the precision into values, of which there are `stride` for each difference. */
static void copy_factors(const clspi_tensor_desc *desc, void *values, uint32_t stride)
{
    for (uint32_t k = 0; k < 6; k++) {
        const uint32_t direction = k / 2, by = k % 2 + 1;
        const double *const from = desc->basis.factors(desc->basis.user, direction, by);
        for (uint32_t i = 0; from && i + by < desc->controls[direction]; i++) {
            if (desc->precision == CLSP_F64)
                ((double *)values)[(size_t)k * stride + i] = from[i];
            else
                ((float *)values)[(size_t)k * stride + i] = (float)from[i];
        }
    }
}

static clsp_status make_factors(factor_table *factors, clspi_series *series,
                                const clspi_tensor_desc *desc)
{
    const uint32_t uv = (uint32_t)clspi_max(desc->controls[0], desc->controls[1]);
    const size_t bytes = 6 * clsp_type_bytes(desc->precision) * clspi_max(uv, desc->controls[2]);
    void *const values = calloc(1, bytes);
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    factors->buffer = NULL;
    factors->stride = (uint32_t)clspi_max(uv, desc->controls[2]);
    if (!values)
        return clspi_fail(&series->ctx->log, status, "no host memory for factors of differences");
    copy_factors(desc, values, factors->stride);
    status = clspi_buffer_create(&factors->buffer, series->ctx, bytes);
    if (status == CLSP_OK) status = clspi_series_write(series, factors->buffer, 0, values, bytes);
    free(values);
    return status;
}

/* ---- launches ---- */

static clsp_status enqueue(clspi_series *series, const clspi_kernel *kernel,
                           const clspi_tensor_desc *desc, const clspi_difference_job *job,
                           const factor_table *factors)
{
    const clspi_tuning *const tuning = &series->ctx->tuning;
    const size_t lines =
        job->num_patches * (desc->controls[0] - job->by[0]) * (desc->controls[1] - job->by[1]);
    const uint64_t fma = UINT64_C(4) * desc->controls[2] * clspi_coords(desc);
    const uint64_t most = clspi_launch_lines(tuning, fma, 1, tuning->work_group, 1);
    clspi_cut cut = {.per_piece = clspi_max(1, lines), .left = lines};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_differences_args args = {.points = job->points,
                                             .factors = factors->buffer,
                                             .out = job->out,
                                             .at = {.first_line = part.line,
                                                    .controls_u = desc->controls[0],
                                                    .controls_v = desc->controls[1],
                                                    .controls_w = desc->controls[2],
                                                    .num_lines = (uint32_t)part.num_lines,
                                                    .stride_factors = factors->stride}};
        CLSPI_CHECK(clspi_launch_differences(series, kernel, &args, part.num_lines));
    }
    return CLSP_OK;
}

clsp_status clspi_differences(clspi_series *series, const clspi_tensor_desc *desc,
                              const clspi_difference_job *job)
{
    const clspi_options options = options_of(series->ctx, desc, job->by);
    const bool scaled = desc->basis.factors != NULL;
    factor_table factors = {job->points, 0};
    clspi_kernel kernel = {0};
    clsp_status status;

    if (scaled) CLSPI_TRY(make_factors(&factors, series, desc));
    CLSPI_TRY(clspi_kernel_create(&kernel, series->ctx, "differences", &clspi_differences_signature,
                                  &options));
    CLSPI_TRY(enqueue(series, &kernel, desc, job, &factors));

fail:
    clspi_kernel_release(&kernel);
    if (scaled) clspi_buffer_release(&factors.buffer);
    return status;
}
