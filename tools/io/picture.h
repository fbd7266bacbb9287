/* Writer of pictures: a mesh as a shaded PNG image of 1200 x 900 pixels. */
#ifndef CLSPLINE_TOOLS_IO_PICTURE_H
#define CLSPLINE_TOOLS_IO_PICTURE_H

#include "camera.h"
#include "mesh.h"
#include "output.h"
#include "raster.h"

/* The camera of a mesh's picture, with pixels as the unit on it. */
camera picture_camera(const mesh *m, camera_up up);

/* Draws a mesh with normals. False with a message that names the file; no file is then left. */
bool picture_write(const mesh *m, camera_up up, const char *path, const io_progress *progress,
                   io_message *message);

#endif
