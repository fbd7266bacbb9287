/* The definition of one clspi_edge_sums, EDGE_SUMS, in the precision `real`. The file that includes
   this one names both, REAL_TYPE, REAL_BYTES, REAL_EPS, REAL_TINY and REAL_MAX. Lanes are samples
   of an edge. Sums are those of three coordinates and a weight, and of magnitudes. */
#include <float.h>
#include <stdbool.h>

#include "convert_real.h"
#include "edge_sums.h"
#include "normals_real.h"

enum { WEIGHT = 4, COORDS = WEIGHT + 1 };

/* A sum of control points in homogeneous coordinates, and in size and weight the same sum of their
   magnitudes. */
typedef struct tracked {
    vec x[COORDS], size, weight;
} tracked;

/* A derivative of the patch itself, and its running error bound. */
typedef struct tangent {
    vec x[3], error;
} tangent;

/* ---- chains of convex combinations ---- */

/* A step's factors: of what there was, and of the control point. */
typedef struct factors {
    vec old, fresh;
} factors;

/* Samples of an edge, each at its ratio t : s, and how they come by the edge's control points. */
typedef struct samples {
    vec t, s;
    vec_mask flip;       /* those from the edge's end on */
    const real *from[2]; /* the control points that samples come by first, and those if flipped */
    ptrdiff_t step[2];   /* to the next ones */
} samples;

static factors first_factors(void)
{
    return (factors){(vec){0}, all_lanes(1)};
}

CLSPI_INLINE factors next_factors(factors last, uint32_t degree, uint32_t k, const samples *at)
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

static __attribute__((noinline)) void combine(tracked *q, const tracked *w, factors f)
{
    combine_coords(q->x, w->x, COORDS, f);
    q->size = f.fresh * w->size + f.old * q->size;
    q->weight = f.fresh * w->weight + f.old * q->weight;
}

/* Loads a coordinate of control point i, some reals inwards of the edge. */
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
        if (i > 0) f = next_factors(f, degree, i, at);
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

static tracked track(tracked a)
{
    a.size = max_lanes(largest3(a.x), abs_lanes(a.x[3]));
    a.weight = abs_lanes(a.x[WEIGHT]);
    return a;
}

/* Loads a control point, of a rational patch relative to a centre (homogeneous_near of
   vertex.clh). */
static tracked load(const clspi_vertex_shape *shape, const samples *at, uint32_t i,
                    ptrdiff_t inwards, const vec centre[4])
{
    tracked a = {0};

    if (shape->rational) a.x[WEIGHT] = load_coord(at, i, inwards + (ptrdiff_t)shape->dim);
    for (uint32_t c = 0; c < shape->dim; c++) {
        a.x[c] = load_coord(at, i, inwards + (ptrdiff_t)c);
        if (shape->rational) a.x[c] = fma_lanes(-centre[c], a.x[WEIGHT], a.x[c]);
    }
    return track(a);
}

static tracked minus(const tracked *a, const tracked *b)
{
    tracked d;

    for (int c = 0; c < COORDS; c++)
        d.x[c] = a->x[c] - b->x[c];
    return track(d);
}

static void multiply(tracked *a, vec f)
{
    for (int c = 0; c < COORDS; c++)
        a->x[c] *= f;
    a->size *= abs_lanes(f);
    a->weight *= abs_lanes(f);
}

/* The sums of an edge: of its row of control points, and of the differences inwards and along. */
typedef struct edge_sums {
    tracked s, n, nn, t, nt, tt;
} edge_sums;

/* Sums control points of an edge, and of those beside it, relative to a centre. */
static void sum_edge(const clspi_vertex_shape *shape, const clspi_edge *edge, const samples *at,
                     const vec centre[4], edge_sums *e)
{
    const ptrdiff_t in1 = edge->depth > 1 ? edge->step_n : 0;
    const ptrdiff_t in2 = edge->depth > 2 ? 2 * edge->step_n : in1;
    const uint32_t n = edge->degree;
    factors f = first_factors(), f1 = f, f2 = f;
    tracked r0 = {0}, rn = {0}, d0 = {0};

    *e = (edge_sums){0};
    for (uint32_t i = 0; i <= n; i++) {
        const tracked p0 = load(shape, at, i, 0, centre), p1 = load(shape, at, i, in1, centre);
        const tracked p2 = load(shape, at, i, in2, centre);
        const tracked pn = minus(&p1, &p0), p21 = minus(&p2, &p1), pnn = minus(&p21, &pn);
        const tracked d = minus(&p0, &r0), dn = minus(&pn, &rn), dd = minus(&d, &d0);
        if (i > 0) f = next_factors(f, n, i, at);
        combine(&e->s, &p0, f);
        combine(&e->n, &pn, f);
        if (edge->depth > 2) combine(&e->nn, &pnn, f);
        if (i > 1) f1 = next_factors(f1, n - 1, i - 1, at);
        if (i > 0) combine(&e->t, &d, f1);
        if (i > 0) combine(&e->nt, &dn, f1);
        if (i > 2) f2 = next_factors(f2, n - 2, i - 2, at);
        if (i > 1) combine(&e->tt, &dd, f2);
        d0 = d;
        r0 = p0;
        rn = pn;
    }
}

