#include "surface_coefficients.h"

#include <string.h>

/* ---- control points of a part ---- */

/* Computes Bernstein polynomials of all degrees to n at t, s = 1 - t: b[m][k]. */
CLSPI_INLINE void all_bases(double b[ORDER_MAX][ORDER_MAX], uint32_t n, double t, double s)
{
    b[0][0] = 1;
    for (uint32_t m = 1; m <= n; m++) {
        b[m][0] = s * b[m - 1][0];
        for (uint32_t k = 1; k < m; k++)
            b[m][k] = s * b[m - 1][k] + t * b[m - 1][k - 1];
        b[m][m] = t * b[m - 1][m - 1];
    }
}

/* Makes the matrix that turns control points into those of part `index` of 2^depth: row i is the
   product of the polynomials of degree n - i where it begins and of degree i where it ends. */
CLSPI_INLINE void part_matrix(double m[ORDER_MAX][ORDER_MAX], uint32_t n, uint64_t index,
                              uint32_t depth)
{
    const double parts = (double)((uint64_t)1 << depth), left = parts - (double)index;
    double begin[ORDER_MAX][ORDER_MAX], end[ORDER_MAX][ORDER_MAX];

    all_bases(begin, n, (double)index / parts, left / parts);
    all_bases(end, n, (double)(index + 1) / parts, (left - 1) / parts);
    for (uint32_t i = 0; i <= n; i++) {
        for (uint32_t k = 0; k <= n; k++)
            m[i][k] = 0;
        for (uint32_t x = 0; x <= n - i; x++)
            for (uint32_t y = 0; y <= i; y++)
                m[i][x + y] += begin[n - i][x] * end[i][y];
    }
}

/* Multiplies rows of control points, `blocks` times LANES reals each and `stride` apart, by a
   matrix. */
CLSPI_INLINE void multiply_rows(double m[ORDER_MAX][ORDER_MAX], uint32_t n, const double *x,
                                size_t stride, size_t blocks, double *to)
{
    for (size_t c = 0; c < blocks * LANES; c += LANES)
        for (uint32_t i = 0; i <= n; i++) {
            double sum[LANES] = {0};
            for (uint32_t k = 0; k <= n; k++)
                for (int l = 0; l < LANES; l++)
                    sum[l] += m[i][k] * x[k * stride + c + (size_t)l];
            for (int l = 0; l < LANES; l++)
                to[i * stride + c + (size_t)l] = sum[l];
        }
}

/* Makes the control points of a part: rows for u of those for v. Returns where they begin. p, q:
   degrees of the piece. */
CLSPI_INLINE const double *restrict_controls(const square_source *s, const square_part *part,
                                             uint32_t p, uint32_t q)
{
    const size_t lanes = s->shape->lanes, row = (q + 1) * lanes;
    const bool whole_u = part->side[0] >= 0 || part->depth[0] == 0;
    const bool whole_v = part->side[1] >= 0 || part->depth[1] == 0;
    const size_t first = part->side[0] > 0 ? p : 0, num = part->side[0] < 0 ? p + 1 : 1;
    const double *controls = s->controls;
    double m[ORDER_MAX][ORDER_MAX];

    if (!whole_u && p >= ORDER_MAX) { /* of a curve */
        memcpy(s->part, controls, s->shape->reals * sizeof *controls);
        for (size_t c = 0; c < lanes; c += LANES)
            clspi_restrict_line(s->part + c, p, row, part->index[0], part->depth[0]);
        controls = s->part;
    } else if (!whole_u) {
        part_matrix(m, p, part->index[0], part->depth[0]);
        multiply_rows(m, p, controls, row, row / LANES, s->part);
        controls = s->part;
    }
    controls += first * row;
    if (!whole_v) {
        part_matrix(m, q, part->index[1], part->depth[1]);
        for (size_t i = 0; i < num; i++) {
            double copy[ORDER_MAX * LANES_MAX];
            memcpy(copy, controls + i * row, row * sizeof *copy);
            multiply_rows(m, q, copy, lanes, lanes / LANES, s->part + i * row);
        }
        controls = s->part;
    }
    return part->side[1] > 0 ? controls + q * lanes : controls;
}

/* ---- products ---- */

/* Control points of a part relative to the query, with binomial coefficients before them and their
   weights behind: of up to three coordinates in the lane behind them, which products take along. */
typedef struct scaled_controls {
    double x[ORDER_MAX * ORDER_MAX * LANES]; /* [order_u][order_v][LANES] */
    double w[ORDER_MAX * ORDER_MAX];         /* of four coordinates */
    double size;                             /* the largest squared distance */
    double beyond; /* all are beyond a plane at right angles to a direction, so far away */
} scaled_controls;

CLSPI_INLINE void scale_controls(const square_source *s, const double *controls,
                                 const double *direction, const squares *of, scaled_controls *to)
{
    const uint32_t pu = (uint32_t)of->nu / 2, pv = (uint32_t)of->nv / 2;
    const bool rational = of->rational;
    const clspi_surface_shape *const shape = s->shape;
    const size_t row = (shape->degree[1] + 1) * (size_t)shape->lanes;
    double own[LANES];

    for (uint32_t l = 0; l < LANES; l++)
        own[l] = l < shape->dim ? 1 : 0;
    to->size = 0;
    to->beyond = (double)INFINITY;
    for (uint32_t i = 0; i <= pu; i++)
        for (uint32_t j = 0; j <= pv; j++) {
            const double *const from = controls + i * row + j * shape->lanes;
            const double w = rational ? from[shape->dim] : 1, over_w = rational ? 1 / w : 1;
            const double by =
                (pu > 0 ? s->shape->binomial[0][i] : 1) * (pv > 0 ? s->shape->binomial[1][j] : 1);
            const size_t at = i * (pv + 1) + j;
            double *const x = to->x + at * LANES;
            double e[LANES];
            for (uint32_t l = 0; l < LANES; l++)
                e[l] = own[l] * (from[l] - w * s->from[l]);
            to->size = most_of(to->size, dot_of(e, e) * over_w * over_w);
            to->beyond = least_of(to->beyond, dot_of(e, direction) * over_w);
            if (rational && shape->dim < LANES) e[LANES - 1] = w;
            for (uint32_t l = 0; l < LANES; l++)
                x[l] = by * e[l];
            if (rational) to->w[at] = w * by;
        }
}

