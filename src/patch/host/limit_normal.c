/* Normals by running error bounds, of one point at a time in double precision. */
#define VECTOR_BYTES 0
#define REAL_BYTES   8
#define REAL_EPS     0x1p-52
#define REAL_TINY    0x1p-1000
#define REAL_MAX     DBL_MAX
typedef double real;

#include "limit_normal.h"

#include <float.h>

#include "normals_real.h"

enum { U = 1, V = 2, UU = 4, UV = 5, VV = 6 }; /* sums */

/* Returns sum k of a point of a rational surface. */
static tracked sum_of(const clspi_point_shape *shape, const clspi_point_jet *jet, unsigned k,
                      size_t p)
{
    const clspi_point_sum *const d = &jet->sum[k];
    tracked sum = {.w = d->x[shape->dim][p], .size = d->size[p], .weight = d->weight[p]};

    for (uint32_t c = 0; c < 3 && c < shape->dim; c++)
        sum.x[c] = d->x[c][p];
    return sum;
}

/* Makes derivative k, with an error of so many times its own. */
static tangent derivative_of(const clspi_point_shape *shape, const clspi_point_jet *jet, unsigned k,
                             size_t p, double off)
{
    const clspi_point_sum *const x = &jet->sum[k];
    const uint32_t dim = shape->dim;
    real near[3] = {0};

    if (!shape->rational) return (tangent){{x->x[0][p], x->x[1][p], x->x[2][p]}, x->size[p] * off};
    const tracked point = sum_of(shape, jet, 0, p);
    tracked d = sum_of(shape, jet, k, p);
    for (uint32_t c = 0; c < 3 && c < dim; c++)
        near[c] = jet->near[c][p];
    /* control points were rounded where they were given, relative to the origin */
    d.size += given_size(d.weight, REAL_MAX, point.w, largest3(near));
    tangent made = quotient(&d, &point);
    made.error *= off;
    return made;
}

double clspi_tangent_error(const clspi_point_shape *shape, const clspi_point_jet *jet, unsigned k,
                           size_t point)
{
    return derivative_of(shape, jet, k, point, 1).error;
}

void clspi_edge_normal(const clspi_point_shape *shape, const clspi_point_jet *jet, size_t point,
                       const double inward[2], double eps, double normal[3])
{
    const double off = eps / REAL_EPS; /* errors are relative to this file's eps */
    const tangents of = {
        derivative_of(shape, jet, U, point, off), derivative_of(shape, jet, V, point, off),
        derivative_of(shape, jet, UU, point, off), derivative_of(shape, jet, UV, point, off),
        derivative_of(shape, jet, VV, point, off)};

    edge_normal(normal, &of, inward);
}
