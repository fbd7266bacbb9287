/* Whether a trimmed surface of an IGES file is the whole of its surface. */
#ifndef CLSPLINE_TOOLS_IO_IGES_TRIM_H
#define CLSPLINE_TOOLS_IO_IGES_TRIM_H

#include "iges_file.h"
#include "splines.h"

typedef struct iges_trim {
    iges_file *f;
    size_t *bounds, *curves; /* of a trimmed surface, and of one of its boundaries */
    size_t bound_capacity, curve_capacity;
    uint64_t budget; /* of bytes that are read again */
} iges_trim;

void iges_trim_begin(iges_trim *t, iges_file *f);
void iges_trim_end(iges_trim *t);

/* Tells whether an entity 144 is known to be the whole of a surface.

   It is where each curve of its boundaries in parameters, a line (110) or B-spline (126), has all
   its control points on one side of the domain, within 1e-9 of it: no curve then runs through the
   inside, which is in one piece and so belongs to it. Where more is read than a multiple of the
   file, the answer is no. */
bool iges_trim_is_whole(iges_trim *t, size_t user, const spline *of);

#endif
