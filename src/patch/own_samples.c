#include "own_samples.h"

#include <stdlib.h>

#include "buffer.h"
#include "kernel_arguments.h"
#include "points.h"

bool clspi_has_own_samples(const clspi_tensor_desc *desc)
{
    return desc->axis[0].params || desc->axis[1].params || desc->axis[2].params;
}

bool clspi_own_samples_given(const clspi_own_samples *samples)
{
    return samples->params[0] || samples->params[1] || samples->params[2];
}

void clspi_own_samples_describe(const clspi_own_samples *samples, clsp_status status,
                                clsp_axis axis[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        if (!axis[k].params) continue;
        if (status == CLSP_OK)
            axis[k].params = samples->params[k];
        else
            axis[k] = (clsp_axis){.num = 0};
    }
}

/* Tells whether parameters only rise, or only fall. */
static bool is_monotone(const clsp_axis *axis)
{
    bool rises = true, falls = true;

    for (uint32_t a = 1; axis->params && a < axis->num; a++) {
        rises = rises && axis->params[a] >= axis->params[a - 1];
        falls = falls && axis->params[a] <= axis->params[a - 1];
    }
    return rises || falls;
}

/* Tells whether a sample between the first and the last is at an end of the direction: normals
   there are made again on the sides of the grid alone. */
static bool has_edges_within(const clspi_tensor_desc *desc, uint32_t direction)
{
    const clsp_axis *const axis = &desc->axis[direction];
    const double *const domain = desc->domain[direction];
    bool has = false;

    for (uint32_t a = 1; axis->params && a + 1 < axis->num; a++)
        has = has || axis->params[a] == domain[0] || axis->params[a] == domain[1];
    return has;
}

bool clspi_own_samples_fit_tables(const clspi_tensor_desc *desc)
{
    const bool normals = (desc->vertex.attributes & CLSP_VERTEX_NORMAL) != 0;
    bool fit = true;

    for (uint32_t k = 0; k < 3; k++)
        fit = fit && (!clspi_is_banded(desc, k) || is_monotone(&desc->axis[k])) &&
              !(normals && has_edges_within(desc, k));
    return fit;
}

/* Tells whether kernels of vertices need the parameters of samples: to store them, or to know what
   normals and curvatures of rational patches may be off by. */
static bool needs_params(const clspi_tensor_desc *desc)
{
    const uint32_t tangents = CLSP_VERTEX_NORMAL | CLSP_VERTEX_CURVATURE;

    return (desc->vertex.attributes & (CLSP_VERTEX_PARAMS | (desc->rational ? tangents : 0))) != 0;
}

bool clspi_needs_own_samples(const clspi_tensor_desc *desc)
{
    return clspi_has_own_samples(desc) &&
           ((desc->vertex.attributes & CLSP_VERTEX_NORMAL) || needs_params(desc));
}

void clspi_own_samples_option(clspi_options *options, const clspi_tensor_desc *desc)
{
    if (clspi_has_own_samples(desc) && needs_params(desc)) clspi_option(options, "OWN_SAMPLES", 1);
}

/* ---- samples ---- */

/* Returns a sample of a uniform axis, as vertex.h says. */
static double uniform_sample(double begin, double end, uint32_t num, uint32_t a)
{
    const double last = num > 1 ? num - 1 : 1;

    return (begin * (last - a) + end * a) / last;
}

/* Tells whether the samples between the first and the last are those of a uniform axis. */
static bool is_uniform(const clsp_axis *axis)
{
    const double begin = axis->params[0], end = axis->params[axis->num - 1];
    bool is = true;

    for (uint32_t a = 1; a + 1 < axis->num && is; a++)
        is = axis->params[a] == uniform_sample(begin, end, axis->num, a);
    return is;
}

void clspi_own_samples_simplify(clsp_axis axis[3])
{
    for (uint32_t k = 0; k < 3; k++)
        if (axis[k].params && is_uniform(&axis[k])) axis[k].params = NULL;
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
static double first_of(const clspi_tensor_desc *desc, uint32_t direction, uint32_t sample,
                       double *values)
{
    if (!clspi_is_banded(desc, direction) || desc->own_bases > 0) return 0.0;
    return 1.0 + desc->basis.values(desc->basis.user, direction, 0, sample, values);
}

/* Writes what kernels know of the samples of all axes to host memory. */
static void write_samples(const clspi_tensor_desc *desc, void *reals, double *values)
{
    size_t at = 0;

    for (uint32_t k = 0; k < 3; k++) {
        const clsp_axis *const axis = &desc->axis[k];
        for (uint32_t a = 0; a < axis->num; a++, at += CLSPI_ROW_RANGE_SAMPLE_REALS) {
            const double x = axis->params ? axis->params[a]
                                          : uniform_sample(axis->begin, axis->end, axis->num, a);
            put(desc, reals, at, x);
            put(desc, reals, at + 1, x - desc->domain[k][0]);
            put(desc, reals, at + 2, desc->domain[k][1] - x);
            put(desc, reals, at + 3, first_of(desc, k, a, values));
            put(desc, reals, at + 4, clspi_rounded_off(desc->precision, x));
        }
    }
}

clsp_status clspi_own_samples_upload(clspi_own_samples *samples, clspi_series *series,
                                     const clspi_tensor_desc *desc)
{
    const size_t num = (size_t)desc->axis[0].num + desc->axis[1].num + desc->axis[2].num;
    const size_t bytes = CLSPI_ROW_RANGE_SAMPLE_REALS * num * clsp_type_bytes(desc->precision);

    const uint32_t terms = desc->terms[0] + desc->terms[1] + desc->terms[2];
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
