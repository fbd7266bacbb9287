/* Leaves: the parts of a piece on which its derivatives vary little, and the constants of each,
   rounded outward (docs/math.md, 20). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface_jet.h"

/* A leaf's derivatives differ from those at its middle by this much of them, at most. */
#define VARIATION 0.5
/* Constants are sums of some dozens of terms in double precision. */
#define OUTWARD 1e-9
/* Derivatives that are off by more than this, by y, bound nothing. */
#define SLACK_MAX 1e-8
#define EPS       0x1p-52
/* Shorter derivatives than this may have squares that are no numbers. */
#define LENGTH_MIN 1e-100

enum {
    LEVELS = 2 * CLSPI_SURFACE_LEAF_DEPTH + 1,
    MIXED_DEPTH = 6 /* halvings of a piece that loops cross, for its leaves */
};

/* Control points of the parts that a piece is halved to, and of the derivatives of one. */
typedef struct leaf_maker {
    clspi_surface_parts *parts;
    const clspi_surface_shape *shape;
    uint32_t number;
    const clspi_surface_piece *piece;
    double *controls[LEVELS], *jet[JETS];
    double is_coordinate[LANES]; /* 1, and 0 of lanes that are none */
    uint32_t *arcs;              /* [LEVELS][arcs of the face] that touch a part of each level */
    clspi_surface_item *items;   /* of its leaves */
    size_t num_items, item_room;
} leaf_maker;

/* What is found of a part. */
typedef struct part_bounds {
    double variation;   /* tau, and until all is seen its square; infinite where nothing is known */
    double along[2];    /* by how much derivatives vary along u and v */
    double size[2];     /* the largest control vectors of derivatives */
    double e[2][LANES]; /* J L^-T: orthonormal */
} part_bounds;

/* ---- control points of derivatives ---- */

/* Makes the control points of the first derivative of others along u (0) or v, raised to their
   degree. */
static void derive(const clspi_surface_shape *shape, const double *controls, int way, double *out)
{
    const size_t row = (shape->degree[1] + 1) * (size_t)shape->lanes;
    const size_t stride = way == 0 ? row : shape->lanes;
    const size_t lines = way == 0 ? 1 : shape->degree[0] + 1;
    const uint32_t n = shape->degree[way];

    for (size_t line = 0; line < lines; line++)
        for (uint32_t i = 0; i <= n; i++) {
            const double *const x = controls + line * row + i * stride;
            const double *const before = i > 0 ? x - stride : x, *const behind =
                                                                     i < n ? x + stride : x;
            double *const to = out + line * row + i * stride;
            for (size_t c = 0; c < stride; c++)
                to[c] = i * (x[c] - before[c]) + (n - i) * (behind[c] - x[c]);
        }
}

/* Makes the control points of a part relative to a point, with all of its derivatives. */
static void make_jet(const leaf_maker *m, const double *controls, const double *point)
{
    const clspi_surface_shape *const s = m->shape;

    for (size_t k = 0; k < s->reals; k += s->lanes) {
        const double w = s->rational ? controls[k + s->dim] : 1;
        for (uint32_t l = 0; l < s->lanes; l++)
            m->jet[JET_X][k + l] = controls[k + l] - (l < s->dim ? w * point[l] : 0);
    }
    derive(s, m->jet[JET_X], 0, m->jet[JET_U]);
    derive(s, m->jet[JET_X], 1, m->jet[JET_V]);
    derive(s, m->jet[JET_U], 0, m->jet[JET_UU]);
    derive(s, m->jet[JET_U], 1, m->jet[JET_UV]);
    derive(s, m->jet[JET_V], 1, m->jet[JET_VV]);
}

/* ---- bounds of a part ---- */

/* Computes the square of the largest singular value of a matrix with columns x, y. */
CLSPI_INLINE double norm_of(const double *x, const double *y)
{
    const double a = dot_of(x, x), b = dot_of(x, y), d = dot_of(y, y), half = (a - d) / 2;

    return (a + d) / 2 + sqrt(half * half + b * b);
}

/* The derivatives at a control point, divided by its weight, in y: vectors of space, and of the
   weight. */
