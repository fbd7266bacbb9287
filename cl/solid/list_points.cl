/* Points of a solid at parameters of their own (docs/math.md, 19). An item makes a point: it finds
   the child of children of its cell that is regular, or has slices, and the weights of control
   points there, by trees that the host has made of each class (class_trees.h).

   The host sets CLSP_DIM, and CLSP_BLOCK, the channels that are summed at once, a divisor of them;
   and where vertices are more than packed points CLSP_STORE, CLSP_STRIDE, CLSP_AT_POINT, and
   CLSP_AT_PARAMS where they have parameters.

   Regular cells are sums of 64 points through their block. In cells with slices an item goes down
   until its place in the slice is regular. In others it goes down to a leaf, a child that is
   regular or has slices; a point of a leaf's class is 64 multiply-adds for its weight. Parameters
   are doubled on the way, which is exact. Depths differ from item to item, so a group takes as long
   as its worst point. */
#include "cell_blocks.clh"

#if CLSP_BLOCK == 1
typedef real channels;
#define LOAD_CHANNELS(p) (*(p))
#else
typedef CLSP_PASTE(CLSP_TYPE, CLSP_BLOCK) channels;
#define LOAD_CHANNELS(p) CLSP_PASTE(vload, CLSP_BLOCK)(0, p)
#endif

#ifndef CLSP_STRIDE
#define CLSP_STRIDE   CLSP_DIM
#define CLSP_AT_POINT 0
#endif

/* Stores the channels of a vertex's point from channel c on. */
static void store_channels(channels x, global STORED *out, uint c)
{
    out += CLSP_AT_POINT + c;
#if CLSP_BLOCK == 1
    STORE(x, out);
#else
    STORE(x.s0, out);
#if CLSP_BLOCK > 1
    STORE(x.s1, out + 1);
#endif
#if CLSP_BLOCK > 2
    STORE(x.s2, out + 2);
#endif
#if CLSP_BLOCK > 3
    STORE(x.s3, out + 3);
#endif
#endif
}

/* words of trees, as class_trees.h has them */
#define LEAF  0xffffffffu
#define TABLE 0x80000000u
#define WHOLE 0xffffffffu

/* The points of a launch. items: whether each has a cell, else it is cell 0; step: reals from one
   point's parameter to the next one's. In the words, which have the place and the code of each cell
   at first, points of cells that are not regular begin at `index`, trees at `trees`. from_: where
   items, and parameters along each direction, begin. */
typedef struct list_range {
    uint num, items, step, cells, vertices, index, trees;
    wide from_items, from_u, from_v, from_w, offset;
} list_range;

/* ---- splines and frames ---- */

/* Returns a parameter as seen from the nearer end of its cell, exactly. */
static real from_end(real t)
{
    return t < R(0.5) ? t : R(1.0) - t;
}

/* Returns the four cubic B-splines at t up to 1/2, where the second one is the largest. */
static real4 near_splines(real t)
{
    const real s = R(1.0) - t, half_t = R(0.5) * t, sixth = R(1.0) / R(6.0);
    return (real4)(sixth * s * s * s, MAD(-t * t, R(1.0) - half_t, R(2.0) / R(3.0)),
                   sixth + MAD(half_t, t * s, half_t), sixth * t * t * t);
}

/* Returns the four cubic B-splines at t. */
static real4 splines(real t)
{
    const real4 x = near_splines(from_end(t));
    return t < R(0.5) ? x : x.s3210;
}

/* A parameter in the directions of a cell. */
typedef struct cell_param {
    real u, v, w;
} cell_param;

/* The splines of a parameter along each axis. */
typedef struct spline_set {
    real4 u, v, w;
} spline_set;

IN_PLACE spline_set splines_at(cell_param t)
{
    spline_set s;
    s.u = splines(t.u);
    s.v = splines(t.v);
    s.w = splines(t.w);
    return s;
}

/* Return the axis of the cell that is axis a of a frame, and whether it runs against it. */
static uint frame_axis(uint frame, uint a)
{
    return frame >> 2 * a & 3;
}

static uint frame_flips(uint frame, uint a)
{
    return frame >> (6 + a) & 1;
}

