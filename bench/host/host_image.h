/* Images by plain loops of C, on all cores where there is OpenMP: cubic coefficients by the
   recursive filter, and turns by linear and cubic interpolation. */
#ifndef BENCH_HOST_IMAGE_H
#define BENCH_HOST_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Square images of float, n x n, or cubic volumes. matrix: of a map of images from the output to
   the input, rows of three. */
typedef struct host_image {
    size_t n;
    bool is_volume;
    const float *samples;
    float *coefficients, *values;
    double matrix[2][3];
} host_image;

/* Makes the coefficients of the samples, mirrored about the first and last ones. */
void host_image_filter(const host_image *h);

/* Makes values of an image at the map: linear ones of the samples, cubic ones of the coefficients.
 */
void host_image_linear(const host_image *h);
void host_image_cubic(const host_image *h);

#endif
