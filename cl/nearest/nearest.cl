/* The nearest points of B-spline curves, one query an item: branch and bound over the boxes of
   segments.cl and parts of segments, with what squared_distance.clh says of them.

   An item goes down to the segment whose box is nearest at every branching, and then through the
   whole tree in its order, leaving out what is not nearer than the best point so far. A segment is
   halved until each part has no minimum or one; parts are known by their number, and made of the
   segment again, so that nothing is kept. All loops are one: items of a group that are at
   different parts of different segments still do the same at the same time.

   The host sets CLSP_DEGREE, CLSP_DIM, CLSP_RATIONAL; CLSP_MANY 1 for the nearest local minima, of
   which those so far are kept in the output. Then a way along a segment goes `ahead` into the
   following ones where a valley of the distance may end there.

   Loops over control points are unrolled up to degree 7, so that arrays are registers; above,
   arrays lie in private memory. They are declared in the kernel, since compilers leave arrays of
   functions in memory. Plans in double search in double. */
#include "box_tree.clh"
#include "part_words.clh"
#include "kept_minima.clh"
#include "curve_result.clh"
#include "local_minima.clh"

/* Parts of a segment have at least 2^-DEPTH of its length, and an item makes at most so many. */
#define DEPTH     28
#define MOST_PARTS 65536

#define DISTANCE_EPS distance_eps_of(CLSP_DEGREE, CLSP_RATIONAL, IS_BASED, COEFFICIENT_EPS)
#define LIMIT_OF(square, extent) limit_of(square, extent, DISTANCE_EPS)
#define LEFT_OPEN(least, lowest, extent)                                                          \
    left_open(least, lowest, extent, DISTANCE_EPS, CLSP_DEGREE, CLSP_RATIONAL)

/* ---- results ---- */

/* Completes the result at t : s of a segment. least: the square below which no point of the curves
   is; extent: of the segments that were looked at. */
IN_PLACE void finish(PART, SCRATCH, global real *out, global const real *segments, uint number,
                     point q, parameter at, real scale, real least, real extent, uint spans,
                     bool cut)
{
    global const real *const segment = segments + (size_t)number * CLSP_SEGMENT;

    write_nearest(THE_PART, THE_SCRATCH, out, segment, q, at, scale, least, extent, DISTANCE_EPS);
    write_ids(out, number / spans, cut ? STATUS_CUT : STATUS_FOUND);
}

#if CLSP_MANY

/* Completes the results that are kept. */
IN_PLACE void finish_all(PART, SCRATCH, global real *out, global const real *segments, uint count,
                         point q, real scale, real lowest, real extent, uint spans, bool cut)
{
    cut = cut || (count > 0 && LEFT_OPEN(out[NEAREST_DISTANCE], lowest, extent));
    for (uint k = 0; k < count; k++) {
        global real *const kept = out + (size_t)k * NEAREST_SIZE;
        const real least = fmin(kept[NEAREST_DISTANCE], lowest);
        const parameter at = PARAMETER(kept[NEAREST_PARAM], kept[NEAREST_PARAM + 1]);
        finish(THE_PART, THE_SCRATCH, kept, segments, ids_of(kept)[0], q, at, scale, least, extent,
               spans, cut);
        move_up(out, k);
    }
}
#endif

/* ---- the search ---- */

/* Loads a part of a segment, and tells what is in it. */
IN_PLACE finding look_at(PART, SCRATCH, SEGMENT segment, global const real *weights, point q,
                         real scale, uint2 part, int2 *trend)
{
    load_part(THE_PART, segment, q - ORIGIN(segment), scale);
    if (part.s1 > 0) restrict_part(THE_PART, part.s0, part.s1);
    return examine_part(THE_PART, THE_SCRATCH, weights, trend);
}

#if !CLSP_MANY
/* Returns the square of a part's nearer end, *here becoming its place. */
IN_PLACE real nearer_end(PART, parameter *here)
{
    const real at_begin = square_at(THE_PART, 0), at_end = square_at(THE_PART, CLSP_DEGREE);

    *here = parameter_at(at_begin <= at_end ? R(0.0) : R(1.0));
    return fmin(at_begin, at_end);
}

/* Returns the square of a part's minimum, which is looked for from t on, where it is less than
   `square`, *here becoming its place; else the square. */
IN_PLACE real nearer_within(PART, SCRATCH, real t, real square, parameter *here, real *lowest)
{
    const real4 minimum = find_minimum(THE_PART, THE_SCRATCH, t);

    if (minimum.s1 < square) *here = PARAMETER(minimum.s0, minimum.s3);
    *lowest = fmin(*lowest, minimum.s2);
    return fmin(square, minimum.s1);
}
#endif

/* The queries of a launch; offsets in elements. Inputs of patches and hints count where has_patches
   and has_hints are not 0. num: of results of a query. */
typedef struct query_range {
    wide points_offset, patches_offset, hints_offset, offset;
    uint has_patches, has_hints, num, items;
} query_range;

