/* Bernstein polynomials B_k^n(t) = C(n, k) t^k (1 - t)^(n - k) of any degree, without powers or
 * binomials. */
#ifndef CLSPI_BERNSTEIN_H
#define CLSPI_BERNSTEIN_H

#include <stdint.h>

/* Computes all values of one degree at the parameter t = x / (x + y), x, y >= 0, not both 0:
   values[k] = B_k^degree(t), k = 0..degree. At t = 0 and t = 1 they are exactly 0 and 1; they are
   never negative and their sum is 1 to rounding. Each is within about sqrt(degree) + 4 units of
   2^-53 of the true value, relative to the largest (docs/math.md, 2). Taking t as a ratio keeps
   that of integers, as of a uniform grid, exact: t / (1 - t) = x / y. */
void clspi_bernstein(double *values, uint32_t degree, double x, double y);

/* Adds to the largest value what the sum of all lacks of 1. */
void clspi_sum_to_one(double *values, uint32_t num);

/* Makes values 0 that are below 2^-103, the least normal float over eps: in float they count for
   nothing beside a sum of 1, and processors take long for numbers near them and for products of
   these. Values that weights multiply are left, which may be large. */
void clspi_cut_f32(double *values, uint32_t num);

/* Rounds values to floats; the largest takes what the others' rounding has changed of their sum. */
void clspi_round_f32(double *values, uint32_t num);

#endif
