/* Writer of pictures: a mesh as a shaded PNG image. */
#ifndef CLSPLINE_TOOLS_IO_PICTURE_H
#define CLSPLINE_TOOLS_IO_PICTURE_H

#include "camera.h"
#include "mesh.h"
#include "output.h"
#include "raster.h"

/* The camera of a mesh's picture, with pixels as the unit on it. */
camera picture_camera(const mesh *m, const raster_view *view);

/* Draws a mesh with normals; without a background the picture has an alpha channel. False with a
 * message that names the file; no file is then left. */
bool picture_write(const mesh *m, const raster_paint *paint, const raster_view *view,
                   const char *path, const io_progress *progress, io_message *message);

#endif
