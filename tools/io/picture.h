/* Writer of pictures: a mesh as a shaded PNG image of 1200 x 900 pixels. */
#ifndef CLSPLINE_TOOLS_IO_PICTURE_H
#define CLSPLINE_TOOLS_IO_PICTURE_H

#include "mesh.h"
#include "output.h"
#include "raster.h"

/* Draws a mesh with normals. False with a message that names the file; no file is then left. */
bool picture_write(const mesh *m, camera_up up, const char *path, const io_progress *progress,
                   io_message *message);

#endif
