/* The nearest points of B-spline curves through cubics within a tolerance (cubics.cl): the pipeline
   of Wu and Zou, "Matrix representation and GPU-optimized parallel B-spline computing", corrected
   (docs/math.md, 15).

   A query goes through the tree of boxes as in nearest.cl, and through the cubics of each segment
   that is near. Of a cubic it takes the ends; where the coefficients of the squared distance leave
   room for something nearer it takes the minima within, too: the one that there is where its
   derivative changes its sign once, else one of each piece on which that is monotone.

   The host sets CLSP_DEGREE, CLSP_DIM; CLSP_GROUP: how many items, a work-group, share a query, 1
   where each has its own. They share the cubics of the segment where the search begins and then the
   tree, and the nearest of what they have found is the result. It is the same however many there
   are: of points that are equally near that of the first segment, else of the lowest cubic. */
#include "bernstein_chain.clh"
#include "box_tree.clh"
#include "cubic.clh"
#include "quintic.clh"

#ifndef CLSP_GROUP
#define CLSP_GROUP 1
#endif
#if CLSP_GROUP > 1
#define QUERY get_group_id(0)
#define LANE  (uint)get_local_id(0)
#else
#define QUERY get_global_id(0)
#define LANE  0
#endif

/* A result: clsp_nearest_f32 or clsp_nearest_f64. */
#define NEAREST_DISTANCE 0
#define NEAREST_BOUND    1
#define NEAREST_PARAM    2
#define NEAREST_POINT    5
#define NEAREST_REALS    9
#define NEAREST_SIZE     (CLSP_REAL == 64 ? 10 : 11)
#define STATUS_FOUND     0
#define STATUS_CUT       1
#define STATUS_NONE      2
#define STATUS_INVALID   3

/* Bounds of relative rounding errors: of squared distances in Bernstein form, by the largest
   distance of a control point; of distances, by themselves and by the extent of a segment. */
#define SQUARE_EPS   (R(8.0) * REAL_EPS)
#define DISTANCE_EPS (R(8.0) * REAL_EPS)
#define EXTENT_EPS   (R(8.0) * REAL_EPS)
/* Of a sixth of the derivative, restricted to a piece, by the largest distance of a control point
   and the largest difference of two. */
#define DERIVATIVE_EPS (R(12.0) * REAL_EPS)

/* Control points of a cubic minus the query, [4][CLSP_DIM]. */
#define CUBIC real *a

/* ---- a cubic ---- */

/* Loads a cubic minus x, which is relative to its segment's origin too, times scale, a power of
   two. Returns the square of how near its control points' box is. */
IN_PLACE real load_cubic(CUBIC, global const real *cubic, const real *x, real scale)
{
    real square = R(0.0);
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++) {
        UNROLL
        for (uint k = 0; k < 4; k++)
            a[k * CLSP_DIM + c] = (cubic[k * CLSP_DIM + c] - x[c]) * scale;
        const real x0 = a[c], x1 = a[CLSP_DIM + c];
        const real x2 = a[2 * CLSP_DIM + c], x3 = a[3 * CLSP_DIM + c];
        const real low = fmin(fmin(x0, x1), fmin(x2, x3));
        const real high = fmax(fmax(x0, x1), fmax(x2, x3));
        const real gap = fmax(fmax(low, -high), R(0.0));
        square = MAD(gap, gap, square);
    }
    return square - R(8.0) * REAL_EPS * square;
}

/* Computes the squared distance at t. */
IN_PLACE real square_of(const real *a, real t)
{
    real sum = R(0.0);
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++) {
        const real x0 = a[c], x1 = a[CLSP_DIM + c], x2 = a[2 * CLSP_DIM + c];
        const real y0 = MAD(t, x1 - x0, x0), y1 = MAD(t, x2 - x1, x1);
        const real y2 = MAD(t, a[3 * CLSP_DIM + c] - x2, x2);
        const real z0 = MAD(t, y1 - y0, y0), z1 = MAD(t, y2 - y1, y1);
        const real x = MAD(t, z1 - z0, z0);
        sum = MAD(x, x, sum);
    }
    return sum;
}

/* Computes the Bernstein coefficients of a sixth of the squared distance's derivative: those of the
   products of control points and their differences, by the constant matrix of degrees 3 and 2. They
   are differences of the squared distance's own, and of the derivative's in powers of t none are
   taken, which would lose digits. */
