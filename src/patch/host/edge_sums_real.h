/* The definition of one clspi_edge_sums, EDGE_SUMS, in the precision `real`. The file that includes
   this one names both, REAL_TYPE, REAL_BYTES, REAL_EPS, REAL_TINY and REAL_MAX. Lanes are samples
   of an edge. Sums are those of three coordinates and a weight, and of magnitudes. */
#include <float.h>
#include <stdbool.h>

#include "convert_real.h"
#include "edge_sums.h"
#include "normals_real.h"

enum { COORDS = 5 }; /* of a point, at most, with its weight */

/* ---- chains of convex combinations ---- */

/* A step's factors: of what there was, and of the control point. */
typedef struct factors {
    vec old, fresh;
} factors;

/* Samples of an edge, each at its ratio t : s. */
typedef struct ratios {
    vec t, s;
} ratios;

/* Samples, and how they come by the edge's control points. */
typedef struct samples {
    ratios at;
    vec_mask flip;       /* those from the edge's end on */
    const real *from[2]; /* the control points that samples come by first, and those if flipped */
    ptrdiff_t step[2];   /* to the next ones */
} samples;

static factors first_factors(void)
{
    return (factors){(vec){0}, all_lanes(1)};
}

CLSPI_INLINE factors next_factors(factors last, uint32_t degree, uint32_t k, const ratios *at)
{
    const vec x = at->t * (real)(degree - k + 1) * last.fresh, y = at->s * (real)k;
    const vec part = min_lanes(x, y) / (x + y), rest = 1 - part;

    return (factors){select_lanes(x < y, rest, part), select_lanes(x < y, part, rest)};
}

/* Adds control points to chains, from the nearer of both on: the difference is that of its
   neighbour in all orders, and only its sign is turned. */
CLSPI_INLINE void combine_coords(vec *q, const vec *w, int coords, factors f)
{
    const vec_mask near_w = f.fresh > f.old;
    const vec part = select_lanes(near_w, -f.old, f.fresh);

    CLSPI_UNROLL(5)
    for (int c = 0; c < coords; c++)
        q[c] = select_lanes(near_w, w[c], q[c]) + part * (w[c] - q[c]);
}

/* Loads a coordinate of control point i. */
CLSPI_INLINE vec load_coord(const samples *at, uint32_t i, ptrdiff_t coord)
{
    return select_lanes(at->flip, all_lanes(at->from[1][(ptrdiff_t)i * at->step[1] + coord]),
                        all_lanes(at->from[0][(ptrdiff_t)i * at->step[0] + coord]));
}

/* Sums so many coordinates, which are known, of an edge's points. */
CLSPI_INLINE void sum_coords(const samples *at, uint32_t degree, int first, int coords, vec *sum)
{
    factors f = first_factors();

    CLSPI_UNROLL(4)
    for (int c = 0; c < coords; c++)
        sum[first + c] = (vec){0};
    for (uint32_t i = 0; i <= degree; i++) {
        vec w[4];
        CLSPI_UNROLL(4)
        for (int c = 0; c < coords; c++)
            w[c] = load_coord(at, i, first + c);
        if (i > 0) f = next_factors(f, degree, i, &at->at);
        combine_coords(sum + first, w, coords, f);
    }
}

/* Sums the points of an edge, the weight, if they have one, as their last coordinate. */
static void sum_points(const clspi_vertex_shape *shape, const samples *at, uint32_t degree,
                       vec sum[COORDS])
{
    const int coords = (int)(shape->dim + shape->rational);

    if (coords == 3)
        sum_coords(at, degree, 0, 3, sum);
    else if (coords == 4)
        sum_coords(at, degree, 0, 4, sum);
    else
        for (int c = 0; c < coords; c++)
            sum_coords(at, degree, c, 1, sum);
}

/* ---- derivatives ---- */

/* Control points that sums of an edge are of: from the edge's first one on, of rational patches
   relative to a centre. */
typedef struct edge_points {
    const real *first;
    ptrdiff_t step_t, inwards[3]; /* reals to the next one, and to those inwards of one */
    uint32_t degree;
    vec centre[3];
} edge_points;