/* Multiplies control points with themselves, lane by lane: sums of what belongs to a coefficient,
   but for what is divided by. */
CLSPI_INLINE void multiply_controls(const double *x, uint32_t pu, uint32_t pv, double *products)
{
    const uint32_t columns = 2 * pv + 1;

    for (uint32_t r = 0; r <= 2 * pu; r++) {
        double sum[(2 * ORDER_MAX - 1) * LANES];
        for (uint32_t c = 0; c < columns * LANES; c++)
            sum[c] = 0;
        for (uint32_t i = r > pu ? r - pu : 0; 2 * i <= r; i++) {
            const double by = 2 * i < r ? 2 : 1;
            const double *const b = x + (r - i) * (pv + 1) * LANES;
            for (uint32_t j = 0; j <= pv; j++) {
                const double *const a = x + (i * (pv + 1) + j) * LANES;
                double t[LANES];
                for (uint32_t l = 0; l < LANES; l++)
                    t[l] = by * a[l];
                for (uint32_t m = 0; m <= pv; m++)
                    for (uint32_t l = 0; l < LANES; l++)
                        sum[(j + m) * LANES + l] += t[l] * b[m * LANES + l];
            }
        }
        memcpy(products + r * columns * LANES, sum, columns * LANES * sizeof *sum);
    }
}

/* Multiplies weights with themselves in the same way. */
CLSPI_INLINE void multiply_weights(const double *x, uint32_t pu, uint32_t pv, double *products)
{
    const uint32_t columns = 2 * pv + 1;

    memset(products, 0, (2 * pu + 1) * (size_t)columns * sizeof *products);
    for (uint32_t i = 0; i <= pu; i++)
        for (uint32_t k = 0; k <= pu; k++)
            for (uint32_t j = 0; j <= pv; j++)
                for (uint32_t m = 0; m <= pv; m++)
                    products[(i + k) * columns + j + m] +=
                        x[i * (pv + 1) + j] * x[k * (pv + 1) + m];
}

/* Makes all coefficients of a part. */
CLSPI_INLINE void multiply_all(const square_source *s, const scaled_controls *from,
                               const squares *to)
{
    const uint32_t pu = (uint32_t)to->nu / 2, pv = (uint32_t)to->nv / 2;
    const bool rational = to->rational, in_lane = s->shape->dim < LANES;
    double *const a = to->a, *const w = to->w;

    multiply_controls(from->x, pu, pv, s->products);
    if (rational && !in_lane) multiply_weights(from->w, pu, pv, w);
    for (uint32_t i = 0; i <= 2 * pu; i++)
        for (uint32_t j = 0; j <= 2 * pv; j++) {
            const uint32_t at = i * (2 * pv + 1) + j;
            const double *const sum = s->products + at * LANES;
            const double by =
                (pu > 0 ? s->shape->over[0][i] : 1) * (pv > 0 ? s->shape->over[1][j] : 1);
            const double last = rational && in_lane ? 0 : sum[LANES - 1];
            if (rational) w[at] = by * (in_lane ? sum[LANES - 1] : w[at]);
            a[at] = by * ((sum[0] + sum[1]) + (sum[2] + last));
        }
}

/* p, q: degrees of the piece. */
CLSPI_INLINE bool make_coefficients(const square_source *s, square_part *part,
                                    const double *direction, uint32_t p, uint32_t q,
                                    const squares *to)
{
    scaled_controls x;

    scale_controls(s, restrict_controls(s, part, p, q), direction, to, &x);
    part->size = x.size;
    if (x.beyond > 0 && x.beyond * x.beyond >= s->near) return false;
    multiply_all(s, &x, to);
    return true;
}

bool clspi_square_coefficients(const square_source *source, square_part *part,
                               const double *direction, const squares *to)
{
    const uint32_t p = source->shape->degree[0], q = source->shape->degree[1];
    const double moved_by = 3 * 0x1p-52 * (p + q) * source->extent;
    const squares quadric = {to->a, to->w, 4, 4, true}, bicubic = {to->a, to->w, 6, 6, false};
    const bool is_open = to->nu == 6 && to->nv == 6 && !to->rational
                             ? make_coefficients(source, part, direction, 3, 3, &bicubic)
                         : to->nu == 4 && to->nv == 4 && to->rational
                             ? make_coefficients(source, part, direction, 2, 2, &quadric)
                             : make_coefficients(source, part, direction, p, q, to);

    part->made = part->depth[0] + part->depth[1];
    part->of_weight = 0x1p-52 * (12 + p + q + HALVINGS * (p > q ? p : q));
    part->error =
        part->of_weight * part->size + 2 * sqrt(part->size) * moved_by + moved_by * moved_by;
    return is_open;
}
