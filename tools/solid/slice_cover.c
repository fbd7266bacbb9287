#include "slice_cover.h"

#include <math.h>
#include <string.h>

enum { MAX_DEPTH = 48 };

static const double flat = 0.2; /* of a pixel: nets that are bent less are not cut further */

void slice_frame_middle(const slice_frame *f, size_t pixel, double point[3])
{
    const size_t plane = pixel / (f->rows * f->columns), i = pixel / f->columns % f->rows;
    point[f->axis] = f->first + (double)plane * f->step;
    point[f->across[0]] = f->low[0] + ((double)(pixel % f->columns) + 0.5) * f->pixel;
    point[f->across[1]] = f->low[1] + ((double)(f->rows - i) - 0.5) * f->pixel;
}

/* A part of a net, while pixels are taken: t of the net is from + size t of the part. */
typedef struct cover {
    const slice_frame *f;
    size_t plane;
    double height, off;
    pixel_taker take;
    void *user;
} cover;

/* A tetrahedron: corners by height above the plane, to the right and up, and their parameters. */
typedef struct tetrahedron {
    double above[4], x[4][2], t[4][3];
} tetrahedron;

/* A convex polygon in the plane, with parameters; its corners may coincide. */
typedef struct polygon {
    int num;
    double x[4][2], t[4][3];
} polygon;

/* Adds the point of an edge at a height. */
static void add_corner(polygon *p, const tetrahedron *s, int a, int b)
{
    const double share = s->above[a] / (s->above[a] - s->above[b]);
    for (int k = 0; k < 2; k++)
        p->x[p->num][k] = s->x[a][k] + share * (s->x[b][k] - s->x[a][k]);
    for (int k = 0; k < 3; k++)
        p->t[p->num][k] = s->t[a][k] + share * (s->t[b][k] - s->t[a][k]);
    p->num++;
}

/* Cuts a tetrahedron. Where the plane does not, it is one of its corners, the parameters of which
   will do. */
static void cut(const tetrahedron *s, polygon *p)
{
    int below[4], over[4], num_below = 0, num_over = 0;
    *p = (polygon){.num = 0};
    for (int i = 0; i < 4; i++)
        if (s->above[i] < 0)
            below[num_below++] = i;
        else
            over[num_over++] = i;
    if (num_below == 2) {
        add_corner(p, s, below[0], over[0]);
        add_corner(p, s, below[0], over[1]);
        add_corner(p, s, below[1], over[1]);
        add_corner(p, s, below[1], over[0]);
    } else if (num_below == 1 || num_over == 1) {
        const int *alone = num_below == 1 ? below : over, *others = num_below == 1 ? over : below;
        for (int i = 0; i < 3; i++)
            add_corner(p, s, alone[0], others[i]);
    }
}

static void widen(double box[2][2], const double x[2])
{
    for (int k = 0; k < 2; k++) {
        box[0][k] = fmin(box[0][k], x[k]);
        box[1][k] = fmax(box[1][k], x[k]);
    }
}

/* Finds the box, {low, high}, of what a tetrahedron has between two planes at -near and near. */
static void box_between(const tetrahedron *s, double near, double box[2][2])
{
    for (int k = 0; k < 2; k++) {
        box[0][k] = HUGE_VAL;
        box[1][k] = -HUGE_VAL;
    }
    for (int a = 0; a < 4; a++) {
        if (fabs(s->above[a]) <= near) widen(box, s->x[a]);
        for (int b = 0; b < a; b++)
            for (int side = -1; side <= 1; side += 2) {
                const double from = s->above[a] - side * near, to = s->above[b] - side * near;
                if ((from < 0) == (to < 0)) continue;
                const double share = from / (from - to);
                const double x[2] = {s->x[a][0] + share * (s->x[b][0] - s->x[a][0]),
                                     s->x[a][1] + share * (s->x[b][1] - s->x[a][1])};
                widen(box, x);
            }
    }
}

/* Tells whether the box between two planes is larger than a polygon, by more than the planes are
   apart: the tetrahedron, or a part of it, nearly lies in the plane. */
static bool is_shallow(const polygon *p, double near, double box[2][2])
{
    double own[2][2] = {{HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}};
    for (int i = 0; i < p->num; i++)
        widen(own, p->x[i]);
    for (int k = 0; k < 2; k++)
        if (own[0][k] - box[0][k] > near || box[1][k] - own[1][k] > near) return true;
    return false;
}

