#include "spans.h"

#include <math.h>
#include <stdlib.h>

bool clspi_spans_reserve(clspi_spans *spans, size_t sets, uint32_t num, uint32_t degree, bool f64)
{
    static const double nowhere[2] = {(double)INFINITY, (double)INFINITY};
    const size_t all = sets * num, reals = (size_t)(degree + 1) * (degree + 1);

    *spans = (clspi_spans){.f64 = f64, .sets = sets, .spans = num, .order = degree + 1};
    spans->operators = malloc(all * reals * sizeof *spans->operators);
    spans->ends = malloc(all * CLSPI_SPAN_ENDS * sizeof *spans->ends);
    spans->first = malloc(all * sizeof *spans->first);
    if (!spans->operators || !spans->ends || !spans->first) return false;
    for (size_t i = 0; i < all; i++) {
        double *const to = clspi_spans_put(spans, i, 0, nowhere);
        for (size_t k = 0; k < reals; k++)
            to[k] = (double)NAN;
    }
    return true;
}

void clspi_spans_release(clspi_spans *spans)
{
    free(spans->operators);
    free(spans->ends);
    free(spans->first);
    *spans = (clspi_spans){.sets = 0};
}

double *clspi_spans_put(clspi_spans *spans, size_t number, uint32_t first, const double ends[2])
{
    double *const to = spans->ends + CLSPI_SPAN_ENDS * number;

    for (int k = 0; k < 2; k++) {
        to[k] = ends[k];
        to[2 + k] = spans->f64 || isinf(ends[k]) ? 0.0 : ends[k] - (double)(float)ends[k];
    }
    spans->first[number] = first;
    return spans->operators + number * spans->order * spans->order;
}
