/* What vertices on the edges of surfaces are after the rest of their grid: points that are the same
   bits for all patches that share the edge, and normals where tangents on it do not span a plane
   (docs/kernels.md). One item a vertex of an edge.

   The host sets CLSP_WATERTIGHT 1 for such points; normals are made where they are an attribute;
   the rest as bezier_vertex.clh says. */
#include "bezier_vertex.clh"
#include "bezier_anywhere.clh"
#include "bezier_normal.clh"
#include "bezier_sample.clh"

#define NEEDS_S ((CLSP_WATERTIGHT && (HAS_POINT || HAS_WEIGHT)) || (CLSP_RATIONAL && HAS_NORMAL))

/* Edge vertex e: those of u = begin, of u = end, then those of v = begin and v = end in turns. */
uint2 edge_sample(uint e, uint num_u, uint num_v)
{
    uint2 at = (uint2)(0, e);
    if (e >= num_v) at = (uint2)(num_u - 1, e - num_v);
    if (num_u == 1 || e < 2 * num_v) return at;
    e -= 2 * num_v;
    return num_v == 1 ? (uint2)(1 + e, 0) : (uint2)(1 + e / 2, (e & 1) * (num_v - 1));
}

/* points: [][patch_reals]. Item g: edge vertex g % per_patch, first_edge added, of patch first_patch
   + g / per_patch, which is patch g / per_patch of out. out has rows first_row .. first_row +
   num_rows - 1 of each patch, from offset on; other edge vertices are left out. */
kernel void bezier_edges(global const real *restrict points, uint2 patch_reals, uint degree_u,
                         uint degree_v, uint2 first_patch, uint num_u, uint num_v,
                         uint first_edge, uint per_patch, uint first_row, uint num_rows,
                         real4 interval_u, real4 interval_v, uint items,
                         global STORED *restrict out, uint2 offset)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;

    /* no %: Oclgrind cannot run what / and % become together */
    const uint index = g / per_patch;
    const uint2 sample = edge_sample(first_edge + (g - index * per_patch), num_u, num_v);
    const uint row = sample.s0 - first_row;
    if (row >= num_rows) return;
    const place at = grid_place(sample.s0, sample.s1, num_u, num_v, interval_u, interval_v);
    const size_t at_vertex = ((size_t)index * num_rows + row) * num_v + sample.s1;
    global STORED *const vertex = out + WIDE(offset) + at_vertex * CLSP_STRIDE;
    homogeneous s = homogeneous_zero();
    patch p;
    p.points = points + (WIDE(first_patch) + index) * WIDE(patch_reals);
    p.u = degree_u;
    p.v = degree_v;
    p.w = 0;
#if NEEDS_S && CLSP_WATERTIGHT
    s = grid_edge_point(p, sample.s0, sample.s1, num_u, num_v);
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
    store_normal(vertex, edge_normal(p, at, s));
#endif
}
