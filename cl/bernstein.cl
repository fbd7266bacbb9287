/* Tables of Bernstein values B_k^n(t_a), k = 0..n, for the samples a = 0..num - 1 of a uniform
   grid (docs/math.md, 2).

   Each item makes one sample's column. It starts at the largest value, k0 = floor((n + 1) t),
   taken as 1, walks outwards by the ratio of neighbours, B_{k+1} / B_k = (n - k) / (k + 1) * t /
   (1 - t), and divides by the sum, which is 1 for the true values. No powers and no binomials,
   so nothing overflows at any degree. t is the ratio x : y of two sums of positive terms and is
   never formed; on [0, 1] x = a and y = num - 1 - a are integers, so it is not rounded at all. */
#include "real.clh"

/* One step's factor, the ratio of two products of integers: one rounding each while the products
   stay below 2^24 (2^53). */
real ratio(uint a, real b, uint c, real d)
{
    return (CONVERT_REAL(a) * b) / (CONVERT_REAL(c) * d);
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
   item a column. The grid runs from t0 to t1; s0 = 1 - t0, s1 = 1 - t1. The first and last
   sample need no case of their own: a factor of 0 leaves a unit vector. (A loop for them, with
   the condition k <= degree, was vectorised with one step too many by Intel's CPU compiler,
   2026.22, past the buffer.) */
kernel void bernstein_table(global real *table, uint order, uint num, uint stride, real t0,
                            real t1, real s0, real s1)
{
    const uint column = (uint)get_global_id(0);
    if (column >= stride) return;

    const uint degree = order - 1;
    const uint last = max(num, 2u) - 1;
    const uint a = column < num ? column : 0;
    const real x = t0 * CONVERT_REAL(last - a) + t1 * CONVERT_REAL(a);
    const real y = s0 * CONVERT_REAL(last - a) + s1 * CONVERT_REAL(a);
    const real start = column < num ? R(1.0) : R(0.0);
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
    for (uint k = 0; k < order; k++, at += stride) *at /= sum;
}

/* whole: [order][stride] as above, for num samples. table: [order][stride_permuted], sample a in
   column (a mod period) * (stride_permuted / period) + a / period; other columns become 0
   (bezier_columns.cl). One item a column. */
kernel void bernstein_permute(global const real *whole, uint order, uint num, uint stride,
                              global real *table, uint stride_permuted, uint period)
{
    const uint column = (uint)get_global_id(0);
    if (column >= stride_permuted) return;

    const uint length = stride_permuted / period;
    const uint remainder = column / length;
    const uint a = (column - remainder * length) * period + remainder;
    for (uint k = 0; k < order; k++)
        table[(size_t)k * stride_permuted + column] =
            a < num ? whole[(size_t)k * stride + a] : R(0.0);
}

/* whole: [order][stride] as above. table: [2 * half][stride_half], half = (order + 1) / 2, the
   symmetric and the antisymmetric part of values k and order - 1 - k in turns, for the first
   `columns` samples; other columns become 0 (bezier_mirror.cl). One item a column. */
kernel void bernstein_mirror(global const real *whole, uint order, uint stride, global real *table,
                             uint stride_half, uint columns)
{
    const uint column = (uint)get_global_id(0);
    if (column >= stride_half) return;

    const bool inside = column < columns;
    for (uint k = 0; 2 * k < order; k++) {
        const bool middle = 2 * k + 1 == order;
        const real a = inside ? whole[(size_t)k * stride + column] : R(0.0);
        const real b = inside ? whole[(size_t)(order - 1 - k) * stride + column] : R(0.0);
        global real *const at = table + (size_t)(2 * k) * stride_half + column;
        at[0] = middle ? a : R(0.5) * (a + b);
        at[stride_half] = middle ? R(0.0) : R(0.5) * (a - b);
    }
}
