/* Part of the suite image: 36 turns by 10 degrees, as in figure 2 of Champagnat and Le Sant,
   Efficient cubic B-spline image interpolation on a GPU, 2012. */
#ifndef BENCH_IMAGE_ROTATIONS_H
#define BENCH_IMAGE_ROTATIONS_H

#include "bench.h"

/* Turns a painted image, and those that $CLSPLINE_BENCH_IMAGES names, PNG files separated by
   colons, by prefilters of 5 to 27 taps, and says how far each is from the original and from what
   the exact prefilter gives: the root mean square, and the largest difference. Where
   $CLSPLINE_BENCH_RESIDUALS names a folder, the residual picture of each goes there, as of figures
   3 and 4: NAME, METHOD.pgm, 128 and 32 levels for a grey that the result has more than what it is
   compared with. */
clsp_status image_rotations_run(bench *b, const char *suite);

#endif
