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
    CLSPI_LINE_DEGREE_MAX = 160, /* of curves on surfaces: roundings stay below NEARER_F64 */
    CLSPI_LINE_ORDER_MAX = CLSPI_LINE_DEGREE_MAX + 1,
    CLSPI_SURFACE_COORDS_MAX = 5 /* four and a weight */
};

/* B-spline curves one behind another, with homogeneous control points. */
typedef struct clspi_curve_rows {
    size_t num;
    const uint32_t *degree, *num_controls; /* [num] */
    const double *knots, *controls;        /* of all */
} clspi_curve_rows;

/* How patches are trimmed. */
typedef struct clspi_trim_desc {
    const uint32_t *loop, *curve; /* [patches + 1], [loops + 1]: where loops and curves begin */
    clspi_curve_rows curves;      /* of loops, in the plane of parameters */
    clspi_curve_rows edges;       /* in space */
    const uint32_t *edge;         /* [curves.num]; UINT32_MAX: none */
    const double *tolerance;      /* [edges.num]; NULL: 0 */
    const uint8_t *turned;        /* [patches]: outward is against the normal; NULL: none is so */
    double snap;                  /* of the domain: ends that are as near are one */
} clspi_trim_desc;

struct clspi_surface_trims;

/* Surfaces that are searched: read alone once they are made, and shared by all threads. */
typedef struct clspi_surface_search clspi_surface_search;

/* Makes the pieces of several descriptions and one tree of all; NULL without memory. Patches are
   numbered through all descriptions, whose dimensions are the same. Surfaces have degrees 1 to
   CLSPI_SURFACE_DEGREE_MAX; curves 1 to CLSPI_SEARCH_DEGREE_MAX along u and 0 along v, one control
   point there, and no spans. Pieces that have a number which is not finite, or a weight that is not
   positive, are left out. trims: NULL: none; else dimensions are 3, and NULL is also given where a
   curve on a surface would be of a degree above CLSPI_LINE_DEGREE_MAX, *too_high then. */
clspi_surface_search *clspi_surface_search_create(const clspi_search_desc *descs, size_t num,
                                                  const clspi_trim_desc *trims, bool *too_high,
                                                  const clspi_parallel *threads);
void clspi_surface_search_destroy(clspi_surface_search **search);

/* Tells whether parameters are inside of a patch's loops and its domain: 0, 1; 2: on them. */
uint8_t clspi_surface_search_contains(const clspi_surface_search *search, size_t patch, double u,
                                      double v);

/* Returns how many gaps of loops have been closed by lines. */
size_t clspi_surface_search_gaps(const clspi_surface_search *search);

/* Finds the nearest point to each query. The bits of a result depend on its query alone. False
   without memory. */
CLSPI_LEVELS(bool, clspi_surface_search_find,
             (const clspi_surface_search *search, const clspi_nearest_queries *queries));
#define clspi_surface_search_find CLSPI_AT_LEVEL(clspi_surface_search_find)

#endif
