/* The loops and edges of a CAD file for a search. */
#ifndef CLSPLINE_TOOLS_PROJECT_TRIMS_H
#define CLSPLINE_TOOLS_PROJECT_TRIMS_H

#include <clspline/clspline.h>

#include <stdbool.h>

#include "cad_model.h"
#include "project_plans.h"

/* Trims of the patches of plans, in the order of a search. */
typedef struct project_trims {
    clsp_trims trims; /* of the lists below, and of the model's edges */
    cad_counts loop, curve, edge, degree, num_controls;
    cad_reals knots, controls;
    uint8_t *turned; /* [patches] */
} project_trims;

/* Fills the trims of all patches of plans, each a spline; the model stays where it is. False when
   memory runs out; project_trims_free releases what was made. */
bool project_trims_make(project_trims *t, const project_plans *plans, const cad_model *model);
void project_trims_free(project_trims *t);

#endif
