/* Limits of solids by a plain loop of C in double precision, on all cores where there is OpenMP:
   one point after the other by the weights of its cell's class, as CPU-parallel evaluations of
   Altenhofen et al.'s method (SMI 2018) make them. The weights are ready in tables here; there they
   are made for each point. */
#ifndef BENCH_HOST_SOLID_H
#define BENCH_HOST_SOLID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct host_solid {
    size_t num_cells, samples; /* of a cell */
    const size_t *first;       /* [num_cells + 1]: where a cell's control points begin */
    const uint32_t *index;
    const double *const *table; /* [num_cells]: [samples][control points of the cell] */
    const double *points;       /* [vertices][3] */
    double *out;                /* [num_cells][samples][3] */
} host_solid;

/* Whether the loop runs on all cores. */
bool host_solid_is_parallel(void);

void host_solid_run(const host_solid *h);

#endif
