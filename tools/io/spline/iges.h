/* Reader of B-spline curves and surfaces in IGES files (iges_file.h): entities 126 and 128, in the
   order of the directory, with the transformations (124) that apply to them.

   What belongs to the model, by the directory's status and by what refers to what:

   - Entities of annotation, definition and construction, and those in parameters of surfaces, are
     left out, and so are curves that are only a part of another shape: of a boundary or an edge, or
     what a surface is made from. Curves of a composite curve (102) are where that is.
   - A surface is trimmed (num_trimmed) where a trimmed surface (144) with boundaries that are not
     its sides (iges_trim.h), a bounded one (143) or a face (510) refers to it, and where it depends
   on an entity that does not say; a curve or surface is also where its entity names a part of the
   parameters between knots.
   - Shapes of other kinds are counted (num_left_out). Subfigures are refused.

   Coordinates stay in the file's unit of length, which is told. */
#ifndef CLSPLINE_TOOLS_IO_IGES_H
#define CLSPLINE_TOOLS_IO_IGES_H

#include "scanner.h"
#include "splines.h"

/* Adds what the file holds; false with a message "NAME:LINE: what is wrong". */
bool iges_read(splines *content, scanner *s);

#endif
