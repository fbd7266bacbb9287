/* The nearest points of B-spline curves, one query an item (docs/kernels.md): branch and bound over
   the boxes of segments.cl and parts of segments, with what squared_distance.clh says of them.

   An item goes down to the segment whose box is nearest at every branching, and then through the
   whole tree in its order, leaving out what is not nearer than the best point so far. A segment is
   halved until each part has no minimum or one; parts are known by their number, and made of the
   segment again, so that nothing is kept. All loops are one: items of a group that are at
   different parts of different segments still do the same at the same time.

   The host sets CLSP_DEGREE, CLSP_DIM, CLSP_RATIONAL; CLSP_MANY 1 for the nearest local minima, of
   which those so far are kept in the output. */
#include "squared_distance.clh"

#ifndef CLSP_MANY
#define CLSP_MANY 0
#endif

/* Parts of a segment have at least 2^-DEPTH of its length, and an item makes at most so many. */
#define DEPTH     28
#define MOST_PARTS 65536

/* How much nearer a point must be to be looked for, of the distance and of a segment's extent: by
   what rounding alone may make of it, but in single precision no more than results may be off by.
   Where that is less parts with a base are halved until their errors are. */
#define ROUNDING_EPS (COEFFICIENT_EPS * (1 + CLSP_RATIONAL) + R(2.0) * REAL_EPS)
#if CLSP_REAL == 32
#define MOST_EPS     (REAL_EPS * (IS_BASED ? (CLSP_DEGREE > 16 ? CLSP_DEGREE / 2 : 4) : 6))
#define DISTANCE_EPS fmin(ROUNDING_EPS, MOST_EPS)
#else
#define DISTANCE_EPS ROUNDING_EPS
#endif
#define EXTENT_EPS   (R(3.0) * REAL_EPS)

/* The tree: `tiers` of its table belong to each curve's own boxes, the last of which is one for the
   curve, and all_tiers to the tree over all. */
typedef struct box_tree {
    uint num_curves, spans, tiers, all_tiers;
} box_tree;

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

/* The same as a vector: Mesa's compilers leave structures that functions hand on in memory. */
#define NUM_CURVES s0
#define SPANS      s1
#define TIERS      s2
#define ALL_TIERS  s3

/* A node: s0 its tier, s1 its number among those of the curve s2, above the curves' tiers among
   all. */
typedef uint4 node;

#define TREE     global const real *boxes, global const uint *tiers, uint4 tree
#define THE_TREE boxes, tiers, tree

/* Computes the squared distance to a box, less what rounding may have added. */
IN_PLACE real box_distance(global const real *box, point q, real scale)
{
    const point out = fmax(LOAD_POINT(box) - q, q - LOAD_POINT(box + CLSP_DIM));
    const point x = fmax(out, (point)(R(0.0))) * scale;
    const real square = dot_of(x, x);
    return square - R(8.0) * REAL_EPS * square;
}

/* Returns where a node's box is. */
IN_PLACE global const real *box_of(TREE, node n)
{
    size_t at = tiers[2 * n.s0] + n.s1;
    if (n.s0 < tree.TIERS) at += (size_t)n.s2 * tiers[2 * n.s0 + 1];
    return boxes + at * 2 * CLSP_DIM;
}

/* Returns the first child of a node. */
IN_PLACE node first_child(node n, uint4 tree)
{
    const bool is_curve = n.s0 == tree.TIERS;
    return (node)(n.s0 - 1, is_curve ? 0 : n.s1 * CLSP_FAN, is_curve ? n.s1 * CLSP_FAN : n.s2, 0);
}

/* Returns the number of a node among those that have the same parent or neighbouring ones. */
IN_PLACE uint number_of(node n, uint4 tree)
{
    return n.s0 + 1 == tree.TIERS ? n.s2 : n.s1;
}

/* Returns the next child of the same parent; s3 is 1 where there is none. */
IN_PLACE node next_sibling(node n, global const uint *tiers, uint4 tree)
{
    const bool is_curve = n.s0 + 1 == tree.TIERS;
    const uint next = number_of(n, tree) + 1;
    const uint num = is_curve ? tree.NUM_CURVES : tiers[2 * n.s0 + 1];
    n.s1 = is_curve ? n.s1 : next;
    n.s2 = is_curve ? next : n.s2;
    n.s3 = next % CLSP_FAN > 0 && next < num ? 0 : 1;
    return n;
}

