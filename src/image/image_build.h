/* The programs of images, built ahead of use. */
#ifndef CLSPI_IMAGE_BUILD_H
#define CLSPI_IMAGE_BUILD_H

#include "program.h"

clsp_status clspi_image_build(const clspi_build *build);

#endif
