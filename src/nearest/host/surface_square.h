/* The squared distance of the query to parts of a piece in Bernstein form: branch and bound over
   them (docs/math.md, 20). Of rational pieces it is A / W, W the squared weight; else W = 1. */
#ifndef CLSPI_SURFACE_SQUARE_H
#define CLSPI_SURFACE_SQUARE_H

#include "surface_coefficients.h"
#include "surface_walk.h"

enum {
    DEPTH = 48,                 /* a piece is halved so often at most, in each direction */
    LEVELS_MAX = 2 * DEPTH + 2, /* parts that wait */
    STEPS = 12                  /* of Newton's method */
};

/* Memory for parts that wait. */
typedef struct square_work {
    size_t coefficients; /* room for those of a part */
    double *a, *w;       /* [LEVELS_MAX][coefficients], of which each part has room */
    square_source source;
    square_part part[LEVELS_MAX];
} square_work;

CLSPI_INLINE squares squares_of(const walk *k, const square_part *p)
{
    square_work *const work = k->work;
    const uint32_t *const degree = k->shape->degree;
    const squares s = {work->a + p->room * work->coefficients,
                       work->w + p->room * work->coefficients,
                       p->side[0] < 0 ? 2 * (int)degree[0] : 0,
                       p->side[1] < 0 ? 2 * (int)degree[1] : 0, k->shape->rational};

    return s;
}

/* Tells whether something nearer may be left in a part. */
CLSPI_INLINE bool is_open(const walk *k, const square_part *p)
{
    return may_be_nearer(p->least, p->error, k->least, k->near);
}

/* Makes the coefficients of a part; false: nothing nearer is there. */
CLSPI_INLINE bool make_squares(const walk *k, square_part *p, const double *direction)
{
    square_source *const source = &k->work->source;
    const squares s = squares_of(k, p);

    source->shape = k->shape;
    source->controls = k->controls;
    source->from = k->from;
    source->extent = k->piece->extent;
    source->near = k->near;
    return clspi_square_coefficients(source, p, direction, &s);
}

/* ---- what coefficients say ---- */

/* Returns a lower bound of the squared distance. */
CLSPI_INLINE double least_above(const squares *s, double error)
{
    int at;

    return most_of(least_square(*s, s->a, s->w, &at) - error, 0);
}

/* Returns an upper bound of the squared distance. */
CLSPI_INLINE double most_below(const squares *s, double error)
{
    double most = 0;

    for (int i = 0; i < (s->nu + 1) * (s->nv + 1); i++)
        most = most_of(most, ratio_at(*s, s->a, s->w, i));
    return most + error;
}

/* ---- places of a part ---- */

/* Returns an end of the interval of a part in the piece, or the side that it is. */
CLSPI_INLINE double end_of(const square_part *p, int way, uint64_t behind)
{
    const double parts = (double)((uint64_t)1 << p->depth[way]);

    return p->side[way] < 0 ? (double)(p->index[way] + behind) / parts : p->side[way];
}

CLSPI_INLINE real4 box_of(const square_part *p)
{
    return REAL4(end_of(p, 0, 0), end_of(p, 0, 1), end_of(p, 1, 0), end_of(p, 1, 1));
}

/* Tells whether all of a part is outside of its face's loops. */
static bool is_part_outside(const walk *k, const square_part *p)
{
    double low[2], high[2];

    for (int i = 0; i < 2; i++) {
        const double *const ends = k->piece->ends[i];
        low[i] = ends[0] + end_of(p, i, 0) * (ends[1] - ends[0]);
        high[i] = ends[0] + end_of(p, i, 1) * (ends[1] - ends[0]);
    }
    return clspi_trim_outside(k->tests, low, high);
}

/* Returns the place at which coefficient `at` would stand. */
CLSPI_INLINE void find_place(const squares *s, real4 b, int at, place to[2])
{
    const int columns = s->nv + 1, row = at / columns, column = at - row * columns;

    to[0] = place_of(row, s->nu, b.s0, b.s1);
    to[1] = place_of(column, s->nv, b.s2, b.s3);
}

/* Tries the corner of a part that is nearest, if it is nearer than what is known. */
CLSPI_INLINE void try_corners(walk *k, const squares *s, real4 b)
{
    const int last = s->nu * (s->nv + 1), at[4] = {0, s->nv, last, last + s->nv};
    double least = INFINITY, e[LANES];
    int best = 0;
    place to[2];
    jet j;

    for (int i = 0; i < 4; i++) {
        const double f = ratio_at(*s, s->a, s->w, at[i]);
        if (f < least) {
            least = f;
            best = at[i];
        }
    }
    if (!(least < k->near)) return;
    find_place(s, b, best, to);
    try_place(k, to, &j, e);
}

