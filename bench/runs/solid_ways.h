/* Part of the suite solid: models evaluated into host memory by the device and the host's cores
   together, beside each of them alone and the plain loop. */
#ifndef BENCH_SOLID_WAYS_H
#define BENCH_SOLID_WAYS_H

#include "solid_run.h"

/* Measures a mesh, refined so many times, with 8^3 samples of each cell, and at a list of
 * parameters.
 */
clsp_status solid_ways_run(bench *b, const solid_case *solid, const char *name, unsigned level);

#endif
