#include "patch_jets.h"

#include <float.h>

typedef double real;
#define REAL_BYTES 8
#include "vectors_real.h"

enum {
    KEPT = 128,                      /* steps of a chain that are kept for all rows, */
    VALUES = 256,                    /* or values of functions, */
    FEW = 16,                        /* and of each order's, in its own place, */
    CONTROLS = 448,                  /* coordinates of control points that are kept for all sums */
    NUMBERS = CLSPI_POINT_COORDS + 2 /* of a sum, with its sizes */
};

/* A step of a chain of convex combinations: from the nearer one of the sum before and of the new
   term by `part` of their difference, which has its sign. */
typedef struct step {
    vec part;
    vec_mask near_term;
} step;

/* Never inlined: it is called where that counts for little. */
#ifdef __GNUC__
#define CLSPI_APART __attribute__((noinline))
#else
#define CLSPI_APART
#endif

/* What is the same for all terms of a direction, for one order: values of functions, or steps; and
   where it stands, for each order by itself or for all of a direction in turns. */
typedef struct held {
    bool is_there;
    vec *values;
    step *steps;
} held;

typedef union few {
    vec values[2 * FEW];
    step steps[FEW];
} few;

typedef union many {
    vec values[VALUES];
    step steps[KEPT];
} many;

/* As many points as a vector has lanes, on their way. */
typedef struct lanes {
    const clspi_point_block *block;
    const clspi_point_shape *shape;
    size_t at; /* the first one's number in the block */
    uint32_t coords;
    uint32_t width;    /* coordinates that sums are made of: those beyond count for nothing */
    bool has_controls; /* control points that count are kept, [terms of u][of v][of w][coords] */
    bool is_near;
    held held[3][3]; /* of each direction and order */
    few few[3][3];
    many many[3];
    vec near[4];
    vec control[CONTROLS + CLSPI_POINT_COORDS];
} lanes;

/* What the terms of a sum are: control points, or their differences. */
typedef enum term_kind {
    VALUES_OF,
    FIRST,
    SECOND, /* along one direction */
    MIXED
} term_kind;

/* A sum that is being made. */
typedef struct sum_of {
    uint32_t by[3], degree[3];
    bool is_tracked, is_kept; /* control points that count are kept */
    term_kind kind;
    size_t to[3];            /* reals from a control point to the next one, of triangles' rows
                                those of one row more to the left */
    const char *from[LANES]; /* control points that count, where none are kept */
    bool is_one;             /* patch and place, of all lanes */
    vec t[3], s[3];
    const held *held[3];
} sum_of;

/* Returns the control points that count along a direction. */
static uint32_t terms_of(const clspi_point_shape *shape, int d)
{
    return shape->is_spline ? shape->degree[d] + 1 : shape->controls[d];
}

/* ---- loads ---- */

/* Loads floats in registers: a vector that is loaded from where its lanes were just stored waits
   for these stores. */
CLSPI_INLINE vec load_floats(const float *from)
{
#if VECTOR_BYTES > 0
    typedef float floats
        __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

    return __builtin_convertvector(*(const floats *)from, vec);
#else
    return (vec)*from;
#endif
}

/* Loads real number `at` behind where lanes' control points begin. */
CLSPI_INLINE vec load_real(const lanes *l, const sum_of *o, size_t at)
{
    const bool is_double = l->shape->is_double;
    real lane[LANES];

    if (o->is_one)
        return all_lanes(is_double ? ((const double *)(const void *)o->from[0])[at]
                                   : (real)((const float *)(const void *)o->from[0])[at]);
    for (int p = 0; p < LANES; p++)
        lane[p] = is_double ? ((const double *)(const void *)o->from[p])[at]
                            : (real)((const float *)(const void *)o->from[p])[at];
    return load_vec(lane);
}

/* Returns x - a b, where next to nothing may be left, as if the product were exact: rounded with
   the difference, or made in two parts, of which the smaller one is 0 where numbers are huge. */
CLSPI_INLINE vec minus_product(vec x, vec a, vec b)
{
#if defined(__FMA__) || defined(__aarch64__)
    return x - a * b;
#else
    const vec far_a = a * 0x8000001p0, far_b = b * 0x8000001p0, product = a * b;
    const vec a1 = far_a - (far_a - a), a2 = a - a1, b1 = far_b - (far_b - b), b2 = b - b1;
    const vec rest = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;

    return (x - product) - select_lanes(abs_lanes(rest) <= DBL_MAX, rest, all_lanes(0));
#endif
}

