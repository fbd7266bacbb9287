/* The search for the nearest points of surfaces and curves: pieces, which are Bezier patches, a
   tree of boxes around parts of them, and a walk down it that certifies what it finds
   (docs/math.md, 20). A curve is a surface of degree 0 along v. All is computed in double
   precision, whatever queries and results are. */
#ifndef CLSPI_SURFACE_SEARCH_H
#define CLSPI_SURFACE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "curve_search.h"
#include "in_parallel.h"
#include "level.h"
#include "nearest_query.h"

enum {
    CLSPI_SURFACE_DEGREE_MAX = 16,
    CLSPI_SURFACE_ORDER_MAX = CLSPI_SURFACE_DEGREE_MAX + 1,
    CLSPI_LINE_ORDER_MAX = CLSPI_SEARCH_DEGREE_MAX + 1, /* along u, of curves */
    CLSPI_SURFACE_COORDS_MAX = 5                        /* four and a weight */
};

/* Surfaces that are searched: read alone once they are made, and shared by all threads. */
typedef struct clspi_surface_search clspi_surface_search;

/* Makes the pieces of several descriptions and one tree of all; NULL without memory. Patches are
   numbered through all descriptions, whose dimensions are the same. Surfaces have degrees 1 to
   CLSPI_SURFACE_DEGREE_MAX; curves 1 to CLSPI_SEARCH_DEGREE_MAX along u and 0 along v, one control
   point there, and no spans. Pieces that have a number which is not finite, or a weight that is not
   positive, are left out. */
clspi_surface_search *clspi_surface_search_create(const clspi_search_desc *descs, size_t num,
                                                  const clspi_parallel *threads);
void clspi_surface_search_destroy(clspi_surface_search **search);

/* Finds the nearest point to each query. The bits of a result depend on its query alone. False
   without memory. */
CLSPI_LEVELS(bool, clspi_surface_search_find,
             (const clspi_surface_search *search, const clspi_nearest_queries *queries));
#define clspi_surface_search_find CLSPI_AT_LEVEL(clspi_surface_search_find)

#endif
