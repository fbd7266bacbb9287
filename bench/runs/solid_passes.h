/* Part of the suite solid: values and gradients of cells in one pass, beside four. */
#ifndef BENCH_SOLID_PASSES_H
#define BENCH_SOLID_PASSES_H

#include "solid_run.h"

/* Measures the cells of a run, of one kind, by plans of the value, of each derivative, and of all
   four. b, model, precision, samples and cells are given. */
clsp_status solid_passes_run(const solid_run *like, const char *kind);

#endif
