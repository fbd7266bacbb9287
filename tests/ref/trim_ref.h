/* The oracle of projection onto trimmed surfaces: samples of each face that are inside of its
   loops, of its loops on the surface and of edges, refined where they are nearest by halving steps.
   What it finds is of the model, so no bound may be above its distance. It shares no line with the
   library. */
#ifndef TRIM_REF_H
#define TRIM_REF_H

#include <stddef.h>

#include "surface_ref.h"

typedef struct ref_face ref_face;

/* Makes a face ready: a surface of three dimensions, and its loops as curves in the plane, rational
   ones of two dimensions, `num` in all (0: it is whole). Each loop is closed. NULL: no memory. */
ref_face *ref_face_make(const ref_bspline *surface, const ref_bspline *curves, size_t num);
void ref_face_free(ref_face *face);

/* Tells whether parameters are inside: 1, 0, and -1 where they are within `near` of a loop. */
int ref_face_inside(const ref_face *face, double u, double v, double near);

/* Returns the distance of a query to a face, or to a curve in space. */
double ref_face_distance(const ref_face *face, const double *query);
double ref_edge_distance(const ref_bspline *edge, const double *query);

/* Evaluates the face's surface. */
void ref_face_point(const ref_face *face, double u, double v, double point[3]);

#endif
