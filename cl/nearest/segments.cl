/* Bezier segments of B-spline curves, and the tree of boxes around them, for nearest.cl. A segment
   is the part of a curve over one span of its knots. Its control points are kept relative to an
   origin of its own, so that neither a curve far from the origin of coordinates nor a small segment
   of a large curve costs digits.

   A segment is CLSP_SEGMENT reals:
     [CLSP_DEGREE + 1][CLSP_COORDS]  control points; rational: homogeneous ones, (w (x - o), .., w)
     [CLSP_DIM]                      the origin o
     [1]                             its extent: the distance of a control point from it at most
     [4]                             where its span begins and ends, and what these lack of the
                                     knots
   A box is [2][CLSP_DIM] reals, the least and the greatest coordinates. It is rounded outward, and
   empty (the least above the greatest) where something within is not finite or a weight not
   positive.

   The host sets CLSP_DEGREE, CLSP_DIM, CLSP_RATIONAL, CLSP_SEGMENT.

   An item makes a segment, by the extraction operators that the host has made in double. Then a
   launch for each tier makes the tree: of each curve's segments first, eight to a node, then of the
   curves. */
#include "segment.clh"

/* The segments of a launch: num of them from number `first` on, counted through all curves, each of
   which has `spans` and curve_reals reals of control points; has_own_knots 1: tables have rows for
   each curve, else all share them. */
typedef struct segment_range {
    wide first, curve_reals;
    uint spans, has_own_knots, items;
} segment_range;

/* Takes the Euclidean middle control point of a span as the origin. */
IN_PLACE void choose_origin(global const real *p, real *origin)
{
    global const real *const middle = p + CLSP_DEGREE / 2 * CLSP_COORDS;
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++)
        origin[c] = CLSP_RATIONAL ? middle[c] / middle[CLSP_COORDS - 1] : middle[c];
}

/* Returns coordinate c of a control point relative to the origin, rational: times its weight. */
IN_PLACE real from_origin(global const real *p, uint c, real origin)
{
    return CLSP_RATIONAL ? FMA(-p[CLSP_COORDS - 1], origin, p[c]) : p[c] - origin;
}

/* Writes the box of points between low and high relative to the origin. */
IN_PLACE void write_box(global real *box, const real *low, const real *high, const real *origin,
                        real extent, bool sound)
{
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++) {
        const real slack = R(4.0) * REAL_EPS * (extent + fabs(origin[c]));
        box[c] = sound ? origin[c] + low[c] - slack : REAL_MAX;
        box[CLSP_DIM + c] = sound ? origin[c] + high[c] + slack : -REAL_MAX;
    }
}

/* Makes segments: item g number first + g. points: of all curves; operators: [spans][degree + 1]
   [degree + 1], the Bernstein coefficients of the functions that count on a span, a row for each;
   controls: [spans], the first control point that counts; spans: [spans][4], as a segment holds
   them. */
kernel void make_segments(global const real *restrict points, global const real *restrict operators,
                          global const uint *restrict controls, global const real *restrict spans,
                          global real *restrict segments, global real *restrict boxes,
                          segment_range range)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;

    enum { ORDER = CLSP_DEGREE + 1 };
    const size_t number = WIDE(range.first) + g, curve = number / range.spans;
    const size_t span = range.has_own_knots ? number : number - curve * range.spans;
    global const real *const p =
        points + curve * WIDE(range.curve_reals) + (size_t)controls[span] * CLSP_COORDS;
    global const real *const rows = operators + span * ORDER * ORDER;
    global real *const segment = segments + number * CLSP_SEGMENT;
    real origin[CLSP_DIM], low[CLSP_DIM], high[CLSP_DIM], largest = R(0.0);
    bool sound = true;

    choose_origin(p, origin);
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++) {
        low[c] = REAL_MAX;
        high[c] = -REAL_MAX;
        sound = sound && fabs(origin[c]) <= REAL_MAX;
    }
    for (uint k = 0; k < ORDER; k++) {
        real w = R(1.0);
#if CLSP_RATIONAL
        w = R(0.0);
        for (uint i = 0; i < ORDER; i++)
            w = MAD(rows[i * ORDER + k], p[i * CLSP_COORDS + CLSP_COORDS - 1], w);
        segment[k * CLSP_COORDS + CLSP_COORDS - 1] = w;
        sound = sound && w > R(0.0) && w <= REAL_MAX;
#endif
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++) {
            real sum = R(0.0);
            for (uint i = 0; i < ORDER; i++)
                sum = MAD(rows[i * ORDER + k], from_origin(p + i * CLSP_COORDS, c, origin[c]), sum);
            segment[k * CLSP_COORDS + c] = sum;
            const real x = sum / w;
            sound = sound && fabs(x) <= REAL_MAX;
            largest = fmax(largest, fabs(x));
            low[c] = fmin(low[c], x);
            high[c] = fmax(high[c], x);
        }
    }
    const real extent = sqrt(CONVERT_REAL(CLSP_DIM)) * largest; /* squares may overflow */
    global real *const frame = segment + ORDER * CLSP_COORDS;
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++)
        frame[c] = origin[c];
    frame[CLSP_DIM] = extent;
    UNROLL
    for (uint k = 0; k < 4; k++)
        frame[CLSP_DIM + 1 + k] = spans[4 * span + k];
    write_box(boxes + number * 2 * CLSP_DIM, low, high, origin, extent, sound);
}

/* The nodes of a launch, from number `first` of a tier on: each row of `from` boxes of the tier
   below, which begins at `below`, is joined to row_nodes boxes, which begin at `at`. */
typedef struct node_range {
    wide first, at, below;
    uint from, row_nodes, items;
} node_range;

/* Joins the boxes of CLSP_FAN neighbours: item g makes node first + g. */
kernel void join_boxes(global real *boxes, node_range range)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;

    const size_t node = WIDE(range.first) + g, row = node / range.row_nodes;
    const uint first = (uint)(node - row * range.row_nodes) * CLSP_FAN;
    const uint num = min(range.from - first, (uint)CLSP_FAN);
    global const real *const children =
        boxes + (WIDE(range.below) + row * range.from + first) * 2 * CLSP_DIM;
    global real *const box = boxes + (WIDE(range.at) + node) * 2 * CLSP_DIM;
    for (uint c = 0; c < CLSP_DIM; c++) {
        real low = children[c], high = children[CLSP_DIM + c];
        for (uint k = 1; k < num; k++) {
            low = fmin(low, children[k * 2 * CLSP_DIM + c]);
            high = fmax(high, children[k * 2 * CLSP_DIM + CLSP_DIM + c]);
        }
        box[c] = low;
        box[CLSP_DIM + c] = high;
    }
}
