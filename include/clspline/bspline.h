/* B-spline curves, surfaces and volumes of any degree over any knots, polynomial or rational, in
   batches.

   A surface of degrees (p, q) with m x n control points P_ij over knots u_0 <= .. <= u_{m+p} and
   v_0 <= .. <= v_{n+q} is
       S(u, v) = sum_{i<m} sum_{j<n} P_ij N_i^p(u) N_j^q(v),   u_p <= u <= u_m, v_q <= v <= v_n,
   with the functions of Cox and de Boor (Piegl and Tiller, The NURBS Book, ch. 2 and 3),
       N_i^0(t) = 1 for u_i <= t < u_{i+1}, else 0,
       N_i^p(t) = (t - u_i) / (u_{i+p} - u_i) N_i^{p-1}(t) +
                  (u_{i+p+1} - t) / (u_{i+p+1} - u_{i+1}) N_{i+1}^{p-1}(t),   0 / 0 = 0.
   A curve has one such sum, a volume three. At a knot where they jump, points and derivatives are
   those of the span that begins there, at the domain's end those of the last one. Parameters of
   lists and axes count as the knot that rounds to them there: in the plan's precision in lists, on
   patch grids of devices and on axes over curves with knots of their own, in double on other grids.
   A rational one has control points in homogeneous coordinates, (w x, w y, w z, w) with w > 0; its
   points are Euclidean, the first dim coordinates divided by the last (ch. 4). All patches of a
   plan - curves, surfaces or volumes - share knots, degrees, dimension, precision and, save where
   it is set for each, the grid.

   Accuracy: with eps = 2^-23 (CLSP_F32) or 2^-52 (CLSP_F64) and scale = max |P_ij| over the patch
   and coordinate, each coordinate of a polynomial surface is within 8 eps scale of the exact value
   for degrees up to 31 and within 32 eps scale above. Where control points are all about one value,
   roundings add up, to 1 + 1.45 sqrt(n) (CLSP_F64: 1 + 2.1 sqrt(n)) eps scale at most for each
   direction, n its degree. Points of rational ones are within the first two bounds of what their
   own terms amount to, however far weights differ; more in docs/math.md, 13. Derivatives and
   normals of rational ones on the plan's grid are made relative to one centre of the net, its
   middle or the origin: a part of it that is D from there counts for their bounds as if it were as
   large as D. Lists and patch grids lose nothing there.
   Parameters of lists count as they are given. Those of grids count to eps^2 of the axis and its
   ends, so that a span keeps its digits wherever it is; on an axis that is a part of the domain of
   curves with knots of their own its ends count in the plan's precision.

   What holds for plans of every family - the order of calls, queues, events, threads, errors - is
   in plan.h. NaN spreads as in bezier.h. */
#ifndef CLSPLINE_BSPLINE_H
#define CLSPLINE_BSPLINE_H

#include <clspline/plan.h>
#include <clspline/vertex.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CLSP_BSPLINE_MAX_DEGREE = 255,        /* in each direction */
    CLSP_BSPLINE_MAX_CONTROLS = 16777216, /* 2^24, in each direction */
    CLSP_BSPLINE_MAX_SAMPLES = 268435456  /* 2^28, in each direction */
};

/* What a plan computes. Zero is the default of every field but num_controls. Those of directions
   that there are not are ignored. */
typedef struct clsp_bspline_desc {
    uint32_t directions;       /* 1: curves, 2: surfaces (0 means this), 3: volumes */
    clsp_type precision;       /* of control points and arithmetic: CLSP_F32 (the default), _F64 */
    uint32_t degree[3];        /* along u, v, w: 0..CLSP_BSPLINE_MAX_DEGREE */
    uint32_t num_controls[3];  /* control points along u, v, w: above the degree, at most
                                  CLSP_BSPLINE_MAX_CONTROLS */
    const double *knots[3];    /* num_controls + degree + 1 each, copied: finite, none less than the
                                  one before or less than 2^-1014 (5.7e-306) above it, none more
                                  often than degree + 1 times, a domain that is not empty. NULL:
                                  uniform over [0, 1], the first and the last degree + 1 times
                                  (clamped) */
    clsp_axis axis[3];         /* of the grid, along u, v, w: num 1..CLSP_BSPLINE_MAX_SAMPLES, begin
                                  and end within the domain, either way round. All num 0: no grid,
                                  for eval_points and patch grids alone */
    uint32_t dim;              /* coordinates of a point: 1..4; 0 means 3 */
    uint32_t rational;         /* 1: control points have dim + 1 coordinates, the last the weight */
    clsp_vertex_layout vertex; /* of vertices; default: points, packed */
    uint32_t check_weights;    /* as of clsp_bezier_desc */
    uint64_t reserved[CLSP_RESERVED];
} clsp_bspline_desc;

typedef struct clsp_bspline_plan clsp_bspline_plan;

