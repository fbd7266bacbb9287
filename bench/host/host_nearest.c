#include "host_nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEGREE_MAX = 15, STEPS = 10 };

/* ---- surfaces ---- */

/* A point and its derivatives: S, S_u, S_v, S_uu, S_uv, S_vv. */
typedef struct jet {
    double at[6][3];
} jet;

static double knot(const host_nearest_surfaces *s, int i)
{
    const int spans = (int)(s->controls - s->degree), k = i - (int)s->degree;

    return k <= 0 ? 0 : k >= spans ? 1 : (double)k / spans;
}

/* Computes the B-splines that are not 0 at t, with two derivatives. Returns the first one. */
static unsigned basis(const host_nearest_surfaces *s, double t, double value[3][DEGREE_MAX + 1])
{
    const int p = (int)s->degree, spans = (int)(s->controls - s->degree);
    const int in = t >= 1 ? spans - 1 : (int)(t * spans), span = in + p;
    double table[DEGREE_MAX + 1][DEGREE_MAX + 2] = {{0}}; /* of degree d, from span - d on */
    double slope[2][DEGREE_MAX + 2] = {{0}};

    table[0][0] = 1;
    for (int d = 1; d <= p; d++)
        for (int j = 0; j <= d; j++) {
            const int i = span - d + j;
            const double left = knot(s, i + d) - knot(s, i);
            const double right = knot(s, i + d + 1) - knot(s, i + 1);
            double sum = 0;
            if (j > 0) sum += (t - knot(s, i)) / left * table[d - 1][j - 1];
            if (j < d) sum += (knot(s, i + d + 1) - t) / right * table[d - 1][j];
            table[d][j] = sum;
        }
    for (int k = 1; k <= 2; k++) { /* of degree p - 1 first, then of p, from differences */
        const int d = p - 2 + k;
        for (int j = 0; j <= d && d > 0; j++) {
            const int i = span - d + j;
            const double left = knot(s, i + d) - knot(s, i);
            const double right = knot(s, i + d + 1) - knot(s, i + 1);
            slope[k - 1][j] = d * ((j > 0 ? table[d - 1][j - 1] / left : 0) -
                                   (j < d ? table[d - 1][j] / right : 0));
        }
    }
    for (int j = 0; j <= p; j++) {
        const int i = span - p + j;
        const double left = knot(s, i + p) - knot(s, i);
        const double right = knot(s, i + p + 1) - knot(s, i + 1);
        value[0][j] = table[p][j];
        value[1][j] = slope[1][j];
        value[2][j] = p * ((j > 0 && p > 1 ? slope[0][j - 1] / left : 0) -
                           (j < p && p > 1 ? slope[0][j] / right : 0));
    }
    return (unsigned)in;
}

