/* Parametric splines of IGES files, whose pieces are cubic polynomials (entities 112 and 114), as
   the B-splines that they are: pieces that meet share their control points there, and where others
   follow each other the knot stands degree + 1 times. */
#ifndef CLSPLINE_TOOLS_IO_IGES_PIECES_H
#define CLSPLINE_TOOLS_IO_IGES_PIECES_H

#include "iges_file.h"
#include "splines.h"

/* Reads the parameters of such an entity, at which the cursor is, into a spline whose type has its
   directions and coordinates, 3. False with a message. */
bool iges_pieces_read(iges_file *f, spline *made);

#endif