IN_PLACE void make_derivative(real *e, const real *a)
{
    real p[4][3];
    UNROLL
    for (uint i = 0; i < 4; i++) {
        UNROLL
        for (uint j = 0; j < 3; j++) {
            real sum = R(0.0);
            UNROLL
            for (uint c = 0; c < CLSP_DIM; c++)
                sum = MAD(a[i * CLSP_DIM + c],
                          a[(j + 1) * CLSP_DIM + c] - a[j * CLSP_DIM + c], sum);
            p[i][j] = sum;
        }
    }
    e[0] = p[0][0];
    e[1] = R(0.4) * p[0][1] + R(0.6) * p[1][0];
    e[2] = R(0.1) * p[0][2] + R(0.6) * p[1][1] + R(0.3) * p[2][0];
    e[3] = R(0.3) * p[1][2] + R(0.6) * p[2][1] + R(0.1) * p[3][0];
    e[4] = R(0.6) * p[2][2] + R(0.4) * p[3][1];
    e[5] = p[3][2];
}

/* Returns a lower bound of the squared distance within a cubic: its least Bernstein coefficient,
   less rounding. e: of make_derivative. */
IN_PLACE real least_square(const real *a, const real *e)
{
    real largest = R(0.0), first = R(0.0);
    UNROLL
    for (uint k = 0; k < 4; k++) {
        real sum = R(0.0);
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++)
            sum = MAD(a[k * CLSP_DIM + c], a[k * CLSP_DIM + c], sum);
        if (k == 0) first = sum;
        largest = fmax(largest, sum);
    }
    real least = first, d = first;
    UNROLL
    for (uint k = 0; k < 6; k++) {
        d += e[k];
        least = fmin(least, d);
    }
    return least - SQUARE_EPS * largest;
}

/* Returns how far the squared distance may fall below all places that find_within looks at. It does
   where the sign of its derivative is not known, which is off by rounding: on a piece that is as
   short as the derivative is steep. e: of make_derivative. */
IN_PLACE real missed_depth(const real *a, const real *e)
{
    real largest = R(0.0), largest_step = R(0.0), least_rise = e[1] - e[0];
    UNROLL
    for (uint k = 0; k < 4; k++) {
        real sum = R(0.0), sum_step = R(0.0);
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++) {
            const real step = k > 0 ? a[k * CLSP_DIM + c] - a[(k - 1) * CLSP_DIM + c] : R(0.0);
            sum = MAD(a[k * CLSP_DIM + c], a[k * CLSP_DIM + c], sum);
            sum_step = MAD(step, step, sum_step);
        }
        largest = fmax(largest, sum);
        largest_step = fmax(largest_step, sum_step);
    }
    UNROLL
    for (uint k = 1; k < 5; k++)
        least_rise = fmin(least_rise, e[k + 1] - e[k]);
    const real error = DERIVATIVE_EPS * sqrt(largest) * sqrt(largest_step);
    const real steepness = R(5.0) * (least_rise - R(2.0) * error);
    const real length = steepness > R(2.0) * error ? R(2.0) * error / steepness : R(1.0);
    return R(6.0) * error * length;
}

/* A place that was found: the squared distance, and where in the cubic. */
typedef real2 place;

IN_PLACE place nearer(place at, const real *a, real t)
{
    const real square = square_of(a, t);
    return square < at.s0 ? (place)(square, t) : at;
}

/* Finds a minimum within a cubic that is nearer than `at`, or returns that. e: of
   make_derivative. */
IN_PLACE place find_within(place at, const real *a, const real *e)
{
    const int2 changes = sign_changes(e);
    if (changes.s0 == 0 || (changes.s0 == 1 && !changes.s1)) return at;
    /* pieces on which the second, then the first derivative of e, and then e itself is monotone:
       between zeros of the derivative. One that changes its sign once need not be monotone, save
       where it is 0 at an end, and may not change it there */
    const bool once = changes.s0 == 1 && e[0] < R(0.0) && e[5] > R(0.0);
    const real2 zeros = once ? (real2)(R(1.0), R(1.0)) : third_derivative_zeros(e);
    const real begin = once ? R(1.0) : R(0.0);
    real4 ends = (real4)(begin, begin, zeros.s0, zeros.s1);
    for (int by = once ? 0 : 2; by >= 0; by--) {
        real4 found = ends;
        real low = R(0.0);
        for (uint n = 0; n < 5; n++) {
            const real high = ends.s0;
            real zero = high;
            ends = (real4)(ends.s1, ends.s2, ends.s3, R(1.0));
            if (low < high) {
                real f[6];
                UNROLL
                for (uint k = 0; k < 6; k++)
                    f[k] = e[k];
                for (int k = 0; k < by; k++)
                    derive_quintic(f);
                restrict_quintic(f, low, high);
                const bool falls = by > 0 && f[0] > R(0.0) && f[5] < R(0.0);
                UNROLL
                for (uint k = 0; k < 6; k++)
                    f[k] = falls ? -f[k] : f[k];
                if (f[0] < R(0.0) && f[5] > R(0.0)) zero = MAD(high - low, find_zero(f), low);
                if (by == 0) at = nearer(at, a, zero);
            }
            found = (real4)(found.s1, found.s2, found.s3, zero);
            low = high;
        }
        ends = found;
    }
    return at;
}

