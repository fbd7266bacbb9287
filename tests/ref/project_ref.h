/* The oracle of projection: the nearest point of a B-spline curve, with a bound that shows that
   there is none nearer, and the local minima of the distance. Curves as of bspline_ref.h. It shares
   no line with the library.

   The nearest point. With M = N - w q of the homogeneous curve (N, w) and a query q, no point of an
   interval [a, b] is nearer than r if f = |M|^2 - r^2 w^2 is not negative there, and
       f(t) >= chord of f from a to b - K (t - a) (b - t) / 2,   K >= max f''
   (Breiman and Cutler, A deterministic algorithm for global optimization, Math. Programming 58,
   1993). K follows from the control points of the piece of a span that the interval lies in.
   Intervals are halved until all of them are excluded with r a tolerance below the smallest
   distance met, so the distance errs by at most the tolerance. Where the distance is all but
   constant too many intervals are left, as about the centre of a circle: then the bound says how
   much nearer a point might be. */
#ifndef PROJECT_REF_H
#define PROJECT_REF_H

#include <stddef.h>

#include "bspline_ref.h"

typedef struct ref_project ref_project;

typedef struct ref_nearest {
    long double distance, bound; /* of the point; what no point of the curve is nearer than */
    long double t, point[4];
} ref_nearest;

/* Makes a curve ready, of degree 1 to REF_MAX_DEGREE, with positive weights where it is rational.
   Its knots and points must stay. NULL: no memory. */
ref_project *ref_project_make(const ref_bspline *curve);
void ref_project_free(ref_project *project);

/* Finds the nearest point, ends, kinks and both sides of jumps included; of several one. */
void ref_project_nearest(ref_project *project, const double *query, long double tolerance,
                         ref_nearest *nearest);

/* Finds local minima of the distance, in the order of the curve, by golden sections from each of
   many samples that is nearer than its neighbours; an end has one neighbour. All of them are
   minima. Two between neighbouring samples count as one, and flat ones as none. The bound is the
   distance of the nearer one of the two neighbouring samples: how deep a minimum is. Returns their
   number, which may be above room. */
size_t ref_project_minima(ref_project *project, const double *query, ref_nearest *minima,
                          size_t room);

/* Evaluates the curve at t, brought into the domain: from the right, or at a jump from the left. */
void ref_project_point(const ref_project *project, long double t, int from_left,
                       long double *point);

#endif
