/* Cubic B-splines of a span of equal spans. */
#ifndef CLSPI_SPAN_SPLINES_H
#define CLSPI_SPAN_SPLINES_H

#include <stdint.h>

#include "level.h"

/* Computes the four of them, or a derivative of theirs, at t in [0, 1]. */
CLSPI_INLINE void clspi_span_splines(double t, uint32_t by, double b[4])
{
    const double s = 1 - t, sixth = 1.0 / 6;

    if (by == 0) {
        b[0] = s * s * s * sixth;
        b[1] = ((3 * t - 6) * t * t + 4) * sixth;
        b[2] = ((3 * s - 6) * s * s + 4) * sixth;
        b[3] = t * t * t * sixth;
    } else if (by == 1) {
        b[0] = -0.5 * s * s;
        b[1] = (1.5 * t - 2) * t;
        b[2] = (2 - 1.5 * s) * s;
        b[3] = 0.5 * t * t;
    } else {
        b[0] = s;
        b[1] = 3 * t - 2;
        b[2] = 3 * s - 2;
        b[3] = t;
    }
}

#endif