/* Finds the nearest place of a cubic; within it where one may be nearer than `limit`. *low becomes
   the square below which nothing is, if that is less: of the cubic nothing is below `least`, from
   where on it so does not depend on what was looked at before. */
IN_PLACE place nearest_place(const real *a, real limit, real least, real *low)
{
    place near = (place)(INFINITY, R(0.0));
    real e[6];
    near = nearer(near, a, R(0.0));
    near = nearer(near, a, R(1.0));
    make_derivative(e, a);
    const real square = least_square(a, e);
    if (square < fmin(near.s0, limit)) {
        near = find_within(near, a, e);
        *low = fmin(*low, fmax(near.s0 - missed_depth(a, e), fmax(square, least)));
    }
    return near;
}

/* Returns the first of the cubics at, at + step, .. before `end` whose box is nearer than `limit`,
   and loads it, *box becoming the square of how near its box is; else no less than the end. */
IN_PLACE uint next_cubic(CUBIC, real *box, global const real *cubics, uint at, uint end, uint step,
                         const real *x, real scale, real limit)
{
    for (; at < end; at += step) {
        *box = load_cubic(a, cubics + (size_t)at * CLSP_CUBIC, x, scale);
        if (*box < limit) break;
    }
    return at;
}

/* ---- results ---- */

/* Returns where a result's number of a curve and its status are. */
IN_PLACE global uint *ids_of(global real *out)
{
    return (global uint *)(out + NEAREST_REALS);
}

/* Writes that there is no result. */
IN_PLACE void write_none(global real *out, real bound, uint status)
{
    out[NEAREST_DISTANCE] = INFINITY;
    out[NEAREST_BOUND] = bound;
    for (uint i = NEAREST_PARAM; i < NEAREST_REALS; i++)
        out[i] = REAL_NAN;
    ids_of(out)[0] = 0xffffffffu;
    ids_of(out)[1] = status;
}

/* Writes the point of a segment at t, its parameter, and its distance to the query. */
IN_PLACE void write_point(global real *out, global const real *segment, const real *q, real t,
                          real scale)
{
    global const real *const frame = segment + (CLSP_DEGREE + 1) * CLSP_DIM;
    const real begin = frame[CLSP_DIM + 1], end = frame[CLSP_DIM + 2], s = R(1.0) - t;
    const uint first = chain_begin(s, CLSP_DEGREE), last = chain_end(t, CLSP_DEGREE);
    real x[CLSP_DIM], square = R(0.0);
    combination m = first_combination();

    for (uint k = first; k < last; k++) {
        if (k > first) m = next_combination(m.s1, CLSP_DEGREE, k, t, s);
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++) {
            const real p = segment[k * CLSP_DIM + c], before = k > first ? x[c] : p;
            x[c] = m.s1 > m.s0 ? MAD(m.s0, before - p, p) : MAD(m.s1, p - before, before);
        }
    }
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++) {
        const real d = ((q[c] - frame[c]) - x[c]) * scale;
        square = MAD(d, d, square);
        out[NEAREST_POINT + c] = frame[c] + x[c];
    }
    for (uint c = CLSP_DIM; c < 4; c++)
        out[NEAREST_POINT + c] = R(0.0);
    out[NEAREST_DISTANCE] = sqrt(square) / scale;
    out[NEAREST_PARAM] = t < R(1.0) ? fmin(MAD(t, end - begin, begin), end) : end;
    out[NEAREST_PARAM + 1] = out[NEAREST_PARAM + 2] = R(0.0);
}

/* ---- the search ---- */

