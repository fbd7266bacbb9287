/* The nearest points of B-spline curves, one query an item (docs/kernels.md): branch and bound over
   the boxes of segments.cl and parts of segments, with what squared_distance.clh says of them.

   An item goes down to the segment whose box is nearest at every branching, and then through the
   whole tree in its order, leaving out what is not nearer than the best point so far. A segment is
   halved until each part has no minimum or one; parts are known by their number, and made of the
   segment again, so that nothing is kept. All loops are one: items of a group that are at
   different parts of different segments still do the same at the same time.

   The host sets CLSP_DEGREE, CLSP_DIM, CLSP_RATIONAL. */
#include "squared_distance.clh"

/* Parts of a segment have at least 2^-CLSP_DEPTH of its length. */
#define DEPTH 28

/* How much nearer a point must be to be looked for, of the distance and of a segment's extent. */
#define DISTANCE_EPS (COEFFICIENT_EPS * (1 + CLSP_RATIONAL) + R(2.0) * REAL_EPS)
#define EXTENT_EPS   (R(3.0) * REAL_EPS)

/* The tree: `levels` of its table belong to each curve's own boxes, the last of which is one for the
   curve, and all_levels to the tree over all. */
typedef struct box_tree {
    uint num_curves, spans, levels, all_levels;
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

/* A node: s0 its level, s1 its number among those of the curve s2, above the curves' levels among
   all. */
typedef uint4 node;

#define TREE     global const real *boxes, global const uint *levels, box_tree tree
#define THE_TREE boxes, levels, tree

/* Computes the squared distance to a box, less what rounding may have added. */
IN_PLACE real box_distance(global const real *box, const real *q, real scale)
{
    real sum = R(0.0);
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++) {
        const real x = fmax(fmax(box[c] - q[c], q[c] - box[CLSP_DIM + c]), R(0.0)) * scale;
        sum = MAD(x, x, sum);
    }
    return sum - R(8.0) * REAL_EPS * sum;
}

/* Returns where a node's box is. */
IN_PLACE global const real *box_of(TREE, node n)
{
    size_t at = levels[2 * n.s0] + n.s1;
    if (n.s0 < tree.levels) at += (size_t)n.s2 * levels[2 * n.s0 + 1];
    return boxes + at * 2 * CLSP_DIM;
}

/* Returns the first child of a node. */
IN_PLACE node first_child(node n, box_tree tree)
{
    const bool is_curve = n.s0 == tree.levels;
    return (node)(n.s0 - 1, is_curve ? 0 : n.s1 * CLSP_FAN, is_curve ? n.s1 * CLSP_FAN : n.s2, 0);
}

/* Returns the number of a node among those that have the same parent or neighbouring ones. */
IN_PLACE uint number_of(node n, box_tree tree)
{
    return n.s0 + 1 == tree.levels ? n.s2 : n.s1;
}

/* Returns the next child of the same parent; s3 is 1 where there is none. */
IN_PLACE node next_sibling(node n, global const uint *levels, box_tree tree)
{
    const bool is_curve = n.s0 + 1 == tree.levels;
    const uint next = number_of(n, tree) + 1;
    const uint num = is_curve ? tree.num_curves : levels[2 * n.s0 + 1];
    n.s1 = is_curve ? n.s1 : next;
    n.s2 = is_curve ? next : n.s2;
    n.s3 = next % CLSP_FAN > 0 && next < num ? 0 : 1;
    return n;
}

/* Returns the next node that is not below n, in the tree whose root is of level `top`; behind the
   last one a node of level top + 1. */
IN_PLACE node next_node(node n, uint top, global const uint *levels, box_tree tree)
{
    while (n.s0 < top) {
        const node sibling = next_sibling(n, levels, tree);
        if (sibling.s3 == 0) return sibling;
        n = (node)(n.s0 + 1, number_of(n, tree) / CLSP_FAN, n.s2, 0);
    }
    n.s0 = top + 1;
    return n;
}

/* Goes down from a node to a segment, each time to the child whose box is nearest. */
IN_PLACE node nearest_leaf(TREE, node n, const real *q, real scale)
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
            child = next_sibling(child, levels, tree);
        }
    }
    return n;
}

/* Returns the first segment from node n on whose box is nearer than `limit`, or a node of level
   top + 1. */
