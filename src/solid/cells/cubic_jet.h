/* Points of tricubics, and what is solved with their derivatives. */
#ifndef CLSPI_CUBIC_JET_H
#define CLSPI_CUBIC_JET_H

#include <math.h>

#include "cell_cubic.h"
#include "level.h"

enum { LANES = CLSPI_HULL_LANES };

CLSPI_INLINE double less_of(double x, double y)
{
    return x < y ? x : y;
}

CLSPI_INLINE double more_of(double x, double y)
{
    return x > y ? x : y;
}

/* Computes cubic Bernstein polynomials and their derivatives. */
CLSPI_INLINE void cubics_at(double t, double value[4], double slope[4])
{
    const double s = 1 - t, ss = 3 * s * s, tt = 3 * t * t, st = 6 * s * t;

    value[0] = s * s * s;
    value[1] = ss * t;
    value[2] = tt * s;
    value[3] = t * t * t;
    slope[0] = -ss;
    slope[1] = ss - st;
    slope[2] = st - tt;
    slope[3] = tt;
}

/* Sums four rows of so many numbers by weights. */
CLSPI_INLINE void sum_rows(const double *rows, uint32_t num, const double weight[4], double *sum)
{
    for (uint32_t i = 0; i < num; i++)
        sum[i] = (weight[0] * rows[i] + weight[1] * rows[num + i]) +
                 (weight[2] * rows[2 * num + i] + weight[3] * rows[3 * num + i]);
}

/* Sums 4 x 4 x 4 points by weights along each axis, and by those of derivatives. */
CLSPI_INLINE void sum_cubic(const double *points, double value[3][4], double slope[3][4],
                            clspi_cubic_jet *jet)
{
    enum { PLANE = 16 * LANES, LINE = 4 * LANES };
    double plane[2][PLANE], line[3][LINE];

    sum_rows(points, PLANE, value[0], plane[0]);
    sum_rows(points, PLANE, slope[0], plane[1]);
    sum_rows(plane[0], LINE, value[1], line[0]);
    sum_rows(plane[1], LINE, value[1], line[1]);
    sum_rows(plane[0], LINE, slope[1], line[2]);
    sum_rows(line[0], LANES, value[2], jet->value);
    sum_rows(line[1], LANES, value[2], jet->slope[0]);
    sum_rows(line[2], LANES, value[2], jet->slope[1]);
    sum_rows(line[0], LANES, slope[2], jet->slope[2]);
}

/* Computes a tricubic's point and its derivatives. */
CLSPI_INLINE void cubic_at(const double *points, const double t[3], clspi_cubic_jet *jet)
{
    double value[3][4], slope[3][4];

    for (uint32_t a = 0; a < 3; a++)
        cubics_at(t[a], value[a], slope[a]);
    sum_cubic(points, value, slope, jet);
}

CLSPI_INLINE void cross(const double *x, const double *y, double *to)
{
    to[0] = x[1] * y[2] - x[2] * y[1];
    to[1] = x[2] * y[0] - x[0] * y[2];
    to[2] = x[0] * y[1] - x[1] * y[0];
}

/* Computes the inverse of a point's derivatives, by columns. False: it has none that is known to
   some digits. */
CLSPI_INLINE bool inverse_of(const clspi_cubic_jet *jet, double inverse[3][CLSPI_HULL_LANES])
{
    double row[3][3], size = 1;

    for (uint32_t a = 0; a < 3; a++) {
        cross(jet->slope[(a + 1) % 3], jet->slope[(a + 2) % 3], row[a]);
        size *= clspi_dot3(jet->slope[a], jet->slope[a]);
    }
    const double det = clspi_dot3(jet->slope[0], row[0]);
    if (!(det * det > 1e-18 * size)) return false;
    for (uint32_t a = 0; a < 3; a++) {
        for (uint32_t l = 0; l < 3; l++)
            inverse[l][a] = row[a][l] * (1 / det);
    }
    for (uint32_t l = 0; l < 3; l++)
        inverse[l][3] = 0;
    return true;
}

#endif
