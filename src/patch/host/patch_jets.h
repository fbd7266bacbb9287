/* Sums of tensor-product patches and triangles at parameters, for a few points at once: the patch
   and its derivatives up to the second order, of any degree, in double, with what the rounding of
   first derivatives is relative to (docs/math.md, 10, 12 and 13). A vector has a lane for each
   point. */
#ifndef CLSPI_PATCH_JETS_H
#define CLSPI_PATCH_JETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.clh"
#include "level.h"

enum {
    CLSPI_POINT_BLOCK = 8, /* points that are summed at once */
    CLSPI_POINT_COORDS = 5 /* of a control point, at most */
};

/* What all points share. Directions that there are not have degree 0 and one control point. */
typedef struct clspi_point_shape {
    uint32_t directions, degree[3], controls[3];
    uint32_t dim, rational;
    bool is_double;   /* control points are, else floats */
    bool is_triangle; /* u and v share degree and control points of u */
    bool is_spline;   /* each span has functions of its own; else they are Bernstein polynomials */
} clspi_point_shape;

/* Where points are along a direction, for the sums of one order of derivatives. What is of splines
   is not read of others. */
typedef struct clspi_point_place {
    double t[CLSPI_POINT_BLOCK], s[CLSPI_POINT_BLOCK]; /* their distances from the begin and the end
                                                          of the direction or span, both at any
                                                          scale; of a triangle v : w for v */
    size_t first[CLSPI_POINT_BLOCK];                   /* the first control point that counts */
    const double *functions[CLSPI_POINT_BLOCK];        /* [order][order] of that many functions, in
                                                          terms of Bernstein polynomials, a row
                                                          each */
    const double *factors[CLSPI_POINT_BLOCK]; /* [2][controls] of first and second differences */
} clspi_point_place;

typedef struct clspi_point_block {
    const clspi_point_shape *shape;
    uint32_t sums;                        /* bits of those that are made */
    uint32_t tracked;                     /* bits of those that are made with sizes */
    bool is_near;                         /* they are relative to the points, which are rational, */
    bool has_kinks;                       /* and places of a direction may differ */
    const void *patch[CLSPI_POINT_BLOCK]; /* control points */
    clspi_point_place place[3][3];        /* of a direction and order; of splines all that there
                                             are, else the first alone */
} clspi_point_block;

/* A sum, in homogeneous coordinates, and the same sum of the terms' largest |coordinate| and of
   their |weight|. */
typedef struct clspi_point_sum {
    double x[CLSPI_POINT_COORDS][CLSPI_POINT_BLOCK];
    double size[CLSPI_POINT_BLOCK], weight[CLSPI_POINT_BLOCK];
} clspi_point_sum;

typedef struct clspi_point_jet {
    clspi_point_sum sum[SUM_KINDS];
    double near[4][CLSPI_POINT_BLOCK]; /* what sums are relative to */
} clspi_point_jet;

/* The order of sum k along a direction. */
static inline uint32_t clspi_point_order(unsigned k, unsigned direction)
{
    return direction == 0 ? SUM_BY_U(k) : direction == 1 ? SUM_BY_V(k) : SUM_BY_W(k);
}

/* Makes a block's sums; those that are of a higher order than the patch are 0. A point's bits
   depend on nothing but its patch and place. */
CLSPI_LEVELS(void, clspi_patch_jets, (const clspi_point_block *block, clspi_point_jet *jet));
#define clspi_patch_jets CLSPI_AT_LEVEL(clspi_patch_jets)

#endif
