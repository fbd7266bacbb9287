/* The plain loop in C of the surfaces that the library is measured with on CPUs. Nothing here is
   the library's. */
#ifndef BENCH_HOST_SURFACES_H
#define BENCH_HOST_SURFACES_H

#include <stdbool.h>
#include <stddef.h>

/* Patches of control points [patches][order][order][3] on grids of num x num samples; out:
   [patches][num][num][3], or [6] with unit normals behind the points, or [9] with the derivatives
   along u and v. */
typedef struct host_surfaces {
    size_t order, num, patches;
    bool is_double, has_normals, has_derivatives;
    const void *points;          /* of float or double, as is_double says, like */
    const void *values, *slopes; /* [order][num] Bernstein values and their derivatives */
    void *out;
} host_surfaces;

/* Both sums by a plain loop over the rows of all patches, on all cores by OpenMP: partial sums over
   v are made once for a row of control points and patch. Returns 0 when there is no memory. */
int host_loop_run(const host_surfaces *surfaces);

/* Curves of control points [curves][order][dim] at num samples each; out: [curves][num][dim], or
   [2 dim] with derivatives behind the points. The rest is as of surfaces. */
typedef struct host_loop_curves_job {
    size_t order, num, curves, dim;
    bool is_double, has_derivatives;
    const void *points, *values, *slopes;
    void *out;
} host_loop_curves_job;

/* Both sums by a plain loop over the samples of all curves, on all cores by OpenMP. */
void host_loop_curves(const host_loop_curves_job *job);

/* Whether the loop was built with OpenMP; it is not run without. */
bool host_loop_is_parallel(void);

/* Sets how many threads this loop and all others take that the calling thread runs, and returns how
   many it was. */
int host_loop_set_threads(int num);

#endif
