/* Tables of Bernstein values B_k^n(a / (num - 1)), k = 0..n, for the samples a = 0..num - 1
   (docs/math.md, 2).

   Each item makes one sample's column. It starts at the largest value, k0 = floor((n + 1) t),
   taken as 1, walks outwards by the ratio of neighbours, B_{k+1} / B_k = (n - k) / (k + 1) * t /
   (1 - t), and divides by the sum, which is 1 for the true values. No powers and no binomials,
   so nothing overflows at any degree; t / (1 - t) = a / (num - 1 - a) is a ratio of integers, so
   t is never rounded. */
#include "real.clh"

/* One step's factor, the ratio of two products of integers: one rounding each while the products
   stay below 2^24 (2^53). */
real ratio(uint a, uint b, uint c, uint d)
{
    return (CONVERT_REAL(a) * CONVERT_REAL(b)) / (CONVERT_REAL(c) * CONVERT_REAL(d));
}

/* Adds x to a sum kept in two parts (Neumaier), all terms positive and falling: *rest gets what
   *sum lost. */
void add(real *sum, real *rest, real x)
{
    const real s = *sum + x;
    *rest += (*sum - s) + x;
    *sum = s;
}

/* table: [order][stride], order = degree + 1, stride >= num; columns from num on become 0. One
   item a column. The first and last sample need no case of their own: a factor of 0 leaves a
   unit vector. (A loop for them, with the condition k <= degree, was vectorised with one step
   too many by Intel's CPU compiler, 2026.22, past the buffer.) */
kernel void bernstein_table(global real *table, uint order, uint num, uint stride)
{
    const uint column = (uint)get_global_id(0);
    if (column >= stride) return;

    const uint degree = order - 1;
    const uint last = max(num, 2u) - 1;
    const uint a = column < num ? column : 0;
    const real start = column < num ? R(1.0) : R(0.0);
    /* any start near the mode will do, so this need not be exact (64-bit division is beyond some
       drivers) */
    const real guess = CONVERT_REAL(order) * CONVERT_REAL(a) / CONVERT_REAL(last);
    const uint mode = min(degree, (uint)guess);
    real sum = R(1.0), rest = R(0.0);
    real b = start;
    global real *at = table + (size_t)mode * stride + column;

    *at = b;
    for (uint k = mode; k < degree; k++) {
        b *= ratio(degree - k, a, k + 1, last - a);
        at += stride;
        *at = b;
        add(&sum, &rest, b);
    }
    b = start;
    at = table + (size_t)mode * stride + column;
    for (uint k = mode; k > 0; k--) {
        b *= ratio(k, last - a, degree - k + 1, a);
        at -= stride;
        *at = b;
        add(&sum, &rest, b);
    }
    sum += rest;
    at = table + column;
    for (uint k = 0; k < order; k++, at += stride) *at /= sum;
}
