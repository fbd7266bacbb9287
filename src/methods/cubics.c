#include "cubics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "cubic_fit.h"

enum { MOST_CUBICS = 1 << 22 /* made by halving; more segments than that have a cubic each */ };

/* Counts the reals of a cubic: CLSP_CUBIC of cubic.clh. */
static size_t cubic_reals(const clspi_tensor_desc *d)
{
    return 4 * (size_t)d->dim + 3;
}

/* Reads `num` reals of a plan's precision; NULL without memory, or with *status set. */
static double *read_reals(const clsp_patch_plan *plan, clspi_series *series, cl_mem from,
                          size_t num, clsp_status *status)
{
    const size_t real = clsp_type_bytes(plan->desc.precision);
    void *const read = num > SIZE_MAX / sizeof(double) ? NULL : malloc(num * real);
    double *reals = read;

    *status =
        read ? clspi_series_read(series, from, 0, read, num * real) : clspi_nearest_no_memory(plan);
    if (real == sizeof *reals) return reals;
    reals = *status == CLSP_OK ? malloc(num * sizeof *reals) : NULL;
    for (size_t i = 0; reals && i < num; i++)
        reals[i] = (double)((const float *)read)[i];
    if (*status == CLSP_OK && !reals) *status = clspi_nearest_no_memory(plan);
    free(read);
    return reals;
}

/* Computes the largest edge of the box around all segments. */
static double size_of(const clspi_fitted_segments *s)
{
    const uint32_t controls = s->degree + 1, dim = s->dim;
    double size = 0;

    for (uint32_t c = 0; c < dim; c++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < s->num; i++) {
            const double *const x = s->points + i * s->stride, *const frame = x + controls * dim;
            for (uint32_t k = 0; k < controls && frame[dim] < (double)INFINITY; k++) {
                low = fmin(low, frame[c] + x[k * dim + c]);
                high = fmax(high, frame[c] + x[k * dim + c]);
            }
        }
        if (high - low > size) size = high - low;
    }
    return size;
}

/* Chooses what cubics may err by: above 0 and finite in the precision. */
static double error_for(const clspi_fitted_segments *s, bool narrow, double tolerance)
{
    const double least = narrow ? FLT_MIN * FLT_EPSILON : DBL_MIN * DBL_EPSILON;
    const double most = (narrow ? FLT_MAX : DBL_MAX) / 4;

    return fmin(fmax((tolerance > 0 ? tolerance : 1e-4 * size_of(s)) / 2, least), most);
}

/* Writes cubics and where each segment's are to the device. reals and firsts: room for them. */
static clsp_status bring(clspi_cubics *to, clspi_series *series, const clspi_tensor_desc *d,
                         const clspi_fitted_cubics *cubics, double *reals, uint32_t *firsts,
                         size_t segments)
{
    const size_t each = cubic_reals(d), bytes = (segments + 1) * sizeof *firsts,
                 points = 4 * d->dim;

    to->error = 0;
    for (size_t i = 0; i < to->num; i++) {
        double *const at = reals + i * each;
        memcpy(at, cubics->points + i * points, points * sizeof *at);
        at[points] = cubics->ends[2 * i];
        at[points + 1] = cubics->ends[2 * i + 1] - cubics->ends[2 * i];
        at[points + 2] = cubics->errors[i];
        if (cubics->errors[i] > to->error) to->error = cubics->errors[i];
        if (cubics->ends[2 * i] == 0) firsts[cubics->segments[i]] = (uint32_t)i;
    }
    to->error *= 1 + 4 * (double)FLT_EPSILON; /* which is rounded on its way */
    firsts[segments] = (uint32_t)to->num;
    clspi_buffer_release(&to->cubics);
    clspi_buffer_release(&to->firsts);
    CLSPI_CHECK(clspi_reals_create(&to->cubics, series, d->precision, reals, to->num * each));
    CLSPI_CHECK(clspi_buffer_create(&to->firsts, series->ctx, bytes));
    return clspi_series_write(series, to->firsts, 0, firsts, bytes);
}

/* Makes cubics of segments that have been read, and brings them. */
static clsp_status make(const clsp_patch_plan *plan, clspi_cubics *cubics, clspi_series *series,
                        const clspi_fitted_segments *of)
{
    clspi_fitted_cubics made;
    const bool is_made = clspi_fitted_cubics_make(of, &made);
    double *const reals =
        is_made ? malloc(made.num * cubic_reals(&plan->desc) * sizeof *reals) : NULL;
    uint32_t *const firsts = malloc((of->num + 1) * sizeof *firsts);

    cubics->num = made.num;
    cubics->cut = made.cut;
    const clsp_status status =
        reals && firsts ? bring(cubics, series, &plan->desc, &made, reals, firsts, of->num)
                        : clspi_nearest_no_memory(plan);
    clspi_fitted_cubics_release(&made);
    free(reals);
    free(firsts);
    if (status == CLSP_OK && cubics->cut)
        clspi_message(&series->ctx->log, CLSP_LOG_WARNING,
                      "%s: projection: %zu cubics, and more are needed for the tolerance %g: "
                      "results are cut, and their bounds say how far off they may be",
                      plan->base.family, cubics->num, 2 * of->error);
    return status;
}

/* Reads the segments, and makes cubics of them. */
static clsp_status make_of_segments(const clsp_patch_plan *plan, clspi_cubics *cubics,
                                    clspi_series *series, double tolerance)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const bool narrow = d->precision == CLSP_F32;
    const size_t stride = (size_t)d->terms[0] * d->dim + clspi_frame_reals(d);
    const size_t num = plan->num_patches * cubics->segments.spans, reals = num * stride;
    const uint64_t room =
        series->ctx->device.max_alloc_bytes / (cubic_reals(d) * clsp_type_bytes(d->precision));
    clsp_status status;
    double *const points = read_reals(plan, series, cubics->segments.segments, reals, &status);
    clspi_fitted_segments of = {.degree = d->degrees[0],
                                .dim = d->dim,
                                .num = num,
                                .stride = stride,
                                .points = points,
                                .eps = narrow ? (double)FLT_EPSILON : DBL_EPSILON,
                                .most = (size_t)clspi_min_u64(room, MOST_CUBICS)};

    if (status == CLSP_OK) {
        of.error = error_for(&of, narrow, tolerance);
        status = make(plan, cubics, series, &of);
    }
    free(points);
    return status;
}

clsp_status clspi_cubics_prepare(clsp_patch_plan *plan, clspi_cubics *cubics, clspi_series *series,
                                 double tolerance)
{
    CLSPI_CHECK(clspi_segments_prepare(plan, &cubics->segments, series));
    if (plan->num_patches == 0) return CLSP_OK;
    if (cubics->is_made && cubics->load == plan->loads && cubics->tolerance == tolerance)
        return CLSP_OK;
    cubics->is_made = false;
    CLSPI_CHECK(make_of_segments(plan, cubics, series, tolerance));
    cubics->is_made = true;
    cubics->load = plan->loads;
    cubics->tolerance = tolerance;
    return CLSP_OK;
}

void clspi_cubics_release(clspi_cubics *cubics)
{
    clspi_segments_release(&cubics->segments);
    clspi_buffer_release(&cubics->cubics);
    clspi_buffer_release(&cubics->firsts);
}
