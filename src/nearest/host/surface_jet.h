/* Points of a piece with their first and second derivatives. */
#ifndef CLSPI_SURFACE_JET_H
#define CLSPI_SURFACE_JET_H

#include <string.h>

#include "surface_parts.h"
#include "surface_step.h"

enum { JET_X, JET_U, JET_V, JET_UU, JET_UV, JET_VV, JETS };

enum {
    LANES = CLSPI_SURFACE_LANES,
    LANES_MAX = 2 * LANES,
    ORDER_MAX = CLSPI_SURFACE_ORDER_MAX,
    LINE_ORDER_MAX = CLSPI_LINE_ORDER_MAX
};

typedef struct jet {
    union {
        double d[JETS][LANES_MAX];
        struct {
            double x[LANES_MAX], u[LANES_MAX], v[LANES_MAX];
            double uu[LANES_MAX], uv[LANES_MAX], vv[LANES_MAX];
        };
    };
    double weight, weight_u, weight_v; /* 1 and 0 of those that are not rational */
} jet;

typedef double vector[LANES];

CLSPI_INLINE double length_of(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

#define UNROLL_SUM
#define BLEND(at, x, y) ((at).s * (x) + (at).t * (y))
#include "bernstein_basis.clh"
#include "span_of.clh"
#include "surface_side.clh"

/* Computes Bernstein polynomials of degree n and their first two derivatives. */
CLSPI_INLINE void bases_of(double b[3][LINE_ORDER_MAX], uint32_t n, place at)
{
    double a[LINE_ORDER_MAX];

    basis_of(a, b[1], b[2], (int)n, at);
    for (uint32_t i = 0; i <= n; i++)
        b[0][i] = a[i];
}

/* Sums control points; degrees and lanes are constants where they can be. */
CLSPI_INLINE void sum_controls(jet *j, const double *controls, uint32_t p, uint32_t q,
                               uint32_t lanes, const place at[2])
{
    double bu[3][LINE_ORDER_MAX], bv[3][LINE_ORDER_MAX], r[3][ORDER_MAX * LANES_MAX];
    const uint32_t columns = (q + 1) * lanes;

    bases_of(bu, p, at[0]);
    bases_of(bv, q, at[1]);
    for (uint32_t c = 0; c < columns; c++)
        r[0][c] = r[1][c] = r[2][c] = 0;
    for (uint32_t i = 0; i <= p; i++)
        for (uint32_t c = 0; c < columns; c++) {
            const double x = controls[i * columns + c];
            r[0][c] += bu[0][i] * x;
            r[1][c] += bu[1][i] * x;
            r[2][c] += bu[2][i] * x;
        }
    double d[JETS][LANES_MAX] = {{0}};
    for (uint32_t i = 0; i <= q; i++)
        for (uint32_t l = 0; l < lanes; l++) {
            const double a = r[0][i * lanes + l], b = r[1][i * lanes + l];
            d[JET_X][l] += bv[0][i] * a;
            d[JET_V][l] += bv[1][i] * a;
            d[JET_VV][l] += bv[2][i] * a;
            d[JET_U][l] += bv[0][i] * b;
            d[JET_UV][l] += bv[1][i] * b;
            d[JET_UU][l] += bv[0][i] * r[2][i * lanes + l];
        }
    for (int k = 0; k < JETS; k++)
        for (uint32_t l = 0; l < lanes; l++)
            j->d[k][l] = d[k][l];
}

/* sum_controls of curves. */
CLSPI_INLINE void sum_line(jet *j, const double *controls, uint32_t p, uint32_t lanes,
                           const place at[2])
{
    double b[3][LINE_ORDER_MAX];

    bases_of(b, p, at[0]);
    memset(j->d, 0, sizeof j->d);
    for (uint32_t i = 0; i <= p; i++)
        for (uint32_t l = 0; l < lanes; l++) {
            const double x = controls[i * lanes + l];
            j->d[JET_X][l] += b[0][i] * x;
            j->d[JET_U][l] += b[1][i] * x;
            j->d[JET_UU][l] += b[2][i] * x;
        }
}

/* Computes cubic Bernstein polynomials and their first two derivatives. */
CLSPI_INLINE void cubics_of(double b[3][4], place at)
{
    const double s = at.s, t = at.t, ss = 3 * s * s, tt = 3 * t * t, st = 6 * s * t;

    b[0][0] = s * s * s;
    b[0][1] = ss * t;
    b[0][2] = tt * s;
    b[0][3] = t * t * t;
    b[1][0] = -ss;
    b[1][1] = ss - st;
    b[1][2] = st - tt;
    b[1][3] = tt;
    b[2][0] = 6 * s;
    b[2][1] = 6 * t - 12 * s;
    b[2][2] = 6 * s - 12 * t;
    b[2][3] = 6 * t;
}

CLSPI_INLINE double sum4(const double *b, double x0, double x1, double x2, double x3)
{
    return (b[0] * x0 + b[1] * x1) + (b[2] * x2 + b[3] * x3);
}

/* sum_controls of bicubic pieces, by loops that are vectors. */
CLSPI_INLINE void sum_bicubic(jet *j, const double *controls, const place at[2])
{
    enum { ROW = 4 * LANES };
    double bu[3][4], bv[3][4], r[3][ROW];

    cubics_of(bu, at[0]);
    cubics_of(bv, at[1]);
    for (int c = 0; c < ROW; c++) {
        const double x0 = controls[c], x1 = controls[ROW + c];
        const double x2 = controls[2 * ROW + c], x3 = controls[3 * ROW + c];
        r[0][c] = sum4(bu[0], x0, x1, x2, x3);
        r[1][c] = sum4(bu[1], x0, x1, x2, x3);
        r[2][c] = sum4(bu[2], x0, x1, x2, x3);
    }
    for (int l = 0; l < LANES; l++) {
        const double *const x = r[0] + l, *const u = r[1] + l, *const uu = r[2] + l;
        j->d[JET_X][l] = sum4(bv[0], x[0], x[LANES], x[2 * LANES], x[3 * LANES]);
        j->d[JET_V][l] = sum4(bv[1], x[0], x[LANES], x[2 * LANES], x[3 * LANES]);
        j->d[JET_VV][l] = sum4(bv[2], x[0], x[LANES], x[2 * LANES], x[3 * LANES]);
        j->d[JET_U][l] = sum4(bv[0], u[0], u[LANES], u[2 * LANES], u[3 * LANES]);
        j->d[JET_UV][l] = sum4(bv[1], u[0], u[LANES], u[2 * LANES], u[3 * LANES]);
        j->d[JET_UU][l] = sum4(bv[0], uu[0], uu[LANES], uu[2 * LANES], uu[3 * LANES]);
    }
}

/* Divides by the weight. */
CLSPI_INLINE void divide_jet(jet *j, uint32_t dim)
{
    const double w = 1 / j->d[JET_X][dim];
    double by[JETS];

    j->weight = j->x[dim];
    j->weight_u = j->u[dim];
    j->weight_v = j->v[dim];
    for (int k = 1; k < JETS; k++)
        by[k] = j->d[k][dim] * w;
    for (uint32_t l = 0; l < LANES; l++) {
        const double x = l < dim ? j->d[JET_X][l] * w : 0;
        const double u = l < dim ? j->d[JET_U][l] * w - by[JET_U] * x : 0;
        const double v = l < dim ? j->d[JET_V][l] * w - by[JET_V] * x : 0;
        const double uu = j->d[JET_UU][l] * w - 2 * by[JET_U] * u - by[JET_UU] * x;
        const double uv = j->d[JET_UV][l] * w - by[JET_U] * v - by[JET_V] * u - by[JET_UV] * x;
        const double vv = j->d[JET_VV][l] * w - 2 * by[JET_V] * v - by[JET_VV] * x;
        j->d[JET_X][l] = x;
        j->d[JET_U][l] = u;
        j->d[JET_V][l] = v;
        j->d[JET_UU][l] = l < dim ? uu : 0;
        j->d[JET_UV][l] = l < dim ? uv : 0;
        j->d[JET_VV][l] = l < dim ? vv : 0;
    }
}

/* Evaluates a piece, or a part of one, without its origin. */
CLSPI_INLINE void evaluate_piece(jet *j, const clspi_surface_shape *shape, const double *controls,
                                 const place at[2])
{
    const uint32_t p = shape->degree[0], q = shape->degree[1];

    j->weight = 1;
    j->weight_u = j->weight_v = 0;
    if (p == 3 && q == 3 && shape->lanes == LANES)
        sum_bicubic(j, controls, at);
    else if (p == 2 && q == 2 && shape->lanes == LANES)
        sum_controls(j, controls, 2, 2, LANES, at);
    else if (q == 0)
        sum_line(j, controls, p, shape->lanes, at);
    else if (shape->lanes == LANES)
        sum_controls(j, controls, p, q, LANES, at);
    else
        sum_controls(j, controls, p, q, LANES_MAX, at);
    if (shape->rational) divide_jet(j, shape->dim);
}

#endif