/* Returns the frame that is `inner` seen in `outer`. */
static uint frame_of(uint outer, uint inner)
{
    uint frame = 0;
    UNROLL
    for (uint a = 0; a < 3; a++) {
        const uint b = frame_axis(inner, a);
        const uint flips = frame_flips(inner, a) ^ frame_flips(outer, b);
        frame |= frame_axis(outer, b) << 2 * a | flips << (6 + a);
    }
    return frame;
}

/* Returns a corner of the cell as a frame has it. */
static uint corner_of(uint frame, uint corner)
{
    uint seen = 0;
    UNROLL
    for (uint a = 0; a < 3; a++)
        seen |= ((corner >> frame_axis(frame, a) & 1) ^ frame_flips(frame, a)) << a;
    return seen;
}

/* Returns the splines along axis a of a frame. */
IN_PLACE real4 splines_along(spline_set s, uint frame, uint a)
{
    const uint axis = frame_axis(frame, a);
    const real4 x = axis == 0 ? s.u : axis == 1 ? s.v : s.w;
    return frame_flips(frame, a) ? x.s3210 : x;
}

/* Returns the corner of the cell that a parameter is nearest to; of the child where it is, too. */
IN_PLACE uint corner_at(cell_param t)
{
    return (t.u >= R(0.5) ? 1 : 0) | (t.v >= R(0.5) ? 2 : 0) | (t.w >= R(0.5) ? 4 : 0);
}

/* Returns a parameter within the child where it is: exactly. */
IN_PLACE cell_param child_param(cell_param t)
{
    t.u = t.u >= R(0.5) ? R(2.0) * t.u - R(1.0) : R(2.0) * t.u;
    t.v = t.v >= R(0.5) ? R(2.0) * t.v - R(1.0) : R(2.0) * t.v;
    t.w = t.w >= R(0.5) ? R(2.0) * t.w - R(1.0) : R(2.0) * t.w;
    return t;
}

/* ---- sums ---- */

/* Adds a term to a sum; what is rounded off goes into the next term (Kahan, Commun. ACM 8,
   1965). */
#define ADD(sum, lost, weight, x)                                                                  \
    {                                                                                              \
        const channels term_ = MAD((channels)(weight), x, -lost), more_ = sum + term_;             \
        lost = (more_ - sum) - term_;                                                              \
        sum = more_;                                                                               \
    }

/* Four points along an axis, or lines or planes of such, in the order of splines seen from the end
   that the parameter is nearer to; what is beyond the boundary has no weight, and its place is that
   of what is beside it. The second one has no weight either: others are relative to it, as weights
   sum to 1. So none of the largest weight's roundings count. */
typedef struct axis_terms {
    uint place[4];
    real4 by;
} axis_terms;

/* t: the parameter; low, high: the first one, or the last one, is beyond the boundary; step: from
   one place to the next. */
IN_PLACE axis_terms terms_of(real t, bool low, bool high, uint step)
{
    const bool turned = t >= R(0.5), near = turned ? high : low, far = turned ? low : high;
    const real4 x = near_splines(from_end(t));
    axis_terms a;
    a.by = (real4)(near ? R(0.0) : x.s0, R(0.0),
                   x.s2 - (near ? x.s0 : R(0.0)) + (far ? R(2.0) * x.s3 : R(0.0)),
                   far ? R(0.0) : x.s3);
    a.place[0] = near ? 1 : 0;
    a.place[1] = 1;
    a.place[2] = 2;
    a.place[3] = far ? 2 : 3;
    UNROLL
    for (uint i = 0; i < 4; i++)
        a.place[i] = step * (turned ? 3 - a.place[i] : a.place[i]);
    return a;
}

/* Sums four values by the splines of an axis. */
#define SUM_TERMS(a, x)                                                                            \
    MAD((channels)(a.by.s3), x[3] - x[1],                                                          \
        MAD((channels)(a.by.s0), x[0] - x[1], MAD((channels)(a.by.s2), x[2] - x[1], x[1])))

