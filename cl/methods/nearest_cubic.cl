/* The nearest points of B-spline curves through cubics within a tolerance (cubics.c): the pipeline
   of Wu and Zou, "Matrix representation and GPU-optimized parallel B-spline computing", corrected
   (docs/math.md, 15).

   A query goes through the tree of boxes as in nearest.cl, and through the cubics of each segment
   that is near. Of a cubic it takes the ends; where the coefficients of the squared distance leave
   room for something nearer it takes the minima within, too: the one that there is where its
   derivative changes its sign once, else one of each piece on which that is monotone.

   The host sets CLSP_DEGREE, CLSP_DIM; CLSP_GROUP: how many items, a work-group, share a query, 1
   where each has its own. They share the cubics of the segment where the search begins and then the
   tree, and the nearest of what they have found is the result. It is the same however many there
   are: of points that are equally near that of the first segment, else of the lowest cubic.

   Groups share a query where a GPU holds more items than there are queries. Then they take turns at
   the cubics of the first segment and at the nodes of the highest tier that has as many. There are
   no locks, and no item learns what another finds, so that bits are those of a query by itself:
   boxes are larger by what cubics err by, and of equal distances that counts which one item would
   have found first. */
#include "bernstein_chain.clh"
#include "box_tree.clh"
#include "cubic_distance.clh"
#include "nearest_result.clh"

#ifndef CLSP_GROUP
#define CLSP_GROUP 1
#endif
#if CLSP_GROUP > 1
#define QUERY  get_group_id(0)
#define IS_BEYOND(g, num) false /* a return before barriers is wrong by PoCL */
#define MEMBER (uint)get_local_id(0)
#else
#define QUERY  get_global_id(0)
#define IS_BEYOND(g, num) ((g) >= (num))
#define MEMBER 0
#endif

/* Bounds of relative rounding errors of distances, by themselves and by the extent of a segment. */
#define DISTANCE_EPS (R(8.0) * REAL_EPS)
#define EXTENT_EPS   (R(8.0) * REAL_EPS)

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

/* Writes the point of a segment at t, its parameter, and its distance to the query. */
IN_PLACE void write_point(global real *out, global const real *segment, point q, real t,
                          real scale)
{
    global const real *const frame = segment + (CLSP_DEGREE + 1) * CLSP_DIM;
    const real s = R(1.0) - t;
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
        const real d = ((coordinate(q, c) - frame[c]) - x[c]) * scale;
        square = MAD(d, d, square);
        out[NEAREST_POINT + c] = frame[c] + x[c];
    }
    for (uint c = CLSP_DIM; c < 4; c++)
        out[NEAREST_POINT + c] = R(0.0);
    out[NEAREST_DISTANCE] = sqrt(square) / scale;
    write_param(out, frame + CLSP_DIM + 1, (real2)(t, s));
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

/* Returns the distance below which no point of the curves is, of the least squared distance to
   their cubics; that and the extent are times scale. */
IN_PLACE real bound_of(real square, real scale, real extent, cubic_limits limits)
{
    const real distance = sqrt(fmax(square, R(0.0))) / scale;
    const real off = limits.error + DISTANCE_EPS * distance + EXTENT_EPS * (extent / scale);

    return fmax(distance - off, R(0.0));
}

#if CLSP_GROUP > 1
/* Finds the least squared distance of the ends of the cubics first .. end - 1, a little enlarged,
   so that the one with that end is nearer; for all items of a group. */
IN_PLACE real least_end(CUBIC, local real *least, global const real *cubics, uint first, uint end,
                        const real *x, real scale)
{
    real square = INFINITY;
    for (uint k = first + MEMBER; k < end; k += CLSP_GROUP) {
        load_cubic(a, cubics + (size_t)k * CLSP_CUBIC, x, scale);
        square = fmin(square, fmin(square_of_control(a, 0), square_of_control(a, 3)));
    }
    least[MEMBER] = square;
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

/* Makes a query relative to the origin of a segment, whose number is given. */
IN_PLACE void move_query(real *x, point q, global const real *segments, uint number)
{
    global const real *const origin =
        segments + (size_t)number * CLSP_SEGMENT + (CLSP_DEGREE + 1) * CLSP_DIM;
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++)
        x[c] = coordinate(q, c) - origin[c];
}

/* Finds the nearest point of the curves to each query: item or group g that to query g. firsts: the
   first cubic of each segment, and behind the last one's the end; queries: [items][CLSP_DIM];
   results: [items] of clsp_nearest_f32 or clsp_nearest_f64 (nearest.h). */
