/* Bezier curves, surfaces, volumes and triangles of any degree, polynomial or rational, in batches.

   A surface patch of degrees (p, q) with control points P_ij is
       S(u, v) = sum_{i=0..p} sum_{j=0..q} P_ij B_i^p(u) B_j^q(v),   u, v in [0, 1],
   with the Bernstein polynomials B_i^p(t) = C(p, i) t^i (1 - t)^(p - i) (Farin, Curves and Surfaces
   for CAGD, ch. 14). A curve has one such sum, a volume three. A triangle of degree d is (ch. 17)
       S(u, v) = sum_{i+j+k=d} P_ijk d! / (i! j! k!) u^i v^j w^k,    w = 1 - u - v.
   A rational patch has control points in homogeneous coordinates, (w x, w y, w z, w) with w > 0;
   its points are Euclidean, the first dim coordinates divided by the last (ch. 13, 16). All patches
   of a plan share degrees, dimension, precision and, save where it is set for each, the grid.

   Grids are uniform and hold their ends: u_a = u0 + (u1 - u0) a / (num_u - 1), [u0, u1] being [0,
   1] unless the description says otherwise; a direction with one sample has u0 alone. At a corner
   of a polynomial patch the point equals the control point exactly.

   Accuracy: with eps = 2^-23 (CLSP_F32) or 2^-52 (CLSP_F64) and scale = max |P_ij| over the patch
   and coordinate, each coordinate of a polynomial surface is within 8 eps scale of the exact value
   for degrees up to 31 and within 32 eps scale up to 1000; the bounds of the other forms and of
   derivatives, normals and methods are in docs/math.md. Results do not depend on how a batch is
   split into ranges. NaN and infinite control points spread NaN over their own patch only, in a
   polynomial patch without normals over their own coordinate only.

   Order of calls: plan_create, then set_control_points whenever they change, then eval as often as
   wanted.

   Thread-safety: a plan takes one call at a time; different plans of one context may be used from
   different threads. */
#ifndef CLSPLINE_BEZIER_H
#define CLSPLINE_BEZIER_H

#include <clspline/context.h>
#include <clspline/cooperate.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CLSP_BEZIER_MAX_DEGREE = 65535,      /* in each direction */
    CLSP_BEZIER_MAX_SAMPLES = 268435456, /* 2^28, in each direction */
    CLSP_BEZIER_MAX_STRIDE = 256         /* elements of a vertex */
};

/* What a patch is. Directions that a form does not have are ignored in the description. */
typedef enum clsp_bezier_form {
    CLSP_BEZIER_SURFACE = 0,  /* directions u, v */
    CLSP_BEZIER_CURVE = 1,    /* direction u */
    CLSP_BEZIER_VOLUME = 2,   /* directions u, v, w */
    CLSP_BEZIER_TRIANGLE = 3, /* degree_u is its degree, num_u the samples along each edge */
} clsp_bezier_form;

/* How the points of a grid are computed. What the other methods are for is comparison. */
typedef enum clsp_bezier_method {
    CLSP_BEZIER_AUTO = 0, /* the fastest that has no bound on degrees: SEPARABLE */
    CLSP_BEZIER_SEPARABLE =
        1, /* tables of Bernstein values, one direction summed after the other */
    CLSP_BEZIER_MULTILEVEL = 2, /* tables, and the double sum for each point (MLE of Palomar et
                                   al., 2018) */
    CLSP_BEZIER_MATRIX = 3,     /* matrix products U (R P R^T) V^T in the power basis; curves and
                                   surfaces of low degree only: see CLSP_ERROR_DEGREE below */
    CLSP_BEZIER_BRUTE = 4       /* every Bernstein value again for each point; low degrees only */
} clsp_bezier_method;

/* What a vertex may hold, in this order unless the description places it; dim reals each where not
   said otherwise. Derivatives are those of the patch with respect to its parameters u, v, w in [0,
   1], of rational patches by the quotient rule (Farin, 13.5). */
