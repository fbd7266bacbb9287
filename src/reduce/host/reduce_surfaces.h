/* Surfaces as patches of lower degrees, direction by direction (docs/math.md, 22): a surface
   becomes a grid of patches, as many along each direction in a span of its knots as any of the
   curves along it needs. All is double precision. */
#ifndef CLSPI_REDUCE_SURFACES_H
#define CLSPI_REDUCE_SURFACES_H

#include "reduce_curves.h"

enum { CLSPI_REDUCE_SURFACE_COORDS = 4 };

/* Surfaces in host memory, which stay there; directions are u and v. */
typedef struct clspi_reduce_surfaces {
    bool f64;           /* control points are doubles; else floats */
    const void *points; /* [surfaces][controls[0]][controls[1]][coords] */
    bool rational;      /* the last coordinate is the weight, and the others are times that */
    uint32_t coords, controls[2]; /* at most CLSPI_REDUCE_SURFACE_COORDS */
    uint32_t degree[2], to[2];    /* of surfaces, and of patches: less, or the same */
    const clspi_spans *spans[2];
    bool is_bezier;                       /* surfaces are Bezier patches, of a span each */
    const clspi_reduce_tables *tables[2]; /* of directions along which the degree falls: of curves
                                             of doubles */
    double tolerance;
} clspi_reduce_surfaces;

/* Where the patches of a surface are written; all but points may be NULL. */
typedef struct clspi_reduce_patches {
    void *points;   /* [num[0]][num[1]][to[0] + 1][to[1] + 1][coords], of the surfaces' precision */
    double *params; /* [num[0]][num[1]][2][2], where each begins and ends along u and v */
    double *bounds; /* [num[0]][num[1]], as of clspi_reduce_pieces */
} clspi_reduce_patches;

/* Counts the patches of a surface along each direction in each of its spans: counts[2], each
   [spans]. *bound: the largest of a patch. False without memory. */
bool clspi_reduce_surface_count(const clspi_reduce_surfaces *surfaces, size_t surface,
                                uint32_t *const counts[2], double *bound);

/* Makes as many patches of a surface. False without memory. */
bool clspi_reduce_surface_write(const clspi_reduce_surfaces *surfaces, size_t surface,
                                uint32_t *const counts[2], const clspi_reduce_patches *to);

#endif
