/* What the tests of single vertices share: random patches of every form, reading vertices of every
   layout, and their check by the oracle with bounds that follow from the control points. */
#ifndef VERTEX_FIXTURE_H
#define VERTEX_FIXTURE_H

#include <stdbool.h>

#include <clspline/clspline.h>

#include "bezier_fixture.h"
#include "bezier_ref.h"

enum {
    P = CLSP_VERTEX_POINT,
    W = CLSP_VERTEX_WEIGHT,
    DU = CLSP_VERTEX_DU,
    DV = CLSP_VERTEX_DV,
    DW = CLSP_VERTEX_DW,
    DUU = CLSP_VERTEX_DUU,
    DUV = CLSP_VERTEX_DUV,
    DVV = CLSP_VERTEX_DVV,
    N = CLSP_VERTEX_NORMAL,
    T = CLSP_VERTEX_PARAMS,
    K = CLSP_VERTEX_CURVATURE,
    DUW = CLSP_VERTEX_DUW,
    DVW = CLSP_VERTEX_DVW,
    DWW = CLSP_VERTEX_DWW
};

/* A description and what follows from it. */
typedef struct layout {
    clsp_bezier_desc d;
    unsigned dim, coords, directions, stride;
    unsigned at[CLSP_VERTEX_MAX_ATTRIBUTES];
    size_t controls; /* reals of a patch's control points */
    clsp_type type;  /* of an element of vertices */
    size_t element;  /* its bytes */
} layout;

layout layout_of(const clsp_bezier_desc *d);

/* Elements of attribute number i. */
unsigned attribute_elements(const layout *l, unsigned i);

/* Control points in [-1, 1), weights in [0.5, 2), representable in the precision. */
double *random_controls(const layout *l, size_t num_patches);

/* Makes a plan and loads control points. */
clsp_patch_plan *plan_with(clsp_context *ctx, const layout *l, const double *controls,
                           size_t num_patches);
clsp_status load_controls(clsp_patch_plan *plan, const layout *l, const double *controls,
                          size_t num_patches);

/* Memory for num vertices, poisoned, with guards; free_guarded looks at them and frees it. */
unsigned char *guarded(const layout *l, size_t num);
void free_guarded(const layout *l, size_t num, unsigned char *vertices);

/* Evaluates a range by the device, into host memory of its size. */
clsp_status eval_host(clsp_patch_plan *plan, const layout *l, size_t first, size_t count,
                      void *vertices);

/* Evaluates a range tile by tile by the host, into host memory of its size. */
clsp_status eval_on_host(clsp_patch_plan *plan, const layout *l, size_t first, size_t count,
                         void *vertices);

/* Element e of vertex k. */
double vertex_element(const layout *l, const unsigned char *vertices, size_t k, unsigned e);

/* Coordinate c of an attribute (its bit) of vertex k. */
double attribute(const layout *l, const unsigned char *vertices, size_t k, unsigned bit,
                 unsigned c);

/* The largest error over its bound of all attributes of vertex k, whose patch has the given control
   points and whose parameters are t; infinite for a NaN. Elements of no attribute must be poison.
   `bound`: of a net's sums in eps relative to its largest control point. */
double vertex_error(const layout *l, const double *controls, const long double t[3],
                    const unsigned char *vertices, size_t k, double bound);

/* Returns the largest error over its bound of the derivatives and normals of vertex k, as
   vertex_error does, relative to a centre of the dimension's coordinates: the bounds are those of
   the patch moved there, which are far smaller where it is far away. */
double near_error(const layout *l, const double *controls, const double *centre,
                  const long double t[3], const unsigned char *vertices, size_t k, double bound);

/* ---- of any family ---- */

/* What a vertex is made of: the patch and its derivatives. */
enum { SUM_S, SUM_U, SUM_V, SUM_W, SUM_UU, SUM_UV, SUM_VV, SUM_UW, SUM_VW, SUM_WW, NUM_SUMS };

/* Their orders in each direction. */
extern const unsigned sum_orders[NUM_SUMS][3];

/* What the errors of a sum are relative to, for coordinates and weights apart: the largest of the
   control points that it is of. */
typedef struct sum_scale {
    double x, w;
} sum_scale;

/* Up to which order derivatives are asked for. */
unsigned order_of(const layout *l);

/* As vertex_error, for a vertex that the oracle has made; `bound`: of sums in eps relative to their
   scales. */
double oracle_error(const layout *l, const ref_vertex *r, const sum_scale scales[NUM_SUMS],
                    const long double t[3], const unsigned char *vertices, size_t k, double bound);

/* What curvatures may be off by where the Euclidean derivatives are by `error` (docs/math.md, 17);
   infinite where that may be all of a tangent. */
double curvature_bound(const layout *l, const ref_vertex *r, const double error[NUM_SUMS]);

/* Runs a check in each turn over a CPU's kernels, those of large and those of small GPUs. */
void with_limits(turn_fn check);

#endif
