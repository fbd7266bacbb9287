/* Reader of splines in JSON, in the layout of geomdl (NURBS-Python).

       {"shape": {"type": "curve", "surface" or "volume", "data": [SPLINE, ..]}}

   A curve is an object with "degree", "knotvector" and "control_points"; a surface has "degree_u",
   "degree_v", "knotvector_u", "knotvector_v", "size_u", "size_v" and "control_points"; a volume has
   these and "degree_w", "knotvector_w", "size_w". "control_points" is an object with "points", a
   list of lists of coordinates, and optionally "weights". Points are Euclidean: not multiplied by
   their weights. Those of surfaces run with v fastest; those of volumes likewise, then along u,
   then w.

   "type" of a spline is "spline" where it is given; "freeform", points without a spline, is
   refused. "trims" are counted and left out. All other keys are skipped. Keys may come in any
   order. */
#ifndef CLSPLINE_TOOLS_IO_GEOMDL_H
#define CLSPLINE_TOOLS_IO_GEOMDL_H

#include "scanner.h"
#include "splines.h"

/* Adds what the file holds; false with a message "NAME:LINE: what is wrong". */
bool geomdl_read(splines *content, scanner *s);

#endif
