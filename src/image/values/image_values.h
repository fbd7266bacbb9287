/* Values of images: the kernels of image_values.cl and image_blocks.cl, and how maps are handed to
   them. */
#ifndef CLSPI_IMAGE_VALUES_H
#define CLSPI_IMAGE_VALUES_H

#include <clspline/plan.h>

#include "image_layout.h"
#include "launch.h"
#include "split.h"

typedef struct clsp_image_plan clsp_image_plan;

enum { CLSPI_ATTRIBUTE_SETS = 4 /* by clsp_image_map.attributes */ };

/* Kernels, each made when it is first needed. The first index says by which numbers maps come. */
typedef struct clspi_image_kernels {
    clspi_kernel on_map[2][CLSPI_ATTRIBUTE_SETS];
    clspi_kernel in_blocks[CLSPI_ATTRIBUTE_SETS];
    clspi_kernel displaced[2][CLSPI_ATTRIBUTE_SETS];
    clspi_kernel at_points[CLSPI_ATTRIBUTE_SETS];
} clspi_image_kernels;

typedef struct clspi_image_job clspi_image_job;

/* Finds the kernel of a job, and makes it where that has not been done. */
clsp_status clspi_image_job_kernel(clspi_image_job *job);

/* Checks a range of images and says which pieces of a job it is. */
clsp_status clspi_image_take_images(clspi_image_job *job, clsp_range images, uint32_t attributes);

/* Counts the points of a job's map. */
clsp_status clspi_image_count_points(const clspi_image_job *job, size_t *points);

/* Makes the values of a job on the context's device. points: of a piece; given: displacements or
   coordinates, NULL for a job on its map. */
clsp_status clspi_image_eval_on_device(const clspi_image_job *job, size_t points,
                                       const clsp_input *given, const clsp_output *values,
                                       const clsp_run *run);

/* Make the rows, or the points, of a part, from and into the buffers of the job's streams, which is
   `user`. */
clsp_status clspi_image_make_rows(void *user, clspi_series *series, const clspi_part *part);
clsp_status clspi_image_make_points(void *user, clspi_series *series, const clspi_part *part);

/* Makes the kernel that plans need most. */
clsp_status clspi_image_values_prepare(clsp_image_plan *plan);
void clspi_image_kernels_release(clspi_image_kernels *kernels);

/* Checks that there are samples, and that a range is one of the images loaded. */
clsp_status clspi_image_check_range(const clsp_image_plan *plan, clsp_range images);

/* Builds image_values.cl, and image_blocks.cl where it is used, for a description ahead of use. */
clsp_status clspi_image_values_build(const clspi_build *build, const clsp_image_desc *desc,
                                     uint32_t attributes);

#endif
