#include <stdlib.h>
#include <string.h>

#include "bspline_plan.h"
#include "buffer.h"
#include "check.h"

/* ---- knots ---- */

static clsp_status make_knots(clsp_bspline_plan *plan, cl_uint k)
{
    const clsp_bspline_desc *const d = &plan->desc;
    clspi_knots *const knots = &plan->knots[k];

    if (!clspi_knots_make(knots, d->knots[k], d->degree[k], d->num_controls[k]))
        return CLSP_ERROR_NO_MEMORY;
    plan->desc.knots[k] = knots->u;
    for (cl_uint by = 1; by <= 2 && by <= knots->degree; by++) {
        double *const factors = malloc((knots->controls - by) * sizeof *factors);
        plan->factors[k][by - 1] = factors;
        if (!factors) return CLSP_ERROR_NO_MEMORY;
        for (uint32_t i = 0; i < knots->controls - by; i++)
            factors[i] = clspi_knots_factor(knots, by, i);
    }
    return CLSP_OK;
}

clsp_status clspi_bspline_make_knots(clsp_bspline_plan *plan)
{
    clsp_status status = CLSP_OK;

    for (cl_uint k = 0; k < 3 && status == CLSP_OK; k++)
        status = make_knots(plan, k);
    if (status == CLSP_OK) return CLSP_OK;
    return clspi_fail(&plan->tensor.base.ctx->log, status, "bspline: no memory for knots");
}

void clspi_bspline_release_knots(clsp_bspline_plan *plan)
{
    for (cl_uint k = 0; k < 3; k++) {
        clspi_knots_release(&plan->knots[k]);
        free(plan->factors[k][0]);
        free(plan->factors[k][1]);
    }
}

/* ---- what tables are made of ---- */

static cl_uint values(const void *user, cl_uint direction, cl_uint by, cl_uint sample,
                      double *values)
{
    const clsp_bspline_plan *const plan = user;
    const clspi_knots *const knots = &plan->knots[direction];
    const clsp_axis *const axis = &plan->tensor.desc.axis[direction];
    const clspi_knot_parameter at = clspi_knots_sample(knots, axis->begin, axis->end, sample,
                                                       axis->num > 1 ? axis->num - 1 : 1);
    const uint32_t span = clspi_knots_span(knots, at);

    clspi_knots_values(knots, span, by, at, values);
    return knots->span[span] - knots->degree;
}

static bool same_knots(const clspi_knots *a, const clspi_knots *b)
{
    return a->degree == b->degree && a->controls == b->controls &&
           memcmp(a->u, b->u, ((size_t)a->controls + a->degree + 1) * sizeof *a->u) == 0;
}

static uint64_t identity(const void *user, cl_uint direction, cl_uint by)
{
    const clsp_bspline_plan *const plan = user;
    cl_uint first = 0;

    while (!same_knots(&plan->knots[first], &plan->knots[direction]))
        first++;
    return (uint64_t)first * CLSPI_DERIVATIVES + by;
}

static const double *factors(const void *user, cl_uint direction, cl_uint by)
{
    const clsp_bspline_plan *const plan = user;

    return plan->factors[direction][by - 1];
}

clspi_basis clspi_bspline_basis(const clsp_bspline_plan *plan)
{
    const clspi_basis basis = {
        .user = plan, .values = values, .identity = identity, .factors = factors};

    return basis;
}

/* ---- what points are made of ---- */

/* Reals of a precision that are written one after the other. */
typedef struct writer {
    void *reals; /* NULL: only counted */
    size_t num;
    bool is_double;
} writer;

static void put(writer *w, double x)
{
    if (w->reals && w->is_double) ((double *)w->reals)[w->num] = x;
    if (w->reals && !w->is_double) ((float *)w->reals)[w->num] = (float)x;
    w->num++;
}

static double rest_of(const writer *w, double x)
{
    return w->is_double ? 0.0 : x - (double)(float)x;
}

/* Writes where spans begin and the last one ends. */
static void put_spans(writer *w, const clspi_knots *knots)
{
    const double begin = knots->u[knots->degree], end = knots->u[knots->controls];

    put(w, knots->num_spans);
    for (uint32_t s = 0; s < knots->num_spans; s++)
        put(w, knots->u[knots->span[s]] - begin);
    put(w, end - begin);
    for (uint32_t s = 0; s < knots->num_spans; s++)
        put(w, rest_of(w, knots->u[knots->span[s]] - begin));
    put(w, rest_of(w, end - begin));
    for (uint32_t s = 0; s < knots->num_spans; s++)
        put(w, knots->span[s] - knots->degree);
}

static void put_factors(writer *w, const clspi_knots *knots)
{
    for (uint32_t by = 1; by <= 2; by++)
        for (uint32_t i = 0; i < knots->controls; i++)
            put(w, by <= knots->degree && i < knots->controls - by
                       ? clspi_knots_factor(knots, by, i)
                       : 0.0);
}

/* Writes the coefficients of all functions of one degree; matrix: room for those of a span. */
static void put_coefficients(writer *w, const clspi_knots *knots, uint32_t by, double *matrix)
{
    const size_t order = knots->degree + 1 - by;

    if (!w->reals) w->num += knots->num_spans * order * order;
    for (uint32_t s = 0; w->reals && s < knots->num_spans; s++) {
        clspi_knots_extraction(knots, s, by, matrix);
        for (size_t i = 0; i < order * order; i++)
            put(w, matrix[i]);
    }
}

static void put_direction(writer *w, const clspi_knots *knots, double *matrix)
{
    put_spans(w, knots);
    put_factors(w, knots);
    for (uint32_t by = 0; by < CLSPI_DERIVATIVES && by <= knots->degree; by++)
        put_coefficients(w, knots, by, matrix);
}

static void put_all(writer *w, const clsp_bspline_plan *plan, double *matrix)
{
    for (cl_uint k = 0; k < plan->tensor.desc.directions; k++)
        put_direction(w, &plan->knots[k], matrix);
}

clsp_status clspi_bspline_make_basis(clspi_tensor_plan *tensor, clspi_series *series)
{
    const clsp_bspline_plan *const plan = (const clsp_bspline_plan *)tensor;
    writer count = {.is_double = tensor->desc.precision == CLSP_F64};
    size_t matrix = CLSP_BSPLINE_MAX_DEGREE + 1;

    put_all(&count, plan, NULL);
    const size_t bytes = count.num * clsp_type_bytes(tensor->desc.precision);
    if (count.num > UINT32_MAX)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: %zu numbers of basis functions are more than 32 bits count",
                          count.num);
    writer w = {.reals = malloc(bytes), .is_double = count.is_double};
    double *const scratch = malloc(matrix * matrix * sizeof *scratch);
    clsp_status status = CLSP_ERROR_NO_MEMORY;
    if (w.reals && scratch) {
        put_all(&w, plan, scratch);
        status = clspi_buffer_create(&tensor->basis, series->ctx, bytes);
        if (status == CLSP_OK)
            status = clspi_series_write(series, tensor->basis, 0, w.reals, bytes);
        if (status != CLSP_OK) clspi_buffer_release(&tensor->basis);
    } else {
        clspi_fail(&series->ctx->log, status, "bspline: no memory for %zu bytes of functions",
                   bytes);
    }
    free(w.reals);
    free(scratch);
    return status;
}
