/* What others make of projection onto surfaces, beside the library's distances. */
#ifndef BENCH_SURFACE_PEERS_H
#define BENCH_SURFACE_PEERS_H

#include "bench.h"
#include "host_nearest.h"

/* Queries, [num][3], and the distances that the library found. */
typedef struct surface_peers {
    const bench *b;
    const char *suite, *name;
    host_nearest_surfaces surfaces;
    size_t num;
    const double *queries, *distances;
    double size; /* of the model: what is off by more than 1e-6 of it is wrong */
} surface_peers;

/* Reports the processor time a point of samples with a tree and Newton's method, and of SISL and
   OCCT where they are; in percent, how many of their points are wrong, and how many of the
   library's, for which they find a nearer one. */
clsp_status surface_peers_measure(const surface_peers *peers);

#endif
