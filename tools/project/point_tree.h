/* The nearest of many points, by a tree that halves them along the axis in which they extend most
   (Bentley's k-d tree). */
#ifndef CLSPLINE_TOOLS_POINT_TREE_H
#define CLSPLINE_TOOLS_POINT_TREE_H

#include <stddef.h>
#include <stdint.h>

typedef struct point_tree {
    double *points; /* [num][3]: of each range the middle one divides the others */
    uint8_t *axes;  /* [num]: by which axis each divides its range */
    size_t num;
} point_tree;

/* Makes a tree of points [num][3], which are finite and change their order; they stay the caller's,
   and axes too, [num]. */
void point_tree_make(point_tree *t, double *points, uint8_t *axes, size_t num);

/* Finds the distance from a place to the nearest point: NaN for a place that is, infinity where
   there is no point. */
double point_tree_distance(const point_tree *t, const double place[3]);

#endif
