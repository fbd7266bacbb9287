#include "patch_plan.h"
#include "spans.h"

/* Makes the spans that all patches have in common: one, of a family without more. */
static bool make_spans(const clsp_patch_plan *plan, uint32_t way, clspi_spans *spans)
{
    const clspi_basis *const basis = &plan->desc.basis;
    const uint32_t num = basis->num_spans ? basis->num_spans(basis->user, way) : 1;
    const uint32_t order = plan->desc.degrees[way] + 1;
    double ends[2] = {0, 1};

    if (!clspi_spans_reserve(spans, 1, num, order - 1, plan->desc.precision == CLSP_F64))
        return false;
    for (uint32_t i = 0; i < num; i++) {
        double *const functions = spans->operators + (size_t)i * order * order;
        uint32_t first = 0;
        for (uint32_t k = 0; k < order * order; k++)
            functions[k] = k % (order + 1) == 0;
        if (basis->num_spans) first = basis->span(basis->user, way, i, 0, ends, functions);
        clspi_spans_put(spans, i, first, ends);
    }
    return true;
}

bool clspi_patch_spans(const clsp_patch_plan *plan, uint32_t way, clspi_spans *spans)
{
    return plan->desc.own_bases > 0 ? plan->family->own_spans(plan, spans)
                                    : make_spans(plan, way, spans);
}