IN_PLACE node next_leaf(TREE, node n, uint top, const real *q, real scale, real limit)
{
    while (n.s0 <= top) {
        const bool is_near = box_distance(box_of(THE_TREE, n), q, scale) < limit;
        if (is_near && n.s0 == 0) return n;
        n = is_near ? first_child(n, tree) : next_node(n, top, levels, tree);
    }
    return n;
}

/* Returns a power of two by which squares of what is within the box and of distances to it neither
   overflow nor vanish. */
IN_PLACE real choose_scale(global const real *box, const real *q)
{
    real size = R(0.0);
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++)
        size = fmax(size, fmax(fabs(q[c] - box[c]), fabs(q[c] - box[CLSP_DIM + c])));
    if (!(size > R(0.0)) || size > R(0.25) * REAL_MAX) return R(1.0);
    return ldexp(R(1.0), clamp(-ilogb(size), -(CLSP_REAL == 64 ? 1000 : 120), CLSP_REAL == 64 ? 1000 : 120));
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

/* Writes the result `number`: the point of a segment at t, relative to the query q. */
IN_PLACE void write_nearest(global real *out, global const real *segment, const real *q, real t,
                            real scale)
{
    global const real *const frame = segment + ORDER * CLSP_COORDS;
    real a[ORDER * CLSP_COORDS], x[CLSP_COORDS], first[CLSP_COORDS], second[CLSP_COORDS];
    real origin[CLSP_DIM], square = R(0.0);

    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++)
        origin[c] = frame[c];
    load_part(a, segment, origin, R(1.0));
    evaluate_part(a, t, x, first, second);
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++) {
        const real d = ((q[c] - origin[c]) - x[c]) * scale;
        square = MAD(d, d, square);
        out[NEAREST_POINT + c] = origin[c] + x[c];
    }
    for (uint c = CLSP_DIM; c < 4; c++)
        out[NEAREST_POINT + c] = R(0.0);
    out[NEAREST_DISTANCE] = sqrt(square) / scale;
    const real begin = frame[CLSP_DIM + 1], end = frame[CLSP_DIM + 2];
    out[NEAREST_PARAM] = t < R(1.0) ? fmin(MAD(t, end - begin, begin), end) : end;
    out[NEAREST_PARAM + 1] = out[NEAREST_PARAM + 2] = R(0.0);
}

/* Writes that there is no result. */
IN_PLACE void write_none(global real *out, real bound, uint status)
{
    global uint *const ids = (global uint *)(out + NEAREST_REALS);
    out[NEAREST_DISTANCE] = INFINITY;
    out[NEAREST_BOUND] = bound;
    for (uint i = NEAREST_PARAM; i < NEAREST_REALS; i++)
        out[i] = REAL_NAN;
    ids[0] = 0xffffffffu;
    ids[1] = status;
}

/* The queries of a launch; offsets in elements. The input of patches and hints counts where
   has_patches and has_hints are not 0. */
typedef struct query_range {
    wide points_offset, patches_offset, hints_offset, offset;
    uint has_patches, has_hints, items;
} query_range;

/* Finds the nearest point of the curves to each query: item g that to query g. queries:
   [items][CLSP_DIM]; out: [items] of clsp_nearest_f32 or clsp_nearest_f64 (bspline_project.h). */