/* Returns the next node that is not below n, in the tree whose root is of tier `top`; behind the
   last one a node of tier top + 1. */
IN_PLACE node next_node(node n, uint top, global const uint *tiers, uint4 tree)
{
    while (n.s0 < top) {
        const node sibling = next_sibling(n, tiers, tree);
        if (sibling.s3 == 0) return sibling;
        n = (node)(n.s0 + 1, number_of(n, tree) / CLSP_FAN, n.s2, 0);
    }
    n.s0 = top + 1;
    return n;
}

/* Goes down from a node to a segment, each time to the child whose box is nearest. */
IN_PLACE node nearest_leaf(TREE, node n, point q, real scale)
{
    while (n.s0 > 0) {
        node child = first_child(n, tree);
        real least = INFINITY;
        n = child;
        while (child.s3 == 0) {
            const real distance = box_distance(box_of(THE_TREE, child), q, scale);
            if (distance < least) {
                least = distance;
                n = child;
            }
            child = next_sibling(child, tiers, tree);
        }
    }
    return n;
}

/* Returns a power of two by which squares of what is within the box and of distances to it neither
   overflow nor vanish. */
IN_PLACE real choose_scale(global const real *box, point q)
{
    const real size = greatest_of(fmax(fabs(q - LOAD_POINT(box)),
                                       fabs(q - LOAD_POINT(box + CLSP_DIM))));
    enum { MOST = CLSP_REAL == 64 ? 1022 : 126 };
    if (!(size > R(0.0)) || size > REAL_MAX) return R(1.0);
    return ldexp(R(1.0), clamp(-ilogb(size), -MOST, (int)MOST));
}

/* Returns the square of what is worth looking for below a squared distance. */
IN_PLACE real limit_of(real square, real extent)
{
    if (square == INFINITY) return square;
    const real distance = sqrt(square);
    const real limit = distance - (DISTANCE_EPS * distance + EXTENT_EPS * extent);
    return limit > R(0.0) ? limit * limit : R(0.0);
}

/* Returns the segment of a curve that has the parameter. */
IN_PLACE uint segment_of(global const real *segments, uint spans, real t)
{
    uint low = 0, count = spans;
    while (count > 1) {
        const uint half_count = count / 2;
        const bool beyond =
            t < segments[(size_t)(low + half_count) * CLSP_SEGMENT + CLSP_SEGMENT - 2];
        if (!beyond) low += half_count;
        count = beyond ? half_count : count - half_count;
    }
    return low;
}

/* ---- results ---- */

/* Writes the point of a segment at t, its parameter, and its distance to the query. */
IN_PLACE void write_nearest(PART, SCRATCH, global real *out, global const real *segment,
                            point q, real t, real scale)
{
    global const real *const frame = segment + ORDER * CLSP_COORDS;
    const point origin = LOAD_POINT(frame);
    point first, second;

    load_part(THE_PART, segment, (point)(R(0.0)), R(1.0));
    const point x = evaluate_part(THE_PART, THE_SCRATCH, t, &first, &second);
    const point d = ((q - origin) - x) * scale;
    out[NEAREST_DISTANCE] = sqrt(dot_of(d, d)) / scale;
    const real begin = frame[CLSP_DIM + 1], end = frame[CLSP_DIM + 2];
    out[NEAREST_PARAM] = t < R(1.0) ? fmin(MAD(t, end - begin, begin), end) : end;
    for (uint i = NEAREST_PARAM + 1; i < NEAREST_REALS; i++)
        out[i] = R(0.0);
    STORE_POINT(origin + x, out + NEAREST_POINT);
}

/* Returns where a result's number of a curve and its status are. */
IN_PLACE global uint *ids_of(global real *out)
{
    return (global uint *)(out + NEAREST_REALS);
}

/* Writes that there are no results from number `first` on. */
IN_PLACE void write_none(global real *out, uint first, uint num, real bound, uint status)
{
    for (uint k = first; k < num; k++) {
        global real *const none = out + (size_t)k * NEAREST_SIZE;
        none[NEAREST_DISTANCE] = INFINITY;
        none[NEAREST_BOUND] = bound;
        for (uint i = NEAREST_PARAM; i < NEAREST_REALS; i++)
            none[i] = REAL_NAN;
        ids_of(none)[0] = 0xffffffffu;
        ids_of(none)[1] = status;
    }
}

