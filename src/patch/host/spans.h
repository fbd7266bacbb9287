/* The spans of curves or surfaces along a direction, on each of which they are polynomials: what
   makes segments and pieces of control points (docs/math.md, 13). */
#ifndef CLSPI_SPANS_H
#define CLSPI_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLSPI_SPAN_ENDS = 4 };

typedef struct clspi_spans {
    bool f64;       /* the precision of parameters; else single */
    size_t sets;    /* of each curve, or 1 of all */
    uint32_t spans; /* of each: the most that any has */
    uint32_t order;
    double *operators; /* [sets][spans][order][order], the Bernstein coefficients of the functions
                          that count on a span, a row for each; NaN: there is no span */
    double *ends;      /* [sets][spans][CLSPI_SPAN_ENDS], where a span begins and ends, and what the
                          precision lacks of these; infinite: there is none */
    uint32_t *first;   /* [sets][spans], the first control point that counts */
} clspi_spans;

/* Makes room for spans, none of which is there yet. False without memory; clspi_spans_release must
   follow in every case. */
bool clspi_spans_reserve(clspi_spans *spans, size_t sets, uint32_t num, uint32_t degree, bool f64);
void clspi_spans_release(clspi_spans *spans);

/* Puts span `number`, counted through all sets, and returns where its operator is to be written. */
double *clspi_spans_put(clspi_spans *spans, size_t number, uint32_t first, const double ends[2]);

#endif
