#include "own_samples.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "points.h"

bool clspi_has_own_samples(const clspi_tensor_desc *desc)
{
    return desc->axis[0].params || desc->axis[1].params || desc->axis[2].params;
}

/* Tells whether parameters only rise, or only fall. */
static bool is_monotone(const clsp_axis *axis)
{
    bool rises = true, falls = true;

    for (cl_uint a = 1; axis->params && a < axis->num; a++) {
        rises = rises && axis->params[a] >= axis->params[a - 1];
        falls = falls && axis->params[a] <= axis->params[a - 1];
    }
    return rises || falls;
}

bool clspi_own_samples_fit_tables(const clspi_tensor_desc *desc)
{
    bool fit = !(desc->vertex.attributes & (uint32_t)(CLSP_VERTEX_NORMAL | CLSP_VERTEX_PARAMS));

    for (cl_uint k = 0; k < 3; k++)
        fit = fit && (!clspi_is_banded(desc, k) || is_monotone(&desc->axis[k]));
    return fit || !clspi_has_own_samples(desc);
}

static void put(const clspi_tensor_desc *desc, void *reals, size_t at, double x)
{
    if (desc->precision == CLSP_F64)
        ((double *)reals)[at] = x;
    else
        ((float *)reals)[at] = (float)x;
}

/* Returns 1 more than the number of a sample's first control point, or 0 where it is not one for
   all patches. values: room for those of the functions. */
static double first_of(const clspi_tensor_desc *desc, cl_uint direction, cl_uint sample,
                       double *values)
{
    if (!clspi_is_banded(desc, direction) || desc->own_bases > 0) return 0.0;
    return 1.0 + desc->basis.values(desc->basis.user, direction, 0, sample, values);
}

/* Writes what kernels know of the samples of all axes to host memory. */
static void write_samples(const clspi_tensor_desc *desc, void *reals, double *values)
{
    size_t at = 0;

    for (cl_uint k = 0; k < 3; k++) {
        const clsp_axis *const axis = &desc->axis[k];
        const double last = axis->num > 1 ? axis->num - 1 : 1;
        for (cl_uint a = 0; a < axis->num; a++, at += CLSPI_SAMPLE_REALS) {
            const double x =
                axis->params ? axis->params[a] : (axis->begin * (last - a) + axis->end * a) / last;
            put(desc, reals, at, x);
            put(desc, reals, at + 1, x - desc->domain[k][0]);
            put(desc, reals, at + 2, desc->domain[k][1] - x);
            put(desc, reals, at + 3, first_of(desc, k, a, values));
        }
    }
}

clsp_status clspi_own_samples_bring(clspi_own_samples *samples, clspi_series *series,
                                    const clspi_tensor_desc *desc)
{
    const size_t num = (size_t)desc->axis[0].num + desc->axis[1].num + desc->axis[2].num;
    const size_t bytes = CLSPI_SAMPLE_REALS * num * clsp_type_bytes(desc->precision);

    const cl_uint terms = desc->terms[0] + desc->terms[1] + desc->terms[2];
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    if (samples->buffer) return CLSP_OK;
    void *const reals = malloc(bytes);
    double *const values = malloc(terms * sizeof *values);
    if (reals && values) {
        write_samples(desc, reals, values);
        status = clspi_buffer_create(&samples->buffer, series->ctx, bytes);
        if (status == CLSP_OK)
            status = clspi_series_write(series, samples->buffer, 0, reals, bytes);
        if (status != CLSP_OK) clspi_buffer_release(&samples->buffer);
    } else {
        clspi_fail(&series->ctx->log, status, "no memory for %zu samples", num);
    }
    free(values);
    free(reals);
    return status;
}

void clspi_own_samples_release(clspi_own_samples *samples)
{
    clspi_axes_free(samples->params);
    clspi_buffer_release(&samples->buffer);
    *samples = (clspi_own_samples){.buffer = NULL};
}
