/* Vertices from sums that were made in homogeneous coordinates, one plane for the points and one
   for each derivative: the division of rational patches, normals, and the layout and storage of
   a vertex (docs/kernels.md). One item a vertex.

   The host sets CLSP_NETS, whose bits say which planes there are, in this order: S, S_u, S_v,
   S_w, S_uu, S_uv, S_vv; one that is missing is 0. CLSP_DIRECTIONS 1 to 3; the rest as
   bezier_vertex.clh says. */
#include "bezier_vertex.clh"

#ifndef CLSP_NETS
#define CLSP_NETS 7
#endif

/* planes: [nets][plane][CLSP_COORDS]. A plane has the vertices of rows first_row .. first_row +
   num_rows - 1 of its patches, [patches][num_rows][num_v][num_w], as out has them from offset on,
   CLSP_STRIDE elements each. begin and end: the interval of each direction. */
kernel void bezier_finish(global const real *restrict planes, uint plane, uint num_u, uint num_v,
                          uint num_w, uint first_row, uint num_rows, real begin_u, real end_u,
                          real begin_v, real end_v, real begin_w, real end_w,
                          global STORED *restrict out, uint2 offset)
{
    const uint g = (uint)get_global_id(0);
    if (g >= plane) return;

    global const real *at = planes + (size_t)g * CLSP_COORDS;
    const size_t step = (size_t)plane * CLSP_COORDS;
    homogeneous s = homogeneous_zero(), su = s, sv = s, sw = s, suu = s, suv = s, svv = s;
#if CLSP_NETS & 1
    s = homogeneous_load(at);
    at += step;
#endif
#if CLSP_NETS & 2
    su = homogeneous_load(at);
    at += step;
#endif
#if CLSP_NETS & 4
    sv = homogeneous_load(at);
    at += step;
#endif
#if CLSP_NETS & 8
    sw = homogeneous_load(at);
    at += step;
#endif
#if CLSP_NETS & 16
    suu = homogeneous_load(at);
    at += step;
#endif
#if CLSP_NETS & 32
    suv = homogeneous_load(at);
    at += step;
#endif
#if CLSP_NETS & 64
    svv = homogeneous_load(at);
#endif

    real4 params = (real4)(R(0.0));
#if HAS_PARAMS
    /* no %: Oclgrind cannot run what / and % become together */
    const uint line = g / num_w, w = g - line * num_w;
    const uint row = line / num_v, v = line - row * num_v;
    const uint u = first_row + (row - row / num_rows * num_rows);
    params.s0 = grid_param(begin_u, end_u, u, num_u);
    params.s1 = grid_param(begin_v, end_v, v, num_v);
    params.s2 = grid_param(begin_w, end_w, w, num_w);
#endif

    global STORED *const vertex = out + WIDE(offset) + (size_t)g * CLSP_STRIDE;
    store_normal(vertex, store_vertex(vertex, s, su, sv, sw, suu, suv, svv, params));
}
