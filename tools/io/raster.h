/* A small software rasteriser: a shaded picture of a mesh, seen from three quarters above. */
#ifndef CLSPLINE_TOOLS_IO_RASTER_H
#define CLSPLINE_TOOLS_IO_RASTER_H

#include "mesh.h"
#include "output.h"

typedef enum raster_up {
    RASTER_UP_AUTO = 0, /* y, but z for a thing so long along y that it must be lying */
    RASTER_UP_X,
    RASTER_UP_Y,
    RASTER_UP_Z
} raster_up;

/* Draws a mesh with normals, fitted to its bounding box, into rgb[height][width][3] (sRGB). Both
   sides of a face are lit alike. Faces with a position that is not finite are left out. False when
   memory runs out. */
bool raster_render(const mesh *m, raster_up up, size_t width, size_t height, unsigned char *rgb,
                   const io_progress *progress);

#endif
