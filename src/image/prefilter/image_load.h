/* Loading samples whose coefficients are to be in host memory. */
#ifndef CLSPI_IMAGE_LOAD_H
#define CLSPI_IMAGE_LOAD_H

#include "image_plan.h"

/* Makes the coefficients of so many images on the plan's device strip by strip. samples: in host
   memory, aligned to their elements. */
clsp_status clspi_image_load(clsp_image_plan *plan, size_t num_images, const char *samples);

/* Makes the coefficients on the context's device, and leaves them there where they fit. */
clsp_status clspi_image_load_alone(clsp_image_plan *plan, size_t num_images,
                                   const clsp_input *samples, const clsp_run *run);

/* Makes the coefficients by the host, of samples in memory of any kind. */
clsp_status clspi_image_load_by_host(clsp_image_plan *plan, size_t num_images,
                                     const clsp_input *samples, const clsp_run *run);

/* Makes the coefficients as a share of `run` says. */
clsp_status clspi_image_load_shared(clsp_image_plan *plan, size_t num_images,
                                    const clsp_input *samples, const clsp_run *run);

#endif
