/* Planes' cuts of a solid, as images. */
#ifndef CLSPLINE_TOOLS_SOLID_SLICE_H
#define CLSPLINE_TOOLS_SOLID_SLICE_H

#include "image_array.h"
#include "progress.h"
#include "slice_cover.h"
#include "solid_samples.h"

/* What became of the pixels of slices. */
typedef struct solid_slice_counts {
    size_t num, inside; /* pixels */
    double error;       /* the largest distance of a point from its pixel's middle */
    size_t outside;     /* planes that have no point of the solid */
} solid_slice_counts;

/* Makes the image of the slice that the request asks for, of several a volume. samples: of
   NET_SAMPLES or FINE_SAMPLES in each direction. The image's values are in the samples' precision,
   with NaN outside. False with a complaint. */
bool solid_slice_make(solid_samples *samples, image_array *image, slice_frame *frame,
                      solid_slice_counts *counts, progress_bar *bar);

/* Makes of such an image one of 8 bits with an alpha channel, 0 outside. */
bool solid_slice_shade(const solid_model *m, image_array *image);

#endif
