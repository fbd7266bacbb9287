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

/* Returns one coordinate of S(u, v) as the double sum of values of ref_bernstein: for degrees where
   de Casteljau's cubic cost is too much. scratch: as ref_bezier_surface has it. */
long double ref_bezier_sum(const double *points, unsigned degree_u, unsigned degree_v, unsigned dim,
                           unsigned c, long double u, long double v, long double *scratch);

/* All coordinates of S(u, v), by the one or, where a degree is above 64, by the other; value:
 * [dim]. scratch as above. */
void ref_bezier_point(const double *points, unsigned degree_u, unsigned degree_v, unsigned dim,
                      long double u, long double v, long double *scratch, long double *value);

/* B_k^degree(t) for all k by the triangle B_k^n = (1 - t) B_k^{n-1} + t B_{k-1}^{n-1}; values:
 * degree + 1. */
void ref_bernstein(long double *values, unsigned degree, long double t);

/* ---- patches of all forms ---- */

typedef enum ref_form { REF_CURVE = 1, REF_SURFACE = 2, REF_VOLUME = 3, REF_TRIANGLE = 4 } ref_form;

/* points: in the shape of the library's control points, a patch's, coordinates fastest: [degree[0]
   + 1][degree[1] + 1][degree[2] + 1][dim + rational] for as many directions as the form has, of
   triangles of degree[0] P_ijk with i rising and then j. */
typedef struct ref_patch {
    ref_form form;
    unsigned degree[3];
    unsigned dim; /* 1 to 4 */
    int rational; /* 1: homogeneous coordinates, the weight last */
    const double *points;
} ref_patch;

/* All that a vertex may hold; what the form does not have is 0. */
typedef struct ref_vertex {
    long double point[4], weight, du[4], dv[4], dw[4], duu[4], duv[4], dvv[4];
    long double duw[4], dvw[4], dww[4];
    long double normal[3];    /* of dim 3: S_u x S_v of unit length, or zero where that is zero */
    long double curvature[2]; /* of curves one, in the plane with a sign; of surfaces with dim 3 the
                                 principal ones, the larger one first; 0 where there is no tangent
                                 or no normal, or without second derivatives */
} ref_vertex;

/* A homogeneous derivative of order by[] in each direction; value: [dim + rational]. Returns 0 when
   there is no memory. */
typedef int (*ref_derivative)(const void *user, const long double t[3], const unsigned by[3],
                              long double *value);

/* What vertices of any family are made from. */
typedef struct ref_family {
    ref_derivative derivative;
    const void *user;
    unsigned directions, dim; /* 1 to 3, 1 to 4 */
    int rational;
} ref_family;

/* Makes a vertex of the derivatives of at most an order, by the quotient rule. Returns 0 when there
   is no memory. */
int ref_vertex_to(const ref_family *family, unsigned order, const long double t[3],
                  ref_vertex *vertex);

/* By de Casteljau's algorithm on the patch and its hodographs (Farin, 5.3, 14.6, 17.3), and by the
   quotient rule (13.5) where it is rational. Of triangles u and v are independent, w = 1 - u - v.
   Above degree 64 of a direction by the triangle of Bernstein values instead. Returns 0 when there
   is no memory. */
int ref_bezier_vertex(const ref_patch *patch, long double u, long double v, long double w,
                      ref_vertex *vertex);

/* Makes a vertex as ref_bezier_vertex does, with derivatives of at most an order, 0 to 2; higher
   ones are 0, and without any the normal is, too. */
int ref_bezier_vertex_to(const ref_patch *patch, unsigned order, const long double t[3],
                         ref_vertex *vertex);

/* The homogeneous derivative of order by[] in each direction, together at most 2; value: [dim +
   rational]. Of triangles by[2] is 0. Returns as above. */
int ref_bezier_derivative(const ref_patch *patch, const long double t[3], const unsigned by[3],
                          long double *value);

#endif
