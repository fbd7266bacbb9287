/* Vertices on the edges of surfaces, after the grid has been made (docs/math.md, 7 and 11):
   CLSP_WATERTIGHT 1 makes points of the edge's control points alone, in an order that does not
   depend on its direction, so that patches that share an edge share its points, bit for bit;
   normals are made again with their limits where an edge has no tangent plane of its own.

   On an edge every derivative is a curve's: with R_0, R_1, R_2 the rows of control points from
   the edge inwards, n the inward direction and t along the edge,
     S = C(R_0), S_n = p C(R_1 - R_0), S_nn = p (p - 1) C(R_2 - 2 R_1 + R_0),
     S_t = C'(R_0), S_nt = p C'(R_1 - R_0), S_tt = C''(R_0).
   Curves are evaluated by Wozny and Chudy's convex combinations (docs/math.md, 10), which are
   exact at the ends. The rest as vertex.clh says. */
#include "convex_combination.clh"
#include "limit_normal.clh"

#ifndef CLSP_LOOK
#define CLSP_LOOK 0
#endif
#ifndef CLSP_WATERTIGHT
#define CLSP_WATERTIGHT 1
#endif

/* Makes a sum without terms. */
tracked zero(void)
{
    return tracked_of(homogeneous_zero());
}

/* Tells whether a comes before b in the order of coordinates (-1), behind it (1) or is the same
   (0). */
int compare(homogeneous a, homogeneous b)
{
    const real d = a.x.s0 != b.x.s0   ? a.x.s0 - b.x.s0
                   : a.x.s1 != b.x.s1 ? a.x.s1 - b.x.s1
                   : a.x.s2 != b.x.s2 ? a.x.s2 - b.x.s2
                   : a.x.s3 != b.x.s3 ? a.x.s3 - b.x.s3
                                      : a.w - b.w;
    return d < R(0.0) ? -1 : d > R(0.0) ? 1 : 0;
}

/* The vertices of a launch: items first_item .. first_item + items - 1 of the edges of the patches.
   Of a patch's 2 (num_v + num_u) items the first num_v belong to the side a = 0 of the grid, then
   those of a = num_u - 1, b = 0 and b = num_v - 1. borders: two bits for each side, from the
   lowest: 0 no edge, 1 the edge at parameter 0, 2 that at 1. */
typedef struct edge_range {
    wide first_item;
    uint order_u, order_v, borders, items;
} edge_range;

/* Makes the vertices of a range. points: [patches][order_u][order_v][CLSP_COORDS]. out has the rows
   of `rows`, [patches][num_rows][num_v][CLSP_STRIDE]. */
kernel void bezier_edges(global const real *restrict points, global STORED *restrict out,
                         edge_range range, row_range rows, sample_axis axis_u, sample_axis axis_v)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;

    const uint num_u = axis_u.num, num_v = axis_v.num, order_u = range.order_u;
    const uint order_v = range.order_v;
    const size_t all = WIDE(range.first_item) + g;
    const size_t patch = all / (2 * (num_u + num_v));
    const uint item = (uint)(all - patch * (2 * (num_u + num_v)));
    const bool along_v = item < 2 * num_v;
    const uint position = along_v ? item : item - 2 * num_v;
    const uint num = along_v ? num_v : num_u, across = along_v ? num_u : num_v;
    const uint far = position >= num ? 1 : 0, k = position - far * num;
    const uint edge = range.borders >> (2 * ((along_v ? 0 : 2) + far)) & 3;
    const uint side = far * (across - 1);
    const uint a = along_v ? side : k, b = along_v ? k : side;
    const bool by_other = !along_v && ((a == 0 && (range.borders & 3) != 0) ||
                                       (a == num_u - 1 && (range.borders >> 2 & 3) != 0));
    if (edge == 0 || (far == 1 && across == 1) || by_other) return;
    if (a < rows.first_row || a - rows.first_row >= rows.num_rows) return;

    global STORED *const vertex =
        out + WIDE(rows.offset) +
        ((patch * rows.num_rows + (a - rows.first_row)) * num_v + b) * CLSP_STRIDE;

#if CLSP_LOOK && HAS_NORMAL
    /* the grid's pass has left 0 where the tangents may be rounding; a NaN stays */
    global const STORED *const old = vertex + CLSP_AT_NORMAL;
    const real4 stored = (real4)(RELOAD(old), RELOAD(old + 1), RELOAD(old + 2), R(0.0));
    if (!(dot(stored, stored) == R(0.0))) return;
