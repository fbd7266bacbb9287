/* A small software rasteriser: a shaded picture of a mesh, on a ground with its shadow. */
#ifndef CLSPLINE_TOOLS_IO_RASTER_H
#define CLSPLINE_TOOLS_IO_RASTER_H

#include "camera.h"
#include "mesh.h"
#include "output.h"

/* The picture to draw. */
typedef struct raster_view {
    camera_view camera;
    size_t width, height;
    bool has_background;         /* of one colour, else of shades of grey */
    unsigned char background[3]; /* sRGB */
} raster_view;

/* The default camera's view in 1200 x 900 pixels. */
#define RASTER_VIEW_DEFAULT                                                                        \
    {                                                                                              \
        .camera = CAMERA_VIEW_DEFAULT, .width = 1200, .height = 900                                \
    }

/* Draws a mesh with normals into rgb[height][width][3] (sRGB). Both sides of a face are lit alike.
   Faces that are on none of the mesh's grids are shaded by mesh_corner_normals, so that edges stay
   edges. Curves are lines of a few pixels. Faces with a position that is not finite are left out.
   False when memory runs out. */
bool raster_render(const mesh *m, const raster_view *view, unsigned char *rgb,
                   const io_progress *progress);

#endif
