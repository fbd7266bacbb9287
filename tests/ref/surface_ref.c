#include "surface_ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEGREE = 16, COORDS = 5, NEWTON = 40, BACK = 12 };

/* A Bezier piece: control points [p + 1][q + 1][COORDS], homogeneous, the weight last. */
typedef struct piece {
    long double begin[2], end[2]; /* parameters */
    long double centre[4], radius;
    long double *controls;
} piece;

struct ref_surface {
    unsigned degree[2], dim;
    size_t num_pieces;
    piece *pieces;
    long double *controls;
};

/* A point and its derivatives: x, u, v, uu, uv, vv. */
typedef struct jet {
    long double d[6][COORDS];
} jet;

/* ---- pieces ---- */

/* Weights of the control points of a span in its Bezier point number `ends`. */
static void bezier_weights(const double *knots, unsigned degree, unsigned span, unsigned ends,
                           long double *weights)
{
    double arguments[DEGREE];

    for (unsigned i = 0; i < degree; i++)
        arguments[i] = i < ends ? knots[span + 1] : knots[span];
    ref_bspline_blossom(knots, degree, span, arguments, weights);
}

static void make_controls(const ref_bspline *s, const unsigned span[2], piece *p)
{
    const unsigned coords = s->dim + (s->rational ? 1 : 0), m = s->degree[0], n = s->degree[1];

    for (unsigned i = 0; i <= m; i++)
        for (unsigned j = 0; j <= n; j++) {
            long double u[DEGREE + 1],
                v[DEGREE + 1], *const to = p->controls + (i * (n + 1) + j) * COORDS;
            bezier_weights(s->knots[0], m, span[0], i, u);
            bezier_weights(s->knots[1], n, span[1], j, v);
            memset(to, 0, COORDS * sizeof *to);
            if (!s->rational) to[COORDS - 1] = 1.0L;
            for (unsigned k = 0; k <= m; k++)
                for (unsigned l = 0; l <= n; l++) {
                    const size_t at =
                        (size_t)(span[0] - m + k) * s->controls[1] + (span[1] - n + l);
                    for (unsigned c = 0; c < coords; c++)
                        to[c < s->dim ? c : COORDS - 1] += u[k] * v[l] * s->points[at * coords + c];
                }
        }
}

static void enclose(piece *p, size_t num)
{
    for (unsigned c = 0; c < 4; c++) {
        long double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < num; i++) {
            const long double x = p->controls[i * COORDS + c] / p->controls[i * COORDS + 4];
            low = fminl(low, x);
            high = fmaxl(high, x);
        }
        p->centre[c] = (low + high) / 2;
    }
    for (size_t i = 0; i < num; i++) {
        long double square = 0;
        for (unsigned c = 0; c < 4; c++) {
            const long double x =
                p->controls[i * COORDS + c] / p->controls[i * COORDS + 4] - p->centre[c];
            square += x * x;
        }
        p->radius = fmaxl(p->radius, sqrtl(square));
    }
}

ref_surface *ref_surface_make(const ref_bspline *s)
{
    ref_surface *const r = calloc(1, sizeof *r);
    const size_t most = (size_t)(s->controls[0] - s->degree[0]) * (s->controls[1] - s->degree[1]);
    const size_t num = (size_t)(s->degree[0] + 1) * (s->degree[1] + 1);
    unsigned span[2];

    if (!r) return NULL;
    r->degree[0] = s->degree[0];
    r->degree[1] = s->degree[1];
    r->dim = s->dim;
    r->pieces = calloc(most, sizeof *r->pieces);
    r->controls = calloc(most * num * COORDS, sizeof *r->controls);
    if (!r->pieces || !r->controls) {
        ref_surface_free(r);
        return NULL;
    }
    for (span[0] = s->degree[0]; span[0] < s->controls[0]; span[0]++)
        for (span[1] = s->degree[1]; span[1] < s->controls[1]; span[1]++) {
            piece *const p = &r->pieces[r->num_pieces];
            int is_empty = 0;
            for (int k = 0; k < 2; k++) {
                p->begin[k] = s->knots[k][span[k]];
                p->end[k] = s->knots[k][span[k] + 1];
                is_empty |= !(p->begin[k] < p->end[k]);
            }
            if (is_empty) continue;
            p->controls = r->controls + r->num_pieces++ * num * COORDS;
            make_controls(s, span, p);
            enclose(p, num);
        }
    return r;
}