/* Sums the points of a regular cell: point k of its grid is list[places[k]]. */
IN_PLACE channels sum_regular(global const real *points, global const uint *list,
                              global const uchar *places, uint vertices, cell_param t)
{
    const axis_terms u =
        terms_of(t.u, list[places[5]] >= vertices, list[places[53]] >= vertices, 16);
    const axis_terms v =
        terms_of(t.v, list[places[17]] >= vertices, list[places[29]] >= vertices, 4);
    const axis_terms w =
        terms_of(t.w, list[places[20]] >= vertices, list[places[23]] >= vertices, 1);
    const size_t middle = list[places[u.place[1] + v.place[1] + w.place[1]]];
    const channels centre = LOAD_CHANNELS(points + middle * CLSP_DIM);
    uint4 place = (uint4)(u.place[1], u.place[0], u.place[2], u.place[3]);
    real4 by = (real4)(R(0.0), u.by.s0, u.by.s2, u.by.s3);
    channels first = (channels)(R(0.0)), sum = (channels)(R(0.0));
    for (uint i = 0; i < 4; i++) {
        channels y[4];
        UNROLL
        for (uint j = 0; j < 4; j++) {
            global const uchar *const line = places + place.s0 + v.place[j];
            channels x[4];
            UNROLL
            for (uint k = 0; k < 4; k++) {
                const size_t at = list[line[w.place[k]]];
                x[k] = LOAD_CHANNELS(points + at * CLSP_DIM) - centre;
            }
            y[j] = SUM_TERMS(w, x);
        }
        const channels z = SUM_TERMS(v, y);
        if (i == 0) first = sum = z;
        sum = MAD((channels)(by.s0), z - first, sum);
        place = place.s1230; /* the next plane's */
        by = by.s1230;
    }
    return sum + centre;
}

/* Where a point is in a cell with slices, seen in its class's frame: the table of the slice's
   points, the splines along the slice and across it, and the parameter across it. */
typedef struct slice_place {
    global const real4 *table;
    real4 p, q, across;
    real along;
} slice_place;

/* Goes down to a regular child. record: of the class; frame: in which the cell is seen as its class
   is; t: in the cell's own directions. */
IN_PLACE slice_place find_slice(global const uint *trees, global const real *tables, uint record,
                                uint frame, cell_param t)
{
    const uint axis = trees[record] >> 1 & 3, first = axis == 0 ? 1 : 0, second = 3 - first - axis;
    const real along = frame_axis(frame, axis) == 0   ? t.u
                       : frame_axis(frame, axis) == 1 ? t.v
                                                      : t.w;
    uint node = trees[record + 1];
    while (!(node & TABLE)) {
        const uint corner = corner_of(frame, corner_at(t));
        node = trees[node + ((corner >> first & 1) | (corner >> second & 1) << 1)];
        t = child_param(t);
    }
    const spline_set s = splines_at(t);
    slice_place place;
    place.table = (global const real4 *)tables + (node & ~TABLE);
    place.p = splines_along(s, frame, first);
    place.q = splines_along(s, frame, second);
    place.along = along;
    place.across = frame_flips(frame, axis) ? splines(along).s3210 : splines(along);
    return place;
}

/* Sums four vectors. */
IN_PLACE real4 sum_four(global const real4 *x, real4 by)
{
    return MAD((real4)(by.s3), x[3],
               MAD((real4)(by.s2), x[2], MAD((real4)(by.s1), x[1], (real4)(by.s0) * x[0])));
}

/* Returns the weight of point k of a slice. */
IN_PLACE real slice_weight(slice_place s, uint k)
{
    return dot(sum_four(s.table + 4 * (size_t)k, s.p), s.q);
}

/* Sums the points of a cell with slices, which is seen in a frame. */
IN_PLACE channels sum_slices(global const real *points, global const uint *mine,
                             global const uint *layers, uint shape, slice_place s, uint frame,
                             uint nearest)
{
    const uint num = shape >> 5, low = shape >> 3 & 1, high = shape >> 4 & 1;
    const bool flips = frame_flips(frame, shape >> 1 & 3);
    const axis_terms w = terms_of(s.along, flips ? high : low, flips ? low : high, 1);
    const channels centre = LOAD_CHANNELS(points + (size_t)mine[nearest] * CLSP_DIM);
    channels sum = (channels)(R(0.0)), lost = (channels)(R(0.0));
    for (uint k = 0; k < num; k++) {
        channels x[4];
        UNROLL
        for (uint i = 0; i < 4; i++) {
            const uint layer = flips ? 3 - w.place[i] : w.place[i];
            x[i] =
                LOAD_CHANNELS(points + (size_t)mine[layers[layer * num + k]] * CLSP_DIM) - centre;
        }
        const channels term = SUM_TERMS(w, x);
        ADD(sum, lost, slice_weight(s, k), term)
    }
    return sum + centre;
}

