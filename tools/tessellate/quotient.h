/* Bounds of the second derivatives of a rational patch S = N / w.

   By the quotient rule, with D_u = w N_u - w_u N and D_v likewise (Sederberg and Wang, Rational
   hodographs, Computer Aided Geometric Design 4, 1987),

       S_uu = (w (D_u)_u - 2 w_u D_u) / w^3
       S_uv = (w (D_u)_v - 2 w_v D_u) / w^3
       S_vv = (w (D_v)_v - 2 w_v D_v) / w^3.

   Numerators and w^3 are polynomials. Their Bernstein coefficients are computed as products, and by
   the convex hull property the longest coefficient over the smallest bounds each derivative. */
#ifndef CLSPLINE_TOOLS_IO_QUOTIENT_H
#define CLSPLINE_TOOLS_IO_QUOTIENT_H

#include <stdbool.h>
#include <stddef.h>

enum { QUOTIENT_MAX_POINTS = 256 }; /* the work grows with the square of their number */

/* bounds: receives those of |S_uu|, |S_uv| and |S_vv|. points: [degree_u + 1][degree_v + 1][4],
   (w x, w y, w z, w), at most QUOTIENT_MAX_POINTS of them, coordinates about 1 and 0 < w <= 1.
   False when memory runs out. */
bool quotient_bounds(const double *points, size_t degree_u, size_t degree_v, double bounds[3]);

#endif
