/* A small software rasteriser: a shaded picture of a mesh, seen from three quarters above. */
#ifndef CLSPLINE_TOOLS_IO_RASTER_H
#define CLSPLINE_TOOLS_IO_RASTER_H

#include "camera.h"
#include "mesh.h"
#include "output.h"

/* Draws a mesh with normals, fitted to its bounding box, into rgb[height][width][3] (sRGB). Both
   sides of a face are lit alike. Faces with a position that is not finite are left out. False when
   memory runs out. */
bool raster_render(const mesh *m, camera_up up, size_t width, size_t height, unsigned char *rgb,
                   const io_progress *progress);

#endif
