/* A plan of Bezier patches, and how it is described to the layers below. */
#ifndef CLSPI_BEZIER_PLAN_H
#define CLSPI_BEZIER_PLAN_H

#include <clspline/bezier.h>

#include "patch_plan.h"

typedef struct clspi_bezier_plan {
    clsp_patch_plan tensor; /* first: the patch layer knows the plan by it */
    clsp_bezier_desc desc;  /* resolved: no field holds a 0 that stands for a default */
    clspi_kernel edges;     /* of surfaces whose edges are made again (bezier_edges.h) */
} clspi_bezier_plan;

/* Checks a description against the device and the library's limits, puts all defaults in place, and
   makes of it the patch layer's, without a basis. Errors as of clsp_bezier_plan_create. */
clsp_status clspi_bezier_resolve(clsp_context *ctx, clsp_bezier_desc *desc,
                                 clspi_tensor_desc *tensor);

/* Builds every program that a plan may choose by itself. */
clsp_status clspi_bezier_build(const clspi_build *build);

#endif