typedef struct control_jet {
    double first[2][LANES], second[3][LANES];
    double weight_first[LANES], weight_second[3]; /* the last two of the first stay 0 */
} control_jet;

/* The inverse of L. */
typedef struct lengths {
    double i11, l21, i22;
} lengths;

static lengths lengths_of(const clspi_surface_leaf *leaf)
{
    return (lengths){1 / leaf->l11, leaf->l21, 1 / leaf->l22};
}

/* Changes derivatives by u, v to ones by y. */
CLSPI_INLINE void by_lengths(const lengths *l, double u, double v, double *y)
{
    y[0] = u * l->i11;
    y[1] = (v - l->l21 * y[0]) * l->i22;
}

CLSPI_INLINE void second_by_lengths(const lengths *l, const double *uv, double *y)
{
    double u[2], v[2];

    by_lengths(l, uv[0], uv[1], u);
    by_lengths(l, uv[1], uv[2], v);
    by_lengths(l, u[0], v[0], y);
    y[2] = (v[1] - l->l21 * (u[1] * l->i11)) * l->i22;
}

CLSPI_INLINE void load_control(const leaf_maker *m, const lengths *by, size_t k, control_jet *c)
{
    const uint32_t dim = m->shape->dim;
    const double w = m->shape->rational ? 1 / m->jet[JET_X][k + dim] : 1;
    const double u = by->i11, uu = u * u, v = by->i22, uv = u * v, vv = v * v;
    const double turn = by->l21 * u, *const of = m->is_coordinate;

    for (uint32_t l = 0; l < LANES; l++) { /* by_lengths and second_by_lengths of all lanes */
        const double by_w = w * of[l];
        const double d = m->jet[JET_U][k + l] * by_w, e = m->jet[JET_V][k + l] * by_w;
        const double f = m->jet[JET_UU][k + l] * by_w, g = m->jet[JET_UV][k + l] * by_w;
        const double h = m->jet[JET_VV][k + l] * by_w;
        c->first[0][l] = d * u;
        c->first[1][l] = (e - turn * d) * v;
        c->second[0][l] = f * uu;
        c->second[1][l] = (g - turn * f) * uv;
        c->second[2][l] = (h - 2 * turn * g + turn * turn * f) * vv;
    }
    if (!m->shape->rational) return;
    const double second[3] = {m->jet[JET_UU][k + dim] * w, m->jet[JET_UV][k + dim] * w,
                              m->jet[JET_VV][k + dim] * w};
    by_lengths(by, m->jet[JET_U][k + dim] * w, m->jet[JET_V][k + dim] * w, c->weight_first);
    second_by_lengths(by, second, c->weight_second);
}

/* Computes the largest distance of a part's control points from its middle. */
CLSPI_INLINE double radius_of(const leaf_maker *m)
{
    const clspi_surface_shape *const s = m->shape;
    double most = 0;

    for (size_t k = 0; k < s->reals; k += s->lanes) {
        const double w = s->rational ? m->jet[JET_X][k + s->dim] : 1;
        double square = 0;
        for (uint32_t l = 0; l < s->dim; l++)
            square += m->jet[JET_X][k + l] * m->jet[JET_X][k + l] / (w * w);
        most = most_of(most, square);
    }
    return sqrt(most);
}

/* Computes how large control vectors of the first derivatives are. */
static void find_sizes(const leaf_maker *m, part_bounds *b)
{
    const clspi_surface_shape *const s = m->shape;

    b->size[0] = b->size[1] = 0;
    for (size_t k = 0; k < s->reals; k += s->lanes) {
        const double w = s->rational ? 1 / m->jet[JET_X][k + s->dim] : 1;
        for (int i = 0; i < 2; i++) {
            double square = 0;
            for (uint32_t l = 0; l < s->dim; l++)
                square += m->jet[JET_U + i][k + l] * m->jet[JET_U + i][k + l] * w * w;
            b->size[i] = most_of(b->size[i], square);
        }
    }
    b->size[0] = sqrt(b->size[0]);
    b->size[1] = sqrt(b->size[1]);
}