static void evaluate(const host_nearest_surfaces *s, size_t surface, const double t[2], jet *to)
{
    static const int by[6][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
    const unsigned coords = 3 + s->rational;
    const double *const points = s->points + surface * s->controls * s->controls * coords;
    double u[3][DEGREE_MAX + 1], v[3][DEGREE_MAX + 1], sum[6][4] = {{0}};
    const unsigned first_u = basis(s, t[0], u), first_v = basis(s, t[1], v);

    for (unsigned i = 0; i <= s->degree; i++)
        for (unsigned j = 0; j <= s->degree; j++) {
            const double *const p =
                points + ((size_t)(first_u + i) * s->controls + first_v + j) * coords;
            for (int d = 0; d < 6; d++)
                for (unsigned k = 0; k < coords; k++)
                    sum[d][k] += u[by[d][0]][i] * v[by[d][1]][j] * p[k];
        }
    for (int d = 0; d < 6; d++)
        for (int k = 0; k < 3; k++)
            to->at[d][k] = sum[d][k];
    if (!s->rational) return;
    for (int k = 0; k < 3; k++) { /* the quotient rule */
        double *const x[6] = {&to->at[0][k], &to->at[1][k], &to->at[2][k],
                              &to->at[3][k], &to->at[4][k], &to->at[5][k]};
        const double w = sum[0][3];
        *x[0] /= w;
        *x[1] = (*x[1] - sum[1][3] * *x[0]) / w;
        *x[2] = (*x[2] - sum[2][3] * *x[0]) / w;
        *x[3] = (*x[3] - 2 * sum[1][3] * *x[1] - sum[3][3] * *x[0]) / w;
        *x[4] = (*x[4] - sum[1][3] * *x[2] - sum[2][3] * *x[1] - sum[4][3] * *x[0]) / w;
        *x[5] = (*x[5] - 2 * sum[2][3] * *x[2] - sum[5][3] * *x[0]) / w;
    }
}

/* ---- samples ---- */

typedef struct sample {
    double at[3], t[2];
    size_t surface;
} sample;

/* Puts the median along an axis in the middle, and what is below before it. */
static void divide(sample *all, size_t num, int axis)
{
    size_t low = 0, high = num - 1;
    const size_t middle = num / 2;

    while (low < high) {
        const double pivot = all[(low + high) / 2].at[axis];
        size_t i = low, j = high;
        while (i <= j) {
            while (all[i].at[axis] < pivot)
                i++;
            while (all[j].at[axis] > pivot)
                j--;
            if (i > j) break;
            const sample swap = all[i];
            all[i++] = all[j];
            all[j] = swap;
            if (j == 0) break;
            j--;
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static void make_tree(sample *all, size_t num, int axis)
{
    if (num < 2) return;
    divide(all, num, axis);
    make_tree(all, num / 2, (axis + 1) % 3);
    make_tree(all + num / 2 + 1, num - num / 2 - 1, (axis + 1) % 3);
}

static void find_sample(const sample *all, size_t num, int axis, const double q[3],
                        const sample **best, double *least)
{
    while (num > 0) {
        const sample *const here = &all[num / 2];
        const double off = q[axis] - here->at[axis];
        double square = 0;
        for (int k = 0; k < 3; k++)
            square += (q[k] - here->at[k]) * (q[k] - here->at[k]);
        if (square < *least) {
            *least = square;
            *best = here;
        }
        const sample *const other = off < 0 ? here + 1 : all;
        const size_t num_other = off < 0 ? num - num / 2 - 1 : num / 2;
        const sample *const side = off < 0 ? all : here + 1;
        const size_t num_side = num - 1 - num_other;
        axis = (axis + 1) % 3;
        find_sample(side, num_side, axis, q, best, least);
        if (off * off >= *least) return;
        all = other;
        num = num_other;
    }
}

/* ---- Newton's method ---- */

static double dot(const double *x, const double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* Returns the distance where steps from a sample come to rest, or the sample's if that is less. */
static double refine(const host_nearest_surfaces *s, const sample *from, const double q[3],
                     double square)
{
    double t[2] = {from->t[0], from->t[1]};

    for (int step = 0; step < STEPS; step++) {
        double e[3];
        jet at;
        evaluate(s, from->surface, t, &at);
        for (int k = 0; k < 3; k++)
            e[k] = at.at[0][k] - q[k];
        square = fmin(square, dot(e, e));
        double a = dot(at.at[1], at.at[1]), b = dot(at.at[1], at.at[2]);
        double c = dot(at.at[2], at.at[2]);
        const double whole_a = a + dot(e, at.at[3]), whole_b = b + dot(e, at.at[4]);
        const double whole_c = c + dot(e, at.at[5]);
        if (whole_a > 0 && whole_a * whole_c > whole_b * whole_b) {
            a = whole_a;
            b = whole_b;
            c = whole_c;
        }
        const double det = a * c - b * b, g = dot(e, at.at[1]), h = dot(e, at.at[2]);
        if (!(det > 0)) break;
        const double u = fmin(fmax(t[0] - (c * g - b * h) / det, 0), 1);
        const double v = fmin(fmax(t[1] - (a * h - b * g) / det, 0), 1);
        if (fabs(u - t[0]) + fabs(v - t[1]) < 1e-14) break;
        t[0] = u;
        t[1] = v;
    }
    return sqrt(square);
}

int host_nearest_find(const host_nearest_surfaces *s, size_t samples, const double *queries,
                      size_t num, double *distances, double *build)
{
    const clock_t start = clock();
    const size_t least = 2 * (s->controls - s->degree);
    const size_t side = (size_t)fmax(sqrt((double)samples / (double)s->num), (double)least) + 1;
    const size_t each = side * side;
    sample *const all = malloc(s->num * each * sizeof *all);

    if (!all) return 0;
    for (size_t i = 0; i < s->num * each; i++) {
        jet at;
        all[i].surface = i / each;
        all[i].t[0] = (double)(i % each / side) / (double)(side - 1);
        all[i].t[1] = (double)(i % side) / (double)(side - 1);
        evaluate(s, all[i].surface, all[i].t, &at);
        memcpy(all[i].at, at.at[0], sizeof all[i].at);
    }
    make_tree(all, s->num * each, 0);
    *build = (double)(clock() - start) / CLOCKS_PER_SEC;
    for (size_t i = 0; i < num; i++) {
        double square = INFINITY;
        const sample *best = all;
        find_sample(all, s->num * each, 0, queries + 3 * i, &best, &square);
        distances[i] = refine(s, best, queries + 3 * i, square);
    }
    free(all);
    return 1;
}
