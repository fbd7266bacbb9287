/* The oracle of projection onto surfaces: Newton's method in long double from many starts in every
   Bezier piece that may hold the nearest point. What it finds is a point of the surface, so no
   bound may be above its distance. Surfaces as of bspline_ref.h. It shares no line with the
   library. */
#ifndef SURFACE_REF_H
#define SURFACE_REF_H

#include "bspline_ref.h"

typedef struct ref_surface ref_surface;

typedef struct ref_foot {
    long double distance, u, v, point[4];
} ref_foot;

/* Makes a surface ready, of degrees 1 to 16, with positive weights where it is rational. Its knots
   and points need not stay. NULL: no memory. */
ref_surface *ref_surface_make(const ref_bspline *surface);
void ref_surface_free(ref_surface *surface);

/* Takes into *foot, which must hold a point or an infinite distance, the nearest point that is met
   from starts x starts places of each piece. */
void ref_surface_nearest(const ref_surface *surface, const double *query, unsigned starts,
                         ref_foot *foot);

/* Evaluates the surface at parameters, brought into the domain. normal: of three dimensions, a unit
   vector or 0; NULL: not asked for. */
void ref_surface_point(const ref_surface *surface, long double u, long double v, long double *point,
                       long double *normal);

#endif