/* Completes the result at t of a segment. least: the square below which no point of the curves is;
   extent: of the segments that were looked at. */
IN_PLACE void finish(PART, SCRATCH, global real *out, global const real *segments, uint number,
                     point q, real t, real scale, real least, real extent, uint spans, bool cut)
{
    real bound = sqrt(least);
    global const real *const segment = segments + (size_t)number * CLSP_SEGMENT;
    write_nearest(THE_PART, THE_SCRATCH, out, segment, q, t, scale);
    bound -= R(2.0) * (DISTANCE_EPS * bound + EXTENT_EPS * extent);
    out[NEAREST_BOUND] = fmin(fmax(bound, R(0.0)) / scale, out[NEAREST_DISTANCE]);
    ids_of(out)[0] = number / spans;
    ids_of(out)[1] = cut ? STATUS_CUT : STATUS_FOUND;
}

/* ---- local minima ---- */

#if CLSP_MANY
/* Tells whether two places of curves are the same but for what a minimum is found to. */
IN_PLACE bool same_place(uint number, real t, uint other, real u, uint spans)
{
    const real near = sqrt(REAL_EPS);
    if (number == other) return fabs(t - u) <= near;
    if (number / spans != other / spans) return false;
    return number + 1 == other ? (R(1.0) - t) + u <= near
                               : other + 1 == number && (R(1.0) - u) + t <= near;
}

/* Takes result k out of `count`. */
IN_PLACE void take_out(global real *out, uint k, uint count)
{
    for (uint i = k; i + 1 < count; i++) {
        global real *const here = out + (size_t)i * NEAREST_SIZE, *const next = here + NEAREST_SIZE;
        here[NEAREST_DISTANCE] = next[NEAREST_DISTANCE];
        here[NEAREST_PARAM] = next[NEAREST_PARAM];
        ids_of(here)[0] = ids_of(next)[0];
    }
}

/* Keeps a local minimum, if it is among the nearest `num` so far: as its square, t and the number
   of its segment. Returns how many are kept. */
IN_PLACE uint keep(global real *out, uint num, uint count, real square, uint number, real t,
                   uint spans)
{
    for (uint k = 0; k < count; k++) {
        global real *const kept = out + (size_t)k * NEAREST_SIZE;
        if (!same_place(number, t, ids_of(kept)[0], kept[NEAREST_PARAM], spans)) continue;
        if (kept[NEAREST_DISTANCE] <= square) return count;
        take_out(out, k, count);
        count--;
        break;
    }
    uint k = min(count, num - 1);
    if (k < count && !(square < out[(size_t)k * NEAREST_SIZE + NEAREST_DISTANCE])) return count;
    count = k + 1;
    for (; k > 0; k--) {
        global real *const here = out + (size_t)k * NEAREST_SIZE;
        global real *const before = here - NEAREST_SIZE;
        if (before[NEAREST_DISTANCE] <= square) break;
        here[NEAREST_DISTANCE] = before[NEAREST_DISTANCE];
        here[NEAREST_PARAM] = before[NEAREST_PARAM];
        ids_of(here)[0] = ids_of(before)[0];
    }
    global real *const kept = out + (size_t)k * NEAREST_SIZE;
    kept[NEAREST_DISTANCE] = square;
    kept[NEAREST_PARAM] = t;
    ids_of(kept)[0] = number;
    return count;
}

/* Puts result k, which is complete, among those before by its distance: rounding may have changed
   the order. */
IN_PLACE void move_up(global real *out, uint k)
{
    for (; k > 0; k--) {
        global real *const here = out + (size_t)k * NEAREST_SIZE;
        global real *const before = here - NEAREST_SIZE;
        if (!(here[NEAREST_DISTANCE] < before[NEAREST_DISTANCE])) return;
        for (uint i = 0; i < NEAREST_REALS; i++) {
            const real x = here[i];
            here[i] = before[i];
            before[i] = x;
        }
        for (uint i = 0; i < 2; i++) {
            const uint id = ids_of(here)[i];
            ids_of(here)[i] = ids_of(before)[i];
            ids_of(before)[i] = id;
        }
    }
}

/* Tells which signs the slope of the squared distance may have at the end `here` of a part, whose
   next control point is `next`; rational: v and u are their weights. s0 is 1 where it may rise
   towards that, s1 where it may fall. */