/* Makes a plan: checks the description (copied, its knots too), compiles the kernels and builds the
   tables of basis values. Errors: CLSP_ERROR_ARGUMENT also for defective knots, which the message
   names, an attribute that the plan cannot have and attributes that overlap; CLSP_ERROR_DEGREE
   (above the maximum). On error *plan is NULL. */
CLSP_API clsp_status clsp_bspline_plan_create(clsp_bspline_plan **plan, clsp_context *ctx,
                                              const clsp_bspline_desc *desc);

/* Releases the plan. */
CLSP_API void clsp_bspline_plan_destroy(clsp_bspline_plan **plan);

/* Gives the plan's description as it stands, with every default in its place. Its knots and the
   axes' params are the plan's and live as long. */
CLSP_API clsp_status clsp_bspline_plan_desc(const clsp_bspline_plan *plan, clsp_bspline_desc *desc);

/* Changes the grid, as clsp_bezier_set_grid. axis: as many as there are directions. */
CLSP_API clsp_status clsp_bspline_set_grid(clsp_bspline_plan *plan, const clsp_axis *axis);

/* Gives every curve knots of its own, in place of the description's; of plans of curves alone.
   knots: CLSP_F64 in host memory, [num_patches][num_controls_u + degree_u + 1], copied, each
   curve's as of clsp_bspline_desc. num_patches 0: the description's again, as at first; else
   evaluations need as many patches loaded (CLSP_ERROR_STATE). Then
   - parameters are those of a curve's own domain, outside of which they count as its end;
   - an axis of the grid over the whole domain of the description's knots, the default, is one over
     each curve's own domain, either way round; another one must lie within the domains of all, and
     counts in the plan's precision;
   - vertices on grids are made one by one, as clsp_bspline_eval_points makes them, by the context's
     device alone or, with schedule host, by the host's cores;
   - a curve takes device memory of about (degree + 1)^2 numbers a span, twice and three times as
     many with first and second derivatives;
   - the target of conversions, if there was one, has to be set again.
   Errors: CLSP_ERROR_ARGUMENT also for a plan of surfaces or volumes, memory that is not the
   host's, defective knots and an axis outside of a domain, for which the message has the number of
   the curve; the plan is then as it was. */
CLSP_API clsp_status clsp_bspline_set_knots(clsp_bspline_plan *plan, size_t num_patches,
                                            clsp_input knots);

/* Loads the control points of num_patches patches, replacing those before; they are copied.
   num_patches 0 is allowed; ranges are then empty. points: in the plan's precision, in shape
       curves     [num_patches][num_controls_u][coordinates]
       surfaces   [num_patches][num_controls_u][num_controls_v][coordinates] (v fastest)
       volumes    [num_patches][num_controls_u][num_controls_v][num_controls_w][coordinates]
   with dim coordinates, dim + 1 when rational. Weights and errors: as of
   clsp_bezier_set_control_points. */
CLSP_API clsp_status clsp_bspline_set_control_points(clsp_bspline_plan *plan, size_t num_patches,
                                                     clsp_input points, const clsp_run *run);

/* ---- evaluation on grids ---- */

/* Evaluates a range of the patches loaded, on the whole grid. vertices: receives them in the layout
   and type of the description, in shape (v, w fastest)
       curves     [count][num_u][vertex]
       surfaces   [count][num_u][num_v][vertex]
       volumes    [count][num_u][num_v][num_w][vertex]
   Shared, the host's cores make all vertices but those of curves with knots of their own, which the
   context's device makes alone, but with schedule host. Otherwise as clsp_bezier_eval. */
CLSP_API clsp_status clsp_bspline_eval(clsp_bspline_plan *plan, clsp_range patches,
                                       clsp_output vertices, const clsp_run *run);

/* Gives every patch its own numbers of samples. num: CLSP_U32 in host memory,
   [num_patches][directions], each 1..CLSP_BSPLINE_MAX_SAMPLES. As clsp_bezier_set_patch_grids. */
CLSP_API clsp_status clsp_bspline_set_patch_grids(clsp_bspline_plan *plan, size_t num_patches,
                                                  clsp_input num);

/* Counts the vertices and faces of a range of patches, as clsp_bezier_mesh_size. */
CLSP_API clsp_status clsp_bspline_mesh_size(const clsp_bspline_plan *plan, clsp_range patches,
                                            clsp_mesh_size *size);

/* Writes the indices of the faces of a range of surfaces, as clsp_bezier_indices. */
CLSP_API clsp_status clsp_bspline_indices(clsp_bspline_plan *plan, clsp_faces faces,
                                          clsp_range patches, clsp_output indices,
                                          const clsp_run *run);

/* ---- evaluation at parameters ---- */

/* Evaluates a list of vertices, as clsp_bezier_eval_points. Parameters outside the domain count as
   its end. In time O(degree^2) in each direction. */
CLSP_API clsp_status clsp_bspline_eval_points(clsp_bspline_plan *plan, const clsp_points *points,
                                              clsp_output vertices, const clsp_run *run);

#ifdef __cplusplus
}
#endif

#endif
