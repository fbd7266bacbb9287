/* Plans of patches: what is done with Bezier patches (bezier.h) and with B-splines (bspline.h)
   alike. A patch is a curve, a surface, a volume or a triangle.

   A plan is made by clsp_bezier_plan_create or clsp_bspline_plan_create, which take a description
   of one of the two kinds. Control points, grids, vertices, meshes and nearest points (nearest.h)
   are then the same calls. What one kind alone can is declared in its header; a plan of the other
   kind is CLSP_ERROR_ARGUMENT there.

   Accuracy: bezier.h and bspline.h. Results do not depend on how a batch is split into ranges. NaN
   and infinite control points spread NaN over their own patch only, in a polynomial patch without
   normals over their own coordinate only.

   What holds for plans of every family - the order of calls, queues, events, threads, errors - is
   in plan.h. */
#ifndef CLSPLINE_PATCH_H
#define CLSPLINE_PATCH_H

#include <clspline/plan.h>
#include <clspline/vertex.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CLSP_PATCH_MAX_SAMPLES = 268435456 /* 2^28, in each direction */ };

typedef struct clsp_patch_plan clsp_patch_plan;

/* The description of a plan, of the kind that it is. */
typedef struct clsp_patch_desc {
    const struct clsp_bezier_desc *bezier; /* NULL: not of Bezier patches */
    const struct clsp_bspline_desc *bspline;
    uint64_t reserved[CLSP_RESERVED]; /* 0 */
} clsp_patch_desc;

/* Releases the plan. */
CLSP_API void clsp_patch_plan_destroy(clsp_patch_plan **plan);

/* Gives the plan's description as it stands, with every default in its place: the type, stride and
   offsets of its vertices, say. A vertex has vertex.stride * clsp_type_bytes(vertex.type) bytes.
   The description, its knots and the axes' params are the plan's: they live as long, and change
   with it. */
CLSP_API clsp_status clsp_patch_plan_desc(const clsp_patch_plan *plan, clsp_patch_desc *desc);

/* Changes the grids; control points stay loaded.
   axis: as many as the patches have directions (triangles: 1), in the place of those of before:
   tables are made again (on the device where they are large), kernels only where another grid needs
   others. NULL: they stay.
   num_patches 0: the samples of all patches are those of the axes, whatever num is. Else every
   patch, of whichever form, has its own numbers of samples, for tessellation. num: CLSP_U32
   in host memory, [num_patches][directions] (volumes: u, v, w; triangles: [num_patches][1]), each
   1..CLSP_PATCH_MAX_SAMPLES; copied. Evaluation then writes patch after patch, each on its own grid
   over the axes' intervals; points are within the same bounds, but not always of the same bits, as
   on the common grid. The patches loaded must be num_patches when eval is called
   (CLSP_ERROR_STATE). Errors: as of the call that made the plan; after CLSP_ERROR_ARGUMENT it is as
   it was. */
CLSP_API clsp_status clsp_patch_set_grids(clsp_patch_plan *plan, const clsp_axis *axis,
                                          size_t num_patches, clsp_input num);

/* ---- control points ---- */

/* Loads the control points of num_patches patches, replacing those before; they are copied.
   num_patches 0 is allowed; ranges are then empty. points: in the plan's precision, in shape
       curves     [num_patches][num_u][coordinates]
       surfaces   [num_patches][num_u][num_v][coordinates] (v fastest)
       volumes    [num_patches][num_u][num_v][num_w][coordinates]
       triangles  [num_patches][(degree + 1) (degree + 2) / 2][coordinates], P_ijk with i rising and
                  then j: P_00d, P_01(d-1), .., P_0d0, P_10(d-1), .., P_d00
   with the num_controls of B-splines, degree + 1 along each direction of Bezier patches, and dim
   coordinates, dim + 1 when rational. Weights must be positive and finite: where they are looked at
   (check_weights of the description) others are CLSP_ERROR_WEIGHTS, and the plan keeps what it
   held, or holds nothing where they were on the device; where not, points may be infinite or NaN.
   After an OpenCL error the plan holds no control points. run: not shared. Errors:
   CLSP_ERROR_WEIGHTS. */
CLSP_API clsp_status clsp_patch_set_control_points(clsp_patch_plan *plan, size_t num_patches,
                                                   clsp_input points, const clsp_run *run);

/* ---- evaluation on grids ---- */

/* Evaluates a range of the patches loaded, on the whole grid.
   vertices: receives them in the layout and type of the description, in shape (v, w fastest)
       curves     [count][num_u][vertex]
       surfaces   [count][num_u][num_v][vertex]
       volumes    [count][num_u][num_v][num_w][vertex]
       triangles  [count][num_u (num_u + 1) / 2][vertex], (u, v) = (a, b) / (num_u - 1) with a
                  rising and then b, a + b < num_u
   Normals where S_u and S_v do not span a plane: docs/math.md, 7; they are never NaN unless control
   points are not finite, and (0, 0, 0) where there is no tangent plane. Results larger than the
   device's memory come into host memory in parts.

   Shared, the host's cores make all vertices of curves, surfaces and volumes; the svm schedule
   serves the same, but not published methods, and docs/cooperation.md says where else it gives way
   to dynamic. Triangles, and curves with knots of their own, are made by the context's device
   alone, but with schedule host; the report then says so. Watertight points are the same bits among
   patches that one processor makes, or that one shared call makes. When a processor fails, the
   others finish the job, and only without any the call fails. Errors: CLSP_ERROR_STATE also without
   a grid. */
CLSP_API clsp_status clsp_patch_eval(clsp_patch_plan *plan, clsp_range patches,
                                     clsp_output vertices, const clsp_run *run);

/* Counts the vertices and faces of a range of patches, whichever kind of grid they have; curves and
   volumes have no faces. They need not be loaded. Errors: CLSP_ERROR_STATE (no grid). */
CLSP_API clsp_status clsp_patch_mesh_size(const clsp_patch_plan *plan, clsp_range patches,
                                          clsp_mesh_size *size);

/* Writes the indices of the faces of a range of patches, as CLSP_U32. They count vertices from the
   first of the range, as an eval of it writes them. Surfaces and triangles only, the latter without
   quads. Into host memory they are computed on the host. run: not shared. Errors:
   CLSP_ERROR_ARGUMENT also for more than 2^32 vertices, CLSP_ERROR_STATE (no grid). */
CLSP_API clsp_status clsp_patch_indices(clsp_patch_plan *plan, clsp_faces faces, clsp_range patches,
                                        clsp_output indices, const clsp_run *run);

/* ---- evaluation at parameters ---- */

/* Evaluates a list of vertices, one at each of the points (plan.h), whose items are patches:
   numbers among those loaded; one that is not gives a vertex of NaN, in host memory
   CLSP_ERROR_ARGUMENT. Triangles have the directions u and v. Parameters outside of the domain, of
   Bezier patches [0, 1], count as its end (triangles: u into [0, 1], then v into [0, 1 - u]).
   vertices: [num][vertex]. Each vertex is within the bounds of a grid's, at any degree, in time
   O(number of control points) of Bezier patches (Wozny and Chudy, CAD 118, 2020) and O(degree^2) in
   each direction of B-splines. The method of the description does not matter. */
CLSP_API clsp_status clsp_patch_eval_points(clsp_patch_plan *plan, const clsp_points *points,
                                            clsp_output vertices, const clsp_run *run);

#ifdef __cplusplus
}
#endif

#endif
