/* The oracle of Bezier evaluation: textbook formulas in long double (Farin, Curves and Surfaces for
   CAGD). It shares no line with the library. */
#ifndef BEZIER_REF_H
#define BEZIER_REF_H

#include <stddef.h>

/* A point of the curve with control points p[0], p[stride], .., p[degree * stride], by de
   Casteljau's algorithm. scratch: degree + 1. */
long double ref_casteljau(const double *p, size_t stride, unsigned degree, long double t,
                          long double *scratch);

/* One coordinate c of S(u, v); points: [degree_u + 1][degree_v + 1][dim]. scratch: degree_u +
 * degree_v + 2. */
long double ref_bezier_surface(const double *points, unsigned degree_u, unsigned degree_v,
                               unsigned dim, unsigned c, long double u, long double v,
                               long double *scratch);

/* The same as the double sum of values of ref_bernstein: for degrees where de Casteljau's cubic
   cost is too much. scratch as above. */
long double ref_bezier_sum(const double *points, unsigned degree_u, unsigned degree_v, unsigned dim,
                           unsigned c, long double u, long double v, long double *scratch);

/* B_k^degree(t) for all k by the triangle B_k^n = (1 - t) B_k^{n-1} + t B_{k-1}^{n-1}; values:
 * degree + 1. */
void ref_bernstein(long double *values, unsigned degree, long double t);

#endif
