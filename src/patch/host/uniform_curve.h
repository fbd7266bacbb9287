/* Points of curves in Bernstein form of low degree at uniform parameters, in double: the rows of
   triangles (docs/math.md, 12). A vector has a lane for each point. */
#ifndef CLSPI_UNIFORM_CURVE_H
#define CLSPI_UNIFORM_CURVE_H

#include <stddef.h>
#include <stdint.h>

#include "level.h"

enum {
    CLSPI_UNIFORM_DEGREE = 15, /* at most */
    CLSPI_UNIFORM_SPARE = 8    /* points behind the last one that there is room for */
};

typedef struct clspi_uniform_curve {
    const double *points; /* [degree + 1][numbers] */
    uint32_t degree;
    uint32_t numbers; /* of a point: its coordinates */
    uint32_t steps;   /* the parameter of sample k is k / steps */
} clspi_uniform_curve;

/* Makes samples first .. first + count - 1, [count][numbers], and others behind them. A sample's
   bits do not depend on how samples are split into calls. */
CLSPI_LEVELS(void, clspi_uniform_points,
             (const clspi_uniform_curve *curve, uint32_t first, uint32_t count, double *out));
#define clspi_uniform_points CLSPI_AT_LEVEL(clspi_uniform_points)

#endif
