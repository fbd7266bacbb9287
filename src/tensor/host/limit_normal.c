#include "limit_normal.h"

#include <math.h>
#include <stdbool.h>

enum { U = 1, V = 2, UU = 4, UV = 5, VV = 6 }; /* sums */

static const double tiny = 0x1p-1000; /* its reciprocal is finite */

/* A derivative of the patch itself, and what its rounding errors are relative to. */
typedef struct tangent {
    double x[3], error;
} tangent;

static double largest_of(const double x[3])
{
    return fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
}

/* Returns the largest |coordinate| of what sums are relative to. */
static double far_of(const clspi_point_shape *shape, const clspi_point_jet *jet, size_t point)
{
    double far = 0;

    for (uint32_t c = 0; c < shape->dim; c++)
        far = fmax(far, fabs(jet->near[c][point]));
    return far;
}

double clspi_tangent_error(const clspi_point_shape *shape, const clspi_point_jet *jet, unsigned k,
                           size_t point)
{
    const clspi_point_sum *const s = &jet->sum[0], *const d = &jet->sum[k];
    double size = 0;

    if (!shape->rational) return d->size[point];
    const double w = s->x[shape->dim][point], weights = d->weight[point];
    for (uint32_t c = 0; c < shape->dim; c++)
        size = fmax(size, fabs(s->x[c][point] / w));
    /* control points were rounded where they were given, relative to the origin */
    const double given = weights > 0 ? fmax(weights / 8, 2 * w) * far_of(shape, jet, point) : 0;
    return (d->size[point] + given + weights * size) / w;
}

/* Makes derivative k by the quotient rule; of a second one what the first ones have to say too. */
static tangent tangent_of(const clspi_point_shape *shape, const clspi_point_jet *jet, unsigned k,
                          size_t p)
{
    const clspi_point_sum *const s = &jet->sum[0], *const d = &jet->sum[k];
    const double w = shape->rational ? s->x[shape->dim][p] : 1;
    tangent t = {.error = clspi_tangent_error(shape, jet, k, p)};

    for (int c = 0; c < 3; c++)
        t.x[c] = shape->rational ? (d->x[c][p] - d->x[shape->dim][p] * (s->x[c][p] / w)) / w
                                 : d->x[c][p];
    for (int i = 0; i < 2 && k >= UU && shape->rational; i++) {
        const unsigned a = k == VV || (k == UV && i == 1) ? V : U, b = k == UV ? U + V - a : a;
        const tangent other = tangent_of(shape, jet, b, p);
        for (int c = 0; c < 3; c++)
            t.x[c] -= jet->sum[a].x[shape->dim][p] / w * other.x[c];
        t.error += jet->sum[a].weight[p] / w * other.error;
    }
    return t;
}

/* Makes a tangent, scaled; one that may be all rounding becomes 0, as those of a collapsed edge
   are, so that no product takes what it is off by. */
static tangent shortened(const tangent *t, double factor, double eps)
{
    const bool is_sound = largest_of(t->x) > 8 * eps * t->error;
    tangent s = {.error = 0};

    for (int c = 0; c < 3 && is_sound; c++)
        s.x[c] = factor * t->x[c];
    if (is_sound) s.error = factor * t->error;
    return s;
}

/* Adds f a x b, and what its errors are relative to. */
static void add_product(tangent *n, double f, const tangent *a, const tangent *b)
{
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        n->x[c] += f * (a->x[d] * b->x[e] - a->x[e] * b->x[d]);
    }
    n->error += fabs(f) * (a->error * largest_of(b->x) + b->error * largest_of(a->x));
}

/* Brings n to unit length, or to (0, 0, 0) where all of it may be rounding, which is off by `lost`;
   tells which. */
static bool unit_above(const tangent *n, double lost, double normal[3])
{
    const double size = largest_of(n->x), x = n->x[0] / size, y = n->x[1] / size;
    const double z = n->x[2] / size, length = sqrt(x * x + y * y + z * z);
    const bool is_sound = size * length > lost && size > tiny;

    normal[0] = is_sound ? x / length : 0;
    normal[1] = is_sound ? y / length : 0;
    normal[2] = is_sound ? z / length : 0;
    return is_sound;
}

static double length_of(const tangent *t)
{
    return sqrt(t->x[0] * t->x[0] + t->x[1] * t->x[1] + t->x[2] * t->x[2]);
}

/* Scales a tangent to moderate length. */
static tangent moderate(const tangent *t)
{
    const double factor = t->error > tiny ? 1 / t->error : 0;
    const tangent m = {{t->x[0] * factor, t->x[1] * factor, t->x[2] * factor}, t->error * factor};

    return m;
}

/* Makes the normal of tangents that span a plane; tells whether they do. */
static bool plain_normal(const tangent *u, const tangent *v, double eps, double normal[3])
{
    const tangent a = moderate(u), b = moderate(v);
    tangent n = {.error = 0};

    add_product(&n, 1, &a, &b);
    return unit_above(&n, 8 * eps * (a.error * length_of(&b) + b.error * length_of(&a)), normal);
}

void clspi_edge_normal(const clspi_point_shape *shape, const clspi_point_jet *jet, size_t point,
                       const double inward[2], double eps, double normal[3])
{
    static const unsigned sums[5] = {U, V, UU, UV, VV};
    tangent t[5], n = {.error = 0};
    double largest = 0;

    for (int k = 0; k < 5; k++) {
        t[k] = tangent_of(shape, jet, sums[k], point);
        largest = fmax(largest, t[k].error);
    }
    if (plain_normal(&t[0], &t[1], eps, normal)) return;
    for (int k = 0; k < 5; k++)
        t[k] = shortened(&t[k], largest > tiny ? 1 / largest : 0, eps);
    add_product(&n, inward[0], &t[2], &t[1]);
    add_product(&n, inward[0], &t[0], &t[3]);
    add_product(&n, inward[1], &t[3], &t[1]);
    add_product(&n, inward[1], &t[0], &t[4]);
    unit_above(&n, 32 * eps * n.error, normal);
}
