/* Tables of Bernstein values B_k^n(a / (num - 1)), k = 0..n, for the samples a = 0..num - 1 (docs/math.md, 2).

   Each item makes one sample's column. It starts at the largest value, k0 = floor((n + 1) t), taken as 1, walks outwards by
   the ratio of neighbours, B_{k+1} / B_k = (n - k) / (k + 1) * t / (1 - t), and divides by the sum, which is 1 for the true
   values. No powers and no binomials, so nothing overflows at any degree; t / (1 - t) = a / (num - 1 - a) is a ratio of
   integers, so t is never rounded. The columns of the first and last sample are unit vectors. */
#include "real.clh"

/* One step's factor, the ratio of two products of integers: one rounding each while the products stay below 2^24 (2^53). */
real ratio(uint a, uint b, uint c, uint d)
{
    return (CONVERT_REAL(a) * CONVERT_REAL(b)) / (CONVERT_REAL(c) * CONVERT_REAL(d));
}

/* Adds x to a sum kept in two parts (Neumaier), all terms positive and falling: *rest gets what *sum lost. */
void add(real *sum, real *rest, real x)
{
    const real s = *sum + x;
    *rest += (*sum - s) + x;
    *sum = s;
}

/* table: [degree + 1][stride], stride >= num; columns from num on become 0. One item a column. */
kernel void bernstein_table(global real *table, uint degree, uint num, uint stride)
{
    const uint a = (uint)get_global_id(0);
    if (a >= stride) return;

    global real *const column = table + a;
    const uint last = num - 1;
    if (a == 0 || a >= last) {
        for (uint k = 0; k <= degree; k++)
            column[(size_t)k * stride] = a < num && k == (a == 0 ? 0 : degree) ? R(1.0) : R(0.0);
        return;
    }

    /* any start near the mode will do, so this need not be exact (64-bit division is beyond some drivers) */
    const uint mode = min(degree, (uint)(CONVERT_REAL(degree + 1) * CONVERT_REAL(a) / CONVERT_REAL(last)));
    real sum = R(1.0), rest = R(0.0);
    real b = R(1.0);
    column[(size_t)mode * stride] = b;
    for (uint k = mode; k < degree; k++) {
        b *= ratio(degree - k, a, k + 1, last - a);
        column[(size_t)(k + 1) * stride] = b;
        add(&sum, &rest, b);
    }
    b = R(1.0);
    for (uint k = mode; k > 0; k--) {
        b *= ratio(k, last - a, degree - k + 1, a);
        column[(size_t)(k - 1) * stride] = b;
        add(&sum, &rest, b);
    }
    sum += rest;
    for (uint k = 0; k <= degree; k++) column[(size_t)k * stride] /= sum;
}