IN_PLACE int2 slope_at(point here, real v, point next, real u)
{
    const point from = CLSP_RATIONAL ? here * u : here, to = CLSP_RATIONAL ? next * v : next;
    const real slope = dot_of(here, to - from);
    const real error =
        R(4.0) * COEFFICIENT_EPS * dot_of(fabs(here), fabs(to) + fabs(from));
    return (int2)(slope >= -error, slope <= error);
}

/* Tells whether a curve jumps at the end `here` of a segment, which is minus the query, to `there`
   of its neighbour, both Euclidean: NaN where that is none. */
IN_PLACE bool is_jump(point here, point there, real extent)
{
    const point x = here - there;
    const real size = R(32.0) * REAL_EPS * (extent + sqrt(dot_of(here, here)));
    return !(dot_of(x, x) <= size * size);
}

/* Returns control point i of a segment minus the query; rational: *v becomes its weight. */
IN_PLACE point neighbour(global const real *segment, uint i, point q, real scale, real *v)
{
    const point x = q - LOAD_POINT(segment + ORDER * CLSP_COORDS);
    const point p = LOAD_POINT(segment + i * CLSP_COORDS);
    *v = CLSP_RATIONAL ? segment[i * CLSP_COORDS + CLSP_COORDS - 1] : R(1.0);
    return scale * (p - x * *v);
}

/* Tells whether the end of a segment, its last control point `here` minus the query, is a local
   minimum on the side of the next segment: it is one, too, where the curve jumps. */
IN_PLACE bool rises_behind(global const real *next, point here, real v, point q, real scale,
                           real extent)
{
    real v0, v1;
    const point b0 = neighbour(next, 0, q, scale, &v0), b1 = neighbour(next, 1, q, scale, &v1);
    return is_jump(here / v, b0 / v0, extent) || slope_at(b0, v0, b1, v1).s0;
}

/* Tells whether the begin of a segment, its first control point `here` minus the query, is behind a
   jump; else it is the end of the segment before. */
IN_PLACE bool is_behind_jump(global const real *before, point here, real v, point q, real scale,
                             real extent)
{
    real u;
    const point b = neighbour(before, CLSP_DEGREE, q, scale, &u);
    return is_jump(here / v, b / u, extent);
}

/* Tells whether what may be a local minimum at t of a segment is one: whether the distance is not
   less at `step` from it on either side, but for rounding. The part is lost. */
IN_PLACE bool is_minimum(PART, SCRATCH, global const real *segment, point q, real scale,
                         real extent, real t, real step)
{
    point first, second;
    load_part(THE_PART, segment, q - LOAD_POINT(segment + ORDER * CLSP_COORDS), scale);
    const point x = evaluate_part(THE_PART, THE_SCRATCH, t, &first, &second);
    const point before =
        evaluate_part(THE_PART, THE_SCRATCH, fmax(t - step, R(0.0)), &first, &second);
    const point behind =
        evaluate_part(THE_PART, THE_SCRATCH, fmin(t + step, R(1.0)), &first, &second);
    const real square = dot_of(x, x), whole = extent + sqrt(square);
    const real least = fmin(dot_of(before, before), dot_of(behind, behind));
    return least >= square - R(8.0) * COEFFICIENT_EPS * whole * whole;
}

/* Keeps the middle of a flat part s0 of 2^s1 of a segment, and of others those ends that are local
   minima. Returns how many results are kept. The part is lost. */
