/* What distances of points are like, all in all. */
#ifndef CLSPLINE_TOOLS_DISTANCE_STATS_H
#define CLSPLINE_TOOLS_DISTANCE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nearest_file.h"

/* All zero at first. */
typedef struct distance_stats {
    double *distances; /* [num]: of the points that have one */
    size_t num, capacity;
    uint64_t of_status[NEAREST_STATUSES]; /* points */
    bool is_signed;
    uint64_t num_open; /* points whose distance has no sign, and does not count */
} distance_stats;

/* Adds the nearest row of a point. False when memory runs out. */
bool distance_stats_add(distance_stats *s, const nearest_row *row);

/* Prints on standard output, as an object of JSON: points, how many have each status, of how
   many the sign is open where there are signs, of the distances min, mean, rms, median, p95, p99
   and max, null where there are none, and how many points were searched for in a second. Reorders
   the distances. False with a complaint. */
bool distance_stats_print(distance_stats *s, double seconds);

/* Prints a histogram: 20 bars from range[0] to range[1]; NULL: from the least distance to the
   greatest. */
void distance_stats_histogram(const distance_stats *s, const double *range, FILE *to);

void distance_stats_clear(distance_stats *s);

#endif
