/* Values by taps in local memory: the kernel of image_blocks.cl. */
#ifndef CLSPI_IMAGE_BLOCKS_H
#define CLSPI_IMAGE_BLOCKS_H

#include "image_job.h"

/* Tells whether the kernel makes values of a description's images on a device, at some maps. */
bool clspi_image_has_blocks(const clsp_context *ctx, const clsp_image_desc *desc);

/* Finds the block of coefficients that each tile of a job on a map needs; false where the kernel
   cannot carry the job out: the block is too large, or a mode looks elsewhere. */
bool clspi_image_find_block(const clspi_image_job *job, clspi_tap_block *block);

#endif