kernel void find_on_cubics(global const real *restrict segments, global const real *restrict boxes,
                           global const uint *restrict tiers, global const real *restrict cubics,
                           global const uint *restrict firsts, global const real *restrict queries,
                           global const uint *restrict patches, global const real *restrict hints,
                           global real *restrict results, box_tree shape, cubic_queries range,
                           cubic_limits limits)
{
    const uint g = (uint)QUERY;
    if (IS_BEYOND(g, range.items)) return;

    global real *const out = results + WIDE(range.offset) + (size_t)g * NEAREST_SIZE;
    const real max_dist = limits.max_dist > R(0.0) ? limits.max_dist : INFINITY;
    const uint4 tree = tree_of(shape);
    real x[CLSP_DIM], a[4 * CLSP_DIM];
    point q = LOAD_POINT(queries + WIDE(range.points_offset) + (size_t)g * CLSP_DIM);
    const uint curve = range.has_patches ? patches[WIDE(range.patches_offset) + g] : 0;
    const bool is_valid = is_finite(q) && (curve < tree.NUM_CURVES || tree.NUM_CURVES == 0);
    const node root = root_of(tree, range.has_patches, is_valid ? curve : 0);
#if CLSP_GROUP == 1
    if (!is_valid || tree.NUM_CURVES == 0) {
        write_no_results(out, 1, is_valid, max_dist);
        return;
    }
#else
    /* all items of a group come to its barriers, so it searches for another point then */
    if (!is_valid) q = (point)(R(0.0));
#endif
    const real scale = choose_scale(box_of(THE_TREE, root), q);
    const real hint = range.has_hints ? hints[WIDE(range.hints_offset) + g] : REAL_NAN;
    const node start = first_leaf(THE_TREE, segments, root, q, scale, hint);
    const uint first_segment = start.s2 * tree.SPANS + start.s1;
    const real far = (max_dist + limits.error) * scale, limit = far * far;
    uint4 share = share_of(root, MEMBER, CLSP_GROUP, tiers, tree);
    place nearest = (place)(limit, R(0.0));
    node at = start;
    real box = R(0.0), low = INFINITY;
    uint2 owner = (uint2)(NO_SEGMENT, 0); /* its segment and cubic */
    uint cubic = 0, end = 0;
    bool at_start = true, is_new = true;

#if CLSP_GROUP > 1
    local real ends[CLSP_GROUP], lows[CLSP_GROUP];
    local place found[CLSP_GROUP];
    local uint2 owners[CLSP_GROUP];
    move_query(x, q, segments, first_segment);
    nearest.s0 = fmin(limit, least_end(a, ends, cubics, firsts[first_segment],
                                       firsts[first_segment + 1], x, scale));
#endif
    while (at.s0 == 0) {
        const uint number = at.s2 * tree.SPANS + at.s1, step = at_start ? CLSP_GROUP : 1;
        move_query(x, q, segments, number);
        if (is_new) {
            cubic = firsts[number] + (at_start ? MEMBER : 0);
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
                owner = (uint2)(number, cubic);
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
    found[MEMBER] = nearest;
    lows[MEMBER] = low;
    owners[MEMBER] = owner;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (MEMBER > 0) return;
    for (uint k = 1; k < CLSP_GROUP; k++) {
        low = fmin(low, lows[k]);
        const bool precedes = precedes_of(owners[k], owner, first_segment);
        if (!(found[k].s0 < nearest.s0 || (found[k].s0 == nearest.s0 && precedes))) continue;
        nearest = found[k];
        owner = owners[k];
    }
#endif
    if (!is_valid || owner.s0 == NO_SEGMENT) {
        write_no_results(out, 1, is_valid, max_dist);
        return;
    }
    global const real *const span = cubics + (size_t)owner.s1 * CLSP_CUBIC + CUBIC_BEGIN;
    const real bound =
        bound_of(fmin(nearest.s0, low), scale, extent_of(box_of(THE_TREE, root), scale), limits);
    write_point(out, segments + (size_t)owner.s0 * CLSP_SEGMENT, q,
                fmin(MAD(nearest.s1, span[1], span[0]), R(1.0)), scale);
    out[NEAREST_BOUND] = fmin(bound, out[NEAREST_DISTANCE]);
    write_ids(out, owner.s0 / tree.SPANS, limits.cut ? STATUS_CUT : STATUS_FOUND);
    if (!(out[NEAREST_DISTANCE] <= max_dist)) write_no_results(out, 1, true, fmin(max_dist, bound));
}