/* Takes control points relative to the points, times their weight. */
CLSPI_INLINE void take_near(const lanes *l, vec *x, uint32_t coords)
{
    const uint32_t dim = coords - 1;

    for (uint32_t c = 0; c < dim; c++)
        x[c] = minus_product(x[c], l->near[c], x[dim]);
}

/* Loads the control point at `at` of each lane. Where none are kept, there are so many that a call
   counts for little. */
static CLSPI_APART void gather_control(const lanes *l, const sum_of *o, size_t at, vec *x)
{
    for (uint32_t c = 0; c < l->coords; c++)
        x[c] = load_real(l, o, at + c);
    if (l->is_near) take_near(l, x, l->coords);
}

/* Loads the control point at `at`, of so many coordinates. */
CLSPI_INLINE void load_control(const lanes *l, const sum_of *o, size_t at, vec *x, uint32_t coords)
{
    if (o->is_kept) {
        CLSPI_UNROLL(5)
        for (uint32_t c = 0; c < coords; c++)
            x[c] = l->control[at + c];
        return;
    }
    gather_control(l, o, at, x);
}

/* Copies as many reals of each lane as a vector has. */
CLSPI_INLINE void copy_square(lanes *l, const sum_of *o, size_t from, size_t to)
{
    vec e[LANES];

    CLSPI_UNROLL(8)
    for (int p = 0; p < LANES; p++)
        e[p] = l->shape->is_double ? load_vec((const double *)(const void *)o->from[p] + from)
                                   : load_floats((const float *)(const void *)o->from[p] + from);
    interleave_lanes(e, LANES);
    CLSPI_UNROLL(8)
    for (int k = 0; k < LANES; k++)
        l->control[to + (size_t)k] = e[k];
}

/* Copies a run of control points of each lane. */
static void copy_run(lanes *l, const sum_of *o, size_t from, size_t to, size_t count)
{
    const bool is_long = !o->is_one && count >= LANES;
    size_t i = 0;

    for (; is_long && i + LANES <= count; i += LANES)
        copy_square(l, o, from + i, to + i);
    if (is_long && i < count) { /* the last ones, some of them again */
        copy_square(l, o, from + count - LANES, to + count - LANES);
        return;
    }
    for (; i < count; i++)
        l->control[to + i] = load_real(l, o, from + i);
}

/* ---- differences ---- */

/* Loads the factors of differences number k of a direction, of an order. */
CLSPI_INLINE vec factor_of(const lanes *l, const sum_of *o, int d, uint32_t by, uint32_t k)
{
    const clspi_point_place *const place = &l->block->place[d][o->by[d]];
    const size_t before = by > 1 ? l->shape->controls[d] : 0;
    real lane[LANES];

    for (int p = 0; p < LANES; p++)
        lane[p] = place->factors[l->at + (size_t)p][before + k];
    return load_vec(lane);
}

/* Takes the second difference of control points a, b and c, times its factors but the last one. */
CLSPI_INLINE void bend(const lanes *l, const sum_of *o, const uint32_t *number, vec *const a[3],
                       uint32_t coords)
{
    const int d = o->by[0] == 2 ? 0 : o->by[1] == 2 ? 1 : 2;
    vec f = all_lanes(1), g = f;

    if (l->shape->is_spline) {
        f = factor_of(l, o, d, 1, number[d]);
        g = factor_of(l, o, d, 1, number[d] + 1);
    }
    CLSPI_UNROLL(5)
    for (uint32_t x = 0; x < coords; x++)
        a[0][x] = g * (a[2][x] - a[1][x]) - f * (a[1][x] - a[0][x]);
}

/* Adds the sizes of a term. */
CLSPI_INLINE void track(const lanes *l, vec *x, uint32_t coords)
{
    const uint32_t dim = l->shape->dim;
    vec size = abs_lanes(x[0]);

    for (uint32_t c = 1; c < dim; c++)
        size = max_lanes(size, abs_lanes(x[c]));
    x[coords] = size;
    x[coords + 1] = l->shape->rational ? abs_lanes(x[dim]) : all_lanes(0);
}

