/* Vertices on the edges of surfaces, after the grid has been made (docs/math.md, 7 and 11):
   CLSP_WATERTIGHT 1 makes points of the edge's control points alone, in an order that does not
   depend on its direction, so that patches that share an edge share its points, bit for bit;
   normals are made again with their limits where an edge has no tangent plane of its own. On an
   edge the chains of bezier_anywhere.clh are those of a curve: one to three rows of control points.

   The rest as bezier_vertex.clh says. */
#include "bezier_vertex.clh"
#include "bezier_anywhere.clh"
#include "bezier_limit.clh"
#include "bezier_sample.clh"

#define NEEDS_S ((CLSP_WATERTIGHT && (HAS_POINT || HAS_WEIGHT)) || (CLSP_RATIONAL && HAS_NORMAL))

/* points: [patches][order_u][order_v][CLSP_COORDS], the first is patch first_patch. borders: for
   the sides a = 0, a = num_u - 1, b = 0, b = num_v - 1 of the grid two bits each, from the
   lowest: 0 no edge, 1 the edge at parameter 0, 2 that at 1. Of a patch's 2 (num_v + num_u)
   items the first num_v belong to the first side, and so on. Rows first_row .. first_row +
   num_rows - 1 of each patch are in out, from offset on,
   [patches][num_rows][num_v][CLSP_STRIDE]. begin, end: intervals. */
kernel void bezier_edges(global const real *restrict points, uint2 first_patch, uint order_u,
                         uint order_v, uint num_u, uint num_v, uint borders, uint first_row,
                         uint num_rows, real begin_u, real end_u, real begin_v, real end_v,
                         uint items, global STORED *restrict out, uint2 offset)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;

    const uint index = g / (2 * (num_u + num_v));
    const uint item = g - index * (2 * (num_u + num_v));
    const bool along_v = item < 2 * num_v;
    const uint in_two = along_v ? item : item - 2 * num_v; /* among both sides */
    const uint num = along_v ? num_v : num_u, across = along_v ? num_u : num_v;
    const uint far = in_two >= num ? 1 : 0, k = in_two - far * num;
    const uint edge = borders >> (2 * ((along_v ? 0 : 2) + far)) & 3;
    const uint side = far * (across - 1);
    const uint a = along_v ? side : k, b = along_v ? k : side;
    const bool by_other = !along_v && ((a == 0 && (borders & 3) != 0) ||
                                       (a == num_u - 1 && (borders >> 2 & 3) != 0));
    if (edge == 0 || (far == 1 && across == 1) || by_other) return;
    if (a < first_row || a - first_row >= num_rows) return;

    global STORED *const vertex =
        out + WIDE(offset) +
        (((size_t)index * num_rows + (a - first_row)) * num_v + b) * CLSP_STRIDE;
#if HAS_NORMAL
    /* Only where there is no tangent plane; a NaN stays. Quotients of rational patches never say so
       exactly. */
    global const STORED *const old = vertex + CLSP_AT_NORMAL;
    const real4 stored = (real4)(RELOAD(old), RELOAD(old + 1), RELOAD(old + 2), R(0.0));
    const bool lost = CLSP_RATIONAL || dot(stored, stored) == R(0.0);
    if (!CLSP_WATERTIGHT && !lost) return;
#endif
    const real4 interval_u = (real4)(begin_u, end_u, R(1.0) - begin_u, R(1.0) - end_u);
    const real4 interval_v = (real4)(begin_v, end_v, R(1.0) - begin_v, R(1.0) - end_v);
    const place at = grid_place(a, b, num_u, num_v, interval_u, interval_v);
    homogeneous s = homogeneous_zero();
    patch p;
    p.u = order_u - 1;
    p.v = order_v - 1;
    p.w = 0;
    p.points = points + (WIDE(first_patch) + index) * order_u * order_v * CLSP_COORDS;
#if NEEDS_S && CLSP_WATERTIGHT
    s = grid_edge_point(p, a, b, num_u, num_v);
#elif NEEDS_S
    s = derivative(p, at, order_of(0, 0, 0)).d;
#endif
#if CLSP_WATERTIGHT && HAS_POINT && CLSP_RATIONAL
    store_reals(vertex + CLSP_AT_POINT, s.x * (R(1.0) / s.w));
#elif CLSP_WATERTIGHT && HAS_POINT
    store_reals(vertex + CLSP_AT_POINT, s.x);
#endif
#if CLSP_WATERTIGHT && HAS_WEIGHT && CLSP_RATIONAL
    STORE(s.w, vertex + CLSP_AT_WEIGHT);
#endif
#if HAS_NORMAL
    if (lost) store_normal(vertex, edge_normal(p, at, s));
#endif
}
