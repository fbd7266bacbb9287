#include "cell_cubic.h"

#include <string.h>

#include "cubic_jet.h"

enum { POINTS = CLSPI_CUBIC_POINTS };

/* ---- Bezier points ---- */

/* Matrices by which four points of a line are multiplied: from cubic B-splines to Bezier points,
   and from Bezier points to those of one half. */
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

static void grid_to_cubic(double *points, uint32_t along)
{
    for (uint32_t a = 0; a < 3; a++)
        if (a != along) change_lines(points, a, OF_SPLINE);
}

void clspi_cubic_of_grid(double *points)
{
    grid_to_cubic(points, 3);
}

void clspi_cubic_of_section(double *points, uint32_t along)
{
    grid_to_cubic(points, along);
}

static void make_child(const double *points, uint32_t corner, double *child)
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

/* Makes a hull one of nothing. */
static void hull_empty(clspi_cell_hull *hull)
{
    for (int l = 0; l < LANES; l++) {
        hull->least[l] = hull->low[l] = (double)INFINITY;
        hull->most[l] = hull->high[l] = -(double)INFINITY;
    }
}

void clspi_hull_begin(clspi_cell_hull *hull, const clspi_cubic_jet *centre)
{
    memset(hull, 0, sizeof *hull);
    hull_empty(hull);
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

static void add_points(clspi_cell_hull *hull, const double *points, size_t num)
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

double clspi_hull_distance(const clspi_cell_hull *hull, const double *from, double at[3])
{
    double y[LANES], sum = 0, distance;

    for (int l = 0; l < 3; l++) {
        const double x = more_of(more_of(hull->least[l] - from[l], from[l] - hull->most[l]), 0);
        sum += x * x;
    }
    distance = sqrt(sum);
    in_frame(hull, from, y);
    for (int l = 0; l < 3 && at; l++)
        at[l] = y[l];
    if (!(hull->length[0] > 0)) return distance;
    for (int l = 0; l < 3; l++)
        distance =
            more_of(distance, more_of(hull->low[l] - y[l], y[l] - hull->high[l]) / hull->length[l]);
    return distance;
}

static double least_along(const double *points, size_t num, const double *direction,
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

/* ---- wraps ---- */

/* Computes the normal of the face of corners on one side of an axis, outwards where they are as
   those of a cube. */
static void normal_of(const double *corners, uint32_t axis, uint32_t side, double normal[3],
                      double *face)
{
    const uint32_t a = (axis + 1) % 3, b = (axis + 2) % 3, first = side << axis;
    const double *const p = corners + (size_t)LANES * first;
    const double *const q = corners + (size_t)LANES * (first | 1u << a);
    const double *const r = corners + (size_t)LANES * (first | 1u << b);
    const double *const t = corners + (size_t)LANES * (first | 1u << a | 1u << b);
    double one[3], other[3];

    for (uint32_t l = 0; l < 3; l++) {
        one[l] = side ? t[l] - p[l] : p[l] - t[l];
        other[l] = r[l] - q[l];
    }
    cross(one, other, normal);
    const double length = sqrt(clspi_dot3(normal, normal));
    *face = 0;
    for (uint32_t l = 0; l < 3; l++) {
        normal[l] = length > 0 ? normal[l] / length : 0;
        *face += normal[l] * (p[l] + q[l] + r[l] + t[l]) / 4;
    }
}

void clspi_wrap_begin(clspi_cell_wrap *wrap, const double *corners)
{
    memset(wrap, 0, sizeof *wrap);
    for (uint32_t l = 0; l < LANES; l++) {
        wrap->least[l] = (double)INFINITY;
        wrap->most[l] = -(double)INFINITY;
    }
    for (uint32_t k = 0; k < CLSPI_WRAP_PLANES; k++) {
        double normal[3] = {0};
        if (k < 6) normal_of(corners, k / 2, k % 2, normal, &wrap->face[k]);
        for (uint32_t l = 0; l < 3; l++)
            wrap->normal[l][k] = normal[l];
        wrap->high[k] = -(double)INFINITY;
    }
}

static void wrap_points(clspi_cell_wrap *wrap, const double *points, size_t num)
{
    clspi_cell_wrap w = *wrap;

    for (size_t i = 0; i < num; i++) {
        const double *const point = points + LANES * i;
        for (int l = 0; l < LANES; l++) {
            w.least[l] = less_of(w.least[l], point[l]);
            w.most[l] = more_of(w.most[l], point[l]);
        }
        for (int k = 0; k < CLSPI_WRAP_PLANES; k++)
            w.high[k] = more_of(w.high[k], w.normal[0][k] * point[0] + w.normal[1][k] * point[1] +
                                               w.normal[2][k] * point[2]);
    }
    *wrap = w;
}

void clspi_wrap_add(clspi_cell_wrap *wrap, const double *points, size_t num)
{
    wrap_points(wrap, points, num);
}

static double wrap_distance(const clspi_cell_wrap *wrap, const double *from, double *depth)
{
    double at[CLSPI_WRAP_PLANES], sum = 0, most = -(double)INFINITY, inside = (double)INFINITY;

    for (int k = 0; k < CLSPI_WRAP_PLANES; k++)
        at[k] = wrap->normal[0][k] * from[0] + wrap->normal[1][k] * from[1] +
                wrap->normal[2][k] * from[2];
    for (int k = 0; k < 6; k++) {
        most = more_of(most, at[k] - wrap->high[k]);
        inside = less_of(inside, wrap->face[k] - at[k]);
    }
    for (int l = 0; l < 3; l++) {
        const double x = more_of(more_of(wrap->least[l] - from[l], from[l] - wrap->most[l]), 0);
        sum += x * x;
    }
    *depth = inside;
    return more_of(sqrt(sum), most);
}

double clspi_wrap_distance(const clspi_cell_wrap *wrap, const double *from, double *depth)
{
    return wrap_distance(wrap, from, depth);
}