/* The queries of a launch; offsets in elements. Inputs of patches and hints count where has_patches
   and has_hints are not 0. */
typedef struct cubic_queries {
    wide points_offset, patches_offset, hints_offset, offset;
    uint has_patches, has_hints, items;
} cubic_queries;

/* What is found: error is how far cubics may be from their segments, and cut 1 where that is more
   than was asked for; max_dist 0: there is no limit. */
typedef struct cubic_limits {
    real max_dist, error;
    uint cut;
} cubic_limits;

#define NO_SEGMENT 0xffffffffu

#if CLSP_GROUP > 1
/* Finds the least squared distance of the ends of the cubics first .. end - 1, a little enlarged,
   so that the one with that end is nearer; for all items of a group. */
IN_PLACE real least_end(CUBIC, local real *least, global const real *cubics, uint first, uint end,
                        const real *x, real scale)
{
    real square = INFINITY;
    for (uint k = first + LANE; k < end; k += CLSP_GROUP) {
        load_cubic(a, cubics + (size_t)k * CLSP_CUBIC, x, scale);
        square = fmin(square, fmin(square_of(a, R(0.0)), square_of(a, R(1.0))));
    }
    least[LANE] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < CLSP_GROUP; k++)
        square = fmin(square, least[k]);
    return fmax(square + R(4.0) * REAL_EPS * square, REAL_TINY);
}

/* Tells whether one item would have found what is in `a` before what is in b, where these are
   equally near: each a segment and a cubic of it; what is in the segment `first` comes first. */
IN_PLACE bool precedes_of(uint2 a, uint2 b, uint first)
{
    if (a.s0 == NO_SEGMENT || b.s0 == NO_SEGMENT) return a.s0 != NO_SEGMENT;
    return (a.s0 == first) != (b.s0 == first) ? a.s0 == first : a.s1 < b.s1;
}
#endif

/* Loads a query; false where it is no point. */
IN_PLACE bool load_query(real *q, global const real *query)
{
    bool valid = true;
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++) {
        q[c] = query[c];
        valid = valid && fabs(q[c]) <= REAL_MAX;
    }
    return valid;
}

/* Makes a query relative to the origin of a segment, whose number is given. */
IN_PLACE void move_query(real *x, const real *q, global const real *segments, uint number)
{
    global const real *const origin =
        segments + (size_t)number * CLSP_SEGMENT + (CLSP_DEGREE + 1) * CLSP_DIM;
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++)
        x[c] = q[c] - origin[c];
}

/* Finds the nearest point of the curves to each query: item or group g that to query g. firsts: of
   note_firsts; queries: [items][CLSP_DIM]; results: [items] of clsp_nearest_f32 or
   clsp_nearest_f64 (bspline_project.h). */
kernel void find_on_cubics(global const real *restrict segments, global const real *restrict boxes,
                           global const uint *restrict tiers, global const real *restrict cubics,
                           global const uint *restrict firsts, global const real *restrict queries,
                           global const uint *restrict patches, global const real *restrict hints,
                           global real *restrict results, cubic_tree tree, cubic_queries range,
                           cubic_limits limits)
{
    const uint g = (uint)QUERY;
#if CLSP_GROUP == 1
    if (g >= range.items) return;
#endif

    global const real *const query = queries + WIDE(range.points_offset) + (size_t)g * CLSP_DIM;
    global real *const out = results + WIDE(range.offset) + (size_t)g * NEAREST_SIZE;
    const real max_dist = limits.max_dist > R(0.0) ? limits.max_dist : INFINITY;
    real q[CLSP_DIM], x[CLSP_DIM], a[4 * CLSP_DIM];
    bool valid = load_query(q, query);
    node root = (node)(tree.all_tiers - 1, 0, 0, 0);
    if (range.has_patches) {
        root = (node)(tree.tiers - 1, 0, patches[WIDE(range.patches_offset) + g], 0);
        valid = valid && (root.s2 < tree.num_curves || tree.num_curves == 0);
    }
#if CLSP_GROUP == 1
    if (!valid || tree.num_curves == 0) {
        write_none(out, valid ? max_dist : REAL_NAN, valid ? STATUS_NONE : STATUS_INVALID);
        return;
    }
#else
    /* all items of a group come to its barriers, so it searches for another point then */
    if (!valid) {
        root.s2 = 0;
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++)
            q[c] = R(0.0);
    }
