/* Reader of B-spline curves and surfaces in STEP files (ISO 10303-42 in the form of ISO 10303-21,
   step_file.h).

   Read are B_SPLINE_CURVE_WITH_KNOTS and B_SPLINE_SURFACE_WITH_KNOTS, BEZIER_, UNIFORM_ and
   QUASI_UNIFORM_CURVE and _SURFACE, and complex instances of these with RATIONAL_B_SPLINE_CURVE or
   _SURFACE, in the order of the file. Points are Euclidean, of 2 or 3 coordinates.

   What belongs to the model:

   - A curve is left out where it is only a part of something else: in the parameters of a surface
     (DEFINITIONAL_REPRESENTATION), an edge of a face, a boundary, or what a surface is swept from;
     or where it is a note in a drawing (ANNOTATION_CURVE_OCCURRENCE and the like). Any other
     GEOMETRIC_CURVE_SET or GEOMETRIC_SET makes its items ones of the model in any case.
   - A surface that a face or CURVE_BOUNDED_SURFACE refers to is trimmed (num_trimmed), and so is
     what a TRIMMED_CURVE or RECTANGULAR_TRIMMED_SURFACE refers to, unless that takes the whole
     (step_trim.h).
   - Shapes of other kinds (num_left_out) are counted where a face or another one of these refers to
     them.
   - An assembly that places a part elsewhere is refused: splines would be in wrong places.

   Coordinates stay in the file's unit of length, which is told. */
#ifndef CLSPLINE_TOOLS_IO_STEP_H
#define CLSPLINE_TOOLS_IO_STEP_H

#include "scanner.h"
#include "splines.h"

/* Adds what the file holds; false with a message "NAME:LINE: what is wrong". */
bool step_read(splines *content, scanner *s);

#endif
