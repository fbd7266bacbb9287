/* Vertices from sums that were made in homogeneous coordinates, one plane for the points and one
   for each derivative: the division of rational patches, normals, and the layout and storage of
   a vertex (docs/kernels.md). One item a vertex.

   The host sets CLSP_PLANES, whose bits say which planes there are, in this order: S, S_u, S_v,
   S_w, S_uu, S_uv, S_vv; one that is missing is 0. CLSP_DIRECTIONS 1 to 3; the rest as
   vertex.clh says. */
#include "vertex.clh"

#ifndef CLSP_PLANES
#define CLSP_PLANES 7
#endif

/* Makes vertices of planes, [planes][plane][CLSP_COORDS]. A plane has the vertices of the rows of
   `at`, [patches][num_rows][num_v][num_w], as out has them. */
kernel void vertex_assembly(global const real *restrict planes, global STORED *restrict out,
                            uint plane, row_range at, sample_axis axis_u, sample_axis axis_v,
                            sample_axis axis_w)
{
    const uint g = (uint)get_global_id(0);
    if (g >= plane) return;

    global const real *p = planes + (size_t)g * CLSP_COORDS;
    const size_t step = (size_t)plane * CLSP_COORDS;
    homogeneous s = homogeneous_zero(), su = s, sv = s, sw = s, suu = s, suv = s, svv = s;
#if CLSP_PLANES & 1
    s = homogeneous_load(p);
    p += step;
#endif
#if CLSP_PLANES & 2
    su = homogeneous_load(p);
    p += step;
#endif
#if CLSP_PLANES & 4
    sv = homogeneous_load(p);
    p += step;
#endif
#if CLSP_PLANES & 8
    sw = homogeneous_load(p);
    p += step;
#endif
#if CLSP_PLANES & 16
    suu = homogeneous_load(p);
    p += step;
#endif
#if CLSP_PLANES & 32
    suv = homogeneous_load(p);
    p += step;
#endif
#if CLSP_PLANES & 64
    svv = homogeneous_load(p);
#endif

    real4 params = (real4)(R(0.0));
#if HAS_PARAMS
    /* no %: Oclgrind cannot run what / and % become together */
    const uint line = g / axis_w.num, w = g - line * axis_w.num;
    const uint row = line / axis_v.num, v = line - row * axis_v.num;
    const uint u = at.first_row + (row - row / at.num_rows * at.num_rows);
    params.s0 = SAMPLE_OF(axis_u, u);
    params.s1 = SAMPLE_OF(axis_v, v);
    params.s2 = SAMPLE_OF(axis_w, w);
#endif

    global STORED *const vertex = out + WIDE(at.offset) + (size_t)g * CLSP_STRIDE;
    store_normal(vertex, store_vertex(vertex, s, su, sv, sw, suu, suv, svv, params));
}
