/* What distances of points are like, all in all. */
#ifndef CLSPLINE_TOOLS_DISTANCE_STATS_H
#define CLSPLINE_TOOLS_DISTANCE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nearest_file.h"
#include "splines.h"

/* The distance of a point from the face, or other spline, that is nearest to it. */
typedef struct face_distance {
    uint32_t face;
    double distance; /* NaN: its sign is open */
} face_distance;

/* All zero at first. */
typedef struct distance_stats {
    double *distances; /* [num]: of the points that have one */
    size_t num, capacity;
    uint64_t of_status[NEAREST_STATUSES]; /* points */
    bool is_signed;
    uint64_t num_open;       /* points whose distance has no sign, and does not count */
    bool by_face;            /* set at first: faces are told apart */
    face_distance *of_faces; /* [num_of_faces] */
    size_t num_of_faces, face_capacity;
} distance_stats;

/* Adds the nearest row of a point. False when memory runs out. */
bool distance_stats_add(distance_stats *s, const nearest_row *row);

/* Prints on standard output, as an object of JSON: points, how many have each status, of how
   many the sign is open where there are signs, of the distances min, mean, rms, median, p95, p99
   and max, null where there are none, and how many points were searched for in a second; where
   faces are told apart the same of each. Reorders the distances. False with a complaint. */
bool distance_stats_print(distance_stats *s, const splines *content, double seconds);

/* Prints a row for each face. False with a complaint. */
bool distance_stats_faces(distance_stats *s, const splines *content, FILE *to);

/* Prints a histogram: 20 bars from range[0] to range[1]; NULL: from the least distance to the
   greatest. */
void distance_stats_histogram(const distance_stats *s, const double *range, FILE *to);

void distance_stats_clear(distance_stats *s);

#endif
