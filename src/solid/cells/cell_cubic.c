#include "cell_cubic.h"

#include <string.h>

#include "cubic_jet.h"

enum { POINTS = CLSPI_CUBIC_POINTS };

/* ---- Bezier points ---- */

/* What becomes of the four points of a line: Bezier points of those of cubic B-splines, or of
   Bezier points those of a half. */
typedef enum line_step { OF_SPLINE, LOWER_HALF, UPPER_HALF } line_step;

CLSPI_INLINE void convert(double *p, double *q, double *r, double *s)
{
    for (int l = 0; l < LANES; l++) {
        const double a = p[l], b = q[l], c = r[l], d = s[l];
        p[l] = (a + c) * (1.0 / 6) + b * (2.0 / 3);
        q[l] = b * (2.0 / 3) + c * (1.0 / 3);
        r[l] = b * (1.0 / 3) + c * (2.0 / 3);
        s[l] = (b + d) * (1.0 / 6) + c * (2.0 / 3);
    }
}

CLSPI_INLINE void halve(double *p, double *q, double *r, double *s, bool is_upper)
{
    for (int l = 0; l < LANES; l++) {
        const double a = (p[l] + q[l]) / 2, b = (q[l] + r[l]) / 2, c = (r[l] + s[l]) / 2;
        const double ab = (a + b) / 2, bc = (b + c) / 2, middle = (ab + bc) / 2;
        p[l] = is_upper ? middle : p[l];
        q[l] = is_upper ? bc : a;
        r[l] = is_upper ? c : ab;
        s[l] = is_upper ? s[l] : middle;
    }
}

/* Goes along all lines of an axis. */
CLSPI_INLINE void change_lines(double *points, uint32_t axis, line_step step)
{
    const uint32_t stride = axis == 0 ? 16 : axis == 1 ? 4 : 1;

    for (uint32_t i = 0; i < POINTS / 4; i++) {
        const uint32_t first = axis == 0   ? i
                               : axis == 1 ? i / 4 * 16 + i % 4
                                           : 4 * i; /* of the line */
        double *const p = points + LANES * first, *const q = p + LANES * stride;
        double *const r = q + LANES * stride, *const s = r + LANES * stride;
        if (step == OF_SPLINE)
            convert(p, q, r, s);
        else
            halve(p, q, r, s, step == UPPER_HALF);
    }
}

CLSPI_CLONES static void grid_to_cubic(double *points)
{
    for (uint32_t a = 0; a < 3; a++)
        change_lines(points, a, OF_SPLINE);
}

void clspi_cubic_of_grid(double *points)
{
    grid_to_cubic(points);
}

CLSPI_CLONES static void make_child(const double *points, uint32_t corner, double *child)
{
    memcpy(child, points, CLSPI_CUBIC_REALS * sizeof *child);
    for (uint32_t a = 0; a < 3; a++)
        change_lines(child, a, corner >> a & 1 ? UPPER_HALF : LOWER_HALF);
}

void clspi_cubic_child(const double *points, uint32_t corner, double *child)
{
    make_child(points, corner, child);
}

/* ---- hulls ---- */

void clspi_hull_empty(clspi_cell_hull *hull)
{
    for (int l = 0; l < LANES; l++) {
        hull->least[l] = hull->low[l] = (double)INFINITY;
        hull->most[l] = hull->high[l] = -(double)INFINITY;
    }
}

void clspi_hull_begin(clspi_cell_hull *hull, const clspi_cubic_jet *centre)
{
    memset(hull, 0, sizeof *hull);
    clspi_hull_empty(hull);
    memcpy(hull->centre, centre->value, sizeof hull->centre);
    if (!inverse_of(centre, hull->column)) {
        memset(hull->column, 0, sizeof hull->column);
        return;
    }
    for (uint32_t a = 0; a < 3; a++)
        hull->length[a] =
            sqrt(hull->column[0][a] * hull->column[0][a] + hull->column[1][a] * hull->column[1][a] +
                 hull->column[2][a] * hull->column[2][a]);
}

/* Computes A (P - centre). */
CLSPI_INLINE void in_frame(const clspi_cell_hull *hull, const double *point, double *to)
{
    const double x = point[0] - hull->centre[0], y = point[1] - hull->centre[1];
    const double z = point[2] - hull->centre[2];

    for (int l = 0; l < LANES; l++)
        to[l] = hull->column[0][l] * x + hull->column[1][l] * y + hull->column[2][l] * z;
}

CLSPI_CLONES static void add_points(clspi_cell_hull *hull, const double *points, size_t num)
{
    clspi_cell_hull h = *hull;

    for (size_t i = 0; i < num; i++) {
        const double *const point = points + LANES * i;
        double y[LANES];
        in_frame(&h, point, y);
        for (int l = 0; l < LANES; l++) {
            h.least[l] = less_of(h.least[l], point[l]);
            h.most[l] = more_of(h.most[l], point[l]);
            h.low[l] = less_of(h.low[l], y[l]);
            h.high[l] = more_of(h.high[l], y[l]);
        }
    }
    *hull = h;
}

void clspi_hull_add(clspi_cell_hull *hull, const double *points, size_t num)
{
    add_points(hull, points, num);
}

double clspi_hull_distance(const clspi_cell_hull *hull, const double *from, double *off)
{
    double y[LANES], sum = 0, distance;

    for (int l = 0; l < 3; l++) {
        const double x = more_of(more_of(hull->least[l] - from[l], from[l] - hull->most[l]), 0);
        sum += x * x;
    }
    distance = sqrt(sum);
    in_frame(hull, from, y);
    if (off) *off = more_of(more_of(fabs(y[0]), fabs(y[1])), fabs(y[2]));
    if (!(hull->length[0] > 0)) return distance;
    for (int l = 0; l < 3; l++)
        distance =
            more_of(distance, more_of(hull->low[l] - y[l], y[l] - hull->high[l]) / hull->length[l]);
    return distance;
}

CLSPI_CLONES static double least_along(const double *points, size_t num, const double *direction,
                                       const double *from)
{
    const double x = direction[0], y = direction[1], z = direction[2];
    double least = (double)INFINITY;

    for (size_t i = 0; i < num; i++)
        least = less_of(least, (points[LANES * i] - from[0]) * x +
                                   (points[LANES * i + 1] - from[1]) * y +
                                   (points[LANES * i + 2] - from[2]) * z);
    return least;
}

double clspi_hull_along(const double *points, size_t num, const double *direction,
                        const double *from)
{
    return least_along(points, num, direction, from);
}

void clspi_hull_of_cubic(clspi_cell_hull *hull, const double *points)
{
    static const double middle[3] = {0.5, 0.5, 0.5};
    clspi_cubic_jet centre;

    cubic_at(points, middle, &centre);
    clspi_hull_begin(hull, &centre);
    clspi_hull_add(hull, points, POINTS);
}
