#include "list_spans.h"

#include <stdlib.h>

#include "check.h"

enum { MOST_REALS = 1 << 18 /* of a direction's functions: 2 MiB */ };

static size_t reals_of(const clspi_tensor_desc *desc, cl_uint direction)
{
    const size_t order = (size_t)desc->degrees[direction] + 1;

    return desc->basis.num_spans(desc->basis.user, direction) * order * order;
}

bool clspi_list_spans_fit(const clspi_tensor_desc *desc)
{
    bool fits = true;

    for (cl_uint k = 0; k < desc->directions; k++)
        fits = fits && reals_of(desc, k) <= MOST_REALS;
    return fits;
}

bool clspi_list_spans_make(clspi_list_spans *spans, const clspi_tensor_desc *desc,
                           cl_uint direction)
{
    const cl_uint num = desc->basis.num_spans(desc->basis.user, direction);
    const cl_uint order = desc->degrees[direction] + 1;

    if (spans->num > 0) return true;
    spans->ends = malloc(num * 2 * sizeof *spans->ends);
    spans->first = malloc(num * sizeof *spans->first);
    spans->functions = malloc(reals_of(desc, direction) * sizeof *spans->functions);
    if (!spans->ends || !spans->first || !spans->functions) {
        clspi_list_spans_release(spans);
        return false;
    }
    for (cl_uint s = 0; s < num; s++)
        spans->first[s] =
            desc->basis.span(desc->basis.user, direction, s, spans->ends + 2 * (size_t)s,
                             spans->functions + (size_t)s * order * order);
    spans->num = num;
    spans->order = order;
    return true;
}

void clspi_list_spans_release(clspi_list_spans *spans)
{
    free(spans->ends);
    free(spans->first);
    free(spans->functions);
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
