/* Parts of suites that have files of their own, each by the name of its file. */
#ifndef BENCH_SUITE_PARTS_H
#define BENCH_SUITE_PARTS_H

#include "bench.h"

/* Of bspline: bicubic surfaces of 64 x 64 control points against the fastest stores of a precision;
   pieces of a lower degree, of many curves at once and of those of Wu and Zou; roots of quartics by
   formulas beside Newton's method, as table 9 of Wu and Zou compares them. */
clsp_status spline_grid_run(bench *b, const char *suite, clsp_type precision);
clsp_status reduce_run(bench *b, const char *suite, clsp_type precision);
clsp_status quartic_roots_run(bench *b, const char *suite, clsp_type precision);

/* Of image: prefilter and turns of squares and of a volume, beside SciPy on one thread where
   python3 has it, and beside CuPy where that has a device. What is not there is said. */
clsp_status image_peers_run(bench *b, const char *suite);

/* Of image: 36 turns by 10 degrees, as in figure 2 of Champagnat and Le Sant, Efficient cubic
   B-spline image interpolation on a GPU, 2012. Turns a painted image, and those that
   $CLSPLINE_BENCH_IMAGES names, PNG files separated by colons, by prefilters of 5 to 27 taps, and
   says how far each is from the original and from what the exact prefilter gives: the root mean
   square, and the largest difference. Where $CLSPLINE_BENCH_RESIDUALS names a folder, the residual
   picture of each goes there, as of figures 3 and 4: NAME, METHOD.pgm, 128 and 32 levels for a grey
   that the result has more than what it is compared with. */
clsp_status image_rotations_run(bench *b, const char *suite);

/* Of cooperate: every case by every schedule, and by one processor alone. ctx: from
   shared_context_create. */
clsp_status shared_grid_run(bench *b, clsp_context *ctx);

#endif
