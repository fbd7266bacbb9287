#include "solid_inverse.h"

#include <math.h>
#include <string.h>

enum {
    GRID = INVERSE_SAMPLES * INVERSE_SAMPLES * INVERSE_SAMPLES,
    MAX_STEPS = 16,
    FIRST_STEPS = 4
};

static const double margin = 0.65; /* of the longest diagonal between samples: half of it, and more
                                      since cells are curved */

/* Computes the values and derivatives at t of the four cubics that are 1 at one of 0, 1/3, 2/3, 1
   and 0 at the others. */
static void cubics(double t, double value[4], double slope[4])
{
    const double a = 3 * t, b = a - 1, c = a - 2, d = a - 3;
    value[0] = -b * c * d / 6;
    value[1] = a * c * d / 2;
    value[2] = -a * b * d / 2;
    value[3] = a * b * c / 6;
    slope[0] = -(c * d + b * d + b * c) / 2;
    slope[1] = 3 * (c * d + a * d + a * c) / 2;
    slope[2] = -3 * (b * d + a * d + a * b) / 2;
    slope[3] = (b * c + a * c + a * b) / 2;
}

/* Computes the point at t, and its derivatives: [3 parameters][3]. */
static void evaluate(const inverse_cell *c, const double t[3], double point[3], double slope[3][3])
{
    double value[3][4], first[3][4];
    for (int a = 0; a < 3; a++)
        cubics(t[a], value[a], first[a]);
    memset(point, 0, 3 * sizeof(*point));
    memset(slope, 0, 9 * sizeof(**slope));
    for (int i = 0; i < 4; i++) {
        double plane[3] = {0}, plane_v[3] = {0}, plane_w[3] = {0};
        for (int j = 0; j < 4; j++) {
            double line[3] = {0}, line_w[3] = {0};
            const double *p = c->samples + (size_t)(16 * i + 4 * j) * c->channels;
            for (int k = 0; k < 4; k++, p += c->channels)
                for (int x = 0; x < 3; x++) {
                    line[x] += value[2][k] * p[x];
                    line_w[x] += first[2][k] * p[x];
                }
            for (int x = 0; x < 3; x++) {
                plane[x] += value[1][j] * line[x];
                plane_v[x] += first[1][j] * line[x];
                plane_w[x] += value[1][j] * line_w[x];
            }
        }
        for (int x = 0; x < 3; x++) {
            point[x] += value[0][i] * plane[x];
            slope[0][x] += first[0][i] * plane[x];
            slope[1][x] += value[0][i] * plane_v[x];
            slope[2][x] += value[0][i] * plane_w[x];
        }
    }
}

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

/* Returns the square of the distance between two points. */
static double between(const double *a, const double *b)
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return dot(d, d);
}

inverse_cell inverse_cell_of(const double *samples, size_t channels)
{
    inverse_cell c = {.samples = samples, .channels = channels};
    double most = 0;
    for (int x = 0; x < 3; x++) {
        c.low[x] = HUGE_VAL;
        c.high[x] = -HUGE_VAL;
    }
    for (size_t i = 0; i < GRID; i++) {
        const double *p = samples + i * channels;
        for (int x = 0; x < 3; x++) {
            c.low[x] = fmin(c.low[x], p[x]);
            c.high[x] = fmax(c.high[x], p[x]);
        }
        /* both diagonals of each face between samples, and the cell's, by their longest */
        if (i / 16 < 3 && i / 4 % 4 < 3 && i % 4 < 3)
            for (size_t d = 0; d < 4; d++) {
                const size_t from = i + 16 * (d & 1) + 4 * (d >> 1),
                             to = i + 21 - 16 * (d & 1) - 4 * (d >> 1);
                most = fmax(most, between(samples + from * channels, samples + to * channels));
            }
    }
    c.reach = margin * sqrt(most);
    for (int x = 0; x < 3; x++) {
        c.low[x] -= c.reach;
        c.high[x] += c.reach;
    }
    return c;
}

/* Searches from a parameter. */
static void search(const inverse_cell *c, const double point[3], const double from[3],
                   inverse_place *place)
{
    double error[3], slope[3][3], step[3], before = HUGE_VAL;
    memcpy(place->t, from, sizeof(place->t));
    for (int n = 0; n < MAX_STEPS; n++) {
        evaluate(c, place->t, error, slope);
        for (int x = 0; x < 3; x++)
            error[x] -= point[x];
        place->distance = sqrt(dot(error, error));
        invert(slope, 0, place->inverse);
        if (n + 1 == MAX_STEPS || (n >= FIRST_STEPS && place->distance > before / 2)) break;
        before = place->distance;
        if (inverse_step(place->inverse, error, place->t, step) < 1e-9) break;
    }
}

bool inverse_find(const inverse_cell *c, const double point[3], inverse_place *place)
{
    static const double middle[3] = {0.5, 0.5, 0.5};
    size_t nearest = 0;
    double least = HUGE_VAL;
    for (size_t i = 0; i < GRID; i++) {
        const double distance = between(c->samples + i * c->channels, point);
        if (distance < least) nearest = i;
        least = fmin(least, distance);
    }
    if (!(sqrt(least) <= c->reach)) return false;
    const double from[3] = {(double)(nearest / 16) / 3, (double)(nearest / 4 % 4) / 3,
                            (double)(nearest % 4) / 3};
    inverse_place other;
    search(c, point, from, place);
    if (place->distance <= c->reach / 8) return true;
    search(c, point, middle, &other);
    if (other.distance < place->distance) *place = other;
    return place->distance <= c->reach / 2;
}