IN_PLACE uint keep_ends(global real *out, uint num, uint count, PART, SCRATCH,
                        global const real *segment, uint number, uint2 part, bool is_flat, point q,
                        real scale, real extent, uint spans, real limit)
{
    const uint in_curve = number % spans, end = CLSP_DEGREE;
#if IS_BASED
    move_base(THE_PART, -a[ORDER]);
#endif
    const real v_begin = CLSP_RATIONAL ? w[0] : R(1.0), u_begin = CLSP_RATIONAL ? w[1] : R(1.0);
    const real v_end = CLSP_RATIONAL ? w[end] : R(1.0), u_end = CLSP_RATIONAL ? w[end - 1] : R(1.0);
    const int2 at_begin = slope_at(a[0], v_begin, a[1], u_begin);
    const int2 at_end = slope_at(a[end], v_end, a[end - 1], u_end);
    const real begin_square = square_at(THE_PART, 0), end_square = square_at(THE_PART, end);
    const real length = R(1.0) / CONVERT_REAL(1u << part.s1);
    const bool is_first = part.s0 == 0, is_last = part.s0 + 1 == 1u << part.s1;
    bool keep_begin = at_begin.s0 && is_first, keep_end = at_end.s0 && is_last;

    if (in_curve > 0)
        keep_begin = keep_begin &&
                     is_behind_jump(segment - CLSP_SEGMENT, a[0], v_begin, q, scale, extent);
    if (in_curve + 1 < spans)
        keep_end = keep_end &&
                   rises_behind(segment + CLSP_SEGMENT, a[end], v_end, q, scale, extent);
    if (keep_begin && begin_square < limit)
        count = keep(out, num, count, begin_square, number, R(0.0), spans);
    if (keep_end && end_square < limit)
        count = keep(out, num, count, end_square, number, R(1.0), spans);
    /* within the segment */
    const bool may_be = is_flat || (!is_first && at_begin.s0 && at_begin.s1);
    const real t = (CONVERT_REAL(part.s0) + (is_flat ? R(0.5) : R(0.0))) * length;
    const real step = is_flat ? R(8.0) * length : R(0x1p-10);
    if (may_be && begin_square < limit &&
        is_minimum(THE_PART, THE_SCRATCH, segment, q, scale, extent, t, step))
        count = keep(out, num, count, begin_square, number, t, spans);
    return count;
}
#endif

/* ---- the search ---- */

/* Returns the part that follows one, s0 its number of 2^s1: its first half where it is split, else
   the next of the smallest that is not done; (1, 0) behind the last. */
IN_PLACE uint2 next_part(uint2 part, bool split)
{
    if (split) return (uint2)(2 * part.s0, part.s1 + 1);
    part.s0++;
    while (part.s1 > 0 && part.s0 % 2 == 0) {
        part.s0 /= 2;
        part.s1--;
    }
    return part;
}

/* Returns the first segment behind `at`, or from the root on where is_done is false, whose box is
   nearer than `limit` and which is not `start`; a node above the root where there is none. */
IN_PLACE node following_leaf(TREE, node at, bool is_done, node start, uint top, point q, real scale,
                             real limit)
{
    bool skip = is_done;
    while (at.s0 <= top) {
        const bool is_near = !skip && box_distance(box_of(THE_TREE, at), q, scale) < limit;
        const bool is_start = at.s1 == start.s1 && at.s2 == start.s2;
        if (is_near && at.s0 == 0 && !is_start) break;
        at = is_near && at.s0 > 0 ? first_child(at, tree) : next_node(at, top, tiers, tree);
        skip = false;
    }
    return at;
}

/* The queries of a launch; offsets in elements. Inputs of patches and hints count where has_patches
   and has_hints are not 0. num: of results of a query. */
typedef struct query_range {
    wide points_offset, patches_offset, hints_offset, offset;
    uint has_patches, has_hints, num, items;
} query_range;

/* Finds the nearest points of the curves to each query: item g those to query g. queries:
   [items][CLSP_DIM]; results: [items][num] of clsp_nearest_f32 or clsp_nearest_f64
   (bspline_project.h). max_dist 0: there is no limit. */
