/* Part of the suite image: 36 turns by 10 degrees, as in figure 2 of Champagnat and Le Sant,
   Efficient cubic B-spline image interpolation on a GPU, 2012. */
#ifndef BENCH_IMAGE_ROTATIONS_H
#define BENCH_IMAGE_ROTATIONS_H

#include "bench.h"

/* Turns a painted image, and those that $CLSPLINE_BENCH_IMAGES names, PNG files separated by
   colons, by prefilters of 5 to 27 taps, and says how far each is from the original and from what
   the exact prefilter gives. */
clsp_status image_rotations_run(bench *b, const char *suite);

#endif
