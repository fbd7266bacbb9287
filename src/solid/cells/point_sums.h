/* Sums of the control points of a cell at a parameter, in double, of points in two precisions
   (docs/math.md, 19). */
#ifndef CLSPI_POINT_SUMS_H
#define CLSPI_POINT_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "cell_class.h"
#include "level.h"
#include "solid_vertex.h"

/* A cell whose points are columns of four, with products of two splines as weights: a regular one,
   or one with slices (class_trees.h). */
typedef struct clspi_point_columns {
    const uint32_t *points; /* the cell's, by the numbers of control points */
    double *sums;           /* where sums go, [num_sums][dim] */
    uint32_t step[2];       /* of a regular cell: columns are points that follow each other, [4][4]
                               of them so many numbers apart */
    const uint32_t *layers; /* [4][num]: where columns have their points; NULL: a regular cell,
                               which has nothing of what follows */
    uint32_t num;
    const double *table; /* [num][4][4]: weights of columns as sums of products */
    uint8_t axis[3];     /* of the cell, for each of t: two across columns, and that along them */
    bool is_beyond[2];   /* the first points of columns, or the last, continue those beside them */
    double slope[3];     /* of derivatives of a descendant of the cell, factors of those of t's */
} clspi_point_columns;

enum {
    CLSPI_POINTS = 16,  /* parameters whose sums are made at once, at most */
    CLSPI_MOST_DIM = 16 /* channels */
};

typedef struct clspi_point_sum {
    const void *control; /* [points][dim] reals, and room for four more to be read */
    bool is_double;      /* reals are doubles, else floats */
    uint32_t dim, num_sums;
    const uint8_t *number; /* [num_sums]: the number of each sum */
    uint32_t num;
    double t[3][CLSPI_POINTS]; /* any numbers behind those that there are */
    clspi_point_columns of[CLSPI_POINTS];
} clspi_point_sum;

CLSPI_LEVELS(void, clspi_point_sums, (const clspi_point_sum *sum));
#define clspi_point_sums CLSPI_AT_LEVEL(clspi_point_sums)

/* Makes the points of a child of a class, [rows][dim], of those of its parent; both have room for
   four numbers more. They are relative to the first one, which goes to `first`. */
CLSPI_LEVELS(void, clspi_child_points,
             (const clspi_class_child *child, const double *from, uint32_t dim, double *to,
              double *first));
#define clspi_child_points CLSPI_AT_LEVEL(clspi_child_points)

#endif
