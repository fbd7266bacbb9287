/* Searches of one surface after another, for peers that know but one. */
#ifndef BENCH_HOST_NEAREST_BOXES_H
#define BENCH_HOST_NEAREST_BOXES_H

#include "host_nearest.h"

/* Makes *least less where something of a surface is nearer to a query, [3]. Returns 0 when it
   fails. */
typedef int (*host_nearest_search)(void *surfaces, size_t number, const double *query,
                                   double *least);

/* Searches for each of the queries in the surfaces, in the order in which the boxes of their
   control points are away from it, as long as a box is nearer than what was found. Returns 0
   without memory, or when a search fails. */
int host_nearest_by_boxes(const host_nearest_surfaces *s, const double *queries, size_t num,
                          host_nearest_search search, void *surfaces, double *distances);

#endif
