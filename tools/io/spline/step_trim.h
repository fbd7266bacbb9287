/* Whether what refers to a spline takes the whole of it. */
#ifndef CLSPLINE_TOOLS_IO_STEP_TRIM_H
#define CLSPLINE_TOOLS_IO_STEP_TRIM_H

#include "step_spline.h"

typedef struct step_trim {
    step_file *f;
    step_spline edge;
    size_t *bounds, *edges; /* of a face, and of one of its bounds */
    size_t bound_capacity, edge_capacity;
    double slack;    /* what points of a surface may be off */
    uint64_t budget; /* of bytes that are read again */
} step_trim;

void step_trim_begin(step_trim *t, step_file *f);
void step_trim_end(step_trim *t);

/* Tells whether a face, TRIMMED_CURVE or RECTANGULAR_TRIMMED_SURFACE is known to take the whole of
   a spline.

   A face does where each edge of its bounds lies on a side of the surface: no curve then runs
   through the inside, which is in one piece and so belongs to the face. An edge lies on a side
   where its curve is the spline of that side's control points, forward or backward, with its knots
   and weights over any domain, or a line between the two control points of a side of degree 1. A
   part of the parameters is the whole where it is all of the domain. Numbers may be off by 1e-9 of
   the surface's size, of the domain or of a weight. Where more is read than a multiple
   of the file, the answer is no. */
bool step_trim_is_whole(step_trim *t, size_t user, const step_spline *of);

#endif
