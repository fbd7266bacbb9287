/* Vertices from sums that were made in homogeneous coordinates, one plane for the points and one
   for each derivative: the division of rational patches, normals, curvatures, and the layout and
   storage of a vertex (docs/kernels.md). One item a vertex.

   The host sets CLSP_PLANES, whose bits say which planes there are, in this order: S, S_u, S_v,
   S_w, S_uu, S_uv, S_vv; one that is missing is 0. CLSP_DIRECTIONS 1 to 3; the rest as
   vertex.clh says. */
#include "vertex.clh"

#ifndef CLSP_PLANES
#define CLSP_PLANES 7
#endif

/* Finds for each patch what rounding errors of its tangents are relative to: the largest of the
   control points of the derivatives along u and v, [patches][num_u][CLSP_COORDS] and [num_v], in
   the first half of sizes, [patches][8], as normal_of_sums takes it. One item a patch. */
kernel void tangent_sizes(global const real *restrict points_u,
                          global const real *restrict points_v, global real *restrict sizes,
                          uint num_u, uint num_v, uint num_patches)
{
    const uint g = (uint)get_global_id(0);
    if (g >= num_patches) return;

    real4 largest = (real4)(R(0.0));
    points_u += (size_t)g * num_u * CLSP_COORDS;
    for (uint i = 0; i < num_u; i++, points_u += CLSP_COORDS) {
        const homogeneous p = homogeneous_load(points_u);
        largest.s0 = fmax(largest.s0, largest_of(p.x));
        largest.s2 = fmax(largest.s2, fabs(p.w));
    }
    points_v += (size_t)g * num_v * CLSP_COORDS;
    for (uint i = 0; i < num_v; i++, points_v += CLSP_COORDS) {
        const homogeneous p = homogeneous_load(points_v);
        largest.s1 = fmax(largest.s1, largest_of(p.x));
        largest.s3 = fmax(largest.s3, fabs(p.w));
    }
    vstore4(largest, 2 * (size_t)g, sizes);
}

/* Makes vertices of planes, [planes][plane][CLSP_COORDS]. A plane has the vertices of the rows of
   `at`, [patches][num_rows][num_v][num_w], as out has them. sizes: of all patches; read for
   normals, curvatures and derivatives of rational patches alone. samples: read with
   CLSP_OWN_SAMPLES alone. degree_u, degree_v: of Bernstein polynomials of surfaces, else 0. */
kernel void vertex_assembly(global const real *restrict planes,
                            global const real *restrict sizes,
                            global const real *restrict samples, global STORED *restrict out,
                            uint plane, uint degree_u, uint degree_v, row_range at,
                            sample_axis axis_u, sample_axis axis_v, sample_axis axis_w)
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
#if HAS_PARAMS || HAS_NORMAL || HAS_CURVATURE || IS_CENTRED
    /* no %: Oclgrind cannot run what / and % become together */
    const uint line = g / axis_w.num, row = line / axis_v.num, patch = row / at.num_rows;
#endif
#if HAS_PARAMS || IS_LIMITED
    const uint w = g - line * axis_w.num, v = line - row * axis_v.num;
    const uint u = at.first_row + (row - patch * at.num_rows);
    params.s0 = PARAM_OF(samples, 0, axis_u.begin, axis_u.end, u, axis_u.num);
    params.s1 = PARAM_OF(samples, axis_u.num, axis_v.begin, axis_v.end, v, axis_v.num);
    params.s2 = PARAM_OF(samples, axis_u.num + axis_v.num, axis_w.begin, axis_w.end, w, axis_w.num);
#endif

#if IS_CENTRED
    const real4 centre = patch_centre(sizes, WIDE(at.first_patch) + patch);
#else
    const real4 centre = (real4)(R(0.0));
#endif
    global STORED *const vertex = out + WIDE(at.offset) + (size_t)g * CLSP_STRIDE;
    store_vertex(vertex, grid_point(s, centre), s, su, sv, sw, suu, suv, svv, params);
#if HAS_NORMAL || HAS_CURVATURE
    real4 largest = vload4(2 * (WIDE(at.first_patch) + patch), sizes);
    real2 limits = (real2)(REAL_MAX);
#if IS_LIMITED
    limits.s0 = given_limit(degree_u, params.s0);
    limits.s1 = given_limit(degree_v, params.s1);
#endif
    largest = sizes_at(largest, given_units(largest, centre), limits, s.w);
#endif
#if HAS_NORMAL
    store_normal(vertex, normal_of_sums(s, su, sv, largest));
#endif
#if HAS_CURVATURE
    store_curvature(vertex, curvature_of_sums(s, su, sv, suu, suv, svv, largest));
#endif
}
