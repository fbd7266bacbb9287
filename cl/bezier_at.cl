/* Vertices anywhere, one an item (docs/kernels.md): at scattered parameters, and on grids that
   patches do not share or that are triangles.

   The host sets CLSP_DIRECTIONS; CLSP_TRIANGLE; CLSP_WATERTIGHT 1 for points on the edges of grids
   that are made of the edge's control points alone; the rest as bezier_vertex.clh says. */
#include "bezier_vertex.clh"
#include "bezier_anywhere.clh"
#include "bezier_limit.clh"
#include "bezier_sample.clh"
#include "bezier_search.clh"

#define HAS_SECOND (HAS_DUU || HAS_DUV || HAS_DVV)
#define NEEDS_U    (HAS_DU || HAS_NORMAL || (CLSP_RATIONAL && HAS_SECOND))
#define NEEDS_V    (HAS_DV || HAS_NORMAL || (CLSP_RATIONAL && HAS_SECOND))
#define NEEDS_S    (HAS_POINT || (CLSP_RATIONAL && (HAS_WEIGHT || HAS_DW || NEEDS_U || NEEDS_V)))

/* All of a vertex but its point in homogeneous coordinates, which is s. */
IN_PLACE void make_vertex(global STORED *vertex, PATCH, place at, homogeneous s, real4 params)
{
    const homogeneous zero = homogeneous_zero();
    homogeneous su = zero, sv = zero, sw = zero, suu = zero, suv = zero, svv = zero;
#if NEEDS_U
    su = derivative(THE_PATCH, at, order_of(1, 0, 0)).d;
#endif
#if NEEDS_V
    sv = derivative(THE_PATCH, at, order_of(0, 1, 0)).d;
#endif
#if HAS_DW
    sw = derivative(THE_PATCH, at, order_of(0, 0, 1)).d;
#endif
#if HAS_DUU
    suu = derivative(THE_PATCH, at, order_of(2, 0, 0)).d;
#endif
#if HAS_DUV
    suv = derivative(THE_PATCH, at, order_of(1, 1, 0)).d;
#endif
#if HAS_DVV
    svv = derivative(THE_PATCH, at, order_of(0, 2, 0)).d;
#endif
    real4 normal = store_vertex(vertex, s, su, sv, sw, suu, suv, svv, params);
#if HAS_NORMAL
    if (on_edge(at)) normal = edge_normal(THE_PATCH, at, s);
#endif
    store_normal(vertex, normal);
}

IN_PLACE homogeneous point_of(PATCH, place at)
{
#if NEEDS_S
    return derivative(THE_PATCH, at, order_of(0, 0, 0)).d;
#else
    return homogeneous_zero();
#endif
}

/* ---- scattered ---- */

/* The place of parameters that lie in [0, 1], brought into the triangle; *x becomes them. w = 1 - u
   - v with what rounding 1 - u lost, lest it be lost from a small w. */
place scattered(real4 *x)
{
    place at;
    at.lo = *x;
    at.hi = (real4)(R(1.0)) - *x;
#if CLSP_TRIANGLE
    const real rest = at.hi.s0, lost = (R(1.0) - rest) - x->s0;
    if (x->s1 >= rest) x->s1 = rest;
    at.lo.s1 = x->s1;
    at.hi.s1 = x->s1 < rest ? fmax((rest - x->s1) + lost, R(0.0)) : R(0.0);
    if (!(at.lo.s1 + at.hi.s1 > R(0.0))) at.hi.s1 = R(1.0);
#endif
    return at;
}

/* Item g makes the vertex of patch patches[g] at params[g], both from their offsets on. points:
   [num_patches][patch_reals]. */
kernel void bezier_at(global const real *restrict points, uint2 patch_reals, uint num_patches,
                      uint degree_u, uint degree_v, uint degree_w,
                      global const uint *restrict patches, uint2 patches_offset,
                      global const real *restrict params, uint2 params_offset, uint items,
                      global STORED *restrict out, uint2 offset)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;

    const uint index = patches[WIDE(patches_offset) + g];
    global const real *const given = params + WIDE(params_offset) + (size_t)g * CLSP_DIRECTIONS;
    global STORED *const vertex = out + WIDE(offset) + (size_t)g * CLSP_STRIDE;
    real4 x = (real4)(R(0.0));
    x.s0 = given[0];
