/* Vertices of tensor-product patches at a list of parameters. */
#ifndef CLSPI_PATCH_POINTS_H
#define CLSPI_PATCH_POINTS_H

#include "patch_plan.h"

/* Evaluates a list as the public calls of families say. */
clsp_status clspi_patch_eval_points(clsp_patch_plan *plan, const clsp_points *points,
                                    const clsp_output *vertices, const clsp_run *run);

#endif
