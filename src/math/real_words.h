/* What rules of numbers ask of C besides dialect.h, in files of one precision: they have defined
   `real`, and LANES, the coordinates of a point: 4, of which those that there are not are 0. */
#ifndef CLSPI_REAL_WORDS_H
#define CLSPI_REAL_WORDS_H

#include "dialect.h"
#include "level.h"

#undef IN_PLACE
#define IN_PLACE CLSPI_INLINE
#define ASIDE    RULE
#define R(x)     ((real)(x))
#define REAL_NAN ((real)NAN)

typedef struct real2 {
    real s0, s1;
} real2;

typedef struct real4 {
    real s0, s1, s2, s3;
} real4;

#define REAL2(x, y)       ((real2){x, y})
#define REAL4(x, y, z, w) ((real4){x, y, z, w})
#define MAD(a, b, c)      ((c) + (a) * (b))

/* Statements on points: loops over their coordinates. */
#define EACH_LANE   for (int lane = 0; lane < LANES; lane++)
#define LANE(x)     (x)[lane]
#define COORD(x, k) (x)[k]

CLSPI_INLINE real least_of(real x, real y)
{
    return x < y ? x : y;
}

CLSPI_INLINE real most_of(real x, real y)
{
    return x > y ? x : y;
}

CLSPI_INLINE real dot_of(const real *x, const real *y)
{
    return (x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3]);
}

#endif