/* Loads a control point. */
CLSPI_INLINE tracked load(const edge_points *of, const real *from, bool rational)
{
    tracked a = {.x = {all_lanes(from[0]), all_lanes(from[1]), all_lanes(from[2])}};

    if (rational) a.w = all_lanes(from[3]);
    for (int c = 0; c < 3 && rational; c++)
        a.x[c] = fma_lanes(-of->centre[c], a.w, a.x[c]);
    return a;
}

CLSPI_INLINE tracked minus(const tracked *a, const tracked *b)
{
    return (tracked){.x = {a->x[0] - b->x[0], a->x[1] - b->x[1], a->x[2] - b->x[2]},
                     .w = a->w - b->w};
}

/* Adds a control point, or a difference, to a sum. */
CLSPI_INLINE void add_term(tracked *sum, const tracked *d, factors f, bool rational)
{
    for (int c = 0; c < 3; c++)
        sum->x[c] = f.fresh * d->x[c] + f.old * sum->x[c];
    sum->size = f.fresh * largest3(d->x) + f.old * sum->size;
    if (!rational) return;
    sum->w = f.fresh * d->w + f.old * sum->w;
    sum->weight = f.fresh * abs_lanes(d->w) + f.old * sum->weight;
}

/* Takes differences along the edge of what is known, from `from` to `to`. */
CLSPI_INLINE void take_differences(tracked *d, tracked *last, int from, int to)
{
    CLSPI_UNROLL(3)
    for (int m = from; m <= to; m++) {
        const tracked now = d[m];
        d[m] = minus(&now, &last[m]);
        last[m] = now;
    }
}

/* Sums differences of control points, so many times along the edge, and inwards from `from` times
   to `to` times, which are known. */
CLSPI_INLINE void sum_differences(const edge_points *of, const ratios *at, uint32_t along, int from,
                                  int to, bool rational, tracked *sum)
{
    factors f = first_factors();
    tracked d[3], last[2][3] = {0};

    CLSPI_UNROLL(3)
    for (int m = from; m <= to; m++)
        sum[m] = (tracked){0};
    for (uint32_t i = 0; i <= of->degree; i++) {
        const real *const p = of->first + (ptrdiff_t)i * of->step_t;
        d[0] = load(of, p, rational);
        if (to > 0) {
            const tracked next = load(of, p + of->inwards[1], rational);
            d[1] = minus(&next, &d[0]);
            if (to > 1) {
                d[2] = load(of, p + of->inwards[2], rational);
                d[2] = minus(&d[2], &next);
                d[2] = minus(&d[2], &d[1]);
            }
        }
        if (along > 0) take_differences(d, last[0], from, to);
        if (along > 1) take_differences(d, last[1], from, to);
        if (i < along) continue;
        if (i > along) f = next_factors(f, of->degree - along, i - along, at);
        CLSPI_UNROLL(3)
        for (int m = from; m <= to; m++)
            add_term(&sum[m], &d[m], f, rational);
    }
}

/* Sums all differences inwards of rational patches: fewer instructions than a loop for each order
   along the edge. */
static __attribute__((noinline)) void sum_rational(const edge_points *of, const ratios *at,
                                                   uint32_t along, tracked sum[3])
{
    sum_differences(of, at, along, 0, 2, true, sum);
}

/* Makes a derivative of a rational patch of its sum of differences, which has this factor. */
static __attribute__((noinline)) void divide(tangent *t, const tracked *sum, real f,
                                             const tracked *point, const vec *centre)
{
    tracked d = {
        {sum->x[0] * f, sum->x[1] * f, sum->x[2] * f}, sum->w * f, sum->size * f, sum->weight * f};

    d.size += given_size(d.weight, all_lanes(REAL_MAX), point->w, largest3(centre));
    *t = quotient(&d, point);
}

/* Makes a derivative of its sum of differences, which has this factor; point: NULL where the patch
   is polynomial. */
CLSPI_INLINE void make_tangent(tangent *t, const tracked *sum, real f, const tracked *point,
                               const vec *centre)
{
    if (point)
        divide(t, sum, f, point, centre);
    else
        *t = (tangent){{sum->x[0] * f, sum->x[1] * f, sum->x[2] * f}, sum->size * f};
}