#if CLSP_DIRECTIONS > 1
    x.s1 = given[1];
#endif
#if CLSP_DIRECTIONS > 2
    x.s2 = given[2];
#endif
    if (index >= num_patches || x.s0 != x.s0 || x.s1 != x.s1 || x.s2 != x.s2) {
        homogeneous none;
        none.x = (real4)(REAL_NAN);
        none.w = REAL_NAN;
        store_vertex(vertex, none, none, none, none, none, none, none, none.x);
        store_normal(vertex, none.x);
#if HAS_WEIGHT
        STORE(REAL_NAN, vertex + CLSP_AT_WEIGHT);
#endif
        return;
    }
    x = fmin(fmax(x, R(0.0)), R(1.0));
    const place at = scattered(&x);
    points += index * WIDE(patch_reals);
    const uint4 degrees = (uint4)(degree_u, degree_v, degree_w, 0);
    make_vertex(vertex, THE_PATCH, at, point_of(THE_PATCH, at), x);
}

/* ---- grids ---- */

/* Sample (a, b) of a triangular grid. */
place triangle_place(uint a, uint b, uint num)
{
    const uint rest = max(num, 2u) - 1 - a;
    place at;
    at.lo = (real4)(CONVERT_REAL(a), CONVERT_REAL(b), R(0.0), R(0.0));
    at.hi = (real4)(CONVERT_REAL(rest), CONVERT_REAL(rest == 0 ? 1 : rest - b), R(0.0), R(0.0));
    return at;
}

/* Item g makes vertex g + skip after row first_row of the patches from first_patch on,
   num_patches of them. Their grids are num_u x num_v with per_patch vertices; or, when per_patch
   is 0, nums[k] for patch k, with prefix[k] vertices before it, modulo 2^32; these two have a
   place for each patch that is loaded. first_row and skip are 0 unless there is one patch. */
kernel void bezier_own(global const real *restrict points, uint2 patch_reals, uint degree_u,
                       uint degree_v, uint2 first_patch, uint num_patches, uint num_u, uint num_v,
                       uint per_patch, global const uint2 *restrict nums,
                       global const uint *restrict prefix, uint first_row, uint skip,
                       real4 interval_u, real4 interval_v, uint items,
                       global STORED *restrict out, uint2 offset)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;

    size_t index = WIDE(first_patch);
    uint in_patch = g + skip;
    if (per_patch > 0 && num_patches > 1) {
        const uint k = g / per_patch;
        index += k;
        in_patch = g - k * per_patch;
    } else if (per_patch == 0) {
        const uint k = find_patch(prefix + index, num_patches, g);
        in_patch -= prefix[index + k] - prefix[index];
        index += k;
        num_u = nums[index].s0;
        num_v = nums[index].s1;
    }
#if CLSP_TRIANGLE
    const uint length = num_u - first_row, row = find_row(length, 1, in_patch);
    const uint b = in_patch - (row * length - row * (row - min(row, 1u)) / 2);
#else
    const uint row = in_patch / num_v, b = in_patch - row * num_v;
#endif
    const uint a = first_row + row;
    real4 params = (real4)(R(0.0));
#if CLSP_TRIANGLE
    const place at = triangle_place(a, b, num_u);
    params.s0 = grid_param(R(0.0), R(1.0), a, num_u);
    params.s1 = grid_param(R(0.0), R(1.0), b, num_u);
#else
    const place at = grid_place(a, b, num_u, num_v, interval_u, interval_v);
    params.s0 = grid_param(interval_u.s0, interval_u.s1, a, num_u);
    params.s1 = grid_param(interval_v.s0, interval_v.s1, b, num_v);
#endif
    points += index * WIDE(patch_reals);
    const uint4 degrees = (uint4)(degree_u, degree_v, 0, 0);
    homogeneous s = point_of(THE_PATCH, at);
#if CLSP_WATERTIGHT
    if (on_grid_edge(a, b, num_u, num_v)) s = grid_edge_point(THE_PATCH, a, b, num_u, num_v);
#endif
    make_vertex(out + WIDE(offset) + (size_t)g * CLSP_STRIDE, THE_PATCH, at, s, params);
}
