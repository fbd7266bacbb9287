/* Sizes of an image's samples and coefficients. Index 0 is z, 1 y, 2 x. */
#ifndef CLSPI_IMAGE_LAYOUT_H
#define CLSPI_IMAGE_LAYOUT_H

#include <stdbool.h>

#include <clspline/image.h>

typedef struct clspi_image_layout {
    uint32_t size[3], pad[3], stored[3]; /* stored: size + 2 pad coefficients */
    uint32_t mode[3];                    /* clsp_image_mode; mirror where there is no direction */
    size_t samples;                      /* of a channel */
    size_t plane;                        /* coefficients of a channel */
    uint32_t channels;
    bool planar;
} clspi_image_layout;

#endif