/* Makes the term at a control point. */
CLSPI_INLINE void load_term(const lanes *l, const sum_of *o, const uint32_t *number, size_t at,
                            vec *x, uint32_t coords, term_kind kind)
{
    const int first = o->by[0] > 0 ? 0 : o->by[1] > 0 ? 1 : 2, second = o->by[2] > 0 ? 2 : 1;
    const size_t to = o->to[first], shorter = l->shape->is_triangle && first == 0 ? coords : 0;
    vec b[CLSPI_POINT_COORDS], c[CLSPI_POINT_COORDS], d[CLSPI_POINT_COORDS];

    load_control(l, o, at, x, coords);
    if (kind != VALUES_OF) load_control(l, o, at + to, b, coords);
    if (kind == SECOND) {
        load_control(l, o, at + 2 * to - shorter, c, coords);
        bend(l, o, number, (vec *const[]){x, b, c}, coords);
    } else if (kind == MIXED) {
        load_control(l, o, at + o->to[second], c, coords);
        load_control(l, o, at + to + o->to[second], d, coords);
    }
    CLSPI_UNROLL(5)
    for (uint32_t k = 0; k < coords; k++)
        x[k] = kind == FIRST ? b[k] - x[k] : kind == MIXED ? (d[k] - b[k]) - (c[k] - x[k]) : x[k];
    if (o->is_tracked) track(l, x, coords);
}

/* ---- chains ---- */

/* Makes step k > 0 of a chain of a degree, after that with this part of the new term. The smaller
   part is divided for. */
CLSPI_INLINE step next_step(vec *fresh, uint32_t degree, uint32_t k, vec t, vec s)
{
    const vec x = t * (real)(degree - k + 1) * *fresh, y = s * (real)k;
    const vec part = min_lanes(x, y) / (x + y);
    const vec_mask is_small = x < y;
    const step m = {select_lanes(is_small, part, -part), x >= y};

    *fresh = select_lanes(is_small, part, 1 - part);
    return m;
}

/* Adds a term to a chain. */
CLSPI_INLINE void combine(vec *q, const vec *w, uint32_t numbers, step m)
{
    CLSPI_UNROLL(7)
    for (uint32_t c = 0; c < numbers; c++)
        q[c] = select_lanes(m.near_term, w[c], q[c]) + m.part * (w[c] - q[c]);
}

/* Makes the values of the functions of a direction, by a chain of each one's coefficients, times
   the factors of the last differences. */
static void hold_values(const lanes *l, const sum_of *o, int d)
{
    const clspi_point_place *const place = &l->block->place[d][o->by[d]];
    const uint32_t num = o->degree[d] + 1;
    vec *const q = o->held[d]->values;
    vec fresh = all_lanes(1);

    for (uint32_t k = 0; k < num; k++) {
        step m;
        if (k > 0) m = next_step(&fresh, num - 1, k, o->t[d], o->s[d]);
        for (uint32_t i = 0; i < num; i++) {
            real lane[LANES];
            for (int p = 0; p < LANES; p++)
                lane[p] = place->functions[l->at + (size_t)p][(size_t)i * num + k];
            const vec w = load_vec(lane);
            if (k == 0)
                q[i] = w;
            else
                combine(&q[i], &w, 1, m);
        }
    }
    for (uint32_t i = 0; i < num && o->by[d] > 0; i++)
        q[i] = q[i] * factor_of(l, o, d, o->by[d], i);
}

/* Keeps the steps of a direction's chain. */
static void hold_steps(const sum_of *o, int d)
{
    vec fresh = all_lanes(1);

    for (uint32_t k = 1; k <= o->degree[d]; k++)
        o->held[d]->steps[k] = next_step(&fresh, o->degree[d], k, o->t[d], o->s[d]);
}

/* Keeps for a sum what all its rows need of a direction, where that is not kept. */
static void hold(lanes *l, sum_of *o, int d)
{
    const bool is_row = l->shape->is_triangle && d == 1; /* of another degree each */
    const uint32_t order = l->shape->is_triangle ? o->by[0] + o->by[1] : o->by[d];
    held *const h = &l->held[d][order];

    o->held[d] = h;
    if (h->is_there) return;
    for (int k = 0; k < 3 && o->degree[d] >= FEW; k++) /* they share a place */
        l->held[d][k].is_there = false;
    h->values = o->degree[d] < FEW ? l->few[d][order].values : l->many[d].values;
    h->steps = o->degree[d] < FEW ? l->few[d][order].steps : l->many[d].steps;
    h->is_there = l->shape->is_spline || (o->degree[d] < KEPT && !is_row);
    if (l->shape->is_spline)
        hold_values(l, o, d);
    else if (h->is_there)
        hold_steps(o, d);
}

/* ---- sums ---- */

