/* Vertices on the edges of surfaces, after the grid has been made (docs/math.md, 7 and 11):
   CLSP_WATERTIGHT 1 makes points of the edge's control points alone, in an order that does not
   depend on its direction, so that patches that share an edge share its points, bit for bit;
   normals are made again with their limits where an edge has no tangent plane of its own.

   On an edge every derivative is a curve's: with R_0, R_1, R_2 the rows of control points from
   the edge inwards, n the inward direction and t along the edge,
     S = C(R_0), S_n = p C(R_1 - R_0), S_nn = p (p - 1) C(R_2 - 2 R_1 + R_0),
     S_t = C'(R_0), S_nt = p C'(R_1 - R_0), S_tt = C''(R_0).
   Curves are evaluated by Wozny and Chudy's convex combinations (docs/math.md, 10), which are
   exact at the ends.

   An item makes one vertex of one side of the grid. The host sets CLSP_LOOK 1 where a normal that
   is lost on an edge has been left (0, 0, 0), and others are sound; the rest as vertex.clh says.

   There are 2 (num_u + num_v) vertices of a patch. After other ways than vertex_rows.cl, whose
   normals come from sums without bounds, every edge normal is made again. */
#include "convex_combination.clh"
#include "launch_queue.clh"
#include "limit_normal.clh"

#ifndef CLSP_LOOK
#define CLSP_LOOK 0
#endif
#ifndef CLSP_WATERTIGHT
#define CLSP_WATERTIGHT 1
#endif

/* Makes a sum without terms. */
static tracked zero(void)
{
    return tracked_of(homogeneous_zero());
}

/* Tells whether a comes before b in the order of coordinates (-1), behind it (1) or is the same
   (0). */
static int compare(homogeneous a, homogeneous b)
{
    const real d = a.x.s0 != b.x.s0   ? a.x.s0 - b.x.s0
                   : a.x.s1 != b.x.s1 ? a.x.s1 - b.x.s1
                   : a.x.s2 != b.x.s2 ? a.x.s2 - b.x.s2
                   : a.x.s3 != b.x.s3 ? a.x.s3 - b.x.s3
                                      : a.w - b.w;
    return d < R(0.0) ? -1 : d > R(0.0) ? 1 : 0;
}

/* Tells in which order an edge comes first, of n + 1 control points from `first` on: from there
   (-1), from its end (1), or the same from both (0). */
static int edge_direction(global const real *first, uint n, ptrdiff_t step)
{
    int found = 0;
    for (uint i = 0; 2 * i < n && found == 0; i++)
        found = compare(homogeneous_load(first + (ptrdiff_t)i * step),
                        homogeneous_load(first + (ptrdiff_t)(n - i) * step));
    return found;
}

/* Sums an edge of n + 1 control points from p on at t : s. */
static tracked edge_sum(global const real *p, uint n, ptrdiff_t step, real t, real s)
{
    tracked c = zero();
    combination m = first_combination();
    for (size_t k = 0; k < (size_t)n + 1; k++, p += step) {
        if (k > 0) m = next_combination(m.s1, n, (uint)k, t, s);
        c = combine(c, tracked_of(homogeneous_load(p)), m);
    }
    return c;
}

/* Makes one vertex of an edge, at x : y on it. corner: the control point that the edge begins with;
   depth: control points from the edge inwards, step_n apart. right_handed: the normal is S_n x S_t,
   else S_t x S_n. */
