/* The search for the nearest points of curves of Bezier segments on the host, by the algorithm of
   nearest.cl and within its bounds (docs/math.md, 14): branch and bound over boxes around Bezier
   segments and over parts of segments. Results need not have the bits of a device. */
#ifndef CLSPI_CURVE_SEARCH_H
#define CLSPI_CURVE_SEARCH_H

#include "segment_search.h"

/* What is searched, of curves and of surfaces; copied, but for spans and points, which count while
   it is made alone. */
typedef struct clspi_search_desc {
    bool f64;
    uint32_t dim; /* 1 to 4 */
    bool rational;
    uint32_t degree[2];          /* of curves 1 to CLSPI_SEARCH_DEGREE_MAX */
    uint32_t controls[2];        /* of a curve, or of a surface in each direction */
    const clspi_spans *spans[2]; /* of curves the first */
    size_t num_patches;          /* of surfaces, */
    const void *points; /* and their control points: [num_patches][controls[0]][controls[1]][dim,
                           and the weight] */
} clspi_search_desc;

/* Curves that are searched; read alone between loads, and shared by all workers. */
typedef struct clspi_curve_search clspi_curve_search;

/* Makes what spans alone decide, for curves that clspi_curve_search_load must bring; NULL without
   memory. */
clspi_curve_search *clspi_curve_search_create(const clspi_search_desc *desc);
void clspi_curve_search_destroy(clspi_curve_search **search);

/* Makes the segments of curves and the boxes around them, in the place of those before. points:
   [num][controls][dim, and the weight] reals, homogeneous where there are weights. False without
   memory: then there are no curves. */
bool clspi_curve_search_load(clspi_curve_search *search, size_t num, const void *points);

/* Finds the nearest point to each query. The bits of a result depend on its query alone. */
void clspi_curve_search_find(const clspi_curve_search *search,
                             const clspi_nearest_queries *queries);

#endif