/* Makes a unit vector of space at right angles to another one. */
static void cross_axis(const double *x, double *to)
{
    int least = 0;

    for (int l = 1; l < 3; l++)
        if (fabs(x[l]) < fabs(x[least])) least = l;
    for (int l = 0; l < LANES; l++)
        to[l] = (l == least) - x[least] * x[l];
}

/* Chooses the normal at the middle: of surfaces of three dimensions there is one, of four and of
   curves the direction in which they bend there, of surfaces in the plane none. */
static void choose_normal(const clspi_surface_shape *shape, const part_bounds *b,
                          const double *bend, double *normal)
{
    const double *const x = b->e[0], *const y = b->e[1];
    double length;

    memset(normal, 0, LANES * sizeof *normal);
    if (shape->dim == 3 && !clspi_is_curve(shape)) {
        normal[0] = x[1] * y[2] - x[2] * y[1];
        normal[1] = x[2] * y[0] - x[0] * y[2];
        normal[2] = x[0] * y[1] - x[1] * y[0];
    } else if (shape->dim == 4 || clspi_is_curve(shape)) {
        const double along = dot_of(bend, x), across = dot_of(bend, y);
        for (int l = 0; l < LANES; l++)
            normal[l] = bend[l] - along * x[l] - across * y[l];
        if (shape->dim == 3 && !(dot_of(normal, normal) > 1e-20 * dot_of(bend, bend)))
            cross_axis(x, normal);
    }
    length = sqrt(dot_of(normal, normal));
    for (int l = 0; l < LANES; l++)
        normal[l] = length > 0 ? normal[l] / length : 0;
}

/* Takes J at the middle of a part, by its own u, v; false where it has no inverse. */
static bool take_middle(const leaf_maker *m, const jet *j, clspi_surface_leaf *leaf, part_bounds *b)
{
    const double *const u = j->d[JET_U], *const v = j->d[JET_V];
    double bend[LANES], yy[3][LANES];

    leaf->l11 = sqrt(dot_of(u, u));
    leaf->l22 = 0;
    if (!(leaf->l11 > LENGTH_MIN)) return false;
    leaf->l21 = dot_of(u, v) / leaf->l11;
    for (int l = 0; l < LANES; l++) {
        b->e[0][l] = u[l] / leaf->l11;
        b->e[1][l] = v[l] - leaf->l21 * b->e[0][l];
    }
    leaf->l22 = clspi_is_curve(m->shape) ? 1 : sqrt(dot_of(b->e[1], b->e[1]));
    if (!(leaf->l22 > 1e-12 * sqrt(dot_of(v, v)) && leaf->l22 > LENGTH_MIN)) {
        leaf->l22 = 0;
        return false;
    }
    const lengths by = lengths_of(leaf);
    for (int l = 0; l < LANES; l++) {
        const double uv[3] = {j->d[JET_UU][l], j->d[JET_UV][l], j->d[JET_VV][l]};
        double y[3];
        b->e[1][l] /= leaf->l22;
        second_by_lengths(&by, uv, y);
        for (int i = 0; i < 3; i++)
            yy[i][l] = y[i];
        bend[l] = yy[0][l] + yy[2][l];
    }
    choose_normal(m->shape, b, bend, leaf->normal);
    return true;
}

/* Bounds of what second derivatives are, as they are gathered. */
typedef struct bend_bounds {
    double low, high, along, weight_first, weight_second, thick;
} bend_bounds;

/* Computes the largest |M (d, d)| of unit vectors d, M being vectors: at most. */
CLSPI_INLINE double form_of(double second[3][LANES])
{
    double mean[LANES], half[LANES];

    for (int l = 0; l < LANES; l++) {
        mean[l] = (second[0][l] + second[2][l]) / 2;
        half[l] = (second[0][l] - second[2][l]) / 2;
    }
    return sqrt(dot_of(mean, mean)) + sqrt(norm_of(half, second[1]));
}