#endif

    /* steps along the edge and inwards */
    const uint n = (along_v ? order_v : order_u) - 1, depth = along_v ? order_u : order_v;
    const ptrdiff_t step_t = CLSP_COORDS * (along_v ? 1 : (ptrdiff_t)order_v);
    const ptrdiff_t inwards = CLSP_COORDS * (along_v ? (ptrdiff_t)order_v : 1);
    const ptrdiff_t step_n = edge == 2 ? -inwards : inwards;
    global const real *const corner =
        points + (WIDE(rows.first_patch) + patch) * order_u * order_v * CLSP_COORDS +
        (edge == 2 ? (size_t)(depth - 1) * CLSP_COORDS * (along_v ? order_v : 1) : 0);
    const uint last = max(num, 2u) - 1;
    const real begin = along_v ? axis_v.begin : axis_u.begin;
    const real end = along_v ? axis_v.end : axis_u.end;
    const real x = begin * CONVERT_REAL(last - k) + end * CONVERT_REAL(k);
    const real y = (R(1.0) - begin) * CONVERT_REAL(last - k) + (R(1.0) - end) * CONVERT_REAL(k);

    int found = 0;
    for (uint i = 0; 2 * i < n && found == 0; i++)
        found = compare(homogeneous_load(corner + (ptrdiff_t)i * step_t),
                      homogeneous_load(corner + (ptrdiff_t)(n - i) * step_t));
    const bool flip = found > 0 || (found == 0 && x > y);
    const real t = flip ? y : x, s = flip ? x : y;
    const ptrdiff_t step = flip ? -step_t : step_t;
    global const real *p = flip ? corner + (ptrdiff_t)n * step_t : corner;
    const ptrdiff_t in1 = depth > 1 ? step_n : 0, in2 = depth > 2 ? 2 * step_n : in1;

    tracked c = zero(), cn = c, cnn = c, ct = c, cnt = c, ctt = c;
    homogeneous r0 = c.d, rn = c.d, d0 = c.d;
    combination m, m1, m2;
    m.s0 = m1.s0 = m2.s0 = R(0.0);
    m.s1 = m1.s1 = m2.s1 = R(1.0);
    for (uint i = 0; i < n + 1; i++, p += step) {
        const homogeneous p0 = homogeneous_load(p);
        if (i > 0) m = next_combination(m.s1, n, i, t, s);
        c = combine(c, tracked_of(p0), m);
#if HAS_NORMAL
        const homogeneous p1 = homogeneous_load(p + in1), p2 = homogeneous_load(p + in2);
        const homogeneous pn = difference(p1, p0);
        cn = combine(cn, tracked_of(pn), m);
        if (depth > 2) cnn = combine(cnn, tracked_of(difference(difference(p2, p1), pn)), m);
        const homogeneous d = difference(p0, r0);
        if (i > 1) m1 = next_combination(m1.s1, n - 1, i - 1, t, s);
        if (i > 0) ct = combine(ct, tracked_of(d), m1);
        if (i > 0) cnt = combine(cnt, tracked_of(difference(pn, rn)), m1);
        if (i > 2) m2 = next_combination(m2.s1, n - 2, i - 2, t, s);
        if (i > 1) ctt = combine(ctt, tracked_of(difference(d, d0)), m2);
        d0 = d;
        r0 = p0;
        rn = pn;
#endif
    }

#if CLSP_WATERTIGHT && HAS_POINT && CLSP_RATIONAL
    store_reals(vertex + CLSP_AT_POINT, c.d.x * (R(1.0) / c.d.w));
#elif CLSP_WATERTIGHT && HAS_POINT
    store_reals(vertex + CLSP_AT_POINT, c.d.x);
#endif
#if CLSP_WATERTIGHT && HAS_WEIGHT && CLSP_RATIONAL
    STORE(c.d.w, vertex + CLSP_AT_WEIGHT);
#endif
#if HAS_NORMAL
    const real degree_n = CONVERT_REAL(depth - 1), degree_t = CONVERT_REAL(n);
    const real towards = flip ? -degree_t : degree_t;
    cn = scaled(degree_n, cn);
    cnn = scaled(degree_n * (degree_n - R(1.0)), cnn);
    ct = scaled(towards, ct);
    cnt = scaled(degree_n * towards, cnt);
    ctt = scaled(degree_t * (degree_t - R(1.0)), ctt);
    const tangent sn = tangent_of(cn, c.d), st = tangent_of(ct, c.d);
    const tangent snn = second_of(cnn, c.d, cn, sn, cn, sn);
    const tangent snt = second_of(cnt, c.d, cn, sn, ct, st);
    const tangent stt = second_of(ctt, c.d, ct, st, ct, st);
    /* at a corner the patch's inside lies along the edge too */
    const bool begins = t == R(0.0), ends = s == R(0.0);
    const real inside = begins == ends ? R(0.0) : begins != flip ? R(1.0) : R(-1.0);
    real4 normal = plain_normal(sn, st);
    if (is_zero(normal))
        normal = inside_normal(sn, st, snn, snt, stt, (real4)(R(1.0), inside, R(0.0), R(0.0)));
    const bool right_handed = along_v == (edge == 1);
    store_normal(vertex, right_handed ? normal : -normal);
#endif
}
