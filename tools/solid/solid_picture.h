/* Pictures of a solid's boundary, coloured by its data and cut open. */
#ifndef CLSPLINE_TOOLS_SOLID_PICTURE_H
#define CLSPLINE_TOOLS_SOLID_PICTURE_H

#include "progress.h"
#include "solid_boundary.h"

/* Draws the boundary as the request asks for, as a PNG image. False with a complaint. */
bool solid_picture_write(const solid_model *m, solid_boundary *boundary, const char *path,
                         progress_bar *bar);

#endif
