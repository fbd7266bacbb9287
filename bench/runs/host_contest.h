/* Part of the suite host: surfaces into a buffer and into host memory, beside others. */
#ifndef BENCH_HOST_CONTEST_H
#define BENCH_HOST_CONTEST_H

#include "bezier_run.h"
#include "numpy_process.h"

/* Runs all cases; numpy: started, or with no process. */
clsp_status host_contest_run(bench *b, const bezier_ring *out, numpy_process *numpy);

#endif