/* Where a sum over a direction is. */
typedef struct chain {
    uint32_t d, degree, k; /* k: number of the term */
    vec fresh;             /* of the step before, where none are kept */
} chain;

/* Makes a step that is not kept. */
static CLSPI_APART void make_step(const sum_of *o, chain *at, step *m)
{
    *m = next_step(&at->fresh, at->degree, at->k, o->t[at->d], o->s[at->d]);
}

/* Adds a term to a sum. */
CLSPI_INLINE void add_term(const lanes *l, const sum_of *o, chain *at, vec *q, const vec *w,
                           uint32_t numbers)
{
    const held *const h = o->held[at->d];

    if (l->shape->is_spline) {
        const vec f = h->values[at->k];
        CLSPI_UNROLL(7)
        for (uint32_t c = 0; c < numbers; c++)
            q[c] = q[c] + f * w[c];
    } else if (at->k == 0) {
        CLSPI_UNROLL(7)
        for (uint32_t c = 0; c < numbers; c++)
            q[c] = w[c];
    } else {
        step m;
        if (h->is_there)
            m = h->steps[at->k];
        else
            make_step(o, at, &m);
        combine(q, w, numbers, m);
    }
}

/* Begins a sum over a direction; number: of the control point where it does. */
static chain chain_of(const lanes *l, const sum_of *o, uint32_t d, const uint32_t *number)
{
    const bool is_row = l->shape->is_triangle && d == 1;
    const chain begin = {d, is_row ? o->degree[0] - number[0] : o->degree[d], 0, all_lanes(1)};

    return begin;
}

/* Sums over the last direction, as sum_along does, with constants. */
CLSPI_INLINE void sum_line(const lanes *l, const sum_of *o, uint32_t *number, size_t at, vec *out,
                           uint32_t coords, term_kind kind)
{
    const uint32_t d = l->shape->directions - 1;
    const bool is_tracked = o->is_tracked;
    chain c = chain_of(l, o, d, number);
    vec q[NUMBERS], w[NUMBERS];

    CLSPI_UNROLL(7)
    for (uint32_t x = 0; x < coords + 2; x++)
        q[x] = all_lanes(0);
    for (; c.k <= c.degree; c.k++, at += o->to[d]) {
        number[d] = c.k;
        load_term(l, o, number, at, w, coords, kind);
        if (is_tracked)
            add_term(l, o, &c, q, w, coords + 2);
        else
            add_term(l, o, &c, q, w, coords);
    }
    CLSPI_UNROLL(7)
    for (uint32_t x = 0; x < coords + 2; x++)
        out[x] = q[x];
}

/* Has the terms that there are compiled each for itself. */
CLSPI_INLINE void sum_line_of(const lanes *l, const sum_of *o, uint32_t *number, size_t at, vec *q,
                              uint32_t coords)
{
    if (o->kind == VALUES_OF)
        sum_line(l, o, number, at, q, coords, VALUES_OF);
    else if (o->kind == FIRST)
        sum_line(l, o, number, at, q, coords, FIRST);
    else if (o->kind == SECOND)
        sum_line(l, o, number, at, q, coords, SECOND);
    else
        sum_line(l, o, number, at, q, coords, MIXED);
}

/* Copies the lines of control points that a sum over the last direction is made of, where they are
   few, and has the sum made of these; false: they are many. */
static bool copy_lines(lanes *l, sum_of *o, size_t at)
{
    const int last = (int)l->shape->directions - 1;
    const uint32_t across = last > 0 ? o->by[0] + 1 : 1, along = last > 1 ? o->by[1] + 1 : 1;
    const uint32_t lines = across * along, terms = terms_of(l->shape, last);
    const size_t line = (size_t)terms * l->coords;

    if (l->has_controls || l->shape->is_triangle || last == 0 || lines * line > CONTROLS)
        return false;
    for (uint32_t k = 0; k < lines; k++)
        copy_run(l, o, at + k / along * o->to[0] + k % along * o->to[1], k * line, line);
    for (size_t x = 0; x < lines * line && l->is_near; x += l->coords)
        take_near(l, l->control + x, l->coords);
    if (last > 0) o->to[0] = along * line;
    if (last > 1) o->to[1] = line;
    o->is_kept = true;
    return true;
}

