/* The cubics that stand for parts of Bezier segments (docs/math.md, 15): pieces of a lower degree,
   of which those that bend are halved. All is double precision; eps is that of the
   precision that segments and cubics are stored in. */
#ifndef CLSPI_CUBIC_FIT_H
#define CLSPI_CUBIC_FIT_H

#include "reduce_curves.h"

/* Segments of one degree. */
typedef struct clspi_fitted_segments {
    uint32_t degree, dim;
    size_t num, stride;   /* reals from one to the next */
    const double *points; /* [num][degree + 1][dim], and behind each its origin and its extent */
    double eps;
    double error; /* what cubics may err by */
    size_t most;  /* cubics, unless there are more segments */
} clspi_fitted_segments;

/* Cubics in the order of segments and of their parts. */
typedef struct clspi_fitted_cubics {
    size_t num, room, left; /* cubics; that there is room for; to come, while they are made */
    bool cut;               /* some would have to be of more parts than may be */
    double *points;         /* [num][4][dim], relative to the segment's origin */
    double *ends;           /* [num][2], where each begins and ends in its segment's [0, 1] */
    double *errors;     /* [num]: how far they may be apart at one parameter; NaN where that is not
                           known */
    uint32_t *segments; /* [num] */
} clspi_fitted_cubics;

/* Makes cubics; false without memory. clspi_fitted_cubics_release must follow in every case. */
bool clspi_fitted_cubics_make(const clspi_fitted_segments *segments, clspi_fitted_cubics *to);
void clspi_fitted_cubics_release(clspi_fitted_cubics *cubics);

#endif