#endif
    const real scale = choose_scale(box_of(THE_TREE, root), q);
    const real hint = range.has_hints ? hints[WIDE(range.hints_offset) + g] : REAL_NAN;
    global const real *const own = segments + (size_t)root.s2 * tree.spans * CLSP_SEGMENT;
    const node start = hint == hint
                           ? (node)(0, segment_of(own, tree.spans, hint), root.s2, 0)
                           : nearest_leaf(THE_TREE, root, q, scale);
    const uint first_segment = start.s2 * tree.spans + start.s1;
    const real far = (max_dist + limits.error) * scale, limit = far * far;
    uint4 share = share_of(root, LANE, CLSP_GROUP, tiers, tree);
    place nearest = (place)(limit, R(0.0));
    node at = start;
    real box = R(0.0), low = INFINITY;
    uint nearest_cubic = 0, nearest_segment = NO_SEGMENT, cubic = 0, end = 0;
    bool at_start = true, is_new = true;

#if CLSP_GROUP > 1
    local real ends[CLSP_GROUP], squares[CLSP_GROUP], places[CLSP_GROUP], lows[CLSP_GROUP];
    local uint numbers[CLSP_GROUP], owners[CLSP_GROUP];
    move_query(x, q, segments, first_segment);
    nearest.s0 = fmin(limit, least_end(a, ends, cubics, firsts[first_segment],
                                       firsts[first_segment + 1], x, scale));
#endif
    while (at.s0 == 0) {
        const uint number = at.s2 * tree.spans + at.s1, step = at_start ? CLSP_GROUP : 1;
        move_query(x, q, segments, number);
        if (is_new) {
            cubic = firsts[number] + (at_start ? LANE : 0);
            end = firsts[number + 1];
            box = box_distance(box_of(THE_TREE, at), q, scale, limits.error);
            is_new = false;
        }
        real cubic_box = R(0.0);
        cubic = next_cubic(a, &cubic_box, cubics, cubic, end, step, x, scale, nearest.s0);
        if (cubic < end) {
            const place near = nearest_place(a, nearest.s0, fmax(box, cubic_box), &low);
            if (near.s0 < nearest.s0) {
                nearest = near;
                nearest_cubic = cubic;
                nearest_segment = number;
            }
            cubic += step;
        }
        if (cubic < end) continue;
        if (at_start) at.s0 = share.s0 + 1;
        at = following_leaf(THE_TREE, at, &share, start, root, q, scale, limits.error, nearest.s0);
        at_start = false;
        is_new = true;
    }
#if CLSP_GROUP > 1
    squares[LANE] = nearest.s0;
    places[LANE] = nearest.s1;
    lows[LANE] = low;
    numbers[LANE] = nearest_cubic;
    owners[LANE] = nearest_segment;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (LANE > 0) return;
    for (uint k = 1; k < CLSP_GROUP; k++) {
        low = fmin(low, lows[k]);
        const bool precedes = precedes_of((uint2)(owners[k], numbers[k]),
                                          (uint2)(nearest_segment, nearest_cubic), first_segment);
        if (!(squares[k] < nearest.s0 || (squares[k] == nearest.s0 && precedes))) continue;
        nearest = (place)(squares[k], places[k]);
        nearest_cubic = numbers[k];
        nearest_segment = owners[k];
    }
#endif
    if (!valid || nearest_segment == NO_SEGMENT) {
        write_none(out, valid ? max_dist : REAL_NAN, valid ? STATUS_NONE : STATUS_INVALID);
        return;
    }
    real bound = sqrt(fmax(fmin(nearest.s0, low), R(0.0))) / scale;
    bound -= limits.error + DISTANCE_EPS * bound +
             EXTENT_EPS * extent_of(box_of(THE_TREE, root), R(1.0));
    bound = fmax(bound, R(0.0));
    global const real *const place_of_cubic =
        cubics + (size_t)nearest_cubic * CLSP_CUBIC + CUBIC_BEGIN;
    write_point(out, segments + (size_t)nearest_segment * CLSP_SEGMENT, q,
                MAD(nearest.s1, place_of_cubic[1], place_of_cubic[0]), scale);
    out[NEAREST_BOUND] = fmin(bound, out[NEAREST_DISTANCE]);
    ids_of(out)[0] = nearest_segment / tree.spans;
    ids_of(out)[1] = limits.cut ? STATUS_CUT : STATUS_FOUND;
    if (!(out[NEAREST_DISTANCE] <= max_dist)) write_none(out, fmin(max_dist, bound), STATUS_NONE);
}
