/* The oracle of B-splines: the definition of Cox and de Boor in long double (Piegl and Tiller, The
   NURBS Book, ch. 2 and 3). It shares no line with the library. */
#ifndef BSPLINE_REF_H
#define BSPLINE_REF_H

#include "bezier_ref.h"

enum { REF_MAX_DEGREE = 64 };

/* points: [controls[0]][controls[1]][controls[2]][dim + rational]; knots: controls + degree + 1
   each. Directions that there are not are of degree 0 with one control point. rounding: 0, or the
   bits, 32 or 64, to which parameters have been rounded: what jumps at a knot that rounds to the
   parameter is then that at the knot. */
typedef struct ref_bspline {
    unsigned directions, degree[3], controls[3];
    const double *knots[3];
    unsigned dim; /* 1 to 4 */
    int rational;
    const double *points;
    unsigned rounding;
} ref_bspline;

/* Weights of the control points from the returned number on, degree + 1 of them, in the by-th
   derivative at t; at a knot from the right, at the domain's end from the left. */
unsigned ref_bspline_weights(const double *knots, unsigned controls, unsigned degree, unsigned by,
                             long double t, long double *weights);

/* Weights of the control points span - degree .. span in the blossom at `degree` arguments of the
   spline's piece that begins at knot number span: de Boor's algorithm with an argument a level
   (Ramshaw 1989). */
void ref_bspline_blossom(const double *knots, unsigned degree, unsigned span,
                         const double *arguments, long double *weights);

/* Makes the weights of ref_bspline_blossom for the blossom that the piece has as a polynomial of
   degree `raised`, at so many arguments: the mean over all choices of degree ones. Takes time in
   the number of choices. */
void ref_bspline_raised_blossom(const double *knots, unsigned degree, unsigned span,
                                unsigned raised, const double *arguments, long double *weights);

/* Knots of a direction. */
typedef struct ref_knots {
    const double *u;
    unsigned degree, controls;
} ref_knots;

/* Weights of control points from the returned number on, from.degree + 1 of them, in control point
   `row` over other knots of the by-th derivative: the blossom of the piece where the function of
   that row begins, and the differences of (2.7). */
unsigned ref_bspline_conversion(ref_knots from, unsigned by, ref_knots to, unsigned row,
                                long double *weights);

/* A ref_derivative, by[k] at most 2; user: a ref_bspline. */
int ref_bspline_derivative(const void *user, const long double t[3], const unsigned by[3],
                           long double *value);

/* Makes a family of a spline, for what tests of all families take. */
ref_family ref_bspline_family(const ref_bspline *spline);

#endif
