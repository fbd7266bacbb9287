#include "bspline_plan.h"
#include "spans.h"

/* Counts the spans that any curve has. */
static uint32_t count_spans(const clspi_bspline_plan *plan)
{
    const uint32_t degree = plan->desc.degree[0], controls = plan->desc.num_controls[0];
    const double *u = plan->own.u;
    uint32_t most = 0;

    for (size_t c = 0; c < plan->own.num; c++, u += (size_t)controls + degree + 1) {
        uint32_t spans = 0;
        for (uint32_t k = degree; k < controls; k++)
            spans += u[k] < u[k + 1];
        most = spans > most ? spans : most;
    }
    return most;
}

bool clspi_bspline_own_spans(const clsp_patch_plan *tensor, clspi_spans *spans)
{
    const clspi_bspline_plan *const plan =
        (const clspi_bspline_plan *)tensor; /* whose first member it is */
    const uint32_t degree = plan->desc.degree[0];
    bool done = clspi_spans_reserve(spans, plan->own.num, count_spans(plan), degree,
                                    tensor->desc.precision == CLSP_F64);

    for (size_t c = 0; done && c < plan->own.num; c++) {
        clspi_knots knots;
        done = clspi_own_knots_of(plan, c, &knots);
        for (uint32_t s = 0; done && s < knots.num_spans; s++) {
            const uint32_t knot = knots.span[s];
            clspi_knots_extraction(
                &knots, s, 0,
                clspi_spans_put(spans, c * spans->spans + s, knot - degree, knots.u + knot));
        }
        clspi_knots_release(&knots);
    }
    return done;
}