/* Takes the second derivatives at a control point into bounds. */
CLSPI_INLINE void take_bends(control_jet *c, const double *normal, bend_bounds *b)
{
    double along[3];

    for (int i = 0; i < 3; i++) {
        along[i] = dot_of(c->second[i], normal);
        for (int l = 0; l < LANES; l++)
            c->second[i][l] -= along[i] * normal[l];
    }
    const double mean = (along[0] + along[2]) / 2, half = (along[0] - along[2]) / 2;
    const double most = sqrt(half * half + along[1] * along[1]);
    b->low = least_of(b->low, mean - most);
    b->high = most_of(b->high, mean + most);
    b->along = most_of(b->along, form_of(c->second));
    const double *const w = c->weight_second;
    const double of_weight =
        fabs(w[0] + w[2]) / 2 + sqrt((w[0] - w[2]) * (w[0] - w[2]) / 4 + w[1] * w[1]);
    b->weight_second = most_of(b->weight_second, of_weight);
}

/* Finds by how much the derivatives of a part vary: tau, and the direction in which more. */
CLSPI_INLINE void take_variation(const control_jet *c, const clspi_surface_leaf *leaf,
                                 part_bounds *b)
{
    double off[2][LANES], along[2][2][LANES];

    for (int l = 0; l < LANES; l++)
        for (int i = 0; i < 2; i++)
            off[i][l] = c->first[i][l] - b->e[i][l];
    b->variation = most_of(b->variation, norm_of(off[0], off[1]));
    for (int l = 0; l < LANES; l++)
        for (int i = 0; i < 2; i++) { /* second[i + k] by y_i y_k, back to one by u, v */
            along[0][i][l] = leaf->l11 * c->second[i][l];
            along[1][i][l] = leaf->l21 * c->second[i][l] + leaf->l22 * c->second[i + 1][l];
        }
    for (int i = 0; i < 2; i++)
        b->along[i] = most_of(b->along[i],
                              dot_of(along[i][0], along[i][0]) + dot_of(along[i][1], along[i][1]));
}

/* Finds the constants of a part whose middle has been taken. */
static void find_bounds(const leaf_maker *m, clspi_surface_leaf *leaf, part_bounds *b)
{
    const clspi_surface_shape *const s = m->shape;
    const lengths by = lengths_of(leaf);
    bend_bounds bends = {.low = INFINITY, .high = -INFINITY};
    control_jet c = {.weight_first = {0}};

    b->variation = 0;
    for (size_t k = 0; k < s->reals; k += s->lanes) {
        load_control(m, &by, k, &c);
        const double w = s->rational ? m->jet[JET_X][k + s->dim] : 1;
        bends.thick = most_of(bends.thick, fabs(dot_of(m->jet[JET_X] + k, leaf->normal)) / w);
        bends.weight_first = most_of(bends.weight_first, dot_of(c.weight_first, c.weight_first));
        take_variation(&c, leaf, b);
        take_bends(&c, leaf->normal, &bends);
    }
    const double radius = s->rational ? radius_of(m) : 0;
    b->variation = sqrt(b->variation);
    bends.weight_first = sqrt(bends.weight_first);
    b->variation = (b->variation + radius * bends.weight_first) * (1 + OUTWARD) + OUTWARD;
    const double first = 2 * bends.weight_first, second = bends.weight_second;
    const double off = first * b->variation + second * bends.thick;
    const double size = most_of(fabs(bends.low), fabs(bends.high)) + off;
    const double shrink = most_of(1 - b->variation, 0);
    leaf->bend[0] = bends.low - off - OUTWARD * size;
    leaf->bend[1] = bends.high + off + OUTWARD * size;
    leaf->bend_along =
        (bends.along + first * (1 + b->variation) + second * radius) * (1 + OUTWARD) +
        OUTWARD * size;
    leaf->shrink = shrink * shrink;
}

/* ---- leaves ---- */

/* Computes how large terms of a derivative along a direction are, of which rounding is a part. */
static double terms_of(const leaf_maker *m, const clspi_surface_leaf *leaf, int way)
{
    const double n = m->shape->degree[way], all = 2 * n * m->piece->weights;
    const double ends = n / leaf->low[way] + n / (1 - leaf->high[way]);

    if (m->shape->degree[way] == 0) return 0;
    return m->piece->extent * least_of(all, ends);
}

