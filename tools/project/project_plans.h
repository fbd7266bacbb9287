/* Plans that points are projected by: of curves as they are, of surfaces by their Bezier pieces,
   raised to common degrees, so that surfaces over any knots are few plans. */
#ifndef CLSPLINE_TOOLS_PROJECT_PLANS_H
#define CLSPLINE_TOOLS_PROJECT_PLANS_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stddef.h>

#include "mesh.h"
#include "splines.h"

/* What a patch of a plan is: a curve, or a piece of a surface, between these parameters. */
typedef struct patch_place {
    const spline_batch *batch;
    size_t number; /* in the batch */
    double begin[2], end[2];
} patch_place;

typedef struct project_plan {
    const spline_type *type; /* of curves; NULL: pieces of surfaces */
    uint32_t degree[2], dim; /* of pieces */
    bool rational;
    size_t num, capacity, num_batches;
    patch_place *places; /* [num] */
    double *points;      /* of pieces, until they are loaded */
    size_t point_capacity;
    clsp_patch_plan *plan;
} project_plan;

typedef struct project_plans {
    project_plan *plans;
    size_t num, capacity;
} project_plans;

/* Make the plans of all curves, or of all surfaces, and load them. together: curves over different
   knots may be of one plan. False with a complaint; what was made until then is released by
   project_plans_close. */
bool curve_plans_open(project_plans *p, clsp_context *ctx, const splines *content,
                      mesh_precision precision, bool together);
bool piece_plans_open(project_plans *p, clsp_context *ctx, const splines *content,
                      mesh_precision precision);

void project_plans_close(project_plans *p);

#endif
