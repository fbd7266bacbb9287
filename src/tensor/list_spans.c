#include "list_spans.h"

#include <stdlib.h>

#include "check.h"

enum { MOST_REALS = 1 << 18 /* of a direction's functions: 2 MiB */ };

static size_t reals_of(const clspi_tensor_desc *desc, cl_uint direction)
{
    const size_t order = (size_t)desc->degrees[direction] + 1;

    return desc->basis.num_spans(desc->basis.user, direction) * order * order;
}

bool clspi_list_has_slopes(const clspi_tensor_desc *desc)
{
    return (desc->vertex.attributes & (CLSP_VERTEX_DU | CLSP_VERTEX_DV)) != 0;
}

bool clspi_list_spans_fit(const clspi_tensor_desc *desc)
{
    bool fits = true;

    for (cl_uint k = 0; k < desc->directions; k++)
        fits = fits && reals_of(desc, k) <= MOST_REALS;
    return fits;
}

/* Makes what first derivatives of a span are sums of. */
static void make_slopes(clspi_list_spans *spans, const clspi_tensor_desc *desc, cl_uint direction,
                        cl_uint span)
{
    const size_t order = spans->order - 1;
    double *const to = spans->slopes + span * order * order;
    double ends[2];
    const cl_uint first = desc->basis.span(desc->basis.user, direction, span, 1, ends, to);
    const double *const factors = desc->basis.factors(desc->basis.user, direction, 1) + first;

    for (size_t i = 0; i < order * order; i++)
        to[i] *= factors[i / order];
}

bool clspi_list_spans_make(clspi_list_spans *spans, const clspi_tensor_desc *desc,
                           cl_uint direction)
{
    const cl_uint num = desc->basis.num_spans(desc->basis.user, direction);
    const cl_uint order = desc->degrees[direction] + 1;
    const bool has_slopes = order > 1 && clspi_list_has_slopes(desc);

    if (spans->num > 0) return true;
    spans->ends = malloc(num * 2 * sizeof *spans->ends);
    spans->first = malloc(num * sizeof *spans->first);
    spans->functions = malloc(reals_of(desc, direction) * sizeof *spans->functions);
    if (has_slopes) spans->slopes = malloc(reals_of(desc, direction) * sizeof *spans->slopes);
    if (!spans->ends || !spans->first || !spans->functions || (has_slopes && !spans->slopes)) {
        clspi_list_spans_release(spans);
        return false;
    }
    spans->order = order;
    for (cl_uint s = 0; s < num; s++) {
        spans->first[s] =
            desc->basis.span(desc->basis.user, direction, s, 0, spans->ends + 2 * (size_t)s,
                             spans->functions + (size_t)s * order * order);
        if (has_slopes) make_slopes(spans, desc, direction, s);
    }
    spans->num = num;
    return true;
}

void clspi_list_spans_release(clspi_list_spans *spans)
{
    free(spans->ends);
    free(spans->first);
    free(spans->functions);
    free(spans->slopes);
    *spans = (clspi_list_spans){.num = 0};
}

static double rounded(double x, bool is_double)
{
    return is_double ? x : (double)(float)x;
}

/* Tells whether functions jump where span s + 1 begins: no function goes on there. */
static bool jumps_behind(const clspi_list_spans *spans, cl_uint s)
{
    return spans->first[s + 1] - spans->first[s] >= spans->order;
}

cl_uint clspi_list_span_of(const clspi_list_spans *spans, double x, bool is_double)
{
    cl_uint low = 0, count = spans->num;

    while (count > 1) {
        const cl_uint half = count / 2;
        const bool beyond = x < spans->ends[2 * (size_t)(low + half)];
        low += beyond ? 0 : half;
        count = beyond ? half : count - half;
    }
    const double *const ends = spans->ends + 2 * (size_t)low;
    const bool is_next = low + 1 < spans->num && rounded(ends[2], is_double) == x &&
                         rounded(ends[0], is_double) != x;
    return is_next && jumps_behind(spans, low) ? low + 1 : low;
}
