/* Points under the pointer, and how they follow it. Pixels run right and down. */
#ifndef CLSPLINE_TOOLS_PICKING_H
#define CLSPLINE_TOOLS_PICKING_H

#include "camera.h"

#define PICKING_RADIUS 8.0 /* in pixels */

/* Finds the point of [num][3] that is nearest to a pixel, within `radius` of it; of points that are
   equally near to within a pixel, that in front. SIZE_MAX: there is none. */
size_t picking_find(const camera *c, const double *points, size_t num, const double pixel[2],
                    double radius);

/* Finds how a point moves in the mesh's space when it moves by pixels on the picture, in the plane
   through it that faces the viewer. */
void picking_plane_way(const camera *c, const double point[3], const double pixels[2],
                       double way[3]);

/* Finds how a point moves along an axis, 0 to 2, when the pointer moves by pixels: to the place
   whose picture is nearest. It stays where the axis points at the viewer. */
void picking_axis_way(const camera *c, const double point[3], int axis, const double pixels[2],
                      double way[3]);

#endif