/* ---- tangents ---- */

static tangent tangent_of(const clspi_vertex_shape *shape, const tracked *d, const tracked *point)
{
    const vec one_over_w = 1 / point->x[WEIGHT];
    tangent t = {{d->x[0], d->x[1], d->x[2]}, d->size};

    if (!shape->rational) return t;
    for (int c = 0; c < 3; c++)
        t.x[c] = (d->x[c] - d->x[WEIGHT] * (point->x[c] * one_over_w)) * one_over_w;
    t.error = (d->size + d->weight * (largest3(point->x) * abs_lanes(one_over_w))) * one_over_w;
    return t;
}

/* Makes a second derivative; a and b: the first ones in its two directions, of which da and db are
   the homogeneous ones. */
static tangent second_of(const clspi_vertex_shape *shape, const tracked *d, const tracked *point,
                         const tracked *da, const tangent *a, const tracked *db, const tangent *b)
{
    const vec one_over_w = 1 / point->x[WEIGHT];
    tangent t = tangent_of(shape, d, point);

    if (!shape->rational) return t;
    for (int c = 0; c < 3; c++)
        t.x[c] -= (da->x[WEIGHT] * b->x[c] + db->x[WEIGHT] * a->x[c]) * one_over_w;
    t.error += (da->weight * b->error + db->weight * a->error) * one_over_w;
    return t;
}

/* Tangents of an edge: inwards n, along it t, and second derivatives. */
typedef struct edge_tangents {
    tangent n, t, nn, nt, tt;
} edge_tangents;

/* Makes the tangents of sums relative to a centre. */
static edge_tangents tangents_of(const clspi_vertex_shape *shape, const clspi_edge *edge,
                                 edge_sums *e, const vec centre[4], vec_mask flip)
{
    const real inwards = (real)(edge->depth - 1), degree = (real)edge->degree;
    const vec towards = select_lanes(flip, all_lanes(-degree), all_lanes(degree));
    edge_tangents of;

    multiply(&e->n, all_lanes(inwards));
    multiply(&e->nn, all_lanes(inwards * (inwards - 1)));
    multiply(&e->t, towards);
    multiply(&e->nt, inwards * towards);
    multiply(&e->tt, all_lanes(degree * (degree - 1)));
    const vec far = max_lanes(largest3(centre), abs_lanes(centre[3]));
    tracked *const all[] = {&e->n, &e->nn, &e->t, &e->nt, &e->tt};
    for (int k = 0; k < 5 && shape->rational; k++)
        all[k]->size += given_size(all[k]->weight, all_lanes(REAL_MAX), e->s.x[WEIGHT], far);
    of.n = tangent_of(shape, &e->n, &e->s);
    of.t = tangent_of(shape, &e->t, &e->s);
    of.nn = second_of(shape, &e->nn, &e->s, &e->n, &of.n, &e->n, &of.n);
    of.nt = second_of(shape, &e->nt, &e->s, &e->n, &of.n, &e->t, &of.t);
    of.tt = second_of(shape, &e->tt, &e->s, &e->t, &of.t, &e->t, &of.t);
    return of;
}

/* ---- normals ---- */

/* Adds f (a x b) to n, and its error bound. */
static void add_cross(tangent *n, vec f, const tangent *a, const tangent *b)
{
    vec product[3];

    cross3(product, a->x, b->x);
    for (int c = 0; c < 3; c++)
        n->x[c] += f * product[c];
    n->error += abs_lanes(f) * (a->error * largest3(b->x) + b->error * largest3(a->x));
}

