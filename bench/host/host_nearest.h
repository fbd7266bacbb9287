/* What others make of points that are to be projected onto surfaces. Nothing here is the
   library's. */
#ifndef BENCH_HOST_NEAREST_H
#define BENCH_HOST_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Surfaces of one degree over clamped uniform knots on [0, 1]; points:
   [num][controls][controls][3], or 4 with weights, homogeneous. */
typedef struct host_nearest_surfaces {
    size_t num;
    unsigned degree, controls;
    bool rational;
    const double *points;
} host_nearest_surfaces;

/* Finds the distances of queries, [num][3], on one thread, as one writes it in an afternoon: the
   nearest of so many samples by a k-d tree, and Newton's method from there. Returns 0 without
   memory. *build: the seconds of processor time that samples and tree took. */
int host_nearest_find(const host_nearest_surfaces *surfaces, size_t samples, const double *queries,
                      size_t num, double *distances, double *build);

/* Finds them by SISL's s1954, which looks for all closest points of a surface, in the order of the
   boxes of control points. Returns 0 when SISL does. */
int host_nearest_sisl(const host_nearest_surfaces *surfaces, const double *queries, size_t num,
                      double *distances);

/* Finds them by Open CASCADE's Extrema, edges and corners included, in the same order. Returns 0
   when it fails. A module of its own has it (bench_occt). */
int host_nearest_occt(const host_nearest_surfaces *surfaces, const double *queries, size_t num,
                      double *distances);

#endif
