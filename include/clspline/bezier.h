/* Bezier curves, surfaces, volumes and triangles of any degree, polynomial or rational, in batches.

   A surface patch of degrees (p, q) with control points P_ij is
       S(u, v) = sum_{i=0..p} sum_{j=0..q} P_ij B_i^p(u) B_j^q(v),   u, v in [0, 1],
   with the Bernstein polynomials B_i^p(t) = C(p, i) t^i (1 - t)^(p - i) (Farin, Curves and Surfaces
   for CAGD, ch. 14). A curve has one such sum, a volume three. A triangle of degree d is (ch. 17)
       S(u, v) = sum_{i+j+k=d} P_ijk d! / (i! j! k!) u^i v^j w^k,    w = 1 - u - v.
   A rational patch has control points in homogeneous coordinates, (w x, w y, w z, w) with w > 0;
   its points are Euclidean, the first dim coordinates divided by the last (ch. 13, 16). All patches
   of a plan share degrees, dimension, precision and, save where it is set for each, the grid.

   Accuracy: with eps = 2^-23 (CLSP_F32) or 2^-52 (CLSP_F64) and scale = max |P_ij| over the patch
   and coordinate, each coordinate of a polynomial surface is within 8 eps scale of the exact value
   for degrees up to 31 and within 32 eps scale up to 1000. Where control points are all about one
   value, roundings add up, to 1 + 1.45 sqrt(n) (CLSP_F64: 1 + 2.1 sqrt(n)) eps scale at most for
   each direction, n its degree. The bounds of the other forms and of derivatives, normals and
   methods are in docs/math.md. At a corner of a polynomial patch the point
   equals the control point exactly, save by CLSP_BEZIER_MATRIX. Results do not depend on how a
   batch is split into ranges. NaN and infinite control points spread NaN over their own patch only,
   in a polynomial patch without normals over their own coordinate only.

   What holds for plans of every family - the order of calls, queues, events, threads, errors - is
   in plan.h. */
#ifndef CLSPLINE_BEZIER_H
#define CLSPLINE_BEZIER_H

#include <clspline/plan.h>
#include <clspline/vertex.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CLSP_BEZIER_MAX_DEGREE = 65535,     /* in each direction */
    CLSP_BEZIER_MAX_SAMPLES = 268435456 /* 2^28, in each direction */
};

/* What a patch is. Directions that a form does not have are ignored in the description. */
typedef enum clsp_bezier_form {
    CLSP_BEZIER_FORM_DEFAULT = 0, /* surface */
    CLSP_BEZIER_CURVE = 1,        /* direction u */
    CLSP_BEZIER_SURFACE = 2,      /* directions u, v */
    CLSP_BEZIER_VOLUME = 3,       /* directions u, v, w */
    CLSP_BEZIER_TRIANGLE = 4 /* degree[0] is its degree, axis[0].num the samples along each edge */
} clsp_bezier_form;

/* How the points of a grid are computed. What the other methods are for is comparison. */
typedef enum clsp_bezier_method {
    CLSP_BEZIER_METHOD_DEFAULT = 0, /* the fastest that has no bound on degrees: separable */
    CLSP_BEZIER_SEPARABLE =
        1, /* tables of Bernstein values, one direction summed after the other */
    CLSP_BEZIER_MULTILEVEL = 2, /* tables, and the double sum for each point (MLE of Palomar et
                                   al., 2018) */
    CLSP_BEZIER_MATRIX = 3,     /* matrix products U (R P R^T) V^T in the power basis, large ones on
                                   GPUs by CLBlast where it is installed; curves and surfaces of
                                   low degree only: see CLSP_ERROR_DEGREE below */
    CLSP_BEZIER_BRUTE = 4       /* every Bernstein value again for each point; low degrees only */
} clsp_bezier_method;

