/* Bezier surfaces point by point on the host's cores, in plain C: what the library is compared with
   on CPUs. It shares nothing with the library. */
#ifndef BENCH_HOST_POINTS_H
#define BENCH_HOST_POINTS_H

#include <stddef.h>

enum { HOST_POINTS_THREADS = 256 };

/* A patch of control points [order][order][3] on a grid of num x num points: the double sum of each
   with a table of Bernstein values [num][order], by so many threads, at most
   HOST_POINTS_THREADS. */
typedef struct host_points {
    size_t order, num;
    const void *points, *table; /* of float or double, */
    void *out;                  /* [num][num][3] */
    int is_double;              /* as this says */
    unsigned threads;
} host_points;

/* Returns 0, or what pthread_create gave. */
int host_points_run(const host_points *job);

#endif
