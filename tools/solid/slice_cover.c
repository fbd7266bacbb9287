#include "slice_cover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solid_inverse.h"

enum { MAX_DEPTH = 48 };

static const double flat = 0.2; /* of a pixel: nets that are bent less are not cut further */

void slice_frame_middle(const slice_frame *f, size_t pixel, double point[3])
{
    const size_t plane = pixel / (f->rows * f->columns), i = pixel / f->columns % f->rows;
    point[f->axis] = f->first + (double)plane * f->step;
    point[f->across[0]] = f->low[0] + ((double)(pixel % f->columns) + 0.5) * f->pixel;
    point[f->across[1]] = f->low[1] + ((double)(f->rows - i) - 0.5) * f->pixel;
}

/* Who takes the pixels of a plane, and how far nets and points may be off. */
typedef struct cover {
    const slice_frame *f;
    size_t plane;
    double height, off, rounding;
    pixel_taker take;
    void *user;
} cover;

/* A tetrahedron: corners by place to the right, up and above the plane, and their parameters. */
typedef struct tetrahedron {
    double x[4][3], t[4][3];
} tetrahedron;

/* ---- what a tetrahedron has near the plane ---- */

enum { MAX_CORNERS = 16 };

/* A convex polygon in the plane, that turns to the left; or a line's two ends, a point, nothing. */
typedef struct polygon {
    int num;
    double x[MAX_CORNERS][2];
} polygon;

static int by_place(const void *a, const void *b)
{
    const double *p = a, *q = b;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

/* Adds a point to one side of a hull, from `first` on, whose points come in order: those before it
   at which the side would not turn to the left are no corners. */
static int add_corner(double (*hull)[2], int first, int num, const double x[2])
{
    for (; num - first >= 2; num--) {
        const double *p = hull[num - 2], *q = hull[num - 1];
        if ((q[0] - p[0]) * (x[1] - p[1]) - (q[1] - p[1]) * (x[0] - p[0]) > 0) break;
    }
    memcpy(hull[num], x, sizeof(*hull));
    return num + 1;
}

/* Makes the hull of points, which are sorted (Andrew's monotone chain). */
static void make_hull(double (*x)[2], int num, polygon *hull)
{
    double side[2 * MAX_CORNERS][2];
    int count = 0;
    qsort(x, (size_t)num, sizeof(*x), by_place);
    for (int i = 0; i < num; i++)
        count = add_corner(side, 0, count, x[i]);
    for (int i = num - 2, first = count - 1; i >= 0; i--)
        count = add_corner(side, first, count, x[i]);
    hull->num = num > 1 ? count - 1 : count; /* the last one is the first again */
    memcpy(hull->x, side, (size_t)hull->num * sizeof(*side));
}

/* Makes the hull, as seen from above, of what a tetrahedron has between two planes at -near and
   near: of its corners there, and of the points where its edges leave. */
static void slab_of(const tetrahedron *s, double near, polygon *hull)
{
    double x[MAX_CORNERS][2];
    int num = 0;
    for (int a = 0; a < 4; a++) {
        const double *p = s->x[a];
        if (fabs(p[2]) <= near) memcpy(x[num++], p, sizeof(*x));
        for (int b = 0; b < a; b++)
            for (int side = -1; side <= 1; side += 2) {
                const double *q = s->x[b], from = p[2] - side * near, to = q[2] - side * near;
                if ((from < 0) == (to < 0)) continue;
                const double share = from / (from - to);
                for (int k = 0; k < 2; k++)
                    x[num][k] = p[k] + share * (q[k] - p[k]);
                num++;
            }
    }
    make_hull(x, num, hull);
}

/* Returns the distance of a point from a line between two. */
static double distance_from_line(const double a[2], const double b[2], const double x[2])
{
    const double d[2] = {b[0] - a[0], b[1] - a[1]}, e[2] = {x[0] - a[0], x[1] - a[1]};
    const double length = d[0] * d[0] + d[1] * d[1], along = d[0] * e[0] + d[1] * e[1];
    const double share = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
    return hypot(e[0] - share * d[0], e[1] - share * d[1]);
}

/* Returns the distance of a point from a polygon, 0 within it. */
static double distance_from(const polygon *p, const double x[2])
{
    double least = HUGE_VAL;
    bool is_within = p->num > 2;
    for (int i = 0; i < p->num; i++) {
        const double *a = p->x[i], *b = p->x[(i + 1) % p->num];
        if ((b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]) >= 0) continue;
        is_within = false;
    }
    for (int i = 0; i < p->num && !is_within; i++)
        least = fmin(least, distance_from_line(p->x[i], p->x[(i + 1) % p->num], x));
    return is_within ? 0 : least;
}

/* Finds what makes of a place, as seen from a tetrahedron's middle, the shares of its corners but
   the first. */
static void invert(const tetrahedron *s, double inverse[9])
{
    double slope[3][3];
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            slope[a][k] = s->x[a + 1][k] - s->x[0][k];
    inverse_of(slope, inverse);
}

/* Estimates the parameters of a point of the plane: those that are linear in a tetrahedron. */
static void estimate(const tetrahedron *s, const double inverse[9], const double x[2], double t[3])
{
    double share[3] = {0.25, 0.25, 0.25}, error[3], step[3];
    for (int k = 0; k < 3; k++)
        error[k] = (s->x[0][k] + s->x[1][k] + s->x[2][k] + s->x[3][k]) / 4 - (k < 2 ? x[k] : 0);
    inverse_step(inverse, error, share, step);
    for (int k = 0; k < 3; k++) {
        t[k] = s->t[0][k];
        for (int a = 0; a < 3; a++)
            t[k] += share[a] * (s->t[a + 1][k] - s->t[0][k]);
        t[k] = fmin(fmax(t[k], 0), 1);
    }
}

