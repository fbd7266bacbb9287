/* What a Bezier plan holds. */
#ifndef CLSPI_BEZIER_PLAN_H
#define CLSPI_BEZIER_PLAN_H

#include <clspline/bezier.h>

#include "patch_plan.h"

typedef struct clspi_bezier_plan {
    clsp_patch_plan tensor; /* first: the patch layer knows the plan by it */
    clsp_bezier_desc desc;  /* resolved: no field holds a 0 that stands for a default */
    clspi_kernel edges;     /* of surfaces whose edges are made again (bezier_edges.h) */
} clspi_bezier_plan;

#endif
