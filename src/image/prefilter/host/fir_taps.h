/* The prefilter of uniform B-splines as a convolution with few taps (docs/math.md, 18). Taps are
   symmetric: tap k stands for those at k and -k. */
#ifndef CLSPI_FIR_TAPS_H
#define CLSPI_FIR_TAPS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the half length K at which the truncated filter of 2 K + 1 taps is within `error` of the
   exact one at every frequency, at least 1. order: 2 on. */
uint32_t clspi_fir_half_length(uint32_t order, double error);

/* Gives taps 0 .. half of the exact filter, cut off, with their sum made 1. */
void clspi_fir_truncated(uint32_t order, uint32_t half, double *taps);

/* Gives those whose spectrum F is nearest to the exact one, B: the least integral of
   (F - B)^2 / (0.05 + w)^3 over 0 <= w <= pi, with the sum 1. False: no memory. */
bool clspi_fir_least_squares(uint32_t order, uint32_t half, double *taps);

/* Returns the least half length of at least 1 at which no image of samples within [-1, 1] has a
   value that is more than `error` from that of the exact filter, in so many directions, with taps
   that are cut off or the best ones. 0: no memory. */
uint32_t clspi_fir_half_length_of_values(uint32_t order, uint32_t directions, bool best,
                                         double error);

#endif
