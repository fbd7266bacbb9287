#include "curve_spans.h"

#include <math.h>
#include <stdlib.h>

/* Counts the spans that any curve has. */
static uint32_t count_spans(const clspi_knots *knots, const double *u, size_t num)
{
    uint32_t most = 0;

    if (num == 0) return knots->num_spans;
    for (size_t c = 0; c < num; c++, u += (size_t)knots->controls + knots->degree + 1) {
        uint32_t spans = 0;
        for (uint32_t k = knots->degree; k < knots->controls; k++)
            spans += u[k] < u[k + 1];
        most = spans > most ? spans : most;
    }
    return most;
}

/* Writes where the span between two knots begins and ends, and what a precision lacks of these; u
   NULL: behind all spans. */
static void put_ends(double *ends, const double *u, bool is_double)
{
    for (int k = 0; k < 2; k++) {
        ends[k] = u ? u[k] : (double)INFINITY;
        ends[2 + k] = u && !is_double ? u[k] - (double)(float)u[k] : 0.0;
    }
}

/* Fills a curve's part. Behind the last span that there is there are no segments: their control
   points are NaN, and their spans come after all. */
static void fill(clspi_curve_spans *spans, size_t curve, const clspi_knots *knots, bool is_double)
{
    const size_t order = knots->degree + 1, reals = order * order, first = curve * spans->spans;

    for (uint32_t s = 0; s < spans->spans; s++) {
        const bool is_there = s < knots->num_spans;
        const uint32_t knot = is_there ? knots->span[s] : knots->degree;
        double *const operators = spans->operators + (first + s) * reals;
        if (is_there) clspi_knots_extraction(knots, s, 0, operators);
        for (size_t i = 0; !is_there && i < reals; i++)
            operators[i] = (double)NAN;
        put_ends(spans->ends + CLSPI_SPAN_ENDS * (first + s), is_there ? knots->u + knot : NULL,
                 is_double);
        spans->first[first + s] = knot - knots->degree;
    }
}

bool clspi_curve_spans_make(clspi_curve_spans *spans, const clspi_knots *knots, const double *u,
                            size_t num, bool is_double)
{
    const size_t order = knots->degree + 1;

    *spans = (clspi_curve_spans){.curves = num > 0 ? num : 1, .spans = count_spans(knots, u, num)};
    const size_t all = spans->curves * spans->spans;
    spans->operators = malloc(all * order * order * sizeof *spans->operators);
    spans->ends = malloc(all * CLSPI_SPAN_ENDS * sizeof *spans->ends);
    spans->first = malloc(all * sizeof *spans->first);
    if (!spans->operators || !spans->ends || !spans->first) return false;
    if (num == 0) fill(spans, 0, knots, is_double);
    for (size_t c = 0; c < num; c++, u += (size_t)knots->controls + knots->degree + 1) {
        clspi_knots own;
        const bool made = clspi_knots_make(&own, u, knots->degree, knots->controls);
        if (made) fill(spans, c, &own, is_double);
        clspi_knots_release(&own);
        if (!made) return false;
    }
    return true;
}

void clspi_curve_spans_release(clspi_curve_spans *spans)
{
    free(spans->operators);
    free(spans->ends);
    free(spans->first);
    *spans = (clspi_curve_spans){.curves = 0};
}
