/* Values at affine maps through image objects. */
#ifndef CLSPI_IMAGE_TEXTURES_H
#define CLSPI_IMAGE_TEXTURES_H

#include "image_layout.h"
#include "launch.h"
#include "split.h"

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

/* Makes the rows of a part, as clspi_image_make_rows. */
clsp_status clspi_image_make_textured(void *user, clspi_series *series, const clspi_part *part);

#endif