/* Finds the nearest points of the curves to each query: item g those to query g. queries:
   [items][CLSP_DIM]; results: [items][num] of clsp_nearest_f32 or clsp_nearest_f64
   (nearest.h). max_dist 0: there is no limit. */
kernel void find_nearest(global const real *restrict segments, global const real *restrict boxes,
                         global const uint *restrict tiers, global const real *restrict weights,
                         global const real *restrict queries, global const uint *restrict patches,
                         global const real *restrict hints, global real *restrict results,
                         box_tree shape, query_range range, real max_dist)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;
    const uint4 tree = tree_of(shape);
    global real *const out =
        results + WIDE(range.offset) + (size_t)g * range.num * NEAREST_SIZE;
    const real far = max_dist > R(0.0) ? max_dist : INFINITY;
    const point q = LOAD_POINT(queries + WIDE(range.points_offset) + (size_t)g * CLSP_DIM);
    DECLARE_PART
    DECLARE_SCRATCH
    const uint curve = range.has_patches ? patches[WIDE(range.patches_offset) + g] : 0;
    const node root = root_of(tree, range.has_patches, curve);
    const bool is_valid = is_finite(q) && (curve < tree.NUM_CURVES || tree.NUM_CURVES == 0);
    if (!is_valid || tree.NUM_CURVES == 0) {
        write_no_results(out, range.num, is_valid, far);
        return;
    }
    const real scale = choose_scale(box_of(THE_TREE, root), q);
    const real hint = range.has_hints ? hints[WIDE(range.hints_offset) + g] : REAL_NAN;
    const node start = first_leaf(THE_TREE, segments, root, q, scale, hint);
    node at = start;
    real least = far * scale * (far * scale), lowest = INFINITY, extent = R(0.0);
    parameter nearest_at = parameter_at(R(0.0));
    uint2 part = (uint2)(0, 0);
    uint nearest = 0, count = 0, num_parts = 0, ahead = 0;
    bool at_start = true, is_cut = false;
    valley low = NO_VALLEY; /* of local minima */

    while (at.s0 == 0) {
        const uint number = at.s2 * tree.SPANS + at.s1 + ahead;
        global const real *const segment = segments + (size_t)number * CLSP_SEGMENT;
        const real own_extent = EXTENT(segment) * scale;
        extent = fmax(extent, own_extent);
        int2 trend;
        finding found = look_at(THE_PART, THE_SCRATCH, segment, weights, q, scale, part, &trend);
        real square = INFINITY;
        parameter here = parameter_at(R(0.0));
#if CLSP_MANY
        if (found.s1 == NOT_DECIDED && is_at_query(THE_PART, EXTENT_EPS * own_extent))
            found.s1 = IS_FLAT;
        if (part.s1 == 0 && ahead == 0)
            low = begin_valley(THE_PART, segment, at.s1, q, scale, own_extent);
#else
        square = nearer_end(THE_PART, &here);
#endif
        const bool is_near = found.s0 < LIMIT_OF(fmin(least, square), own_extent);
        const bool is_open = is_near && found.s1 == NOT_DECIDED;
        const bool split = is_open && part.s1 < DEPTH && num_parts++ < MOST_PARTS;
        if (is_open && !split) lowest = fmin(lowest, found.s0);
        is_cut |= is_open && !split;
#if CLSP_MANY
        if (!split)
            low = go_on(low, THE_PART, THE_SCRATCH, out, range.num, number - ahead, least, &count,
                        found, trend, is_near, part, ahead, &lowest);
#else
        if (is_near && found.s1 >= R(0.0))
            square = nearer_within(THE_PART, THE_SCRATCH, found.s1, square, &here, &lowest);
        if (square < least) {
            least = square;
            nearest = number;
            nearest_at = parameter_of_segment(here, part);
            count = 1;
        }
#endif
        part = next_part(part, split);
        bool is_over = part.s1 == 0;
#if CLSP_MANY
        is_over = is_over || (ahead > 0 && low.s0 == INFINITY);
        if (is_over && low.s0 < least &&
            goes_on(THE_PART, segment, at.s1 + ahead, tree.SPANS, q, scale, own_extent)) {
            part = (uint2)(0, 0);
            ahead++;
            continue;
        }
        if (is_over) keep(out, range.num, number - ahead, least, &count, low);
        least = fmin(least, limit_kept(out, range.num, count));
#endif
        if (!is_over) continue;
        at = next_leaf(THE_TREE, at_start ? root : at, !at_start, start, root.s0, q, scale, R(0.0),
                       LIMIT_OF(least, R(0.0)));
        part = (uint2)(0, 0);
        ahead = 0;
        at_start = false;
    }
#if CLSP_MANY
    finish_all(THE_PART, THE_SCRATCH, out, segments, count, q, scale, lowest, extent, tree.SPANS,
               is_cut);
#else
    if (count > 0)
        finish(THE_PART, THE_SCRATCH, out, segments, nearest, q, nearest_at, scale,
               fmin(least, lowest), extent, tree.SPANS,
               is_cut || LEFT_OPEN(least, lowest, extent));
#endif
    write_none(out, count, range.num, far, STATUS_NONE);
}
