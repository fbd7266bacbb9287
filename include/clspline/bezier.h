/* Tensor-product Bezier surfaces of any degree, evaluated in batches on uniform parameter grids.

   A patch of degrees (p, q) with control points P_ij is
       S(u, v) = sum_{i=0..p} sum_{j=0..q} P_ij B_i^p(u) B_j^q(v),   u, v in [0, 1],
   with the Bernstein polynomials B_i^p(t) = C(p, i) t^i (1 - t)^(p - i) (Farin, Curves and Surfaces
   for CAGD, ch. 14). All patches of a plan share degrees, dimension, precision and grid.

   The grid of num_u x num_v parameters is uniform and holds its ends: u_a = a / (num_u - 1), v_b =
   b / (num_v - 1); a direction with one sample has the parameter 0. At a corner of the patch the
   point equals the control point exactly.

   Accuracy: with eps = 2^-23 (CLSP_F32) or 2^-52 (CLSP_F64) and scale = max |P_ij| over the patch
   and coordinate, each coordinate is within 8 eps scale of the exact value for degrees up to 31 and
   within 32 eps scale up to 1000 (docs/math.md). Results do not depend on how a batch is split into
   ranges. NaN and infinite control points spread NaN over their own patch and coordinate only.

   Order of calls: plan_create, then set_control_points whenever they change, then eval as often as
   wanted.

   Thread-safety: a plan takes one call at a time; different plans of one context may be used from
   different threads. */
#ifndef CLSPLINE_BEZIER_H
#define CLSPLINE_BEZIER_H

#include <clspline/context.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CLSP_BEZIER_MAX_DEGREE = 65535,     /* in each direction */
    CLSP_BEZIER_MAX_SAMPLES = 268435456 /* 2^28, in each direction */
};

/* What a plan computes. Everything here shapes tables and kernels and is fixed for the plan's life.
 */
typedef struct clsp_bezier_desc {
    clsp_precision precision; /* of control points, arithmetic and points; default CLSP_F32 */
    uint32_t degree_u;        /* 0..CLSP_BEZIER_MAX_DEGREE; 0 is a constant */
    uint32_t degree_v;        /* likewise; may differ from degree_u */
    uint32_t dim;             /* coordinates of a point: 1..4; 0 means 3 */
    uint32_t num_u;           /* samples along u: 1..CLSP_BEZIER_MAX_SAMPLES */
    uint32_t num_v;           /* samples along v, likewise */
} clsp_bezier_desc;

typedef struct clsp_bezier_plan clsp_bezier_plan;

/* Makes a plan: checks the description (copied), compiles the kernels and builds the tables of
   Bernstein values. The context must outlive the plan. Errors: CLSP_ERROR_ARGUMENT (NULL,
   precision, dim, num_u, num_v), CLSP_ERROR_DEGREE, CLSP_ERROR_NO_FP64, CLSP_ERROR_NO_MEMORY (sizes
   overflow), CLSP_ERROR_DEVICE_LOST, OpenCL's own. On error *plan is NULL. */
CLSP_API clsp_status clsp_bezier_plan_create(clsp_bezier_plan **plan, clsp_context *ctx,
                                             const clsp_bezier_desc *desc);

/* Releases the plan and writes NULL; *plan may be NULL. Work already enqueued completes. */
CLSP_API void clsp_bezier_plan_destroy(clsp_bezier_plan **plan);

/* Loads the control points of num_patches patches, replacing those before. They are copied: the
   buffer may be changed once the command is complete. num_patches 0 is allowed; ranges are then
   empty. points: num_patches * (degree_u + 1) * (degree_v + 1) * dim reals of the plan's precision,
   in shape [num_patches][degree_u + 1][degree_v + 1][dim] (v fastest), from element `offset` on.
   Enqueues after the wait list and returns; *done, when done is not NULL, is an event that the
   caller releases. Errors: CLSP_ERROR_ARGUMENT (NULL; a wait list and its length do not match;
   buffer of another cl_context), CLSP_ERROR_BUFFER_SIZE, CLSP_ERROR_NO_MEMORY,
   CLSP_ERROR_DEVICE_LOST, OpenCL's own. After an OpenCL error the plan holds no control points. */
CLSP_API clsp_status clsp_bezier_set_control_points(clsp_bezier_plan *plan, size_t num_patches,
                                                    cl_mem points, size_t offset, cl_uint num_wait,
                                                    const cl_event *wait, cl_event *done);

/* The same from host memory; returns when the points have been read. The plan's precision must
   match the call's (CLSP_ERROR_ARGUMENT). points may be NULL when num_patches is 0. */
CLSP_API clsp_status clsp_bezier_set_control_points_f32(clsp_bezier_plan *plan, size_t num_patches,
                                                        const float *points);
CLSP_API clsp_status clsp_bezier_set_control_points_f64(clsp_bezier_plan *plan, size_t num_patches,
                                                        const double *points);

/* Evaluates patches first .. first + count - 1 of those loaded, on the whole grid.
   points: receives count * num_u * num_v * dim reals of the plan's precision, in shape
   [count][num_u][num_v][dim], from element `offset` on; the rest of the buffer is left alone.
   Enqueues after the wait list and returns; *done as above. count 0 only waits.
   Errors: CLSP_ERROR_STATE (no control points loaded), CLSP_ERROR_ARGUMENT (also: range outside the
   patches loaded), CLSP_ERROR_BUFFER_SIZE, CLSP_ERROR_DEVICE_LOST, OpenCL's own. */
CLSP_API clsp_status clsp_bezier_eval(clsp_bezier_plan *plan, size_t first, size_t count,
                                      cl_mem points, size_t offset, cl_uint num_wait,
                                      const cl_event *wait, cl_event *done);

/* The same into host memory; returns when the points are there. Batches larger than the device's
   memory are carried out in parts. After an error the contents of points are undefined. */
CLSP_API clsp_status clsp_bezier_eval_f32(clsp_bezier_plan *plan, size_t first, size_t count,
                                          float *points);
CLSP_API clsp_status clsp_bezier_eval_f64(clsp_bezier_plan *plan, size_t first, size_t count,
                                          double *points);

#ifdef __cplusplus
}
#endif

#endif
