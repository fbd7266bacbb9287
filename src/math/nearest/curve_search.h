/* The search for the nearest points of curves of Bezier segments on the host, by the algorithm of
   nearest.cl and within its bounds (docs/math.md, 14): branch and bound over boxes around Bezier
   segments and over parts of segments. Results need not have the bits of a device. */
#ifndef CLSPI_CURVE_SEARCH_H
#define CLSPI_CURVE_SEARCH_H

#include "segment_search.h"

/* What segments are made with, of each curve or, where there is one, of all. */
typedef struct clspi_curve_spans {
    size_t curves;
    uint32_t spans; /* of each: the most that any has */
    double
        *operators;  /* [curves][spans][degree + 1][degree + 1], the Bernstein coefficients of the
                        functions that count on a span, a row for each; NaN: there is no segment */
    double *ends;    /* [curves][spans][CLSPI_SPAN_ENDS], where a span begins and ends, and what
                        the precision lacks of these */
    uint32_t *first; /* [curves][spans], the first control point that counts */
} clspi_curve_spans;

/* What is searched. */
typedef struct clspi_curve_search_desc {
    bool f64;
    uint32_t dim; /* 1 to 4 */
    bool rational;
    uint32_t degree;                /* 1 to CLSPI_SEARCH_DEGREE_MAX */
    uint32_t controls;              /* of a curve */
    const clspi_curve_spans *spans; /* NULL: curves are Bezier curves over [0, 1] */
} clspi_curve_search_desc;

/* Curves that are searched; read alone between loads, and shared by all workers. */
typedef struct clspi_curve_search clspi_curve_search;

/* Makes what spans alone decide, for curves that clspi_curve_search_load must bring; NULL without
   memory. */
clspi_curve_search *clspi_curve_search_create(const clspi_curve_search_desc *desc);
void clspi_curve_search_destroy(clspi_curve_search **search);

/* Makes the segments of curves and the boxes around them, in the place of those before. points:
   [num][controls][dim, and the weight] reals, homogeneous where there are weights. False without
   memory: then there are no curves. */
bool clspi_curve_search_load(clspi_curve_search *search, size_t num, const void *points);

/* Finds the nearest point to each query. The bits of a result depend on its query alone. */
void clspi_curve_search_find(const clspi_curve_search *search,
                             const clspi_segment_queries *queries);

#endif
