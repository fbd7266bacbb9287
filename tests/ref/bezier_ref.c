#include "bezier_ref.h"

static long double casteljau(long double *b, unsigned degree, long double t)
{
    for (unsigned r = degree; r > 0; r--)
        for (unsigned i = 0; i < r; i++)
            b[i] = (1.0L - t) * b[i] + t * b[i + 1];
    return b[0];
}

long double ref_casteljau(const double *p, size_t stride, unsigned degree, long double t,
                          long double *scratch)
{
    for (unsigned i = 0; i <= degree; i++)
        scratch[i] = p[i * stride];
    return casteljau(scratch, degree, t);
}

long double ref_bezier_surface(const double *points, unsigned degree_u, unsigned degree_v,
                               unsigned dim, unsigned c, long double u, long double v,
                               long double *scratch)
{
    long double *const row = scratch + degree_u + 1;

    for (unsigned i = 0; i <= degree_u; i++)
        scratch[i] =
            ref_casteljau(points + (size_t)i * (degree_v + 1) * dim + c, dim, degree_v, v, row);
    return casteljau(scratch, degree_u, u);
}

void ref_bernstein(long double *values, unsigned degree, long double t)
{
    values[0] = 1.0L;
    for (unsigned n = 1; n <= degree; n++) {
        values[n] = t * values[n - 1];
        for (unsigned k = n - 1; k > 0; k--)
            values[k] = (1.0L - t) * values[k] + t * values[k - 1];
        values[0] *= 1.0L - t;
    }
}

long double ref_bezier_sum(const double *points, unsigned degree_u, unsigned degree_v, unsigned dim,
                           unsigned c, long double u, long double v, long double *scratch)
{
    long double *const bu = scratch, *const bv = scratch + degree_u + 1;
    long double sum = 0.0L;

    ref_bernstein(bu, degree_u, u);
    ref_bernstein(bv, degree_v, v);
    for (unsigned i = 0; i <= degree_u; i++) {
        const double *const row = points + (size_t)i * (degree_v + 1) * dim + c;
        long double inner = 0.0L;
        for (unsigned k = 0; k <= degree_v; k++)
            inner += bv[k] * row[(size_t)k * dim];
        sum += bu[i] * inner;
    }
    return sum;
}
