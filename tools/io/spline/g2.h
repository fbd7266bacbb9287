/* Reader of .g2 files, the text format of GoTools and of SISL's streaming.

   A file is a row of objects, numbers separated by white space:

       class major minor n a_1 .. a_n      the header: a class number, a version, and n numbers that
                                           are left out, such as a colour
       dim rational                        coordinates of a point; 1 where there are weights, else 0
       num order t_1 .. t_{num + order}    for each direction: control points, degree + 1, knots
       control points                      u fastest, then v, then w

   Read are 100 SplineCurve, 200 SplineSurface and 700 SplineVolume. Another class is refused by its
   name, since only those who know it can tell where it ends.

   A rational control point is dim + 1 numbers, the coordinates multiplied by the weight and the
   weight: (w x, w y, w z, w). This is GoTools' own reading: SplineCurve, SplineSurface and
   SplineVolume write and read the array rcoefs_ as it is, and get the Euclidean points by dividing
   it by the last number (make_coef_array_from_rational_coefs). SISL's coefficients of kind 2 are
   the same. */
#ifndef CLSPLINE_TOOLS_IO_G2_H
#define CLSPLINE_TOOLS_IO_G2_H

#include "scanner.h"
#include "splines.h"

/* Adds what the file holds; false with a message "NAME:LINE: what is wrong". */
bool g2_read(splines *content, scanner *s);

#endif
