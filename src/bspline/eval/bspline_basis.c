#include <stdlib.h>
#include <string.h>

#include "bspline_plan.h"

/* ---- knots ---- */

/* Tells whether first derivatives jump within the domain: a knot stands as often as the degree. */
static bool find_kinks(const clspi_knots *knots)
{
    bool found = false;

    for (uint32_t s = 0; s + 1 < knots->num_spans; s++)
        found = found || knots->span[s + 1] - knots->span[s] >= knots->degree;
    return found;
}

static clsp_status make_knots(clspi_bspline_plan *plan, uint32_t k)
{
    const clsp_bspline_desc *const d = &plan->desc;
    clspi_knots *const knots = &plan->knots[k];

    if (!clspi_knots_make(knots, d->knots[k], d->degree[k], d->num_controls[k]))
        return CLSP_ERROR_NO_MEMORY;
    plan->desc.knots[k] = knots->u;
    plan->has_kinks[k] = find_kinks(knots);
    for (uint32_t by = 1; by <= 2 && by <= knots->degree; by++) {
        double *const factors = malloc((knots->controls - by) * sizeof *factors);
        plan->factors[k][by - 1] = factors;
        if (!factors) return CLSP_ERROR_NO_MEMORY;
        for (uint32_t i = 0; i < knots->controls - by; i++)
            factors[i] = clspi_knots_factor(knots, by, i);
    }
    return CLSP_OK;
}

clsp_status clspi_bspline_make_knots(clspi_bspline_plan *plan)
{
    clsp_status status = CLSP_OK;

    for (uint32_t k = 0; k < 3 && status == CLSP_OK; k++)
        status = make_knots(plan, k);
    if (status == CLSP_OK) return CLSP_OK;
    return clspi_fail(&plan->tensor.base.ctx->log, status, "bspline: no memory for knots");
}

void clspi_bspline_release_knots(clspi_bspline_plan *plan)
{
    for (uint32_t k = 0; k < 3; k++) {
        clspi_knots_release(&plan->knots[k]);
        free(plan->factors[k][0]);
        free(plan->factors[k][1]);
    }
}

/* ---- what tables are made of ---- */

static uint32_t values_at(const clspi_knots *knots, clspi_knot_parameter at, uint32_t by,
                          double *values)
{
    const uint32_t span = clspi_knots_sample_span(knots, &at);

    clspi_knots_values(knots, span, by, at, values);
    return knots->span[span] - knots->degree;
}

static uint32_t uniform_values(const void *user, const clspi_sample *at, double *values)
{
    const clspi_bspline_plan *const plan = user;
    const clspi_knots *const knots = &plan->knots[at->direction];
    const clsp_axis *const axis = &plan->tensor.desc.axis[at->direction];
    const uint32_t last = at->num > 1 ? at->num - 1 : 1;

    return values_at(knots, clspi_knots_sample(knots, axis->begin, axis->end, at->sample, last),
                     at->by, values);
}

static uint32_t values(const void *user, uint32_t direction, uint32_t by, uint32_t sample,
                       double *values)
{
    const clspi_bspline_plan *const plan = user;
    const clspi_knots *const knots = &plan->knots[direction];
    const clsp_axis *const axis = &plan->tensor.desc.axis[direction];

    if (!axis->params)
        return uniform_values(user, &(clspi_sample){direction, by, axis->num, sample}, values);
    return values_at(knots,
                     clspi_knots_sample(knots, axis->params[sample], axis->params[sample], 0, 1),
                     by, values);
}

static bool same_knots(const clspi_knots *a, const clspi_knots *b)
{
    return a->degree == b->degree && a->controls == b->controls &&
           memcmp(a->u, b->u, ((size_t)a->controls + a->degree + 1) * sizeof *a->u) == 0;
}

static uint64_t identity(const void *user, uint32_t direction, uint32_t by)
{
    const clspi_bspline_plan *const plan = user;
    uint32_t first = 0;

    while (!same_knots(&plan->knots[first], &plan->knots[direction]))
        first++;
    return (uint64_t)first * CLSPI_DERIVATIVES + by;
}

static const double *factors(const void *user, uint32_t direction, uint32_t by)
{
    const clspi_bspline_plan *const plan = user;

    return plan->factors[direction][by - 1];
}

static uint32_t num_spans(const void *user, uint32_t direction)
{
    const clspi_bspline_plan *const plan = user;

    return plan->knots[direction].num_spans;
}

static uint32_t span(const void *user, uint32_t direction, uint32_t span, uint32_t by,
                     double ends[2], double *functions)
{
    const clspi_bspline_plan *const plan = user;
    const clspi_knots *const knots = &plan->knots[direction];
    const uint32_t next = span + 1 < knots->num_spans ? knots->span[span + 1] : knots->controls;

    ends[0] = knots->u[knots->span[span]];
    ends[1] = knots->u[next];
    clspi_knots_extraction(knots, span, by, functions);
    return knots->span[span] - knots->degree;
}

static bool has_kinks(const void *user, uint32_t direction)
{
    const clspi_bspline_plan *const plan = user;

    return plan->has_kinks[direction];
}

clspi_basis clspi_bspline_basis(const clspi_bspline_plan *plan)
{
    const clspi_basis basis = {.user = plan,
                               .values = values,
                               .uniform_values = uniform_values,
                               .identity = identity,
                               .factors = factors,
                               .num_spans = num_spans,
                               .span = span,
                               .has_kinks = has_kinks};

    return basis;
}
