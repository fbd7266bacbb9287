/* Part of the suite about B-splines: surfaces on grids. */
#ifndef BENCH_SPLINE_GRID_H
#define BENCH_SPLINE_GRID_H

#include "bench.h"

/* Measures bicubic surfaces of 64 x 64 control points against the fastest stores of a precision. */
clsp_status spline_grid_run(bench *b, const char *suite, clsp_type precision);

#endif
