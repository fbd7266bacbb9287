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
   methods are in docs/math.md. At a corner of a polynomial patch the point equals the control point
   exactly, save by CLSP_BEZIER_MATRIX.

   What is done with a plan is in patch.h. */
#ifndef CLSPLINE_BEZIER_H
#define CLSPLINE_BEZIER_H

#include <clspline/patch.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CLSP_BEZIER_MAX_DEGREE = 65535 /* in each direction */ };

/* What a patch is. Directions that a form does not have are ignored in the description. */
typedef enum clsp_bezier_form {
    CLSP_BEZIER_FORM_DEFAULT = 0, /* surface */
    CLSP_BEZIER_CURVE = 1,        /* direction u */
    CLSP_BEZIER_SURFACE = 2,      /* directions u, v */
    CLSP_BEZIER_VOLUME = 3,       /* directions u, v, w */
    CLSP_BEZIER_TRIANGLE = 4 /* degree[0] is its degree, axis[0].num the samples along each edge */
} clsp_bezier_form;

/* How the points of a grid are computed. What the other methods are for is comparison; a library
   that is built without them refuses them (CLSP_ERROR_ARGUMENT). */
typedef enum clsp_bezier_method {
    CLSP_BEZIER_METHOD_DEFAULT = 0, /* the fastest that has no bound on degrees: separable */
    CLSP_BEZIER_SEPARABLE =
        1, /* tables of Bernstein values, one direction summed after the other */
    CLSP_BEZIER_MULTILEVEL = 2, /* tables, and the double sum for each point (MLE of Palomar et
                                   al., 2018) */
    CLSP_BEZIER_MATRIX = 3,     /* matrix products U (R P R^T) V^T in the power basis, large ones on
                                   GPUs by CLBlast where it is installed, on the host anew for each
                                   point; curves and surfaces of low degree only: see
                                   CLSP_ERROR_DEGREE below */
    CLSP_BEZIER_BRUTE = 4       /* every Bernstein value again for each point; low degrees only */
} clsp_bezier_method;

/* What a plan computes. Zero is the default of every field. */
typedef struct clsp_bezier_desc {
    clsp_bezier_form form;
    clsp_type precision;       /* of control points and arithmetic: CLSP_F32 (the default), _F64 */
    uint32_t degree[3];        /* along u, v, w: 0..CLSP_BEZIER_MAX_DEGREE; 0 is a constant */
    clsp_axis axis[3];         /* of the grid, along u, v, w: num 1..CLSP_PATCH_MAX_SAMPLES, begin
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

/* Makes a plan: checks the description, compiles the kernels and builds the tables of Bernstein
   values. Errors: CLSP_ERROR_ARGUMENT also for an attribute that the form does not have and
   attributes that overlap; CLSP_ERROR_DEGREE (above the maximum, or above what the method allows:
   CLSP_BEZIER_MATRIX, whose error grows like 2^((p + q) / 2), degrees with p + q <= 22 in float,
   where its bound is below scale / 32, and 64 in double; CLSP_BEZIER_BRUTE 100 in float, 900 in
   double). On error *plan is NULL. */
CLSP_API clsp_status clsp_bezier_plan_create(clsp_patch_plan **plan, clsp_context *ctx,
                                             const clsp_bezier_desc *desc);

/* Changes the degrees, as many as the form has directions (triangles: 1); programs that were built
   before are found again. Control points must then be loaded anew. Errors: as of
   clsp_patch_set_grids. */
CLSP_API clsp_status clsp_bezier_set_degrees(clsp_patch_plan *plan, const uint32_t *degree);

#ifdef __cplusplus
}
#endif

#endif
