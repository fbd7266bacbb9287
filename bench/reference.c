#include "reference.h"

#include <stdint.h>
#include <string.h>

void bench_bernstein(size_t order, size_t sample, size_t num, long double *values)
{
    const long double last = num > 1 ? (long double)(num - 1) : 1.0L;
    const long double t = (long double)sample / last;
    const long double s = (long double)(num > 1 ? num - 1 - sample : 1) / last;

    values[0] = 1.0L;
    for (size_t n = 1; n < order; n++) {
        values[n] = t * values[n - 1];
        for (size_t i = n - 1; i > 0; i--)
            values[i] = s * values[i] + t * values[i - 1];
        values[0] *= s;
    }
}

void bench_store(bool is_double, void *to, size_t index, double value)
{
    if (is_double)
        ((double *)to)[index] = value;
    else
        ((float *)to)[index] = (float)value;
}

void bench_bernstein_tables(size_t order, size_t num, bool is_double, void *values, void *slopes)
{
    long double at[BENCH_ORDER_MAX], lower[BENCH_ORDER_MAX + 2];

    for (size_t a = 0; a < num; a++) {
        bench_bernstein(order, a, num, at);
        memset(lower, 0, sizeof lower);
        bench_bernstein(order - 1, a, num, lower + 1);
        lower[order] = 0;
        for (size_t i = 0; i < order; i++) {
            const long double slope = (long double)(order - 1) * (lower[i] - lower[i + 1]);
            bench_store(is_double, values, i * num + a, (double)at[i]);
            bench_store(is_double, slopes, i * num + a, (double)slope);
        }
    }
}

void bench_clamped_knots(size_t order, size_t controls, bool is_double, void *knots)
{
    const size_t spans = controls - (order - 1);

    for (size_t i = 0; i < controls + order; i++) {
        const size_t k = i < order ? 0 : i - (order - 1);
        bench_store(is_double, knots, i, k < spans ? (double)k / (double)spans : 1.0);
    }
}

void bench_reference_point(size_t order, const double *points, const long double *at_u,
                           const long double *at_v, long double point[3])
{
    for (size_t c = 0; c < 3; c++)
        point[c] = 0.0L;
    for (size_t i = 0; i < order; i++) {
        long double row[3] = {0.0L, 0.0L, 0.0L};
        for (size_t j = 0; j < order; j++, points += 3)
            for (size_t c = 0; c < 3; c++)
                row[c] += at_v[j] * (long double)points[c];
        for (size_t c = 0; c < 3; c++)
            point[c] += at_u[i] * row[c];
    }
}

/* ---- powers ---- */

enum { POWER_ORDER_MAX = 16 };

static double binomial(size_t n, size_t k)
{
    double c = 1.0;

    for (size_t i = 1; i <= k; i++)
        c = c * (double)(n - k + i) / (double)i;
    return c;
}

/* The coefficient of s^j in C(n, k) ((1 + s) / 2)^k ((1 - s) / 2)^(n - k). */
static double coefficient(size_t n, size_t k, size_t j)
{
    double sum = 0.0;

    for (size_t l = 0; l <= j; l++)
        if (l <= k && j - l <= n - k)
            sum += ((j - l) % 2 ? -1.0 : 1.0) * binomial(k, l) * binomial(n - k, j - l);
    return sum * binomial(n, k) / (double)(UINT64_C(1) << n);
}

void bench_power_basis(size_t order, double *r)
{
    for (size_t j = 0; j < order; j++)
        for (size_t k = 0; k < order; k++)
            r[j * order + k] = coefficient(order - 1, k, j);
}

void bench_power_points(size_t order, const double *points, double *in_powers)
{
    double r[POWER_ORDER_MAX * POWER_ORDER_MAX];

    bench_power_basis(order, r);
    for (size_t i = 0; i < order * order * 3; i++) {
        const size_t c = i % 3, b = i / 3 % order, a = i / 3 / order;
        in_powers[i] = 0.0;
        for (size_t k = 0; k < order; k++)
            for (size_t l = 0; l < order; l++)
                in_powers[i] +=
                    r[a * order + k] * r[b * order + l] * points[(k * order + l) * 3 + c];
    }
}

/* ---- random numbers ---- */

/* splitmix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014) */
static uint64_t next(unsigned long long *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void bench_random_fill(double *values, size_t count)
{
    unsigned long long state = 1;

    for (size_t i = 0; i < count; i++)
        values[i] = (double)(next(&state) >> 40) * 0x1p-23 - 1.0;
}

size_t bench_random_below(unsigned long long *state, size_t limit)
{
    return (size_t)(next(state) % limit);
}
