/* Kernels of values, each made when a job first needs it. */
#ifndef CLSPI_IMAGE_KERNELS_H
#define CLSPI_IMAGE_KERNELS_H

#include <clspline/image.h>

#include "launch.h"

typedef struct clsp_image_plan clsp_image_plan;
typedef struct clspi_image_job clspi_image_job;

enum { CLSPI_ATTRIBUTE_SETS = 4 /* by clsp_image_map.attributes */ };

/* Kernels by places and attributes. The second index says by which numbers maps come, and of
   coordinates whether they are interleaved. */
typedef struct clspi_image_kernels {
    clspi_kernel at[3][2][CLSPI_ATTRIBUTE_SETS], in_blocks[CLSPI_ATTRIBUTE_SETS];
} clspi_image_kernels;

/* Finds the kernel of a job, and makes it where that has not been done. */
clsp_status clspi_image_job_kernel(clspi_image_job *job);

/* Returns the build options of a job's kernel, but for those of one kernel alone. */
clspi_options clspi_image_value_options(const clspi_image_job *job);

/* Makes the kernel that plans need most. */
clsp_status clspi_image_values_prepare(clsp_image_plan *plan);
void clspi_image_kernels_release(clspi_image_kernels *kernels);

/* Builds image_values.cl, and image_blocks.cl where it is used, for a description ahead of use. */
clsp_status clspi_image_values_build(const clspi_build *build, const clsp_image_desc *desc,
                                     uint32_t attributes);

#endif
