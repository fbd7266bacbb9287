/* Tables of Bernstein values B_k^n(t_a), k = 0..n, for the samples a = 0..num - 1 of a uniform
   grid (docs/math.md, 2).

   Each item makes one sample's column. It starts at the largest value, k0 = floor((n + 1) t),
   taken as 1, walks outwards by the ratio of neighbours, B_{k+1} / B_k = (n - k) / (k + 1) * t /
   (1 - t), and divides by the sum, which is 1 for the true values. No powers and no binomials,
   so nothing overflows at any degree. t is the ratio x : y of two sums of positive terms and is
   never formed; on [0, 1] x = a and y = num - 1 - a are integers, so it is not rounded at all.

   The device makes tables above 65536 values, the host smaller ones. The end samples have no case
   of their own: Intel's compiler for CPUs (2026.22) makes vectors of a loop over degree + 1 values
   one vector too far. */
#include "row_range.clh"
#include "real.clh"

/* Computes the factor of one step, (a b) / (c d). On [0, 1] all four are integers: each product has
   one rounding at most, none below 2^24 (2^53). */
static real ratio(uint a, real b, uint c, real d)
{
    return quotient(CONVERT_REAL(a) * b, CONVERT_REAL(c) * d);
}

/* Adds x to a sum kept in two parts (Neumaier): *rest gets what *sum lost. */
static void add(real *sum, real *rest, real x)
{
    const real s = *sum + x;
    *rest += fabs(*sum) >= fabs(x) ? (*sum - s) + x : (x - s) + *sum;
    *sum = s;
}

/* Makes a table, [order][stride], order = degree + 1, stride >= axis.num; columns beyond become 0.
   One item a column. The first and last sample of [0, 1] need no case of their own: a factor of 0
   leaves a unit vector. (A loop for them, with the condition k <= degree, was vectorised with one
   step too many by Intel's CPU compiler, 2026.22, past the buffer.) */
kernel void bernstein_table(global real *table, sample_axis axis, uint order, uint stride)
{
    const uint column = (uint)get_global_id(0);
    if (column >= stride) return;

    const uint degree = order - 1;
    const uint last = max(axis.num, 2u) - 1;
    const uint a = column < axis.num ? column : 0;
    const real x = axis.t_begin * CONVERT_REAL(last - a) + axis.t_end * CONVERT_REAL(a);
    const real y = axis.s_begin * CONVERT_REAL(last - a) + axis.s_end * CONVERT_REAL(a);
    const real start = column < axis.num ? R(1.0) : R(0.0);
    /* any start near the mode will do, so this need not be exact */
    const real guess = CONVERT_REAL(order) * (x / (x + y));
    const uint mode = min(degree, (uint)guess);
    real sum = R(1.0), rest = R(0.0);
    real b = start;
    global real *at = table + (size_t)mode * stride + column;

    *at = b;
    for (uint k = mode; k < degree; k++) {
        b *= ratio(degree - k, x, k + 1, y);
        at += stride;
        *at = b;
        add(&sum, &rest, b);
    }
    b = start;
    at = table + (size_t)mode * stride + column;
    for (uint k = mode; k > 0; k--) {
        b *= ratio(k, y, degree - k + 1, x);
        at -= stride;
        *at = b;
        add(&sum, &rest, b);
    }
    sum += rest;
    at = table + column;
    real lack = start, lack_rest = R(0.0);
    for (uint k = 0; k < order; k++, at += stride) {
        b = quotient(*at, sum);
        *at = b;
        add(&lack, &lack_rest, -b);
    }
    table[(size_t)mode * stride + column] += lack + lack_rest;
}
