/* Part of the suite image: what an image_run asks for by the device's own sampler. */
#ifndef BENCH_SAMPLED_IMAGE_H
#define BENCH_SAMPLED_IMAGE_H

#include "image_run.h"

typedef struct sampled_image {
    const image_run *run;
    bench_kernel kernel;
    cl_mem image;
    cl_sampler sampler;
} sampled_image;

/* Makes the kernel, and an image object of the run's samples. CLSP_ERROR_ARGUMENT where there is
   none: of doubles, of volumes, and on devices without images. */
clsp_status sampled_image_create(sampled_image *x, const image_run *r, bool linear);
clsp_status sampled_image_enqueue(void *user);
void sampled_image_release(sampled_image *x);

#endif