/* A leaf of a tree, and where a point is in it: its table, of `terms` vectors for each of `rows`
   points; the splines where it is regular, else the place in the slice; as which sums of the
   class's points it has its own, or WHOLE; and which of them is near. */
typedef struct tree_place {
    global const real4 *table;
    uint rows, terms, sums, nearest;
    bool is_regular;
    real4 u, v, w;
    slice_place slice;
} tree_place;

/* Goes down to a leaf. */
IN_PLACE tree_place find_leaf(global const uint *trees, global const real *tables, uint record,
                              uint frame, cell_param t)
{
    uint state = trees[record + 1], next, corner, seen;
    do {
        seen = frame_of(frame, trees[state] & 511);
        corner = corner_of(seen, corner_at(t));
        next = trees[state + 2 + corner];
        t = child_param(t);
        if (!(next & TABLE)) state = next;
    } while (!(next & TABLE));

    const bool is_point = next != LEAF;
    const uint own = trees[trees[state] >> 9];
    const uint leaf = is_point ? next & ~TABLE : trees[own + 2 + 2 * corner];
    const uint code = is_point ? LEAF : trees[own + 3 + 2 * corner];
    const spline_set s = splines_at(t);
    tree_place place;
    place.table = (global const real4 *)tables + leaf;
    place.rows = (is_point ? trees[record] : trees[own]) >> 5;
    place.sums = is_point ? WHOLE : trees[state + 1];
    place.nearest = corner;
    place.is_regular = code == LEAF;
    place.terms = 16;
    place.u = splines_along(s, seen, 0);
    place.v = splines_along(s, seen, 1);
    place.w = splines_along(s, seen, 2);
    place.slice.table = place.table;
    place.slice.p = place.slice.q = place.slice.across = place.u;
    place.slice.along = t.u;
    if (!place.is_regular) {
        const uint class = trees[code >> 9];
        place.terms = trees[class] >> 5;
        place.slice = find_slice(trees, tables, class, frame_of(seen, code & 511), t);
    }
    return place;
}

/* Returns the weight of point r of a leaf's class. */
IN_PLACE real leaf_weight(tree_place place, uint r)
{
    global const real4 *const table = place.table + (size_t)r * place.terms;
    if (place.is_regular) {
        real4 sum = (real4)(place.u.s0) * sum_four(table, place.v);
        sum = MAD((real4)(place.u.s1), sum_four(table + 4, place.v), sum);
        sum = MAD((real4)(place.u.s2), sum_four(table + 8, place.v), sum);
        sum = MAD((real4)(place.u.s3), sum_four(table + 12, place.v), sum);
        return dot(sum, place.w);
    }
    real4 sum = (real4)(R(0.0));
    for (uint k = 0; k < place.terms; k++)
        sum = MAD((real4)(slice_weight(place.slice, k)), table[k], sum);
    return dot(sum, place.slice.across);
}

/* Returns point r of a leaf's class relative to one of the cell. num: points of the cell. */
IN_PLACE channels leaf_point(global const real *points, global const uint *mine,
                             global const real *tables, uint num, uint sums, uint r,
                             channels centre)
{
    if (sums == WHOLE) return LOAD_CHANNELS(points + (size_t)mine[r] * CLSP_DIM) - centre;
    global const real *const row = tables + 4 * (size_t)sums + (size_t)r * ((num + 3) & ~3u);
    channels x = (channels)(R(0.0)), lost = (channels)(R(0.0));
    for (uint i = 0; i < num; i++) {
        const channels p = LOAD_CHANNELS(points + (size_t)mine[i] * CLSP_DIM) - centre;
        ADD(x, lost, row[i], p)
    }
    return x;
}