/* What a plan computes. Zero is the default of every field. */
typedef struct clsp_bezier_desc {
    clsp_bezier_form form;
    clsp_type precision;       /* of control points and arithmetic: CLSP_F32 (the default), _F64 */
    uint32_t degree[3];        /* along u, v, w: 0..CLSP_BEZIER_MAX_DEGREE; 0 is a constant */
    clsp_axis axis[3];         /* of the grid, along u, v, w: num 1..CLSP_BEZIER_MAX_SAMPLES, begin
                                  and end within [0, 1], either way round (triangles: [0, 1]). All
                                  num 0: no grid, for eval_points and patch grids alone */
    uint32_t dim;              /* coordinates of a point: 1..4; 0 means 3 */
    uint32_t rational;         /* 1: control points have dim + 1 coordinates, the last the weight */
    clsp_vertex_layout vertex; /* of vertices; default: points, packed */
    clsp_bezier_method method;
    uint32_t watertight;    /* 1: points on the edges of a surface are computed from the edge's
                               control points alone, in an order that does not depend on its
                               direction: patches that share them share the same points, bit for
                               bit, where their edges have equally many samples, and in lists at
                               t and, from the other end, at 1 - t, rounded: there t below 1/2
                               counts as what 1 - t, rounded, leaves of 1. Only with axes over
                               [0, 1] */
    uint32_t check_weights; /* 1: weights in buffers and SVM are looked at too when they are loaded,
                               for which the call waits; those in host memory always are */
    uint64_t reserved[CLSP_RESERVED];
} clsp_bezier_desc;

typedef struct clsp_bezier_plan clsp_bezier_plan;

/* Makes a plan: checks the description, compiles the kernels and builds the tables of Bernstein
   values. Errors: CLSP_ERROR_ARGUMENT also for an attribute that the form does not have and
   attributes that overlap; CLSP_ERROR_DEGREE (above the maximum, or above what the method allows:
   CLSP_BEZIER_MATRIX, whose error grows like 2^((p + q) / 2), degrees with p + q <= 22 in float,
   where its bound is below scale / 32, and 64 in double; CLSP_BEZIER_BRUTE 100 in float, 900 in
   double). On error *plan is NULL. */
CLSP_API clsp_status clsp_bezier_plan_create(clsp_bezier_plan **plan, clsp_context *ctx,
                                             const clsp_bezier_desc *desc);

/* Releases the plan. */
CLSP_API void clsp_bezier_plan_destroy(clsp_bezier_plan **plan);

/* Gives the plan's description as it stands, with every default in its place: the type, stride and
   offsets of its vertices, say. A vertex has desc->vertex.stride *
   clsp_type_bytes(desc->vertex.type) bytes. The axes' params are the plan's and live as long. */
CLSP_API clsp_status clsp_bezier_plan_desc(const clsp_bezier_plan *plan, clsp_bezier_desc *desc);

/* Changes the grid: tables are made again (on the device where they are large), kernels only where
   another grid needs others, and control points stay loaded. axis: as many as the form has
   directions (triangles: 1). Undoes clsp_bezier_set_patch_grids. Errors: as of plan_create; after
   CLSP_ERROR_ARGUMENT the plan is as it was. */
CLSP_API clsp_status clsp_bezier_set_grid(clsp_bezier_plan *plan, const clsp_axis *axis);

/* Changes the degrees, as many as the form has directions (triangles: 1); programs that were built
   before are found again. Control points must then be loaded anew. Errors: as of
   clsp_bezier_set_grid. */
CLSP_API clsp_status clsp_bezier_set_degrees(clsp_bezier_plan *plan, const uint32_t *degree);

/* ---- control points ---- */