/* Has the coordinates that most patches have compiled each for itself. */
static CLSPI_APART void sum_last(lanes *l, const sum_of *given, uint32_t *number, size_t at, vec *q)
{
    const sum_of *o = given;
    sum_of own;

    if (!given->is_kept) {
        own = *given;
        if (copy_lines(l, &own, at)) at = 0;
        o = &own;
    }
    if (l->width == 3)
        sum_line_of(l, o, number, at, q, 3);
    else if (l->width == 4)
        sum_line_of(l, o, number, at, q, 4);
    else
        sum_line_of(l, o, number, at, q, CLSPI_POINT_COORDS);
}

/* Sums over a direction and those behind it, from the control point at `at` on. number: of that, of
   which the directions before have theirs. */
static void sum_along(lanes *l, sum_of *o, uint32_t d, uint32_t *number, size_t at, vec *q)
{
    const bool is_triangle = l->shape->is_triangle;
    chain c = chain_of(l, o, d, number);
    vec w[NUMBERS];

    if (d >= 2 || d + 1 == l->shape->directions) {
        sum_last(l, o, number, at, q);
        return;
    }
    for (int x = 0; x < NUMBERS; x++)
        q[x] = all_lanes(0);
    for (; c.k <= c.degree; c.k++) {
        number[d] = c.k;
        if (is_triangle && d == 0) o->to[0] = (size_t)(l->shape->degree[0] + 1 - c.k) * l->coords;
        vec *const term = c.k == 0 && !l->shape->is_spline ? q : w;
        sum_along(l, o, d + 1, number, at, term);
        if (term == w) add_term(l, o, &c, q, w, NUMBERS);
        at += o->to[d];
    }
}

/* Says how far apart control points are: of patches, or where those that count are kept. */
static void set_steps(const lanes *l, sum_of *o, bool kept)
{
    const clspi_point_shape *const shape = l->shape;

    o->to[2] = l->coords;
    for (int d = 2; d-- > 0;)
        o->to[d] = o->to[d + 1] * (kept ? terms_of(shape, d + 1) : shape->controls[d + 1]);
    if (shape->is_triangle) o->to[1] = l->coords;
}

/* Finds where the lanes' control points that count begin. */
static void find_controls(const lanes *l, sum_of *o)
{
    const clspi_point_block *const block = l->block;
    const size_t bytes = l->shape->is_double ? sizeof(double) : sizeof(float);
    const uint32_t directions = l->shape->is_spline ? l->shape->directions : 0;

    set_steps(l, o, false);
    o->is_one = true;
    for (int p = 0; p < LANES; p++) {
        size_t first = 0;
        for (uint32_t d = 0; d < directions; d++)
            first += block->place[d][o->by[d]].first[l->at + (size_t)p] * o->to[d];
        o->from[p] = (const char *)block->patch[l->at + (size_t)p] + first * bytes;
        o->is_one = o->is_one && o->from[p] == o->from[0];
    }
}

/* Begins a sum; false: its order is higher than the patch's. */
static bool begin_sum(lanes *l, sum_of *o, unsigned k)
{
    const clspi_point_shape *const shape = l->shape;

    o->is_tracked = (l->block->tracked >> k & 1) != 0;
    o->kind = k == 0 ? VALUES_OF : k < 4 ? FIRST : SUM_OF(k) != SUM_ALONG(k) ? MIXED : SECOND;
    for (unsigned d = 0; d < 3; d++)
        o->by[d] = clspi_point_order(k, d);
    const uint32_t less = shape->is_triangle ? o->by[0] + o->by[1] : 0;
    for (uint32_t d = 0; d < shape->directions; d++) {
        const uint32_t order = shape->is_triangle ? less : o->by[d];
        const clspi_point_place *const place = &l->block->place[d][shape->is_spline ? o->by[d] : 0];
        if (order > shape->degree[shape->is_triangle ? 0 : d]) return false;
        o->degree[d] = shape->degree[d] - (shape->is_triangle && d > 0 ? 0 : order);
        o->t[d] = load_vec(place->t + l->at);
        o->s[d] = load_vec(place->s + l->at);
        hold(l, o, (int)d);
    }
    o->is_kept = l->has_controls && !l->block->has_kinks;
    if (o->is_kept)
        set_steps(l, o, true);
    else
        find_controls(l, o);
    return true;
}

/* Returns n!/(n - by)!, by at most 2, of all directions. */
static real falling(const clspi_point_shape *shape, const uint32_t by[3])
{
    real product = 1;

    if (shape->is_spline) return 1;
    for (int d = 0; d < 3; d++) {
        const int of = shape->is_triangle ? 0 : d;
        const uint32_t before = shape->is_triangle && d == 1 ? by[0] : 0;
        for (uint32_t k = before; k < before + by[d]; k++)
            product *= (real)(shape->degree[of] - k);
    }
    return product;
}