/* Sums the points of a cell of any other class, of which there are `num`: those of the leaf's class
   relative to the nearest of its corners. */
IN_PLACE channels sum_tree(global const real *points, global const uint *mine,
                           global const real *tables, uint num, tree_place place, uint nearest)
{
    const channels centre = LOAD_CHANNELS(points + (size_t)mine[nearest] * CLSP_DIM);
    const uint middle_row = place.sums == WHOLE ? nearest : place.nearest;
    const channels middle = leaf_point(points, mine, tables, num, place.sums, middle_row, centre);
    channels sum = (channels)(R(0.0)), lost = (channels)(R(0.0));
    for (uint r = 0; r < place.rows; r++) {
        const channels x = leaf_point(points, mine, tables, num, place.sums, r, centre) - middle;
        ADD(sum, lost, leaf_weight(place, r), x)
    }
    return sum + middle + centre;
}

/* ---- points ---- */

/* params_u .. params_w: along each direction, the same memory where a point's follow each other. */
kernel void list_points(global const real *restrict points, global const uint *restrict list,
                        global const uint *restrict blocks, global const uchar *restrict patterns,
                        global const uint *restrict words, global const real *restrict tables,
                        global const uint *restrict items, global const real *restrict params_u,
                        global const real *restrict params_v, global const real *restrict params_w,
                        global STORED *restrict out, list_range at QUEUE)
{
    EACH_GROUP(BY_VALUE(list_range, at))
    const uint g = ITEM_NUMBER;
    if (g >= at.num) NEXT_ITEM;

    const size_t i = g, p = i * at.step;
    cell_param t;
    t.u = params_u[WIDE(at.from_u) + p];
    t.v = params_v[WIDE(at.from_v) + p];
    t.w = params_w[WIDE(at.from_w) + p];
    const uint cell = at.items ? items[WIDE(at.from_items) + i] : 0;
    global STORED *const to = out + WIDE(at.offset) + i * CLSP_STRIDE;
    const bool is_there = cell < at.cells && !isnan(t.u) && !isnan(t.v) && !isnan(t.w);
    t.u = is_there ? clamp(t.u, R(0.0), R(1.0)) : REAL_NAN;
    t.v = is_there ? clamp(t.v, R(0.0), R(1.0)) : REAL_NAN;
    t.w = is_there ? clamp(t.w, R(0.0), R(1.0)) : REAL_NAN;
#ifdef CLSP_AT_PARAMS
    STORE(t.u, to + CLSP_AT_PARAMS);
    STORE(t.v, to + CLSP_AT_PARAMS + 1);
    STORE(t.w, to + CLSP_AT_PARAMS + 2);
#endif
    if (!is_there) {
        for (uint c = 0; c < CLSP_DIM; c += CLSP_BLOCK)
            store_channels((channels)(REAL_NAN), to, c);
        NEXT_ITEM;
    }
    const uint begin = words[2 * (size_t)cell], code = words[2 * (size_t)cell + 1];
    if (code == LEAF) {
        const cell_block b = read_block(blocks, patterns, begin / BLOCK_CELLS);
        global const uchar *const places = b.places + 64 * (begin & (BLOCK_CELLS - 1));
        for (uint c = 0; c < CLSP_DIM; c += CLSP_BLOCK)
            store_channels(sum_regular(points + c, list + b.first, places, at.vertices, t), to, c);
        NEXT_ITEM;
    }
    global const uint *const trees = words + at.trees, *const mine = words + at.index + begin;
    const uint record = trees[code >> 9], shape = trees[record], frame = code & 511;
    const uint nearest = corner_of(frame, corner_at(t));
    if (shape & 1) {
        const slice_place s = find_slice(trees, tables, record, frame, t);
        for (uint c = 0; c < CLSP_DIM; c += CLSP_BLOCK)
            store_channels(
                sum_slices(points + c, mine, trees + record + 2, shape, s, frame, nearest), to, c);
        NEXT_ITEM;
    }
    const tree_place place = find_leaf(trees, tables, record, frame, t);
    for (uint c = 0; c < CLSP_DIM; c += CLSP_BLOCK)
        store_channels(sum_tree(points + c, mine, tables, shape >> 5, place, nearest), to, c);
    END_GROUPS
}