/* Loads the control points of num_patches patches, replacing those before; they are copied.
   num_patches 0 is allowed; ranges are then empty. points: in the plan's precision, in shape
       curves     [num_patches][degree_u + 1][coordinates]
       surfaces   [num_patches][degree_u + 1][degree_v + 1][coordinates] (v fastest)
       volumes    [num_patches][degree_u + 1][degree_v + 1][degree_w + 1][coordinates]
       triangles  [num_patches][(degree_u + 1) (degree_u + 2) / 2][coordinates], P_ijk with i rising
                  and then j: P_00d, P_01(d-1), .., P_0d0, P_10(d-1), .., P_d00
   with dim coordinates, dim + 1 when rational. Weights must be positive and finite: where they are
   looked at (clsp_bezier_desc.check_weights) others are CLSP_ERROR_WEIGHTS, and the plan keeps what
   it held, or holds nothing where they were on the device; where not, points may be infinite or
   NaN. After an OpenCL error the plan holds no control points. run: not shared. Errors:
   CLSP_ERROR_WEIGHTS. */
CLSP_API clsp_status clsp_bezier_set_control_points(clsp_bezier_plan *plan, size_t num_patches,
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

   Shared, the host's cores make all vertices of curves, surfaces and volumes by the separable
   method; the svm schedule packed points of polynomial surfaces in the plan's precision that are
   not watertight. Other methods are made by devices, and triangles by the context's device alone,
   but with schedule host; the report then says so. Watertight points are the same bits among
   patches that one processor makes, or that one shared call makes. When a processor fails, the
   others finish the job, and only without any the call fails. Errors: CLSP_ERROR_STATE also without
   a grid. */
CLSP_API clsp_status clsp_bezier_eval(clsp_bezier_plan *plan, clsp_range patches,
                                      clsp_output vertices, const clsp_run *run);

/* Gives every patch, of whichever form, its own numbers of samples, for tessellation. num: CLSP_U32
   in host memory, [num_patches][directions] (volumes: u, v, w; triangles: [num_patches][1]), each
   1..CLSP_BEZIER_MAX_SAMPLES; copied. Evaluation then writes patch after patch, each on its own
   grid over the axes' intervals; points are within the same bounds, but not always of the same
   bits, as on the common grid. num_patches 0 returns to the common grid. The patches loaded must
   be num_patches when eval is called (CLSP_ERROR_STATE). */
CLSP_API clsp_status clsp_bezier_set_patch_grids(clsp_bezier_plan *plan, size_t num_patches,
                                                 clsp_input num);

/* Counts the vertices and faces of a range of patches, whichever kind of grid they have; curves and
   volumes have no faces. They need not be loaded. Errors: CLSP_ERROR_STATE (no grid). */
CLSP_API clsp_status clsp_bezier_mesh_size(const clsp_bezier_plan *plan, clsp_range patches,
                                           clsp_mesh_size *size);

/* Writes the indices of the faces of a range of patches, as CLSP_U32. They count vertices from the
   first of the range, as an eval of it writes them. Surfaces and triangles only, the latter without
   quads. Into host memory they are computed on the host. run: not shared. Errors:
   CLSP_ERROR_ARGUMENT also for more than 2^32 vertices, CLSP_ERROR_STATE (no grid). */
CLSP_API clsp_status clsp_bezier_indices(clsp_bezier_plan *plan, clsp_faces faces,
                                         clsp_range patches, clsp_output indices,
                                         const clsp_run *run);

/* ---- evaluation at parameters ---- */

/* Evaluates a list of vertices, one at each of the points (plan.h), whose items are patches:
   numbers among those loaded; one that is not gives a vertex of NaN, in host memory
   CLSP_ERROR_ARGUMENT. Triangles have the directions u and v. Parameters outside [0, 1] count as 0
   or 1 (triangles: u into [0, 1], then v into [0, 1 - u]). vertices: [num][vertex]. Each vertex is
   within the bounds of a grid's, at any degree, in time O(number of control points) (Wozny and
   Chudy, CAD 118, 2020). The method of the description does not matter. */
CLSP_API clsp_status clsp_bezier_eval_points(clsp_bezier_plan *plan, const clsp_points *points,
                                             clsp_output vertices, const clsp_run *run);

#ifdef __cplusplus
}
#endif

#endif
