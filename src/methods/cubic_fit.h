/* The cubics that stand for parts of Bezier segments (docs/math.md, 15), and how far off they are.
   All is double precision; eps is that of the precision that segments and cubics are stored in. */
#ifndef CLSPI_CUBIC_FIT_H
#define CLSPI_CUBIC_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Segments of one degree. */
typedef struct clspi_fitted_segments {
    uint32_t degree, dim;
    size_t num, stride;   /* reals from one to the next */
    const double *points; /* [num][degree + 1][dim], and behind each its origin and its extent */
    double eps;
    double error; /* what cubics may err by */
    size_t most;  /* cubics, unless there are more segments */
} clspi_fitted_segments;

/* A cubic: it stands for part `part` of 2^depth of a segment. */
typedef struct clspi_cubic {
    uint32_t segment, part, depth;
    bool is_near;        /* it errs by no more than it may, or than rounding */
    double points[4][4]; /* relative to the segment's origin */
    double error;        /* how far they may be apart at one parameter */
} clspi_cubic;

/* Makes the cubics, in the order of segments and of their parts, for the caller to free; NULL
   without memory. *cut: some would have to be halved more often than may be. */
clspi_cubic *clspi_cubics_make(const clspi_fitted_segments *segments, size_t *num, bool *cut);

#endif
