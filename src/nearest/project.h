/* Projection onto the curves or surfaces of a plan of any family, from and into memory of any kind:
   by a device that searches, by the host's cores, or shared (docs/cooperation.md). */
#ifndef CLSPI_PROJECT_H
#define CLSPI_PROJECT_H

#include <clspline/bspline_project.h>

#include "tensor_plan.h"

/* Finds the nearest points, as clsp_bspline_project says. opts may be NULL. */
clsp_status clspi_project(clspi_tensor_plan *plan, const clsp_bspline_queries *queries,
                          const clsp_bspline_project_opts *opts, const clsp_output *nearest,
                          const clsp_run *run);

#endif
