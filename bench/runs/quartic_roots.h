/* Part of the suite bspline: roots of quartics by formulas beside Newton's method, as table 9 of Wu
   and Zou compares them. */
#ifndef BENCH_QUARTIC_ROOTS_H
#define BENCH_QUARTIC_ROOTS_H

#include "bench.h"

/* Measures the case "quartics" in a precision. */
clsp_status quartic_roots_run(bench *b, const char *suite, clsp_type precision);

#endif
