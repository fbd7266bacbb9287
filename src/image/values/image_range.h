/* The range of the samples of each plane, to which values are clipped. */
#ifndef CLSPI_IMAGE_RANGE_H
#define CLSPI_IMAGE_RANGE_H

#include "image_filter.h"

enum { CLSPI_RANGE_PARTS = 4096 }; /* of samples, whose ranges are found side by side */

typedef struct clspi_image_range {
    cl_mem range; /* [planes][2] reals */
    size_t bytes;
    cl_mem parts; /* [CLSPI_RANGE_PARTS][2] */
    clspi_kernel samples, join;
} clspi_image_range;

/* Makes the kernels, and what they need. */
clsp_status clspi_image_range_create(clspi_image_range *range, clsp_context *ctx,
                                     const clsp_image_desc *desc);
void clspi_image_range_release(clspi_image_range *range);

/* Makes room for so many planes. */
clsp_status clspi_image_range_reserve(clspi_image_range *range, clsp_context *ctx,
                                      const clsp_image_desc *desc, size_t planes);

/* Finds the ranges of the planes of a job, at most CLSPI_RANGE_PARTS. */
clsp_status clspi_image_range_find(const clspi_image_range *range, clspi_series *series,
                                   const clspi_filter_job *job, size_t planes);

#endif
