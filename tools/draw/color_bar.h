/* The bar beside a picture that says which value has which colour. */
#ifndef CLSPLINE_TOOLS_DRAW_COLOR_BAR_H
#define CLSPLINE_TOOLS_DRAW_COLOR_BAR_H

#include "color.h"
#include "glyphs.h"

/* How many pixels at the right of a picture of this size are the bar's. */
size_t color_bar_width(size_t width, size_t height);

/* Draws the bar there: the title, the map with its high end above, and the values at its ends and
   quarters. A title that is too long is cut off. Colourings without values have no bar. */
void color_bar_draw(const rgba_image *image, const coloring *c, const char *title);

#endif