enum {
    CLSP_BEZIER_POINT = 1 << 0,
    CLSP_BEZIER_WEIGHT = 1 << 1, /* 1 real: the denominator of a rational patch, else 1 */
    CLSP_BEZIER_DU = 1 << 2,
    CLSP_BEZIER_DV = 1 << 3, /* not of curves */
    CLSP_BEZIER_DW = 1 << 4, /* of volumes only */
    CLSP_BEZIER_DUU = 1 << 5,
    CLSP_BEZIER_DUV = 1 << 6,    /* not of curves */
    CLSP_BEZIER_DVV = 1 << 7,    /* not of curves; second derivatives not of volumes */
    CLSP_BEZIER_NORMAL = 1 << 8, /* surfaces and triangles with dim 3: S_u x S_v, of unit length */
    CLSP_BEZIER_PARAMS = 1 << 9, /* as many reals as the form has directions (triangles: u, v) */
    CLSP_BEZIER_ATTRIBUTES = 10  /* their number */
};

/* What a plan computes. Zero is the default of every field but the grid's. */
typedef struct clsp_bezier_desc {
    clsp_precision precision; /* of control points and arithmetic; default CLSP_F32 */
    uint32_t degree_u;        /* 0..CLSP_BEZIER_MAX_DEGREE; 0 is a constant */
    uint32_t degree_v;        /* likewise; may differ from degree_u */
    uint32_t dim;             /* coordinates of a point: 1..4; 0 means 3 */
    uint32_t num_u;           /* samples along u: 1..CLSP_BEZIER_MAX_SAMPLES; all numbers of samples
                                 0: no grid, for eval_at and patch resolutions alone */
    uint32_t num_v;           /* samples along v, likewise */
    clsp_bezier_form form;    /* default CLSP_BEZIER_SURFACE */
    uint32_t degree_w;        /* of volumes */
    uint32_t num_w;           /* of volumes */
    uint32_t rational; /* 1: control points have dim + 1 coordinates, the last is the weight */
    clsp_bezier_method method;
    double interval_u[2]; /* of the grid, within [0, 1], either way round; both 0: [0, 1] */
    double interval_v[2]; /* likewise; not of triangles */
    double interval_w[2];
    uint32_t watertight;    /* 1: points on the edges of a surface are computed from the edge's
                               control points alone, in an order that does not depend on its
                               direction: patches that share them share the same points, bit for
                               bit, where their edges have equally many samples. Only with
                               intervals [0, 1] */
    uint32_t attributes;    /* of a vertex: CLSP_BEZIER_POINT | ...; 0: points alone */
    clsp_storage storage;   /* of vertices; default: the precision */
    uint32_t vertex_stride; /* elements from one vertex to the next, at most
                               CLSP_BEZIER_MAX_STRIDE; 0: the attributes one after another */
    uint32_t vertex_at[CLSP_BEZIER_ATTRIBUTES]; /* element of the vertex where each attribute
                                begins; all 0: one after another, in the order of their bits.
                                Elements that belong to no attribute are left as they are */
} clsp_bezier_desc;

typedef struct clsp_bezier_plan clsp_bezier_plan;

/* Makes a plan: checks the description (copied), compiles the kernels and builds the tables of
   Bernstein values. The context must outlive the plan. Errors: CLSP_ERROR_ARGUMENT (NULL, a field
   out of its range, an attribute that the form does not have, attributes that overlap),
   CLSP_ERROR_DEGREE (above the maximum, or above what the method allows: CLSP_BEZIER_MATRIX, whose
   error grows like 2^((p + q) / 2), degrees with p + q <= 22 in float, where its bound is below
   scale / 32, and 64 in double; CLSP_BEZIER_BRUTE 100 in float, 900 in double),
   CLSP_ERROR_NO_FP64, CLSP_ERROR_NO_MEMORY (sizes overflow), CLSP_ERROR_DEVICE_LOST, OpenCL's own.
   On error *plan is NULL. */
CLSP_API clsp_status clsp_bezier_plan_create(clsp_bezier_plan **plan, clsp_context *ctx,
                                             const clsp_bezier_desc *desc);

/* Releases the plan and writes NULL; *plan may be NULL. Work already enqueued completes. */
CLSP_API void clsp_bezier_plan_destroy(clsp_bezier_plan **plan);

