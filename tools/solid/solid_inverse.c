#include "solid_inverse.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Computes (J^T J + m)^-1 J^T. m is a share of the diagonal, and more that is so small that it only
   matters where J has no inverse. */
static void invert(double slope[3][3], double damping, double inverse[9])
{
    double m[3][3], n[3][3];
    const double trace =
        dot(slope[0], slope[0]) + dot(slope[1], slope[1]) + dot(slope[2], slope[2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] =
                dot(slope[i], slope[j]) * (i == j ? 1 + damping : 1) + (i == j ? 1e-10 * trace : 0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (j + 1) % 3, b = (j + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
            n[i][j] = m[a][p] * m[b][q] - m[a][q] * m[b][p];
        }
    const double det = m[0][0] * n[0][0] + m[0][1] * n[1][0] + m[0][2] * n[2][0];
    for (int i = 0; i < 3; i++)
        for (int x = 0; x < 3; x++) {
            inverse[3 * i + x] = 0;
            for (int j = 0; j < 3 && det > 0; j++)
                inverse[3 * i + x] += n[i][j] * slope[j][x] / det;
        }
}

void inverse_of(double slope[3][3], double inverse[9])
{
    invert(slope, 0, inverse);
}

double inverse_step(const double inverse[9], const double error[3], double t[3], double step[3])
{
    double most = 0;
    for (int a = 0; a < 3; a++) {
        const double moved = fmin(fmax(t[a] - dot(inverse + 3 * a, error), 0), 1);
        step[a] = moved - t[a];
        t[a] = moved;
        most = fmax(most, fabs(step[a]));
    }
    return most;
}

void inverse_update(double inverse[9], const double step[3], const double change[3])
{
    double moved[3], row[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++)
        moved[a] = dot(inverse + 3 * a, change);
    const double scale = dot(step, moved);
    if (!(fabs(scale) > 1e-12 * dot(step, step))) return;
    for (int x = 0; x < 3; x++)
        for (int a = 0; a < 3; a++)
            row[x] += step[a] * inverse[3 * a + x];
    for (int a = 0; a < 3; a++)
        for (int x = 0; x < 3; x++)
            inverse[3 * a + x] += (step[a] - moved[a]) * row[x] / scale;
}

void inverse_damped(double slope[3][3], const double error[3], double damping, double t[3])
{
    double inverse[9], step[3];
    for (int a = 0; a < 3; a++) {
        const double rise = dot(slope[a], error);
        if ((t[a] <= 0 && rise > 0) || (t[a] >= 1 && rise < 0))
            memset(slope[a], 0, 3 * sizeof(**slope));
    }
    invert(slope, damping, inverse);
    inverse_step(inverse, error, t, step);
}
