/* Pieces of a lower degree: many curves at once, and the stages that a curve of Wu and Zou goes
   through before its search. */
#ifndef BENCH_REDUCE_RUN_H
#define BENCH_REDUCE_RUN_H

#include "bench.h"

/* Measures all cases in a precision. */
clsp_status reduce_run(bench *b, const char *suite, clsp_type precision);

#endif