/* Changes the grid: tables are made again (on the device where they are large), kernels only where
   another grid needs others, and control points stay loaded. Directions that the form does not have
   are ignored. Undoes clsp_bezier_set_patch_resolutions. Errors: as of plan_create; after
   CLSP_ERROR_ARGUMENT the plan is as it was, after others it can only be destroyed or changed
   again. */
CLSP_API clsp_status clsp_bezier_set_resolution(clsp_bezier_plan *plan, uint32_t num_u,
                                                uint32_t num_v, uint32_t num_w);

/* Changes the degrees; programs that were built before are found again. Control points must then be
   loaded anew. Errors: likewise. */
CLSP_API clsp_status clsp_bezier_set_degrees(clsp_bezier_plan *plan, uint32_t degree_u,
                                             uint32_t degree_v, uint32_t degree_w);

/* ---- control points ---- */

/* Loads the control points of num_patches patches, replacing those before. They are copied: the
   buffer may be changed once the command is complete. num_patches 0 is allowed; ranges are then
   empty. points: num_patches patches of the plan's precision, in shape
       curves     [num_patches][degree_u + 1][coordinates]
       surfaces   [num_patches][degree_u + 1][degree_v + 1][coordinates] (v fastest)
       volumes    [num_patches][degree_u + 1][degree_v + 1][degree_w + 1][coordinates]
       triangles  [num_patches][(degree_u + 1) (degree_u + 2) / 2][coordinates], P_ijk with i rising
                  and then j: P_00d, P_01(d-1), .., P_0d0, P_10(d-1), .., P_d00
   with dim coordinates, dim + 1 when rational, from element `offset` on.
   Enqueues after the wait list and returns; *done, when done is not NULL, is an event that the
   caller releases. Weights are not looked at; with one that is not positive points may be infinite
   or NaN (clsp_bezier_check_weights). Errors: CLSP_ERROR_ARGUMENT (NULL; a wait list and its length
   do not match; buffer of another cl_context), CLSP_ERROR_BUFFER_SIZE, CLSP_ERROR_NO_MEMORY,
   CLSP_ERROR_DEVICE_LOST, OpenCL's own. After an OpenCL error the plan holds no control points. */
CLSP_API clsp_status clsp_bezier_set_control_points(clsp_bezier_plan *plan, size_t num_patches,
                                                    cl_mem points, size_t offset, cl_uint num_wait,
                                                    const cl_event *wait, cl_event *done);

/* The same from host memory; returns when the points have been read. The plan's precision must
   match the call's (CLSP_ERROR_ARGUMENT). points may be NULL when num_patches is 0. All weights
   must be positive and finite (CLSP_ERROR_WEIGHTS, and the plan keeps what it held). */
CLSP_API clsp_status clsp_bezier_set_control_points_f32(clsp_bezier_plan *plan, size_t num_patches,
                                                        const float *points);
CLSP_API clsp_status clsp_bezier_set_control_points_f64(clsp_bezier_plan *plan, size_t num_patches,
                                                        const double *points);

/* Whether all weights loaded are positive and finite: CLSP_OK or CLSP_ERROR_WEIGHTS. Waits for the
   device and reads the control points back. CLSP_OK for polynomial plans. */
CLSP_API clsp_status clsp_bezier_check_weights(clsp_bezier_plan *plan);

/* ---- evaluation on grids ---- */

/* Evaluates patches first .. first + count - 1 of those loaded, on the whole grid.
   vertices: receives them as the description says, in shape (v and w fastest)
       curves     [count][num_u][vertex]
       surfaces   [count][num_u][num_v][vertex]
       volumes    [count][num_u][num_v][num_w][vertex]
       triangles  [count][num_u (num_u + 1) / 2][vertex], (u, v) = (a, b) / (num_u - 1) with a
   rising and then b, a + b < num_u of the storage's elements, from element `offset` on; the rest of
   the buffer is left alone. By default a vertex is dim reals of the plan's precision. Normals where
   S_u and S_v do not span a plane: docs/math.md, 7; they are never NaN unless control points are
   not finite, and (0, 0, 0) where there is no tangent plane. Enqueues after the wait list and
   returns; *done as above. count 0 only waits. Errors: CLSP_ERROR_STATE (no control points loaded,
   no grid), CLSP_ERROR_ARGUMENT (also: range outside the patches loaded), CLSP_ERROR_BUFFER_SIZE,
   CLSP_ERROR_DEVICE_LOST, OpenCL's own. */
