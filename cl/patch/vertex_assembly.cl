/* Vertices from sums that were made in homogeneous coordinates, one plane for the points and one
   for each derivative: the division of rational patches, normals, curvatures, and the layout and
   storage of a vertex. One item a vertex.

   The host sets CLSP_PLANES, whose bits say of which sums (attributes.clh) there are planes; one
   that is missing is 0. CLSP_DIRECTIONS 1 to 3; the rest as vertex.clh says.

   It is the way of high degrees, of volumes and curves to anything but plain points, of curvatures
   and of second derivatives. Sums are made a part at a time that stays in a cache. */
#include "launch_queue.clh"
#include "vertex.clh"

/* Loads sum k of a vertex where there is a plane of it. */
#define LOAD_SUM(k, sum)                                                                           \
    if (CLSP_PLANES >> (k)&1) {                                                                    \
        sum = homogeneous_load(p);                                                                 \
        p += step;                                                                                 \
    }

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

/* Where the planes of a launch are, from `offset` on, and how many vertices each has. */
typedef struct plane_range {
    wide offset;
    uint vertices;
} plane_range;

/* Makes vertices of planes, [planes][vertices][CLSP_COORDS]. A plane has the vertices of the rows
   of `at`, [patches][num_rows][num_v][num_w], as out has them. sizes: of all patches; read for
   normals, curvatures and derivatives of rational patches alone. samples: read with
   CLSP_OWN_SAMPLES alone. degree_u, degree_v: of Bernstein polynomials of surfaces, else 0. */
kernel void vertex_assembly(global const real *restrict planes,
                            global const real *restrict sizes,
                            global const real *restrict samples, global STORED *restrict out,
                            plane_range of, uint degree_u, uint degree_v, row_range at,
                            sample_axis axis_u, sample_axis axis_v, sample_axis axis_w QUEUE)
{
    EACH_GROUP(BY_VALUE(plane_range, of) BY_VALUE(row_range, at))
    const uint g = ITEM_NUMBER;
    if (g >= of.vertices) NEXT_ITEM;

    global const real *p = planes + WIDE(of.offset) + (size_t)g * CLSP_COORDS;
    const size_t step = (size_t)of.vertices * CLSP_COORDS;
    all_sums d = all_sums_zero();
    LOAD_SUM(0, d.s)
    LOAD_SUM(1, d.u)
    LOAD_SUM(2, d.v)
    LOAD_SUM(3, d.w)
    LOAD_SUM(4, d.uu)
    LOAD_SUM(5, d.uv)
    LOAD_SUM(6, d.vv)
    LOAD_SUM(7, d.uw)
    LOAD_SUM(8, d.vw)
    LOAD_SUM(9, d.ww)

    real4 params = (real4)(R(0.0));
#if HAS(PARAMS) || HAS(NORMAL) || HAS(CURVATURE) || IS_CENTRED
    /* no %: Oclgrind cannot run what / and % become together */
    const uint line = g / axis_w.num, row = line / axis_v.num, patch = row / at.num_rows;
#endif
#if HAS(PARAMS) || IS_LIMITED
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
    store_vertex(vertex, grid_point(d.s, centre), d, params);
#if HAS(NORMAL) || HAS(CURVATURE)
    real4 largest = vload4(2 * (WIDE(at.first_patch) + patch), sizes);
    real2 limits = (real2)(REAL_MAX);
#if IS_LIMITED
    limits.s0 = given_limit(degree_u, params.s0);
    limits.s1 = given_limit(degree_v, params.s1);
#endif
    largest = sizes_at(largest, centre, limits, d.s.w);
#endif
#if HAS(NORMAL)
    store_normal(vertex, normal_of_sums(d.s, d.u, d.v, largest));
#endif
#if HAS(CURVATURE)
    store_curvature(vertex, curvature_of_sums(d, largest));
#endif
    END_GROUPS
}
