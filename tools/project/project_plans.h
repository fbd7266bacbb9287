/* Plans of the curves and surfaces that points are projected onto. */
#ifndef CLSPLINE_TOOLS_PROJECT_PLANS_H
#define CLSPLINE_TOOLS_PROJECT_PLANS_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stddef.h>

#include "mesh.h"
#include "splines.h"

/* What a patch of a plan is. */
typedef struct patch_place {
    const spline_batch *batch;
    size_t number; /* in the batch */
} patch_place;

typedef struct project_plan {
    const spline_type *type;
    size_t num, capacity, num_batches;
    patch_place *places; /* [num] */
    clsp_patch_plan *plan;
} project_plan;

typedef struct project_plans {
    project_plan *plans;
    size_t num;
} project_plans;

/* Makes the plans of all splines and loads them. together: curves over different knots may be of
   one plan. False with a complaint; what was made until then is released by project_plans_close. */
bool project_plans_open(project_plans *p, clsp_context *ctx, const splines *content,
                        mesh_precision precision, bool together);

void project_plans_close(project_plans *p);

#endif
