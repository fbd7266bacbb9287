/* Part of the suite about cooperation: every case by every schedule, and by one processor alone. */
#ifndef BENCH_SHARED_GRID_H
#define BENCH_SHARED_GRID_H

#include "bench.h"

/* ctx: from shared_context_create. */
clsp_status shared_grid_run(bench *b, clsp_context *ctx);

#endif