kernel void find_nearest(global const real *restrict segments, global const real *restrict boxes,
                         global const uint *restrict levels, global const real *restrict weights,
                         global const real *restrict queries, global const uint *restrict patches,
                         global const real *restrict hints, global real *restrict results,
                         box_tree tree, query_range range, real max_dist)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;

    global const real *const query =
        queries + WIDE(range.points_offset) + (size_t)g * CLSP_DIM;
    global real *const out = results + WIDE(range.offset) + (size_t)g * NEAREST_SIZE;
    real q[CLSP_DIM], a[ORDER * CLSP_COORDS];
    bool valid = true;

    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++) {
        q[c] = query[c];
        valid = valid && fabs(q[c]) <= REAL_MAX;
    }
    /* the root: of all curves, or of one */
    uint top = tree.all_levels - 1;
    node at = (node)(top, 0, 0, 0);
    if (range.has_patches) {
        top = tree.levels - 1;
        at = (node)(top, 0, patches[WIDE(range.patches_offset) + g], 0);
        valid = valid && (at.s2 < tree.num_curves || tree.num_curves == 0);
    }
    if (!valid || tree.num_curves == 0) {
        write_none(out, !valid ? REAL_NAN : max_dist > R(0.0) ? max_dist : INFINITY,
                   valid ? STATUS_NONE : STATUS_INVALID);
        return;
    }
    const node root = at;
    const real scale = choose_scale(box_of(THE_TREE, root), q);
    const real hint = range.has_hints ? hints[WIDE(range.hints_offset) + g] : REAL_NAN;
    real least = max_dist > R(0.0) ? max_dist * scale * (max_dist * scale) : INFINITY;
    real limit = least, low_bound = INFINITY, extent = R(0.0), nearest_t = R(0.0);
    bool found = false, cut = false;
    size_t nearest = 0;

    if (hint == hint)
        at = (node)(0, segment_of(segments + (size_t)at.s2 * tree.spans * CLSP_SEGMENT, tree.spans,
                                  hint),
                    at.s2, 0);
    else
        at = nearest_leaf(THE_TREE, at, q, scale);
    const node start = at;
    bool at_start = true;
    uint part = 0, depth = 0;
    for (;;) {
        /* one part of the segment */
        const size_t number = (size_t)at.s2 * tree.spans + at.s1;
        global const real *const segment = segments + number * CLSP_SEGMENT;
        const real own_extent = segment[ORDER * CLSP_COORDS + CLSP_DIM] * scale;
        const real part_length = R(1.0) / CONVERT_REAL(1u << depth);
        load_part(a, segment, q, scale);
        if (depth > 0) restrict_part(a, part, depth);
        extent = fmax(extent, own_extent);
        real2 ends = (real2)(square_at(a), square_at(a + CLSP_DEGREE * CLSP_COORDS));
        real square = fmin(ends.s0, ends.s1), t = ends.s0 <= ends.s1 ? R(0.0) : R(1.0);
        const finding found_here =
            examine_part(a, weights);
        limit = limit_of(fmin(least, square), own_extent);
        const bool is_near = found_here.s0 < limit;
        const bool split = is_near && found_here.s1 == NOT_DECIDED && depth < DEPTH;
        if (is_near && found_here.s1 >= R(0.0)) {
            const real2 minimum = find_minimum(a, found_here.s1);
            if (minimum.s1 < square) {
                square = minimum.s1;
                t = minimum.s0;
            }
        }
        if (is_near && found_here.s1 == NOT_DECIDED && !split) {
            cut = true;
            low_bound = fmin(low_bound, found_here.s0);
        }
        if (square < least) {
            least = square;
            nearest = number;
            nearest_t = (CONVERT_REAL(part) + t) * part_length;
            found = true;
        }
        /* the next part */
        if (split) {
            part *= 2;
            depth++;
            continue;
        }
        part++;
        while (depth > 0 && part % 2 == 0) {
            part /= 2;
            depth--;
        }
        if (depth > 0) continue;
        /* the next segment */
        part = 0;
        limit = limit_of(least, R(0.0));
        at = at_start ? root : next_node(at, top, levels, tree);
        at_start = false;
        at = next_leaf(THE_TREE, at, top, q, scale, limit);
        if (at.s0 == 0 && at.s1 == start.s1 && at.s2 == start.s2)
            at = next_leaf(THE_TREE, next_node(at, top, levels, tree), top, q, scale, limit);
        if (at.s0 > top) break;
    }
    if (!found) {
        write_none(out, max_dist > R(0.0) ? max_dist : INFINITY, STATUS_NONE);
        return;
    }
    write_nearest(out, segments + nearest * CLSP_SEGMENT, q, nearest_t, scale);
    real bound = sqrt(fmin(least, low_bound));
    bound -= R(2.0) * (DISTANCE_EPS * bound + EXTENT_EPS * extent);
    out[NEAREST_BOUND] = fmin(fmax(bound, R(0.0)) / scale, out[NEAREST_DISTANCE]);
    global uint *const ids = (global uint *)(out + NEAREST_REALS);
    ids[0] = (uint)(nearest / tree.spans);
    ids[1] = cut ? STATUS_CUT : STATUS_FOUND;
}
