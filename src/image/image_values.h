/* Values of images: the kernels of image_values.cl, and how maps are handed to them. */
#ifndef CLSPI_IMAGE_VALUES_H
#define CLSPI_IMAGE_VALUES_H

#include "image_layout.h"
#include "launch.h"

typedef struct clsp_image_plan clsp_image_plan;

enum { CLSPI_ATTRIBUTE_SETS = 4 /* by clsp_image_map.attributes */ };

/* Kernels, each made when it is first needed. The first index says by which numbers maps come. */
typedef struct clspi_image_kernels {
    clspi_kernel on_map[2][CLSPI_ATTRIBUTE_SETS];
    clspi_kernel displaced[2][CLSPI_ATTRIBUTE_SETS];
    clspi_kernel at_points[CLSPI_ATTRIBUTE_SETS];
} clspi_image_kernels;

/* Makes the kernel that plans need most. */
clsp_status clspi_image_values_prepare(clsp_image_plan *plan);
void clspi_image_kernels_release(clspi_image_kernels *kernels);

/* Checks that there are samples, and that a range is one of the images loaded. */
clsp_status clspi_image_check_range(const clsp_image_plan *plan, clsp_range images);

/* Builds image_values.cl for a description ahead of use. */
clsp_status clspi_image_values_build(const clspi_build *build, const clsp_image_desc *desc,
                                     uint32_t attributes);

#endif
