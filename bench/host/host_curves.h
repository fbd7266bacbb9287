/* What SISL makes of points that are to be projected onto curves. Nothing here is the library's. */
#ifndef BENCH_HOST_CURVES_H
#define BENCH_HOST_CURVES_H

#include <stdbool.h>
#include <stddef.h>

/* A curve over clamped uniform knots on [0, 1]; controls: [num_controls][dim], dim 2 or 3. */
typedef struct host_curve {
    unsigned dim, degree, num_controls;
    const double *controls;
} host_curve;

/* How SISL looks for the closest point: by Newton's method from the nearest control point (s1957),
   or by all minima (s1953), of which the nearest one is taken here, as of the ends. */
typedef enum host_search { HOST_NEWTON, HOST_ALL_MINIMA } host_search;

/* Finds the distances of points, [num][dim], on one thread. Returns 0 when SISL does. */
int host_sisl_project(const host_curve *curve, host_search search, const double *points, size_t num,
                      double *distances);

#endif