/* ---- convex parts ---- */

/* Returns what is worth looking for in a convex part where a point has been tried. If that is
   outside of the face's loops and the part's nearest, the curves that bound the face are as near as
   all that is left of it: where weights do not matter, or where the part is convex for this
   distance. */
CLSPI_INLINE double worth_below(const walk *k, const squares *s, const bowl *o, double square)
{
    const bool ends_here = k->is_outside && (!s->rational || o->level <= square * (1 + 1e-12));

    return ends_here ? limit_of(k, square, k->piece->extent) : k->near;
}

/* Looks for the minimum of a convex part; true if nothing nearer is left in it. */
CLSPI_INLINE bool search_bowl(walk *k, const squares *s, const bowl *o)
{
    int least;
    place at[2];
    jet j;
    double e[LANES], before = INFINITE;
    const piece_facts p = facts_of(k);
    int worse = 0;

    least_square(*s, s->a, s->w, &least);
    find_place(s, o->box, least, at);
    for (int n = 0; n < STEPS; n++) {
        const double square = try_place(k, at, &j, e);
        const slopes g = slopes_at(k, &j, e);
        const double bound = bound_on_bowl(*o, &j, g, p, at[0], at[1], square, s->rational);
        if (bound >= worth_below(k, s, o, square)) return true;
        worse += square >= before;
        if (worse > WORSE_MAX) break;
        before = square;
        if (!(step_within(&at[0], &at[1], g, o->box.s0, o->box.s1, o->box.s2, o->box.s3) >
              1e-18 * square))
            break;
    }
    return false;
}

/* ---- halving ---- */

/* Halves coefficients along u or v: the first half goes to `first`, the second one stays. */
CLSPI_INLINE void halve_squares(double *x, double *first, int nu, int nv, int way)
{
    const int columns = nv + 1;

    for (int r = 0; way == 0 && r <= nu; r++) {
        for (int c = 0; c < columns; c++)
            first[r * columns + c] = x[c];
        for (int i = 0; i < nu - r; i++)
            for (int c = 0; c < columns; c++)
                x[i * columns + c] = 0.5 * (x[i * columns + c] + x[(i + 1) * columns + c]);
    }
    for (int r = 0; way == 1 && r <= nv; r++)
        for (int i = 0; i <= nu; i++) {
            double *const row = x + i * columns;
            first[i * columns + r] = row[0];
            for (int c = 0; c < nv - r; c++)
                row[c] = 0.5 * (row[c] + row[c + 1]);
        }
}

/* Puts a part in the place of another, which takes its place. */
CLSPI_INLINE void swap_parts(square_part *x, square_part *y)
{
    const square_part other = *x;

    *x = *y;
    *y = other;
}

/* Finishes a half: coefficients of its own where they have been halved often, and its bound. */
CLSPI_INLINE void finish_half(walk *k, square_part *p, const squares *s)
{
    static const double nowhere[LANES] = {0};

    if (p->depth[0] + p->depth[1] - p->made >= HALVINGS) make_squares(k, p, nowhere);
    p->least = least_above(s, p->error);
}

/* Puts the halves of a part in its place and above it, the nearer one last. Returns how many parts
   wait. */
CLSPI_INLINE uint32_t split_part(walk *k, uint32_t level, int way, const squares *s)
{
    square_part *const p = &k->work->part[level], *const first = p + 1;
    const uint32_t room = first->room;
    squares half = *s;

    half.a = k->work->a + room * k->work->coefficients;
    half.w = k->work->w + room * k->work->coefficients;
    halve_squares(s->a, half.a, s->nu, s->nv, way);
    if (s->rational) halve_squares(s->w, half.w, s->nu, s->nv, way);
    p->depth[way]++;
    p->index[way] *= 2;
    *first = *p;
    first->room = room;
    p->index[way]++;
    finish_half(k, p, s);
    finish_half(k, first, &half);
    if (!is_open(k, p)) {
        swap_parts(p, first);
        return level + is_open(k, p);
    }
    if (!is_open(k, first)) return level + 1;
    if (p->least < first->least) swap_parts(p, first);
    return level + 2;
}

/* ---- parts ---- */

typedef enum verdict { PART_OUT, PART_OPEN, PART_CHANGED } verdict;

