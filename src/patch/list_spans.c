#include "list_spans.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "spline_place.h"

enum { MOST_REALS = 1 << 18 /* of a direction's functions: 2 MiB */ };

static size_t reals_of(const clspi_tensor_desc *desc, uint32_t direction)
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

    for (uint32_t k = 0; k < desc->directions; k++)
        fits = fits && reals_of(desc, k) <= MOST_REALS;
    return fits;
}

/* Finds the span of x, the one that begins there or before, among `count` from `low` on. */
static uint32_t search(const clspi_list_spans *spans, double x, uint32_t low, uint32_t count)
{
    while (count > 1) {
        const uint32_t half = count / 2;
        const bool beyond = x < spans->ends[2 * (size_t)(low + half)];
        low += beyond ? 0 : half;
        count = beyond ? half : count - half;
    }
    return low;
}

/* Finds in which spans equal parts of the domain begin. */
static void make_parts(clspi_list_spans *spans)
{
    const uint32_t num = spans->num;
    const double begin = spans->ends[0], length = spans->ends[2 * (size_t)num - 1] - begin;

    spans->parts = isfinite(length) ? num / length : (double)NAN;
    for (uint32_t k = 0; k <= num; k++)
        spans->part[k] = search(spans, begin + length / num * k, 0, num);
    for (uint32_t k = 0; k < num; k++)
        spans->middle[k] = search(spans, begin + length / num * (k + 0.5), 0, num);
}

/* Makes columns of the rows that descriptions give. */
static void transpose(double *matrix, size_t order)
{
    for (size_t i = 0; i < order; i++)
        for (size_t j = i + 1; j < order; j++) {
            const double x = matrix[i * order + j];
            matrix[i * order + j] = matrix[j * order + i];
            matrix[j * order + i] = x;
        }
}

/* Makes what first derivatives of a span are sums of. */
static void make_slopes(clspi_list_spans *spans, const clspi_tensor_desc *desc, uint32_t direction,
                        uint32_t span)
{
    const size_t order = spans->order - 1;
    double *const to = spans->slopes + span * order * order;
    double ends[2];
    const uint32_t first = desc->basis.span(desc->basis.user, direction, span, 1, ends, to);
    const double *const factors = desc->basis.factors(desc->basis.user, direction, 1) + first;

    for (size_t i = 0; i < order * order; i++)
        to[i] *= factors[i / order];
    transpose(to, order);
}

bool clspi_list_spans_make(clspi_list_spans *spans, const clspi_tensor_desc *desc,
                           uint32_t direction)
{
    const uint32_t num = desc->basis.num_spans(desc->basis.user, direction);
    const uint32_t order = desc->degrees[direction] + 1;
    const bool has_slopes = order > 1 && clspi_list_has_slopes(desc);

    if (spans->num > 0) return true;
    spans->ends = malloc(num * 2 * sizeof *spans->ends);
    spans->first = malloc(num * sizeof *spans->first);
    spans->part = malloc(((size_t)num + 1) * sizeof *spans->part);
    spans->middle = malloc(num * sizeof *spans->middle);
    spans->functions = malloc(reals_of(desc, direction) * sizeof *spans->functions);
    if (has_slopes) spans->slopes = malloc(reals_of(desc, direction) * sizeof *spans->slopes);
    if (!spans->ends || !spans->first || !spans->part || !spans->middle || !spans->functions ||
        (has_slopes && !spans->slopes)) {
        clspi_list_spans_release(spans);
        return false;
    }
    spans->order = order;
    for (uint32_t s = 0; s < num; s++) {
        double *const functions = spans->functions + (size_t)s * order * order;
        spans->first[s] = desc->basis.span(desc->basis.user, direction, s, 0,
                                           spans->ends + 2 * (size_t)s, functions);
        transpose(functions, order);
        if (has_slopes) make_slopes(spans, desc, direction, s);
    }
    spans->num = num;
    make_parts(spans);
    return true;
}

void clspi_list_spans_release(clspi_list_spans *spans)
{
    free(spans->ends);
    free(spans->first);
    free(spans->part);
    free(spans->middle);
    free(spans->functions);
    free(spans->slopes);
    *spans = (clspi_list_spans){.num = 0};
}

/* Tells whether functions jump where span s + 1 begins: no function goes on there. */
static bool jumps_behind(const clspi_list_spans *spans, uint32_t s)
{
    return spans->first[s + 1] - spans->first[s] >= spans->order;
}

/* Tells whether x is in a span, or the span is the first or the last one on its side. */
static bool is_in(const clspi_list_spans *spans, double x, uint32_t s)
{
    const double *const begin = spans->ends + 2 * (size_t)s;

    return (s == 0 || x >= begin[0]) && (s + 1 == spans->num || x < begin[2]);
}

/* Finds the span of x: that of the middle of its part of the domain, which it is where knots are
   even, or one of this part or of those beside, or any where parts are no longer than roundings. */
static uint32_t find(const clspi_list_spans *spans, double x)
{
    const double at = (x - spans->ends[0]) * spans->parts;

    if (!(at >= 0 && at <= spans->num)) return search(spans, x, 0, spans->num);
    const size_t k = (size_t)at, end = k + 2 < spans->num ? k + 2 : spans->num;
    const uint32_t guess = spans->middle[k < spans->num ? k : k - 1];
    if (is_in(spans, x, guess)) return guess;
    const uint32_t low = spans->part[k > 0 ? k - 1 : 0];
    const uint32_t s = search(spans, x, low, spans->part[end] - low + 1);
    return is_in(spans, x, s) ? s : search(spans, x, 0, spans->num);
}

uint32_t clspi_list_span_of(const clspi_list_spans *spans, double x, bool is_double)
{
    const uint32_t low = find(spans, x);
    const double *const ends = spans->ends + 2 * (size_t)low;
    const bool is_next = low + 1 < spans->num && clspi_rounded(is_double, ends[2]) == x &&
                         clspi_rounded(is_double, ends[0]) != x;
    return is_next && jumps_behind(spans, low) ? low + 1 : low;
}