kernel void find_nearest(global const real *restrict segments, global const real *restrict boxes,
                         global const uint *restrict tiers, global const real *restrict weights,
                         global const real *restrict queries, global const uint *restrict patches,
                         global const real *restrict hints, global real *restrict results,
                         box_tree shape, query_range range, real max_dist)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;

    const uint4 tree = (uint4)(shape.num_curves, shape.spans, shape.tiers, shape.all_tiers);
    global const real *const query = queries + WIDE(range.points_offset) + (size_t)g * CLSP_DIM;
    global real *const out =
        results + WIDE(range.offset) + (size_t)g * range.num * NEAREST_SIZE;
    const real far = max_dist > R(0.0) ? max_dist : INFINITY;
    const point q = LOAD_POINT(query);
    DECLARE_PART
    DECLARE_SCRATCH
    bool valid = is_finite(q);
    node root = (node)(tree.ALL_TIERS - 1, 0, 0, 0);
    if (range.has_patches) {
        root = (node)(tree.TIERS - 1, 0, patches[WIDE(range.patches_offset) + g], 0);
        valid = valid && (root.s2 < tree.NUM_CURVES || tree.NUM_CURVES == 0);
    }
    if (!valid || tree.NUM_CURVES == 0) {
        write_none(out, 0, range.num, valid ? far : REAL_NAN,
                   valid ? STATUS_NONE : STATUS_INVALID);
        return;
    }
    const real scale = choose_scale(box_of(THE_TREE, root), q);
    const real hint = range.has_hints ? hints[WIDE(range.hints_offset) + g] : REAL_NAN;
    global const real *const own = segments + (size_t)root.s2 * tree.SPANS * CLSP_SEGMENT;
    const node start = hint == hint
                           ? (node)(0, segment_of(own, tree.SPANS, hint), root.s2, 0)
                           : nearest_leaf(THE_TREE, root, q, scale);
    node at = start;
    real least = far * scale * (far * scale), lowest = INFINITY, extent = R(0.0);
    real nearest_t = R(0.0);
    uint2 part = (uint2)(0, 0);
    uint nearest = 0, count = 0, num_parts = 0;
    bool at_start = true, is_cut = false;

    while (at.s0 == 0) {
        const uint number = at.s2 * tree.SPANS + at.s1;
        global const real *const segment = segments + (size_t)number * CLSP_SEGMENT;
        const real own_extent = segment[ORDER * CLSP_COORDS + CLSP_DIM] * scale;
        load_part(THE_PART, segment, q - LOAD_POINT(segment + ORDER * CLSP_COORDS), scale);
        if (part.s1 > 0) restrict_part(THE_PART, part.s0, part.s1);
        extent = fmax(extent, own_extent);
        const finding found = examine_part(THE_PART, THE_SCRATCH, weights);
        real square = INFINITY, t = R(0.0);
#if !CLSP_MANY
        const real at_begin = square_at(THE_PART, 0), at_end = square_at(THE_PART, CLSP_DEGREE);
        square = fmin(at_begin, at_end);
        t = at_begin <= at_end ? R(0.0) : R(1.0);
#endif
        const bool is_near = found.s0 < limit_of(fmin(least, square), own_extent);
#if CLSP_MANY
        const bool is_open = is_near && found.s1 == NOT_DECIDED;
#else
        const bool is_open = is_near && found.s1 < NO_MINIMUM;
#endif
        const bool split = is_open && part.s1 < DEPTH && num_parts < MOST_PARTS;
        num_parts++;
        if (is_open && !split) {
            lowest = fmin(lowest, found.s0);
            is_cut = true;
        }
        if (is_near && found.s1 >= R(0.0)) {
            const real4 minimum = find_minimum(THE_PART, THE_SCRATCH, found.s1);
            if (minimum.s1 < square) t = minimum.s0;
            square = fmin(square, minimum.s1);
            lowest = fmin(lowest, minimum.s2);
        }
        const real t_of_segment = (CONVERT_REAL(part.s0) + t) / CONVERT_REAL(1u << part.s1);
#if CLSP_MANY
        if (is_near) {
            if (square < least)
                count = keep(out, range.num, count, square, number, t_of_segment, tree.SPANS);
            count = keep_ends(out, range.num, count, THE_PART, THE_SCRATCH, segment, number, part,
                              found.s1 == IS_FLAT, q, scale, own_extent, tree.SPANS, least);
            if (count == range.num)
                least = fmin(least, out[(size_t)(count - 1) * NEAREST_SIZE + NEAREST_DISTANCE]);
        }
#else
        if (square < least) {
            least = square;
            nearest = number;
            nearest_t = t_of_segment;
            count = 1;
        }
#endif
        part = next_part(part, split);
        if (part.s1 > 0) continue;
        at = following_leaf(THE_TREE, at_start ? root : at, !at_start, start, root.s0, q, scale,
                            limit_of(least, R(0.0)));
        part = (uint2)(0, 0);
        at_start = false;
    }
#if CLSP_MANY
    for (uint k = 0; k < count; k++) {
        global real *const kept = out + (size_t)k * NEAREST_SIZE;
        const real square = kept[NEAREST_DISTANCE];
        finish(THE_PART, THE_SCRATCH, kept, segments, ids_of(kept)[0], q, kept[NEAREST_PARAM],
               scale, fmin(square, lowest), extent, tree.SPANS, is_cut);
        move_up(out, k);
    }
#else
    if (count > 0)
        finish(THE_PART, THE_SCRATCH, out, segments, nearest, q, nearest_t, scale,
               fmin(least, lowest), extent, tree.SPANS, is_cut);
#endif
    write_none(out, count, range.num, far, STATUS_NONE);
}
