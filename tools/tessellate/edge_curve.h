/* Edges of patches as curves, and how far apart two of them are. */
#ifndef CLSPLINE_TOOLS_IO_EDGE_CURVE_H
#define CLSPLINE_TOOLS_IO_EDGE_CURVE_H

#include <stdbool.h>
#include <stddef.h>

/* A Bezier curve in homogeneous coordinates. */
typedef struct edge_curve {
    size_t degree;
    bool rational;
    double *points; /* [degree + 1][4]: x w, y w, z w, w; w is 1 where it is not rational */
} edge_curve;

/* Whether the curves are nowhere further apart than the distance, above 0, at equal parameters, or
   with `reversed` at t and 1 - t. The answer may be no where they are nearly as far apart, and
   where the product of their orders is above 2^16 and they are not polynomials of one degree. */
bool edge_curves_within(const edge_curve *a, const edge_curve *b, bool reversed, double distance);

#endif