/* Makes the tangents of an edge's samples, a inwards and b along it. */
CLSPI_INLINE void make_tangents(const clspi_edge *edge, const edge_points *points, const ratios *at,
                                bool rational, tangents *of)
{
    const real p = (real)(edge->depth - 1), q = (real)edge->degree;
    tracked sum[3][3];

    if (rational) {
        for (uint32_t along = 0; along < 3; along++)
            sum_rational(points, at, along, sum[along]);
    } else {
        sum_differences(points, at, 0, 1, 2, false, sum[0]);
        sum_differences(points, at, 1, 0, 1, false, sum[1]);
        sum_differences(points, at, 2, 0, 0, false, sum[2]);
    }
    const tracked *const point = rational ? &sum[0][0] : NULL;
    make_tangent(&of->a, &sum[0][1], p, point, points->centre);
    make_tangent(&of->b, &sum[1][0], q, point, points->centre);
    make_tangent(&of->aa, &sum[0][2], p * (p - 1), point, points->centre);
    make_tangent(&of->ab, &sum[1][1], p * q, point, points->centre);
    make_tangent(&of->bb, &sum[2][0], q * (q - 1), point, points->centre);
}

/* ---- storage ---- */

/* The vertices of a vector of samples: where the first one is stored, how many there are, and those
   that are stored. */
typedef struct block {
    char *out;
    size_t count;
    bool wanted[LANES];
} block;

/* Returns where num elements of an edge's vertices go. */
static placement place_of(const clspi_vertex_shape *shape, const clspi_edge *edge, size_t num,
                          const int32_t *at)
{
    return (placement){shape->type, (size_t)edge->to_next, num, at};
}

/* Stores elements x of vertices. */
static __attribute__((noinline)) void store(const placement *to, const block *b, const vec *x)
{
    const size_t next = to->stride * clspi_row_bytes(to->type), num = to->num;
    vec from[COORDS], side[COORDS];

    memcpy(from, x, num * sizeof *x);
    interleave_many_lanes(side, from, (int)num);
    const real *const made = (const real *)side;
    for (size_t i = 0, some; i < b->count; i += some) {
        for (some = 1; i + some < b->count && b->wanted[i + some] == b->wanted[i];)
            some++;
        if (b->wanted[i]) convert_vertices(to, b->out + i * next, made + i * num, some);
    }
}

/* Makes vertices' points of sums. */
static void store_points(const clspi_vertex_shape *shape, const clspi_edge *edge, const block *b,
                         const vec s[COORDS])
{
    const int32_t first = shape->at[ATTRIBUTE_POINT], weight = shape->at[ATTRIBUTE_WEIGHT];
    const vec one_over_w = shape->rational ? 1 / s[shape->dim] : all_lanes(1);
    int32_t at[COORDS];
    vec x[COORDS];
    size_t num = 0;

    for (uint32_t c = 0; c < shape->dim && first >= 0; c++) {
        at[num] = first + (int32_t)c;
        x[num++] = s[c] * one_over_w;
    }
    if (shape->rational && weight >= 0) {
        at[num] = weight;
        x[num++] = s[shape->dim];
    }
    const placement to = place_of(shape, edge, num, at);
    store(&to, b, x);
}

/* ---- edges ---- */

/* Tells from which end an edge comes first: -1 from its begin, 1 from its end, 0 both alike. */
static int direction_of(const clspi_vertex_shape *shape, const clspi_edge *edge)
{
    const uint32_t coords = shape->dim + shape->rational;

    for (uint32_t i = 0; 2 * i < edge->degree; i++) {
        const real *const a = (const real *)edge->corner + (ptrdiff_t)i * edge->step_t;
        const real *const b =
            (const real *)edge->corner + (ptrdiff_t)(edge->degree - i) * edge->step_t;
        for (uint32_t c = 0; c < coords; c++)
            if (a[c] != b[c]) return a[c] < b[c] ? -1 : a[c] > b[c] ? 1 : 0;
    }
    return 0;
}

/* Finds the ratios of samples from first on along an edge. The last one is repeated. */
static ratios find_ratios(const clspi_edge *edge, uint32_t first)
{
    const uint32_t end = edge->first + edge->count, last = edge->num > 1 ? edge->num - 1 : 1;
    const real begin = (real)edge->begin, to = (real)edge->end;
    real a[LANES], b[LANES];

    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t k = i < end - first ? first + i : end - 1;
        a[i] = edge->params ? (real)edge->params[k] : (real)k;
        b[i] = edge->params ? (real)(1 - edge->params[k]) : (real)(last - k);
    }
    const vec x = load_vec(a), y = load_vec(b);
    if (!edge->params) return (ratios){begin * y + to * x, (1 - begin) * y + (1 - to) * x};
    /* what y, which is rounded, leaves of 1 is the same from both ends */
    return (ratios){edge->watertight ? select_lanes(y >= (real)0.5, 1 - y, x) : x, y};
}

