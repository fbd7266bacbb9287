#include "product_weights.h"

#include <math.h>

/* Writes factor C(n, k) for k = 0..n, or factor / C(n, k); `to` may be NULL. Returns how many. */
static size_t put_binomials(double *to, uint32_t n, double factor, bool inverse)
{
    double value = 1.0; /* at most 2^190: exact but for rounding, and far from overflowing */

    for (uint32_t k = 0; to && k <= n; k++) {
        to[k] = inverse ? factor / value : factor * value;
        value = value * (n - k) / (k + 1);
    }
    return (size_t)n + 1;
}

/* Returns half of the binary digits of the largest C(n, k), so that those scaled by them are as far
   below 1 as above. */
static int half_digits(uint32_t n)
{
    return (int)n / 2;
}

size_t clspi_product_weights(double *to, uint32_t p, bool rational)
{
    const int r = half_digits(p), s = half_digits(2 * p);
    size_t num = 0;

#define NEXT (to ? to + num : NULL)
    num += put_binomials(NEXT, p, ldexp(1.0, -r), false);
    num += put_binomials(NEXT, 2 * p, ldexp(1.0, 2 * r), true);
    if (!rational) return num;
    num += put_binomials(NEXT, 2 * p - 1, ldexp(1.0, -s), false);
    num += put_binomials(NEXT, 2 * p, ldexp(1.0, -s), false);
    num += put_binomials(NEXT, p - 1, ldexp(1.0, -r), false);
    num += put_binomials(NEXT, 3 * p - 1, ldexp(1.0, r + s), true);
#undef NEXT
    return num;
}
