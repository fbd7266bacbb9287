/* Part of the suite solid: lists of points by the device, beside the host's threads. */
#ifndef BENCH_SOLID_LISTS_H
#define BENCH_SOLID_LISTS_H

#include "solid_run.h"

/* Measures lists of points anywhere in the cells of a model that was refined so many times. */
clsp_status solid_lists_run(bench *b, const solid_case *solid, const char *name, unsigned level);

#endif