static void shorten(tangent *t, vec factor)
{
    for (int c = 0; c < 3; c++)
        t->x[c] *= factor;
    t->error *= factor;
}

/* Scales a tangent; one that may be all rounding becomes 0, as the tangents of a collapsed edge
   are, so that no product takes what it is off by. */
static void shorten_sound(tangent *t, vec factor)
{
    const vec_mask sound = largest3(t->x) > 8 * REAL_EPS * t->error;

    shorten(t, select_lanes(sound, factor, (vec){0}));
}

/* Makes the limit of n x t from the inside, 0 where it may be all rounding; along: the direction of
   the inside along the edge. */
static void limit_normal(const edge_tangents *of, vec along, vec normal[3])
{
    const vec largest = max_lanes(
        max_lanes(max_lanes(of->n.error, of->t.error), max_lanes(of->nn.error, of->tt.error)),
        of->nt.error);
    const vec factor = binary_scale(largest), one = all_lanes(1);
    edge_tangents e = *of;
    tangent sum = {0};

    shorten_sound(&e.n, factor);
    shorten_sound(&e.t, factor);
    shorten_sound(&e.nn, factor);
    shorten_sound(&e.nt, factor);
    shorten_sound(&e.tt, factor);
    add_cross(&sum, one, &e.nn, &e.t);
    add_cross(&sum, one, &e.n, &e.nt);
    add_cross(&sum, along, &e.nt, &e.t);
    add_cross(&sum, along, &e.n, &e.tt);
    const vec size = largest3(sum.x);
    const vec_mask sound = (size > 32 * REAL_EPS * sum.error) & (size > REAL_TINY);
    shorten(&sum, 1 / size);
    const vec length = sqrt_lanes(dot3(sum.x, sum.x));
    for (int c = 0; c < 3; c++)
        normal[c] = select_lanes(sound, sum.x[c] / length, (vec){0});
}

/* Makes the normal of tangents, or its limit. */
static void edge_normal(const edge_tangents *of, vec along, vec normal[3])
{
    const vec from[2] = {of->n.error, of->t.error};
    vec limit[3];

    unit_normal(normal, of->n.x, of->t.x, from);
    limit_normal(of, along, limit);
    const vec_mask lost = (normal[0] == 0) & (normal[1] == 0) & (normal[2] == 0);
    for (int c = 0; c < 3; c++)
        normal[c] = select_lanes(lost, limit[c], normal[c]);
}

/* ---- storage ---- */

/* Tells whether the normal at an element is (0, 0, 0). */
static bool is_lost(clspi_row_type type, const void *out, ptrdiff_t at)
{
    bool lost = true;

    for (ptrdiff_t k = at; k < at + 3; k++)
        lost = lost && (type == REAL_TYPE       ? ((const real *)out)[k] == 0
                        : type == CLSPI_ROW_F16 ? (((const uint16_t *)out)[k] & 0x7fff) == 0
                                                : ((const float *)out)[k] == 0);
    return lost;
}

/* The vertices of a vector of samples: where the first one is stored, how many there are, and those
   whose normals are lost. */
typedef struct block {
    char *out;
    size_t count;
    bool lost[LANES];
} block;

/* Stores num elements x of vertices, or of those alone whose normals are lost. */
static void store(const clspi_vertex_shape *shape, const clspi_edge *edge, const block *b,
                  const int32_t *at, size_t num, const vec *x, bool lost)
{
    const placement to = {shape->type, (size_t)edge->to_next, num, at};
    const size_t next = (size_t)edge->to_next * clspi_row_bytes(shape->type);
    vec from[COORDS], side[COORDS];

    memcpy(from, x, num * sizeof *x);
    interleave_many_lanes(side, from, (int)num);
    const real *const made = (const real *)side;
    for (size_t i = 0, some = lost ? 1 : b->count; i < b->count; i += some)
        if (!lost || b->lost[i]) convert_vertices(&to, b->out + i * next, made + i * num, some);
}

