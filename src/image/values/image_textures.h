/* Values at affine maps through image objects. */
#ifndef CLSPI_IMAGE_TEXTURES_H
#define CLSPI_IMAGE_TEXTURES_H

#include "image_layout.h"
#include "kernel_arguments.h"
#include "launch.h"

typedef struct clspi_image_job clspi_image_job;
typedef struct clsp_image_plan clsp_image_plan;

typedef struct clspi_image_textures {
    cl_mem *planes; /* one image object each, made when first needed */
    size_t num;
    uint64_t load; /* of the samples that they are of; 0: none */
    clspi_kernel kernel;
} clspi_image_textures;

void clspi_image_textures_release(clspi_image_textures *textures);

/* Checks that a description can have what it asks for on a device, with its defaults in place. */
clsp_status clspi_image_check_fetch(clsp_context *ctx, const clsp_image_desc *desc);

/* Tells whether a job that has been prepared goes through image objects. */
bool clspi_image_is_textured(const clspi_image_job *job);

/* Finds the kernel of such a job, and makes it where that has not been done. */
clsp_status clspi_image_use_textures(clspi_image_job *job);

/* Launches it for points of one slice, which are given as those of the kernel on a map. */
clsp_status clspi_image_launch_textured(const clspi_image_job *job, clspi_series *series,
                                        const clspi_values_on_map_args *on_map, size_t items);

#endif
