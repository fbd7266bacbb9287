/* Part of the suite image: the library beside SciPy and CuPy, in turns. */
#ifndef BENCH_IMAGE_PEERS_H
#define BENCH_IMAGE_PEERS_H

#include "bench.h"

/* Measures prefilter and turns of squares and of a volume: beside SciPy on one thread where python3
   has it, and beside CuPy where that has a device. What is not there is said. */
clsp_status image_peers_run(bench *b, const char *suite);

#endif
