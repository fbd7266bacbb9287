/* Coefficients with those around them by which an image continues: points near its edges, and not
   far beyond, find their taps side by side there. */
#ifndef CLSPI_IMAGE_MARGINS_H
#define CLSPI_IMAGE_MARGINS_H

#include "image_points.h"

/* Copies a plane of reals [size_0][size_1][size_2] and puts its margins around it. Errors: false,
   no memory. */
bool clspi_image_widen(const clspi_image_planes *planes, bool is_double, const void *from,
                       void *to);

#endif