IN_PLACE void edge_vertex(global const real *corner, uint n, uint depth, ptrdiff_t step_t,
                          ptrdiff_t step_n, real x, real y, bool right_handed,
                          global STORED *vertex)
{
    const int found = edge_direction(corner, n, step_t);
    const bool flip = found > 0 || (found == 0 && x > y);
    const real t = flip ? y : x, s = flip ? x : y;
    const ptrdiff_t step = flip ? -step_t : step_t;
    global const real *p = flip ? corner + (ptrdiff_t)n * step_t : corner;
    const ptrdiff_t in1 = depth > 1 ? step_n : 0, in2 = depth > 2 ? 2 * step_n : in1;

    /* derivatives of a rational patch are those of control points relative to the point, which is
       made before */
    real4 centre = (real4)(R(0.0)), point = centre;
    real weight = R(1.0);
#if CLSP_RATIONAL
    const tracked before = edge_sum(p, n, step, t, s);
    point = euclidean(before.d);
    weight = before.d.w;
    centre = HAS(NORMAL) ? point : centre;
#endif
    tracked c = zero(), cn = c, cnn = c, ct = c, cnt = c, ctt = c;
    homogeneous r0 = c.d, rn = c.d, d0 = c.d;
    combination m, m1, m2;
    m.s0 = m1.s0 = m2.s0 = R(0.0);
    m.s1 = m1.s1 = m2.s1 = R(1.0);
    /* with an uint LLVM 18, as in PoCL 6.0, ends the process (image_passes.cl) */
    for (size_t k = 0; k < (size_t)n + 1; k++, p += step) {
        const homogeneous p0 = homogeneous_near(p, centre);
        const uint i = (uint)k;
        if (i > 0) m = next_combination(m.s1, n, i, t, s);
        c = combine(c, tracked_of(p0), m);
#if HAS(NORMAL)
        const homogeneous p1 = homogeneous_near(p + in1, centre);
        const homogeneous p2 = homogeneous_near(p + in2, centre);
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

#if CLSP_WATERTIGHT && HAS(POINT)
    store_reals(vertex + CLSP_AT_POINT, CLSP_RATIONAL ? point : c.d.x);
#endif
#if CLSP_WATERTIGHT && HAS(WEIGHT) && CLSP_RATIONAL
    STORE(weight, vertex + CLSP_AT_WEIGHT);
#endif
#if HAS(NORMAL)
    const real degree_n = CONVERT_REAL(depth - 1), degree_t = CONVERT_REAL(n);
    const real towards = flip ? -degree_t : degree_t;
    cn = as_given(scaled(degree_n, cn), c.d.w, centre);
    cnn = as_given(scaled(degree_n * (degree_n - R(1.0)), cnn), c.d.w, centre);
    ct = as_given(scaled(towards, ct), c.d.w, centre);
    cnt = as_given(scaled(degree_n * towards, cnt), c.d.w, centre);
    ctt = as_given(scaled(degree_t * (degree_t - R(1.0)), ctt), c.d.w, centre);
    tangents of;
    of.a = tangent_of(cn, c.d);
    of.b = tangent_of(ct, c.d);
    of.aa = tangent_of(cnn, c.d);
    of.ab = tangent_of(cnt, c.d);
    of.bb = tangent_of(ctt, c.d);
    /* at a corner the patch's inside lies along the edge too */
    const bool begins = t == R(0.0), ends = s == R(0.0);
    const real inside = begins == ends ? R(0.0) : begins != flip ? R(1.0) : R(-1.0);
    real4 normal = plain_normal(&of);
    if (is_zero(normal)) limit_normal(&of, R(1.0), inside, &normal);
    store_normal(vertex, right_handed ? normal : -normal);
#endif
}

/* Tells whether the normal of a vertex has to be made. */
static bool is_lost(global const STORED *vertex)
{
#if CLSP_LOOK && HAS(NORMAL)
    /* the grid's pass has left 0 where the tangents may be rounding; a NaN stays */
    global const STORED *const old = vertex + CLSP_AT_NORMAL;
    return RELOAD(old) == R(0.0) && RELOAD(old + 1) == R(0.0) && RELOAD(old + 2) == R(0.0);
#else
    return true;
#endif
}

/* The vertices of a launch: `items` from first_item on of those on the sides of the patches' grids.
   Of a patch the first ones belong to the side a = 0 of the grid, then come those of a = num_u - 1,
   b = 0 and b = num_v - 1. borders: two bits for each side, from the lowest: 0 no edge, 1 the edge
   at parameter 0, 2 that at 1. has_samples: 1 where axes have samples at parameters of the caller's
   own. */
typedef struct edge_range {
    wide first_item;
    uint order_u, order_v, borders, has_samples, items;
} edge_range;

/* Makes the vertices of a range. points: [patches][order_u][order_v][CLSP_COORDS]. samples: of both
   axes with has_samples, else not read. out has the rows of `rows`,
   [patches][num_rows][num_v][CLSP_STRIDE]. */
kernel void bezier_edges(global const real *restrict points, global const real *restrict samples,
                         global STORED *restrict out, edge_range range, row_range rows,
                         sample_axis axis_u, sample_axis axis_v QUEUE)
{
    EACH_GROUP(BY_VALUE(edge_range, range) BY_VALUE(row_range, rows))
    const uint g = ITEM_NUMBER;
    if (g >= range.items) NEXT_ITEM;

    const uint num_u = axis_u.num, num_v = axis_v.num, order_u = range.order_u;
    const uint order_v = range.order_v, sides = 2 * (num_u + num_v);
    const size_t all = WIDE(range.first_item) + g, patch = all / sides;
    const uint item = (uint)(all - patch * sides);
    const bool along_v = item < 2 * num_v;
    const uint position = along_v ? item : item - 2 * num_v, num = along_v ? num_v : num_u;
    const uint far = position >= num ? 1 : 0, k = position - far * num;
    const uint across = along_v ? num_u : num_v, side = far * (across - 1);
    const uint edge = range.borders >> (2 * ((along_v ? 0 : 2) + far)) & 3;
    const uint row = along_v ? side : k, column = along_v ? k : side;
    if (edge == 0 || (far == 1 && across == 1)) NEXT_ITEM;
    if (row < rows.first_row || row >= rows.first_row + rows.num_rows) NEXT_ITEM;
    /* a corner is made with the sides along v */
    if (!along_v && ((k == 0 && (range.borders & 3) != 0) ||
                     (k == num_u - 1 && (range.borders >> 2 & 3) != 0)))
        NEXT_ITEM;
    const size_t in_rows = patch * rows.num_rows + (row - rows.first_row);
    global STORED *const vertex =
        out + WIDE(rows.offset) + (in_rows * num_v + column) * CLSP_STRIDE;
    if (!is_lost(vertex)) NEXT_ITEM;

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
    real x = begin * CONVERT_REAL(last - k) + end * CONVERT_REAL(k);
    real y = (R(1.0) - begin) * CONVERT_REAL(last - k) + (R(1.0) - end) * CONVERT_REAL(k);
    if (range.has_samples) {
        global const real *const sample = samples + SAMPLE_REALS * (k + (along_v ? num_u : 0));
        x = sample[1];
        y = sample[2];
    }
    edge_vertex(corner, n, depth, step_t, step_n, x, y, along_v == (edge == 1), vertex);
    END_GROUPS
}