static void make_sum(lanes *l, unsigned k, clspi_point_sum *out)
{
    uint32_t number[3] = {0, 0, 0};
    vec q[NUMBERS];
    sum_of o;

    for (int c = 0; c < NUMBERS; c++)
        q[c] = all_lanes(0);
    if (begin_sum(l, &o, k)) {
        sum_along(l, &o, 0, number, 0, q);
        const real factor = falling(l->shape, o.by);
        for (int c = 0; c < NUMBERS; c++)
            q[c] = factor * q[c];
    }
    for (uint32_t c = 0; c < l->coords; c++)
        store_vec(out->x[c] + l->at, q[c]);
    store_vec(out->size + l->at, o.is_tracked ? q[l->width] : all_lanes(0));
    store_vec(out->weight + l->at, o.is_tracked ? q[l->width + 1] : all_lanes(0));
}

/* ---- all sums ---- */

/* Copies the control points that count, where they are few. */
static void copy_controls(lanes *l)
{
    const clspi_point_shape *const shape = l->shape;
    const uint32_t n = shape->degree[0] + 1, u = terms_of(shape, 0), v = terms_of(shape, 1);
    const size_t row = (size_t)terms_of(shape, 2) * l->coords;
    const size_t all =
        shape->is_triangle ? (size_t)n * (n + 1) / 2 * l->coords : (size_t)u * v * row;
    sum_of o;

    for (int d = 0; d < 3; d++)
        o.by[d] = 0;
    l->has_controls = n <= CONTROLS && u <= CONTROLS && v <= CONTROLS && all <= CONTROLS;
    if (!l->has_controls) return;
    find_controls(l, &o);
    if (!shape->is_spline) { /* all count, and are adjacent */
        copy_run(l, &o, 0, 0, all);
        return;
    }
    for (uint32_t i = 0; i < u; i++)
        for (uint32_t j = 0; j < v; j++)
            copy_run(l, &o, i * o.to[0] + j * o.to[1], ((size_t)i * v + j) * row, row);
}

/* Makes the points, and has what follows relative to them. */
static void go_near(lanes *l, clspi_point_jet *jet)
{
    const uint32_t dim = l->shape->dim;
    const size_t terms = (size_t)terms_of(l->shape, 0) * terms_of(l->shape, 1);

    make_sum(l, 0, &jet->sum[0]);
    const vec one_over_w = 1 / load_vec(jet->sum[0].x[dim] + l->at);
    for (uint32_t c = 0; c < dim; c++) {
        l->near[c] = load_vec(jet->sum[0].x[c] + l->at) * one_over_w;
        store_vec(jet->near[c] + l->at, l->near[c]);
    }
    l->is_near = true;
    if (!l->has_controls) return;
    const size_t all = l->shape->is_triangle
                           ? (size_t)(l->shape->degree[0] + 1) * (l->shape->degree[0] + 2) / 2
                           : terms * terms_of(l->shape, 2);
    for (size_t i = 0; i < all; i++)
        take_near(l, l->control + i * l->coords, l->coords);
}

static void make_lanes(lanes *l, clspi_point_jet *jet)
{
    static const unsigned turn[SUM_KINDS] = {0, 3, 9, 2, 8, 6, 1, 7, 5, 4}; /* u changes least */

    for (int d = 0; d < 9; d++)
        l->held[d / 3][d % 3].is_there = false;
    l->is_near = false;
    copy_controls(l);
    if (l->block->is_near) go_near(l, jet);
    for (unsigned k = 0; k < SUM_KINDS; k++)
        if (l->block->sums >> turn[k] & 1) make_sum(l, turn[k], &jet->sum[turn[k]]);
}

void clspi_patch_jets(const clspi_point_block *block, clspi_point_jet *jet)
{
    lanes l;

    l.block = block;
    l.shape = block->shape;
    l.coords = block->shape->dim + block->shape->rational;
    l.width = l.coords == 3 || l.coords == 4 ? l.coords : CLSPI_POINT_COORDS;
    for (int k = 0; k < CLSPI_POINT_COORDS; k++)
        l.control[CONTROLS + k] = all_lanes(0);
    for (l.at = 0; l.at < CLSPI_POINT_BLOCK; l.at += LANES)
        make_lanes(&l, jet);
}