CLSP_API clsp_status clsp_bezier_eval(clsp_bezier_plan *plan, size_t first, size_t count,
                                      cl_mem vertices, size_t offset, cl_uint num_wait,
                                      const cl_event *wait, cl_event *done);

/* The same into host memory; returns when the vertices are there. The plan's storage must match the
   call's (CLSP_ERROR_ARGUMENT); f16 is IEEE binary16 as bits. Batches larger than the device's
   memory are carried out in parts. After an error the contents of vertices are undefined. */
CLSP_API clsp_status clsp_bezier_eval_f32(clsp_bezier_plan *plan, size_t first, size_t count,
                                          float *vertices);
CLSP_API clsp_status clsp_bezier_eval_f64(clsp_bezier_plan *plan, size_t first, size_t count,
                                          double *vertices);
CLSP_API clsp_status clsp_bezier_eval_f16(clsp_bezier_plan *plan, size_t first, size_t count,
                                          uint16_t *vertices);

/* ---- evaluation by several processors ---- */

/* As clsp_bezier_eval_f32, by the context's devices and the host's cores together (cooperate.h).
   opts and report may be NULL. The host's cores make points, with weights, of curves, surfaces and
   volumes by the separable method in the plan's precision, in any layout, but not watertight; the
   svm rung those of them that are packed points of polynomial surfaces. Other vertices are made by
   devices, those of patch resolutions and triangles by the context's device alone, as one tile; the
   report then says so. Errors: as of clsp_bezier_eval_f32; when a
   processor fails, the others finish the job, and only without any the call fails. */
CLSP_API clsp_status clsp_bezier_cooperate_f32(clsp_bezier_plan *plan, size_t first, size_t count,
                                               float *vertices, const clsp_cooperate_opts *opts,
                                               clsp_cooperate_report *report);
CLSP_API clsp_status clsp_bezier_cooperate_f64(clsp_bezier_plan *plan, size_t first, size_t count,
                                               double *vertices, const clsp_cooperate_opts *opts,
                                               clsp_cooperate_report *report);
CLSP_API clsp_status clsp_bezier_cooperate_f16(clsp_bezier_plan *plan, size_t first, size_t count,
                                               uint16_t *vertices, const clsp_cooperate_opts *opts,
                                               clsp_cooperate_report *report);

/* Measures each processor on these patches and stores the speeds for later calls, also of other
   runs (clsp_context_set_speeds). Takes about ten evaluations by each. report may be NULL; its
   processors have the tiles and times of their fastest. Errors: as of clsp_bezier_cooperate_f32;
   CLSP_ERROR_ARGUMENT also for no patches, triangles and patch resolutions. */
CLSP_API clsp_status clsp_bezier_tune(clsp_bezier_plan *plan, size_t first, size_t count,
                                      clsp_cooperate_report *report);

/* For engines that hand out tiles themselves: rows first_row .. first_row + num_rows - 1 (samples
   of u) of one patch, on the device and on the calling thread. first_row must be a multiple of
   CLSP_BEZIER_TILE_ROWS, and so must num_rows unless they are the last. Not of triangles and patch
   resolutions (CLSP_ERROR_ARGUMENT); on the host of the vertices that clsp_bezier_cooperate_f32
   names. Host calls of one plan may overlap each other, each with a worker number of its own below
   CLSP_MAX_WORKERS, but no other call of the plan. Otherwise as clsp_bezier_eval. */
enum { CLSP_BEZIER_TILE_ROWS = 32 };
CLSP_API clsp_status clsp_bezier_eval_rows(clsp_bezier_plan *plan, size_t patch, uint32_t first_row,
                                           uint32_t num_rows, cl_mem vertices, size_t offset,
                                           cl_uint num_wait, const cl_event *wait, cl_event *done);
CLSP_API clsp_status clsp_bezier_host_rows_f32(clsp_bezier_plan *plan, uint32_t worker,
                                               size_t patch, uint32_t first_row, uint32_t num_rows,
                                               float *vertices);
CLSP_API clsp_status clsp_bezier_host_rows_f64(clsp_bezier_plan *plan, uint32_t worker,
                                               size_t patch, uint32_t first_row, uint32_t num_rows,
                                               double *vertices);