/* Finds how samples come by control points; found: as direction_of tells. */
static samples find_samples(const clspi_edge *edge, const ratios *of, int found)
{
    const real *const begin = edge->corner, *const end =
                                                begin + (ptrdiff_t)edge->degree * edge->step_t;
    samples at = {.from = {found > 0 ? end : begin, found < 0 ? begin : end},
                  .step = {found > 0 ? -edge->step_t : edge->step_t,
                           found < 0 ? edge->step_t : -edge->step_t}};
    const vec from_end = found == 0 ? of->t - of->s : all_lanes((real)found);

    at.flip = from_end > 0;
    at.at.t = select_lanes(at.flip, of->s, of->t);
    at.at.s = select_lanes(at.flip, of->t, of->s);
    return at;
}

/* Makes the normals of samples whose points, or what they are divided of, are there. */
static void make_normals(const clspi_vertex_shape *shape, const clspi_edge *edge, const ratios *at,
                         const vec *points, const block *b)
{
    const ptrdiff_t next = edge->depth > 1 ? edge->step_n : 0;
    const vec zero = {0}, one = all_lanes(1);
    /* at a corner the patch's inside lies along the edge too */
    const vec inside[2] = {one, select_lanes(at->t == 0, one, zero) -
                                    select_lanes(at->s == 0, one, zero)};
    const int32_t first = shape->at[ATTRIBUTE_NORMAL], places[] = {first, first + 1, first + 2};
    const placement to = place_of(shape, edge, shape->dim, places);
    edge_points of = {.first = edge->corner,
                      .step_t = edge->step_t,
                      .inwards = {0, next, edge->depth > 2 ? 2 * next : next},
                      .degree = edge->degree};
    tangents made;
    vec normal[3];

    for (int c = 0; c < 3 && shape->rational; c++)
        of.centre[c] = points[c] * (1 / points[3]);
    if (shape->rational)
        make_tangents(edge, &of, at, true, &made);
    else
        make_tangents(edge, &of, at, false, &made);
    edge_normal(normal, &made, inside);
    for (int c = 0; c < 3 && !edge->right_handed; c++)
        normal[c] = 0 - normal[c];
    store(&to, b, normal);
}

/* Makes the vertices of the samples from first on. */
static void make_block(const clspi_vertex_shape *shape, const clspi_edge *edge, uint32_t first,
                       int found)
{
    const uint32_t done = first - edge->first, left = edge->count - done;
    const ptrdiff_t next = edge->to_next * (ptrdiff_t)clspi_row_bytes(shape->type);
    block b = {.out = (char *)edge->out + (ptrdiff_t)done * next,
               .count = left < LANES ? left : LANES};
    bool lost[LANES], some = false;
    vec points[COORDS];

    for (size_t i = 0; i < b.count && shape->at[ATTRIBUTE_NORMAL] >= 0; i++) {
        lost[i] = clspi_normal_is_lost(shape, b.out + (ptrdiff_t)i * next);
        some = some || lost[i];
    }
    if (!some && !edge->watertight) return;
    const ratios at = find_ratios(edge, first);
    if (edge->watertight || shape->rational) {
        const samples of = find_samples(edge, &at, found);
        sum_points(shape, &of, edge->degree, points);
    }
    memset(b.wanted, true, sizeof b.wanted);
    if (edge->watertight) store_points(shape, edge, &b, points);
    if (!some) return;
    memcpy(b.wanted, lost, b.count * sizeof *lost);
    make_normals(shape, edge, &at, points, &b);
}

void EDGE_SUMS(const clspi_vertex_shape *shape, const clspi_edge *edge)
{
    const int found = edge->watertight ? direction_of(shape, edge) : -1;

    for (uint32_t k = 0; k < edge->count; k += LANES)
        make_block(shape, edge, edge->first + k, found);
}