/* Returns how far a point is within a polygon, below 0 how far it is outside at least. */
static double depth_of(const polygon *p, double sign, const double x[2])
{
    double least = p->num > 0 ? HUGE_VAL : -HUGE_VAL;
    for (int i = 0; i < p->num; i++) {
        const double *a = p->x[i], *b = p->x[(i + 1) % p->num];
        const double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy);
        if (length > 0)
            least = fmin(least, sign * (dx * (x[1] - a[1]) - dy * (x[0] - a[0])) / length);
    }
    return least;
}

/* Returns twice the area, above 0 where the corners turn to the left. */
static double area_of(const polygon *p)
{
    double sum = 0;
    for (int i = 1; i + 1 < p->num; i++)
        sum += (p->x[i][0] - p->x[0][0]) * (p->x[i + 1][1] - p->x[0][1]) -
               (p->x[i][1] - p->x[0][1]) * (p->x[i + 1][0] - p->x[0][0]);
    return sum;
}

/* Estimates the parameters of a point of a polygon: those that are linear in it. */
static void estimate(const polygon *p, const double x[2], double t[3])
{
    const int a = 1, b = p->num - 1;
    double share[2] = {0, 0};
    const double e[2] = {p->x[a][0] - p->x[0][0], p->x[a][1] - p->x[0][1]};
    const double f[2] = {p->x[b][0] - p->x[0][0], p->x[b][1] - p->x[0][1]};
    const double d[2] = {x[0] - p->x[0][0], x[1] - p->x[0][1]};
    const double det = e[0] * f[1] - e[1] * f[0];
    const double all = (e[0] * e[0] + e[1] * e[1]) * (f[0] * f[0] + f[1] * f[1]);
    if (det * det > 1e-12 * all) {
        share[0] = (d[0] * f[1] - d[1] * f[0]) / det;
        share[1] = (e[0] * d[1] - e[1] * d[0]) / det;
    }
    for (int k = 0; k < 3; k++) {
        const double by_a = share[0] * (p->t[a][k] - p->t[0][k]);
        const double by_b = share[1] * (p->t[b][k] - p->t[0][k]);
        t[k] = fmin(fmax(p->t[0][k] + by_a + by_b, 0), 1);
    }
}

static size_t clip(double at, size_t size)
{
    return at > 0 ? (at < (double)size ? (size_t)at : size) : 0;
}

/* Takes the pixels of a tetrahedron: those within its polygon or nearer to it than `near`, or to
   what is between two planes. */
static bool take_pixels(const cover *c, const tetrahedron *s, double near)
{
    const slice_frame *f = c->f;
    polygon p;
    double box[2][2];
    cut(s, &p);
    box_between(s, near, box);
    const bool takes_all = is_shallow(&p, near, box);
    const double area = area_of(&p), sign = area < 0 ? -1 : 1;
    const size_t end = clip((box[1][0] + near - f->low[0]) / f->pixel + 0.5, f->columns);
    const size_t begin = clip(ceil((box[0][0] - near - f->low[0]) / f->pixel - 0.5), f->columns);
    const size_t top = clip((box[1][1] + near - f->low[1]) / f->pixel + 0.5, f->rows);
    const size_t first = clip(ceil((box[0][1] - near - f->low[1]) / f->pixel - 0.5), f->rows);
    for (size_t up = first; up < top; up++)
        for (size_t j = begin; j < end; j++) {
            const double x[2] = {f->low[0] + ((double)j + 0.5) * f->pixel,
                                 f->low[1] + ((double)up + 0.5) * f->pixel};
            const double depth = depth_of(&p, sign, x);
            double t[3];
            if (depth < -near && !takes_all) continue;
            if (p.num > 0)
                estimate(&p, x, t);
            else
                memcpy(t, s->t[0], sizeof(t));
            if (!c->take(c->user, (c->plane * f->rows + f->rows - 1 - up) * f->columns + j, t,
                         depth >= 0 && area != 0))
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
            s.above[i] = at[f->axis] - c->height;
            if (fabs(s.above[i]) < 1e-9 * f->pixel) s.above[i] = 0; /* so for all who share it */
            for (int k = 0; k < 2; k++)
                s.x[i][k] = at[f->across[k]];
            s.t[i][0] = from[0] + u * size[0];
            s.t[i][1] = from[1] + v * size[1];
            s.t[i][2] = from[2] + w * size[2];
            least = fmin(least, s.above[i]);
            most = fmax(most, s.above[i]);
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
                 pixel_taker take, void *user)
{
    static const double from[3] = {0, 0, 0}, size[3] = {1, 1, 1};
    const cover c = {.f = f,
                     .plane = plane,
                     .height = f->first + (double)plane * f->step,
                     .off = off,
                     .take = take,
                     .user = user};
    return take_net(&c, net, from, size, 0);
}