/* ---- pixels ---- */

static size_t clip(double at, size_t size)
{
    return at > 0 ? (at < (double)size ? (size_t)at : size) : 0;
}

/* Finds the pixels, from begin to end along both directions, whose middles are in a polygon's box,
   or nearer to it than `near`. */
static void pixels_of(const slice_frame *f, const polygon *p, double near, size_t begin[2],
                      size_t end[2])
{
    const size_t most[2] = {f->columns, f->rows};
    for (int k = 0; k < 2; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < p->num; i++) {
            low = fmin(low, p->x[i][k]);
            high = fmax(high, p->x[i][k]);
        }
        begin[k] = clip(ceil((low - near - f->low[k]) / f->pixel - 0.5), most[k]);
        end[k] = clip((high + near - f->low[k]) / f->pixel + 0.5, most[k]);
    }
}

/* Takes the pixels of a tetrahedron: those nearer than `near` to what it has between two planes
   that far. */
static bool take_pixels(const cover *c, const tetrahedron *s, double near)
{
    const slice_frame *f = c->f;
    polygon around, own;
    double inverse[9], t[3];
    size_t begin[2], end[2];
    slab_of(s, near, &around);
    slab_of(s, c->rounding, &own);
    invert(s, inverse);
    pixels_of(f, &around, near, begin, end);
    for (size_t up = begin[1]; up < end[1]; up++)
        for (size_t j = begin[0]; j < end[0]; j++) {
            const double x[2] = {f->low[0] + ((double)j + 0.5) * f->pixel,
                                 f->low[1] + ((double)up + 0.5) * f->pixel};
            if (distance_from(&around, x) > near) continue;
            estimate(s, inverse, x, t);
            if (!c->take(c->user, (c->plane * f->rows + f->rows - 1 - up) * f->columns + j, t,
                         distance_from(&own, x) <= c->rounding))
                return false;
        }
    return true;
}

/* Takes the pixels of a part that is nearly linear: of the six tetrahedra around the diagonal of
   its corners. */
static bool take_flat(const cover *c, const cubic_net *net, const double from[3],
                      const double size[3], double near)
{
    static const int8_t turns[6][2] = {{1, 2}, {1, 4}, {2, 1}, {2, 4}, {4, 1}, {4, 2}};
    const slice_frame *f = c->f;
    for (int n = 0; n < 6; n++) {
        const int corners[4] = {0, turns[n][0], turns[n][0] + turns[n][1], 7};
        tetrahedron s;
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (int i = 0; i < 4; i++) {
            const int u = corners[i] & 1, v = corners[i] >> 1 & 1, w = corners[i] >> 2;
            const double *at = net->p[48 * u + 12 * v + 3 * w];
            s.x[i][0] = at[f->across[0]];
            s.x[i][1] = at[f->across[1]];
            s.x[i][2] = at[f->axis] - c->height;
            s.t[i][0] = from[0] + u * size[0];
            s.t[i][1] = from[1] + v * size[1];
            s.t[i][2] = from[2] + w * size[2];
            least = fmin(least, s.x[i][2]);
            most = fmax(most, s.x[i][2]);
        }
        if (least > near || most < -near) continue;
        if (!take_pixels(c, &s, near)) return false;
    }
    return true;
}

static bool take_net(const cover *c, const cubic_net *net, const double from[3],
                     const double size[3], int depth)
{
    const slice_frame *f = c->f;
    double low[3], high[3], bend[3], begin[2][3], half_size[3];
    cubic_net half[2];
    const double more = c->off + 1e-6 * f->pixel;
    cubic_net_bounds(net, low, high);
    if (low[f->axis] - more > c->height || high[f->axis] + more < c->height) return true;
    for (int k = 0; k < 2; k++) { /* none of a pixel's middles can be within */
        const double first = ceil((low[f->across[k]] - more - f->low[k]) / f->pixel - 0.5);
        if (first + 0.5 > (high[f->across[k]] + more - f->low[k]) / f->pixel) return true;
    }
    const double by = cubic_net_bend(net, bend);
    if (by <= flat * f->pixel || depth == MAX_DEPTH)
        return take_flat(c, net, from, size, by + more);
    const int a = bend[0] >= bend[1] && bend[0] >= bend[2] ? 0 : bend[1] >= bend[2] ? 1 : 2;
    cubic_net_split(net, a, half);
    memcpy(begin[0], from, sizeof(begin[0]));
    memcpy(begin[1], from, sizeof(begin[1]));
    memcpy(half_size, size, sizeof(half_size));
    half_size[a] /= 2;
    begin[1][a] += half_size[a];
    return take_net(c, &half[0], begin[0], half_size, depth + 1) &&
           take_net(c, &half[1], begin[1], half_size, depth + 1);
}

bool slice_cover(const slice_frame *f, size_t plane, const cubic_net *net, double off,
                 double rounding, pixel_taker take, void *user)
{
    static const double from[3] = {0, 0, 0}, size[3] = {1, 1, 1};
    const cover c = {.f = f,
                     .plane = plane,
                     .height = f->first + (double)plane * f->step,
                     .off = off,
                     .rounding = fmax(rounding, 1e-9 * f->pixel),
                     .take = take,
                     .user = user};
    return take_net(&c, net, from, size, 0);
}
