/* Vertices of tensor-product patches at a list of parameters. */
#ifndef CLSPI_TENSOR_LIST_H
#define CLSPI_TENSOR_LIST_H

#include "tensor_plan.h"

/* Evaluates a list as the public calls of families say. */
clsp_status clspi_tensor_eval_points(clsp_patch_plan *plan, const clsp_points *points,
                                     const clsp_output *vertices, const clsp_run *run);

#endif