/* Brings constants by a part's own u, v to those of the piece. */
static void finish_constants(const leaf_maker *m, clspi_surface_leaf *leaf, const part_bounds *b)
{
    const uint32_t *const degree = m->shape->degree;
    const double own[2] = {ldexp(1.0, (int)leaf->depth[0]), ldexp(1.0, (int)leaf->depth[1])};
    const double eps = EPS * (4 * (degree[0] + degree[1]) + 16);

    const double across = clspi_is_curve(m->shape) ? 0 : leaf->l22;
    leaf->spread = (leaf->l11 + fabs(leaf->l21) + across) * (1 + OUTWARD);
    leaf->l11 *= own[0];
    leaf->l21 *= own[1];
    leaf->l22 *= own[1];
    const double u = terms_of(m, leaf, 0), v = terms_of(m, leaf, 1);
    leaf->slack = eps * (u / leaf->l11 + (v + fabs(leaf->l21) / leaf->l11 * u) / leaf->l22);
    if (!(leaf->slack <= SLACK_MAX)) leaf->l22 = 0;
    for (int l = 0; l < LANES && leaf->l22 > 0; l++) {
        leaf->guess[1][l] = b->e[1][l] / leaf->l22;
        leaf->guess[0][l] = (b->e[0][l] - leaf->l21 * leaf->guess[1][l]) / leaf->l11;
    }
}

/* Puts what is at right angles to a curve and to its normal among the axes. */
static void put_binormal(clspi_surface_leaf *leaf)
{
    const double *const x = leaf->axes[0], *const n = leaf->normal;

    for (int l = 0; l < 3; l++) {
        const int k = (l + 1) % 3, m = (l + 2) % 3;
        leaf->axes[1][l] = n[k] * x[m] - n[m] * x[k];
    }
}

/* Finds the extents of a part along its axes, or where it has none those of space. */
static void find_extents(const leaf_maker *m, const double *controls, clspi_surface_leaf *leaf,
                         const part_bounds *b)
{
    const clspi_surface_shape *const s = m->shape;
    const double *const axes[3] = {leaf->axes[0], leaf->axes[1], leaf->normal};
    const double slack = 1e-13 * m->piece->extent;

    for (int i = 0; i < 3; i++) {
        for (int l = 0; l < LANES && leaf->l22 > 0 && i < 2; l++)
            leaf->axes[i][l] = b->e[i][l];
        if (leaf->l22 > 0 && i == 1 && clspi_is_curve(s)) put_binormal(leaf);
        if (!(leaf->l22 > 0)) {
            double *const axis = i < 2 ? leaf->axes[i] : leaf->normal;
            for (int l = 0; l < LANES; l++)
                axis[l] = l == i;
        }
        leaf->least[i] = INFINITY;
        leaf->greatest[i] = -INFINITY;
        for (size_t k = 0; k < s->reals; k += s->lanes) {
            const double w = s->rational ? 1 / controls[k + s->dim] : 1;
            double x[LANES] = {0};
            for (uint32_t l = 0; l < s->dim; l++)
                x[l] = controls[k + l] * w - leaf->middle[l];
            const double at = dot_of(x, axes[i]);
            leaf->least[i] = least_of(leaf->least[i], at - slack);
            leaf->greatest[i] = most_of(leaf->greatest[i], at + slack);
        }
    }
}

/* Examines a part, whose place is in *leaf: its constants, and how much it varies. */
static void examine(const leaf_maker *m, const double *controls, clspi_surface_leaf *leaf,
                    part_bounds *b)
{
    const place middle[2] = {{0.5, 0.5}, {0.5, 0.5}};
    jet j;

    evaluate_piece(&j, m->shape, controls, middle);
    memcpy(leaf->middle, j.d[JET_X], sizeof leaf->middle);
    make_jet(m, controls, leaf->middle);
    *b = (part_bounds){.variation = (double)INFINITY};
    find_sizes(m, b);
    if (take_middle(m, &j, leaf, b)) find_bounds(m, leaf, b);
    if (!(b->variation < (double)INFINITY)) leaf->l22 = 0;
    for (int i = 0; i < 2; i++)
        if (!(leaf->l22 > 0)) b->along[i] = b->size[i];
}