/* Looks at the signs of derivatives: a part along which the distance falls towards one side has its
   minimum there, and if that is not a side of the piece, a neighbour has it. */
CLSPI_INLINE verdict look_at_signs(const walk *k, square_part *p, const squares *s)
{
    const double most = least_of(k->least, p->size + p->error);

    for (int way = 0; way < 2; way++) {
        if (p->side[way] >= 0) continue;
        const int sign = sign_along(*s, s->a, s->w, way, p->least, most, p->error, p->of_weight);
        if (sign == 0) continue;
        const int side = sign < 0;
        const bool is_edge =
            side == 0 ? p->index[way] == 0 : p->index[way] + 1 == (uint64_t)1 << p->depth[way];
        if (!is_edge) return PART_OUT;
        keep_side(*s, s->a, s->w, way, side == 0);
        p->side[way] = side;
        return PART_CHANGED;
    }
    return PART_OPEN;
}

/* Looks at whether a part is convex, and for its minimum if it is. */
CLSPI_INLINE bool is_done_as_bowl(walk *k, const square_part *p, const squares *s)
{
    double level = k->tests ? least_of(k->least, most_below(s, p->error)) : k->least;

    for (int again = 0; again < 2; again++) {
        bowl o = {box_of(p), convexity_of(*s, s->a, s->w, level, p->error + level * p->of_weight),
                  level, 1, sqrt(p->size)};
        if (!(o.bend.s0 > 0 && o.bend.s1 > 0)) return false;
        for (int i = 0; s->rational && i < (s->nu + 1) * (s->nv + 1); i++)
            o.weight = i == 0 ? s->w[i] : least_of(o.weight, s->w[i]);
        o.weight *= 1 - p->of_weight;
        k->outside = INFINITE;
        if (search_bowl(k, s, &o)) return true;
        level = least_of(k->least, k->outside);
        if (!s->rational || !(level < o.level)) return false;
    }
    return false;
}

/* Examines the last part that waits, and puts what is left of it in its place. Returns how many
   wait. */
CLSPI_INLINE uint32_t search_part(walk *k, uint32_t level, const squares *s)
{
    square_part *const p = &k->work->part[level];

    if (!is_open(k, p)) return level;
    try_corners(k, s, box_of(p));
    p->least = most_of(p->least, least_above(s, p->error));
    if (!is_open(k, p) || (s->nu == 0 && s->nv == 0)) return level;
    const verdict v = look_at_signs(k, p, s);
    if (v == PART_CHANGED) return level + 1;
    if (v == PART_OUT || is_done_as_bowl(k, p, s) || !is_open(k, p)) return level;
    if (k->tests && is_part_outside(k, p)) return level;
    int way = longer_way(*s, s->a, s->w);
    if (p->side[way] >= 0 || p->depth[way] >= DEPTH) way = 1 - way;
    if (p->side[way] >= 0 || p->depth[way] >= DEPTH || k->num_parts >= k->parts_end) {
        k->is_cut = true;
        k->lowest = least_of(k->lowest, p->least);
        return level;
    }
    k->num_parts++;
    return split_part(k, level, way, s);
}

/* Searches a part of the piece at hand to the end. direction: a unit vector from the query to where
   it may be nearest, or 0. */
static void search_squares(walk *k, const uint32_t depth[2], const uint32_t index[2],
                           const double *direction)
{
    const uint32_t left = k->num_parts < PARTS_MAX ? PARTS_MAX - k->num_parts : 0;
    const uint32_t share = left / PARTS_SHARE;
    square_part *const p = k->work->part;
    uint32_t num = 1;

    k->parts_end = k->num_parts + (share > PARTS_LEAST ? share : PARTS_LEAST);
    *p = (square_part){.depth = {depth[0], depth[1]},
                       .index = {index[0], index[1]},
                       .side = {-1, clspi_is_curve(k->shape) ? 0 : -1},
                       .room = p->room};
    if (!make_squares(k, p, direction)) return;
    while (num > 0) {
        const squares s = squares_of(k, &p[num - 1]), bicubic = {s.a, s.w, 6, 6, false};
        const squares plain = {s.a, s.w, s.nu, s.nv, false},
                      rational = {s.a, s.w, s.nu, s.nv, true};
        num = s.rational               ? search_part(k, num - 1, &rational)
              : s.nu == 6 && s.nv == 6 ? search_part(k, num - 1, &bicubic)
                                       : search_part(k, num - 1, &plain);
    }
}

#endif
