/* What is behind a mesh in a picture: a backdrop, and the mesh's shadow on the ground. */
#ifndef CLSPLINE_TOOLS_DRAW_RASTER_GROUND_H
#define CLSPLINE_TOOLS_DRAW_RASTER_GROUND_H

#include "raster_drawing.h"

/* How much of the light from above the mesh takes from the ground at each pixel, 0..1, softened;
   the caller frees. NULL when memory runs out. What lies beyond the picture, as far as the blur
   reaches, is drawn too. */
float *ground_shadow(const camera *c, const mesh *m, const raster_paint *paint,
                     const raster_view *view);

/* Linear colour of the background at a pixel of which the mesh takes some light. */
void ground_color(const raster_view *view, size_t x, size_t y, float shadow, float color[3]);

#endif