static bool append_leaf(leaf_maker *m, const double *controls, clspi_surface_leaf *leaf,
                        const part_bounds *b)
{
    clspi_surface_parts *const parts = m->parts;

    if (leaf->l22 > 0) finish_constants(m, leaf, b);
    find_extents(m, controls, leaf, b);
    if (parts->num_leaves == parts->leaf_room) {
        const size_t room = 2 * parts->leaf_room + 16;
        void *const more = realloc(parts->leaves, room * sizeof *parts->leaves);
        if (!more) return false;
        parts->leaves = more;
        parts->leaf_room = room;
    }
    clspi_surface_item *const item = &m->items[m->num_items++];
    item->code = KIND_LEAF | (uint32_t)parts->num_leaves;
    item->box = clspi_surface_box_of(m->shape, controls);
    for (int l = 0; l < LANES; l++) {
        const double at = m->piece->origin[l], slack = 4 * EPS * (fabs(at) + m->piece->extent);
        item->box.low[l] += at - slack;
        item->box.high[l] += at + slack;
    }
    parts->leaves[parts->num_leaves++] = *leaf;
    return true;
}

/* Halves control points along u (0) or v, by de Casteljau's algorithm: into `first`, and what is
 * left stays.
 */
static void halve(const clspi_surface_shape *shape, int way, double *controls, double *first)
{
    const uint32_t n = shape->degree[way];
    const size_t row = (shape->degree[1] + 1) * (size_t)shape->lanes;
    const size_t stride = way == 0 ? row : shape->lanes, length = stride;
    const size_t lines = way == 0 ? 1 : shape->degree[0] + 1;

    for (size_t line = 0; line < lines; line++) {
        double *const from = controls + line * row, *const to = first + line * row;
        for (uint32_t r = 0; r <= n; r++) {
            memcpy(to + r * stride, from, length * sizeof *to);
            for (uint32_t i = 0; i < n - r; i++)
                for (size_t c = 0; c < length; c++)
                    from[i * stride + c] =
                        0.5 * (from[i * stride + c] + from[(i + 1) * stride + c]);
        }
    }
}

static void set_place(const leaf_maker *m, clspi_surface_leaf *leaf, const uint32_t depth[2],
                      const uint32_t index[2])
{
    memset(leaf, 0, sizeof *leaf);
    leaf->piece = m->number;
    for (int i = 0; i < 2; i++) {
        leaf->depth[i] = depth[i];
        leaf->index[i] = index[i];
        leaf->low[i] = ldexp((double)index[i], -(int)depth[i]);
        leaf->high[i] = ldexp((double)index[i] + 1, -(int)depth[i]);
        if (m->shape->degree[i] == 0) leaf->high[i] = 0;
    }
}

/* Arcs of a face's loops that may touch a part; known: it is inside of them. */
typedef struct near_arcs {
    const uint32_t *arcs; /* NULL: all */
    uint32_t num;
    bool known;
} near_arcs;

/* Finds whether a part, whose place is in *leaf, is inside of its face's loops, and which arcs
   touch it. */
static clspi_trim_kind look_at_loops(const leaf_maker *m, uint32_t level,
                                     const clspi_surface_leaf *leaf, near_arcs *near)
{
    const clspi_trim_face *const face = m->piece->trim;
    double low[2], high[2];

    if (!face || near->known) return CLSPI_TRIM_IN;
    for (int i = 0; i < 2; i++) {
        const double *const ends = m->piece->ends[i];
        low[i] = ends[0] + leaf->low[i] * (ends[1] - ends[0]);
        high[i] = ends[1] - (1 - leaf->high[i]) * (ends[1] - ends[0]);
    }
    uint32_t *const touching = m->arcs + (size_t)level * face->num_arcs;
    const clspi_trim_kind kind = clspi_trim_box(face, low, high, near->arcs, touching, &near->num);
    near->arcs = touching;
    near->known = kind == CLSPI_TRIM_IN;
    return kind;
}

