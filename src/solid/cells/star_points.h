/* Limits and derivatives at parameters without classes: from the stars of vertices (docs/math.md,
   19, Stars). */
#ifndef CLSPI_STAR_POINTS_H
#define CLSPI_STAR_POINTS_H

#include "vertex_star.h"

/* A parameter; where there is none, sums are NaN. */
typedef struct clspi_star_spot {
    bool is_there;
    uint32_t cell;
    double t[3]; /* within [0, 1] */
} clspi_star_spot;

/* What is made at some parameters: sums by their numbers (solid_vertex.h). */
typedef struct clspi_star_list {
    const clspi_star_spot *spot;
    size_t num; /* below 2^31 */
    uint32_t num_sums;
    const uint8_t *number; /* [num_sums] */
    double *sums;          /* [num_sums][num][dim] */
} clspi_star_list;

/* Makes all sums; the same whatever threads, which may be NULL, there are. False: no memory. */
bool clspi_star_points(const clspi_star_mesh *stars, const clspi_star_list *list,
                       const clspi_parallel *threads);

#endif