void ref_surface_free(ref_surface *surface)
{
    if (!surface) return;
    free(surface->pieces);
    free(surface->controls);
    free(surface);
}

/* ---- points ---- */

/* Bernstein polynomials and their derivatives, by the powers of t and 1 - t. */
static void bernstein(unsigned n, long double t, long double s, long double b[3][DEGREE + 1])
{
    long double value[3][DEGREE + 1] = {{0}}; /* of degree n, n - 1, n - 2 */
    long double t_to[DEGREE + 1] = {1.0L}, s_to[DEGREE + 1] = {1.0L};

    for (unsigned i = 1; i <= n; i++) {
        t_to[i] = t * t_to[i - 1];
        s_to[i] = s * s_to[i - 1];
    }
    for (unsigned by = 0; by < 3 && by <= n; by++) {
        long double c = 1.0L;
        for (unsigned i = 0; i <= n - by; i++) {
            value[by][i] = c * t_to[i] * s_to[n - by - i];
            c = c * (n - by - i) / (i + 1);
        }
    }
    for (unsigned i = 0; i <= n; i++) {
        const long double *const x = value[1], *const y = value[2];
        b[0][i] = value[0][i];
        b[1][i] = n * ((i > 0 ? x[i - 1] : 0) - (i < n ? x[i] : 0));
        b[2][i] = n < 2 ? 0
                        : (long double)n * (n - 1) *
                              ((i > 1 ? y[i - 2] : 0) - 2 * (i > 0 && i < n ? y[i - 1] : 0) +
                               (i + 2 <= n ? y[i] : 0));
    }
}

/* Evaluates a piece at its own parameters, t and 1 - t each. */
static void evaluate(const ref_surface *r, const piece *p, const long double t[2],
                     const long double s[2], jet *j)
{
    static const unsigned by[6][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
    const unsigned m = r->degree[0], n = r->degree[1];
    long double bu[3][DEGREE + 1], bv[3][DEGREE + 1];
    long double(*const d)[COORDS] = j->d;

    bernstein(m, t[0], s[0], bu);
    bernstein(n, t[1], s[1], bv);
    memset(j, 0, sizeof *j);
    for (unsigned i = 0; i <= m; i++)
        for (unsigned k = 0; k <= n; k++)
            for (unsigned o = 0; o < 6; o++) {
                const long double f = bu[by[o][0]][i] * bv[by[o][1]][k];
                for (unsigned c = 0; c < COORDS; c++)
                    d[o][c] += f * p->controls[(i * (n + 1) + k) * COORDS + c];
            }
    const long double w = d[0][4];
    for (unsigned c = 0; c < 4; c++) {
        d[0][c] /= w;
        d[1][c] = (d[1][c] - d[1][4] * d[0][c]) / w;
        d[2][c] = (d[2][c] - d[2][4] * d[0][c]) / w;
        d[3][c] = (d[3][c] - 2 * d[1][4] * d[1][c] - d[3][4] * d[0][c]) / w;
        d[4][c] = (d[4][c] - d[1][4] * d[2][c] - d[2][4] * d[1][c] - d[4][4] * d[0][c]) / w;
        d[5][c] = (d[5][c] - 2 * d[2][4] * d[2][c] - d[5][4] * d[0][c]) / w;
    }
}

/* ---- the nearest point ---- */

static long double dot(const long double *x, const long double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3];
}

/* Finds the step of Newton's method in the unit square: sides that hold it back are left out. */
static void find_step(const jet *j, const long double *e, const long double *t, long double *step)
{
    long double g[2], h[3] = {dot(j->d[1], j->d[1]), dot(j->d[1], j->d[2]), dot(j->d[2], j->d[2])};
    int is_free[2];

    for (int k = 0; k < 2; k++) {
        g[k] = dot(j->d[1 + k], e);
        is_free[k] = !(t[k] <= 0 && g[k] >= 0) && !(t[k] >= 1 && g[k] <= 0);
        step[k] = 0;
    }
    const long double full[3] = {h[0] + dot(j->d[3], e), h[1] + dot(j->d[4], e),
                                 h[2] + dot(j->d[5], e)};
    const int both = is_free[0] && is_free[1];
    if (full[0] > 0 && full[2] > 0 && (!both || full[0] * full[2] > full[1] * full[1]))
        memcpy(h, full, sizeof h);
    const long double det = h[0] * h[2] - h[1] * h[1];
    if (both && det > 1e-15L * h[0] * h[2]) {
        step[0] = -(h[2] * g[0] - h[1] * g[1]) / det;
        step[1] = -(h[0] * g[1] - h[1] * g[0]) / det;
        return;
    }
    for (int k = 0; k < 2; k++)
        if (is_free[k] && h[2 * k] > 0) step[k] = -g[k] / h[2 * k] / (both ? 2 : 1);
}

