/* Sums of the control points of a cell at a parameter, in double, of points in two precisions
   (docs/math.md, 19). */
#ifndef CLSPI_POINT_SUMS_H
#define CLSPI_POINT_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "level.h"
#include "solid_vertex.h"

/* A regular cell: a tricubic by its lines, which all derivatives have in common. */
typedef struct clspi_point_sum {
    const void *control;    /* [points][dim] reals, and room for four more to be read */
    const uint32_t *points; /* control points, by their numbers, [4][4][4]: those along w follow
                               each other, */
    uint32_t step[2];       /* those along u and v so many numbers later */
    uint32_t dim, num_sums;
    const uint8_t *number; /* [num_sums]: the number of each sum */
    const double *t;       /* [3] */
} clspi_point_sum;

/* Writes the sums, [num_sums][dim]. */
CLSPI_LEVELS(void, clspi_point_sums_f32, (const clspi_point_sum *point, double *sums));
#define clspi_point_sums_f32 CLSPI_AT_LEVEL(clspi_point_sums_f32)
CLSPI_LEVELS(void, clspi_point_sums_f64, (const clspi_point_sum *point, double *sums));
#define clspi_point_sums_f64 CLSPI_AT_LEVEL(clspi_point_sums_f64)

/* Points with weights. */
typedef struct clspi_weighted_sum {
    const void *control; /* as above */
    uint32_t dim, num;
    const uint32_t *points; /* [num] */
    const double *weights;  /* [num] */
    bool is_value;          /* weights sum to 1, else to 0 */
} clspi_weighted_sum;

/* Writes the sum, [dim]. */
CLSPI_LEVELS(void, clspi_weighted_sum_f32, (const clspi_weighted_sum *sum, double *to));
#define clspi_weighted_sum_f32 CLSPI_AT_LEVEL(clspi_weighted_sum_f32)
CLSPI_LEVELS(void, clspi_weighted_sum_f64, (const clspi_weighted_sum *sum, double *to));
#define clspi_weighted_sum_f64 CLSPI_AT_LEVEL(clspi_weighted_sum_f64)

#endif
