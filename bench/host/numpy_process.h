/* NumPy as a contestant: bench/host/numpy_surfaces.py in a process of its own. */
#ifndef BENCH_NUMPY_PROCESS_H
#define BENCH_NUMPY_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "python_process.h"

typedef python_process numpy_process; /* about: its version and BLAS */

/* Starts it by the first Python that has NumPy; false, and about says why, where none has. */
bool numpy_start(numpy_process *numpy);
void numpy_stop(numpy_process *numpy);

/* Hands it patches of control points [patches][order][order][3]. */
bool numpy_load(numpy_process *numpy, size_t order, size_t samples, size_t patches, bool is_double,
                bool has_normals, const double *points);

/* Evaluates them. */
bool numpy_run(numpy_process *numpy);

/* Asks for the point of a patch at sample (a, b). */
bool numpy_point(numpy_process *numpy, size_t patch, size_t a, size_t b, double point[3]);

#endif