/* ---- grids of their own for each patch ---- */

/* Gives every patch its own numbers of samples, for tessellation: num[2 * p] along u and num[2 * p
   + 1] along v, each at least 1 (curves and triangles: num[2 * p] alone counts). Evaluation then
   writes patch after patch, each with its own grid, and the points are within the same bounds, but
   not the same bits, as by a common grid. num NULL returns to the common grid. Not of volumes.
   Copied. The patches loaded must be num_patches when eval is called (CLSP_ERROR_STATE).
   Errors: CLSP_ERROR_ARGUMENT, CLSP_ERROR_NO_MEMORY, CLSP_ERROR_DEVICE_LOST, OpenCL's own. */
CLSP_API clsp_status clsp_bezier_set_patch_resolutions(clsp_bezier_plan *plan, size_t num_patches,
                                                       const uint32_t *num);

/* *num = vertices of patches first .. first + count - 1, whichever kind of grid they have. */
CLSP_API clsp_status clsp_bezier_num_vertices(const clsp_bezier_plan *plan, size_t first,
                                              size_t count, size_t *num);

/* ---- evaluation anywhere ---- */

/* Evaluates num vertices: vertex k is that of patch patches[k] at params[k]. patches: num cl_uint,
   numbers among the patches loaded; one that is not gives a vertex of NaN. params: [num][directions
   of the form] reals of the plan's precision; those outside [0, 1] count as 0 or 1 (triangles: u
   into [0, 1], then v into [0, 1 - u]). Each vertex is within the bounds of a grid's, at any
   degree, in time O(number of control points) (Wozny and Chudy, CAD 118, 2020). The method of the
   description does not matter. Offsets are in elements. Errors: as of clsp_bezier_eval. */
CLSP_API clsp_status clsp_bezier_eval_at(clsp_bezier_plan *plan, size_t num, cl_mem patches,
                                         size_t patches_offset, cl_mem params, size_t params_offset,
                                         cl_mem vertices, size_t offset, cl_uint num_wait,
                                         const cl_event *wait, cl_event *done);

/* The same with host memory. The plan's precision and storage must both match the call's. A patch
   number out of range is CLSP_ERROR_ARGUMENT here. */
CLSP_API clsp_status clsp_bezier_eval_at_f32(clsp_bezier_plan *plan, size_t num,
                                             const uint32_t *patches, const float *params,
                                             float *vertices);
CLSP_API clsp_status clsp_bezier_eval_at_f64(clsp_bezier_plan *plan, size_t num,
                                             const uint32_t *patches, const double *params,
                                             double *vertices);

/* ---- index buffers ---- */

typedef enum clsp_bezier_faces {
    CLSP_BEZIER_TRIANGLES = 3, /* 3 indices a face; a quad is cut from (a, b) to (a + 1, b + 1) */
    CLSP_BEZIER_QUADS = 4      /* 4 indices a face; surfaces only */
} clsp_bezier_faces;

/* *num = indices of the faces of patches first .. first + count - 1; 0 for grids one sample wide.
   Surfaces and triangles only (CLSP_ERROR_ARGUMENT). */
CLSP_API clsp_status clsp_bezier_num_indices(const clsp_bezier_plan *plan, clsp_bezier_faces faces,
                                             size_t first, size_t count, size_t *num);

/* Writes the indices of those faces as cl_uint, from element `offset` on. They count vertices from
   the first of patch `first`, as an eval of the same range writes them. Faces run counterclockwise
   seen from the side to which S_u x S_v points. More vertices than 2^32 are CLSP_ERROR_ARGUMENT. */
CLSP_API clsp_status clsp_bezier_indices(clsp_bezier_plan *plan, clsp_bezier_faces faces,
                                         size_t first, size_t count, cl_mem indices, size_t offset,
                                         cl_uint num_wait, const cl_event *wait, cl_event *done);

/* The same into host memory, computed on the host. */
CLSP_API clsp_status clsp_bezier_indices_u32(const clsp_bezier_plan *plan, clsp_bezier_faces faces,
                                             size_t first, size_t count, uint32_t *indices);

#ifdef __cplusplus
}
#endif

#endif
