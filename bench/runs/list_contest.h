/* Part of the suite host: lists of points at parameters, of every family, beside plain loops. */
#ifndef BENCH_LIST_CONTEST_H
#define BENCH_LIST_CONTEST_H

#include "bench.h"

/* Runs all cases. */
clsp_status list_contest_run(bench *b);

#endif