/* Makes leaves of the part whose control points are those of its level, which are lost. What is
   outside of the face's loops is left out, and what is in part is halved MIXED_DEPTH times. */
static bool make_leaves(leaf_maker *m, const uint32_t depth[2], const uint32_t index[2],
                        near_arcs near)
{
    const uint32_t level = depth[0] + depth[1];
    double *const controls = m->controls[level];
    clspi_surface_leaf leaf;
    part_bounds b;

    set_place(m, &leaf, depth, index);
    const clspi_trim_kind kind = look_at_loops(m, level, &leaf, &near);
    if (kind == CLSPI_TRIM_OUT) return true;
    leaf.is_mixed = kind == CLSPI_TRIM_MIXED;
    examine(m, controls, &leaf, &b);
    const bool may[2] = {depth[0] < CLSPI_SURFACE_LEAF_DEPTH,
                         depth[1] < CLSPI_SURFACE_LEAF_DEPTH && !clspi_is_curve(m->shape)};
    const bool is_fine = b.variation <= VARIATION;
    if ((is_fine && (!leaf.is_mixed || level >= MIXED_DEPTH)) || !(may[0] || may[1]))
        return append_leaf(m, controls, &leaf, &b);
    const double *const longer = is_fine ? b.size : b.along;
    const int way = !may[0] || (may[1] && longer[1] > longer[0]);
    uint32_t deeper[2] = {depth[0], depth[1]}, part[2] = {index[0], index[1]};
    deeper[way]++;
    part[way] *= 2;
    halve(m->shape, way, controls, m->controls[level + 1]);
    if (!make_leaves(m, deeper, part, near)) return false;
    memcpy(m->controls[level + 1], controls, m->shape->reals * sizeof *controls);
    part[way]++;
    return make_leaves(m, deeper, part, near);
}

static double weights_of(const clspi_surface_shape *shape, const double *controls)
{
    double least = 1, most = 1;

    for (size_t k = 0; shape->rational && k < shape->reals; k += shape->lanes) {
        const double w = controls[k + shape->dim];
        least = k == 0 || w < least ? w : least;
        most = k == 0 || w > most ? w : most;
    }
    return most / least;
}

bool clspi_surface_leaves(clspi_surface_parts *parts, uint32_t number, clspi_surface_piece *piece)
{
    enum { LEAVES_MAX = 1 << (2 * CLSPI_SURFACE_LEAF_DEPTH) };
    const clspi_surface_shape *const shape = piece->shape;
    const uint32_t none[2] = {0, 0};
    double *const memory = malloc((LEVELS + JETS) * shape->reals * sizeof *memory);
    leaf_maker m = {.parts = parts, .shape = shape, .number = number, .piece = piece};

    const uint32_t num_arcs = piece->trim ? piece->trim->num_arcs : 0;
    const near_arcs all = {NULL, num_arcs, false};
    m.items = malloc(LEAVES_MAX * sizeof *m.items);
    if (num_arcs > 0) m.arcs = malloc((size_t)LEVELS * num_arcs * sizeof *m.arcs);
    bool done = memory && m.items && (m.arcs || num_arcs == 0);
    for (size_t i = 0; done && i < LEVELS + JETS; i++)
        *(i < LEVELS ? &m.controls[i] : &m.jet[i - LEVELS]) = memory + i * shape->reals;
    if (done) {
        memcpy(m.controls[0], piece->controls, shape->reals * sizeof *piece->controls);
        piece->weights = weights_of(shape, piece->controls);
        for (uint32_t l = 0; l < LANES; l++)
            m.is_coordinate[l] = l < shape->dim;
        done = make_leaves(&m, none, none, all);
    }
    if (done) {
        piece->box = clspi_no_box();
        for (size_t i = 0; i < m.num_items; i++)
            clspi_box_join(&piece->box, &m.items[i].box);
        done = clspi_surface_tree(parts, m.items, m.num_items, &piece->root);
    }
    free(m.items);
    free(m.arcs);
    free(memory);
    return done;
}
