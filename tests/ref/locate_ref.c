#include "locate_ref.h"

#include <math.h>
#include <string.h>

enum { MOST = 64, STEPS = 40 };

typedef struct start {
    size_t sample;
    double square;
} start;

/* Finds the samples that are nearest to a point, the nearest first. */
static size_t find_starts(const double *samples, size_t num, const double point[3], size_t most,
                          start near[MOST])
{
    size_t found = 0;

    for (size_t i = 0; i < num; i++) {
        double square = 0.0;
        for (size_t l = 0; l < 3; l++)
            square += (samples[3 * i + l] - point[l]) * (samples[3 * i + l] - point[l]);
        size_t at = found < most ? found++ : most - 1;
        if (at == most - 1 && found == most && i >= most && !(square < near[at].square)) continue;
        for (; at > 0 && near[at - 1].square > square; at--)
            near[at] = near[at - 1];
        near[at] = (start){i, square};
    }
    return found;
}

static long double dot(const long double *x, const long double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* Solves three equations by elimination with pivots. */
static void solve(long double m[3][4], long double x[3])
{
    for (int k = 0; k < 3; k++) {
        int pivot = k;
        for (int i = k + 1; i < 3; i++)
            if (fabsl(m[i][k]) > fabsl(m[pivot][k])) pivot = i;
        for (int j = 0; j < 4; j++) {
            const long double swap = m[k][j];
            m[k][j] = m[pivot][j];
            m[pivot][j] = swap;
        }
        for (int i = k + 1; i < 3 && m[k][k] != 0; i++)
            for (int j = 3; j >= k; j--)
                m[i][j] -= m[i][k] / m[k][k] * m[k][j];
    }
    for (int k = 2; k >= 0; k--) {
        x[k] = m[k][3];
        for (int j = k + 1; j < 3; j++)
            x[k] -= m[k][j] * x[j];
        x[k] = m[k][k] != 0 ? x[k] / m[k][k] : 0;
    }
}

/* Computes a damped step of Gauss and Newton along the directions that do not lead out. */
static void step_of(long double slope[3][3], const long double off[3], const double t[3],
                    long double damping, long double d[3])
{
    long double m[3][4];

    for (int a = 0; a < 3; a++) {
        m[a][3] = dot(slope[a], off);
        for (int b = 0; b < 3; b++)
            m[a][b] = dot(slope[a], slope[b]);
        m[a][a] += damping * (m[a][a] + 1e-30L);
    }
    for (int a = 0; a < 3; a++) {
        if (!((t[a] <= 0.0 && m[a][3] <= 0) || (t[a] >= 1.0 && m[a][3] >= 0))) continue;
        for (int b = 0; b < 3; b++)
            m[a][b] = m[b][a] = 0;
        m[a][a] = 1;
        m[a][3] = 0;
    }
    solve(m, d);
}

/* Goes from a place downhill, and keeps the nearest one. */
static void descend(ref_cell_jet jet, void *user, const double point[3], ref_place *place)
{
    long double damping = 1e-3L, slope[3][3], value[3], off[3], d[3];
    double t[3] = {place->t[0], place->t[1], place->t[2]};

    for (int step = 0; step < STEPS; step++) {
        jet(user, place->cell, t, value, slope);
        for (int l = 0; l < 3; l++)
            off[l] = (long double)point[l] - value[l];
        const long double distance = sqrtl(dot(off, off));
        if (distance < place->distance) {
            place->distance = distance;
            memcpy(place->t, t, sizeof t);
            damping /= 10;
        } else {
            damping = damping * 16 + 1e-6L;
            jet(user, place->cell, place->t, value, slope);
            for (int l = 0; l < 3; l++)
                off[l] = (long double)point[l] - value[l];
        }
        step_of(slope, off, place->t, damping, d);
        for (int a = 0; a < 3; a++)
            t[a] = fmin(fmax(place->t[a] + (double)d[a], 0.0), 1.0);
    }
}

void ref_locate(ref_cell_jet jet, void *user, const double *samples, size_t num_cells, size_t each,
                const double point[3], size_t starts, ref_place *place)
{
    start near[MOST];
    const size_t cube = each * each * each;
    const size_t num = find_starts(samples, num_cells * cube, point, starts, near);

    *place = (ref_place){.distance = INFINITY};
    for (size_t i = 0; i < num; i++) {
        const size_t at = near[i].sample % cube;
        const double last = (double)each - 1.0;
        ref_place one = {near[i].sample / cube,
                         {(double)(at / each / each) / last, (double)(at / each % each) / last,
                          (double)(at % each) / last},
                         INFINITY};
        descend(jet, user, point, &one);
        if (one.distance < place->distance) *place = one;
    }
}