/* Goes down from a place, and takes what is found. */
static void descend(const ref_surface *r, const piece *p, const long double *q, long double *t,
                    ref_foot *foot)
{
    long double best = INFINITY, step[2] = {0, 0}, e[4], from[2] = {t[0], t[1]};
    int back = 0;

    for (int n = 0; n < NEWTON; n++) {
        jet j;
        const long double s[2] = {1 - t[0], 1 - t[1]};
        evaluate(r, p, t, s, &j);
        for (unsigned c = 0; c < 4; c++)
            e[c] = j.d[0][c] - q[c];
        const long double square = dot(e, e);
        if (square < best) {
            best = square;
            back = 0;
            if (sqrtl(square) < foot->distance) {
                foot->distance = sqrtl(square);
                foot->u = p->begin[0] + t[0] * (p->end[0] - p->begin[0]);
                foot->v = p->begin[1] + t[1] * (p->end[1] - p->begin[1]);
                memcpy(foot->point, j.d[0], sizeof foot->point);
            }
            memcpy(from, t, sizeof from);
            find_step(&j, e, t, step);
        } else if (++back > BACK) {
            return;
        } else {
            step[0] /= 2;
            step[1] /= 2;
        }
        for (int k = 0; k < 2; k++)
            t[k] = fminl(fmaxl(from[k] + step[k], 0), 1);
        if (t[0] == from[0] && t[1] == from[1]) return;
    }
}

void ref_surface_nearest(const ref_surface *r, const double *query, unsigned starts, ref_foot *foot)
{
    long double q[4];

    for (unsigned c = 0; c < 4; c++)
        q[c] = c < r->dim ? query[c] : 0;
    for (int round = 0; round < 2; round++) /* first a point of each, which leaves fewer */
        for (size_t i = 0; i < r->num_pieces; i++) {
            const piece *const p = &r->pieces[i];
            const unsigned num = round == 0 ? 1 : starts;
            long double to[4];
            for (unsigned c = 0; c < 4; c++)
                to[c] = p->centre[c] - q[c];
            if (sqrtl(dot(to, to)) - p->radius > foot->distance) continue;
            for (unsigned k = 0; k < num * num; k++) {
                long double t[2] = {0.5L, 0.5L};
                if (num > 1) {
                    t[0] = (long double)(k / num) / (num - 1);
                    t[1] = (long double)(k % num) / (num - 1);
                }
                descend(r, p, q, t, foot);
            }
        }
}

void ref_surface_point(const ref_surface *r, long double u, long double v, long double *point,
                       long double *normal)
{
    const long double at[2] = {u, v};
    const piece *p = r->pieces;
    long double t[2], s[2];
    jet j;

    for (size_t i = 0; i < r->num_pieces; i++) {
        const piece *const x = &r->pieces[i];
        if (x->begin[0] <= u && x->begin[1] <= v) p = x;
        if (x->begin[0] <= u && u <= x->end[0] && x->begin[1] <= v && v <= x->end[1]) break;
    }
    for (int k = 0; k < 2; k++) {
        t[k] = fminl(fmaxl((at[k] - p->begin[k]) / (p->end[k] - p->begin[k]), 0), 1);
        s[k] = fminl(fmaxl((p->end[k] - at[k]) / (p->end[k] - p->begin[k]), 0), 1);
    }
    evaluate(r, p, t, s, &j);
    memcpy(point, j.d[0], 4 * sizeof *point);
    if (!normal) return;
    const long double *const a = j.d[1], *const b = j.d[2];
    normal[0] = a[1] * b[2] - a[2] * b[1];
    normal[1] = a[2] * b[0] - a[0] * b[2];
    normal[2] = a[0] * b[1] - a[1] * b[0];
    normal[3] = 0;
    const long double length = sqrtl(dot(normal, normal));
    for (unsigned c = 0; c < 3; c++)
        normal[c] = length > 0 ? normal[c] / length : 0;
}