/* Makes vertices' points of sums. */
static void store_points(const clspi_vertex_shape *shape, const clspi_edge *edge, const block *b,
                         const vec s[COORDS])
{
    const int32_t first = shape->at[CLSPI_PART_POINT], weight = shape->at[CLSPI_PART_WEIGHT];
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
    store(shape, edge, b, at, num, x, false);
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

/* Finds the places of samples from first on along an edge, x from its begin and y from its end. The
   last one is repeated. */
static void find_places(const clspi_edge *edge, uint32_t first, vec *x, vec *y)
{
    const uint32_t end = edge->first + edge->count, last = edge->num > 1 ? edge->num - 1 : 1;
    const real begin = (real)edge->begin, to = (real)edge->end;
    real a[LANES], b[LANES];

    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t k = i < end - first ? first + i : end - 1;
        a[i] = edge->params ? (real)edge->params[k] : (real)k;
        b[i] = edge->params ? (real)(1 - edge->params[k]) : (real)(last - k);
    }
    *x = load_vec(a);
    *y = load_vec(b);
    if (!edge->params) {
        const vec from_end = (1 - begin) * *y + (1 - to) * *x;
        *x = begin * *y + to * *x;
        *y = from_end;
    } else if (edge->watertight) {
        /* what y, which is rounded, leaves of 1 is the same from both ends */
        *x = select_lanes(*y >= (real)0.5, 1 - *y, *x);
    }
}

/* Finds the samples from first on; found: as direction_of tells. */
static samples find_samples(const clspi_edge *edge, uint32_t first, int found)
{
    const real *const begin = edge->corner, *const end =
                                                begin + (ptrdiff_t)edge->degree * edge->step_t;
    samples at = {.from = {found > 0 ? end : begin, found < 0 ? begin : end},
                  .step = {found > 0 ? -edge->step_t : edge->step_t,
                           found < 0 ? edge->step_t : -edge->step_t}};
    vec x, y;

    find_places(edge, first, &x, &y);
    const vec from_end = found == 0 ? x - y : all_lanes((real)found);
    at.flip = from_end > 0;
    at.t = select_lanes(at.flip, y, x);
    at.s = select_lanes(at.flip, x, y);
    return at;
}

/* Makes the normals of samples whose points, or what they are divided of, are there. */
static void make_normals(const clspi_vertex_shape *shape, const clspi_edge *edge, const samples *at,
                         const vec *points, const block *b)
{
    const vec zero = {0}, one = all_lanes(1);
    /* at a corner the patch's inside lies along the edge too */
    const vec corner = select_lanes(at->t == 0, one, zero) - select_lanes(at->s == 0, one, zero);
    const vec along = select_lanes(at->flip, -corner, corner);
    const int32_t first = shape->at[CLSPI_PART_NORMAL];
    vec centre[4] = {zero, zero, zero, zero}, normal[3];
    edge_sums e;

    for (uint32_t c = 0; c < shape->dim && shape->rational; c++)
        centre[c] = points[c] * (1 / points[shape->dim]);
    sum_edge(shape, edge, at, centre, &e);
    const edge_tangents of = tangents_of(shape, edge, &e, centre, at->flip);
    edge_normal(&of, along, normal);
    for (int c = 0; c < 3 && !edge->right_handed; c++)
        normal[c] = -normal[c];
    store(shape, edge, b, (const int32_t[]){first, first + 1, first + 2}, 3, normal, true);
}

/* Makes the vertices of the samples from first on. */
static void make_block(const clspi_vertex_shape *shape, const clspi_edge *edge, uint32_t first,
                       int found)
{
    const uint32_t done = first - edge->first, left = edge->count - done;
    const size_t bytes = clspi_row_bytes(shape->type);
    const int32_t normal = shape->at[CLSPI_PART_NORMAL];
    block b = {.out = (char *)edge->out + (ptrdiff_t)done * edge->to_next * (ptrdiff_t)bytes,
               .count = left < LANES ? left : LANES};
    bool some = false;
    vec points[COORDS];

    for (size_t i = 0; i < b.count && normal >= 0; i++) {
        b.lost[i] = is_lost(shape->type, b.out, (ptrdiff_t)i * edge->to_next + normal);
        some = some || b.lost[i];
    }
    if (!some && !edge->watertight) return;
    const samples at = find_samples(edge, first, found);
    if (edge->watertight || shape->rational) sum_points(shape, &at, edge->degree, points);
    if (edge->watertight) store_points(shape, edge, &b, points);
    if (some) make_normals(shape, edge, &at, points, &b);
}

void EDGE_SUMS(const clspi_vertex_shape *shape, const clspi_edge *edge)
{
    const int found = direction_of(shape, edge);

    for (uint32_t k = 0; k < edge->count; k += LANES)
        make_block(shape, edge, edge->first + k, found);
}
