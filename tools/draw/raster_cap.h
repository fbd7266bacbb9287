/* The face of a cut: where a closed mesh is cut, its inside is closed by the plane. */
#ifndef CLSPLINE_TOOLS_DRAW_RASTER_CAP_H
#define CLSPLINE_TOOLS_DRAW_RASTER_CAP_H

#include "raster_drawing.h"

/* Draws the face of a drawing's cut into a band into which the rest has been drawn. A sample is on
   it where what is seen behind the plane is a face from its back: the line of sight is within the
   mesh there until it leaves it. */
void raster_cap_draw(const drawing *d, band *b);

#endif
