/* Checks of projection, and that onto surfaces. */
#ifndef CLSPI_PROJECT_H
#define CLSPI_PROJECT_H

#include <clspline/nearest.h>

#include "bspline_plan.h"

/* Checks a plan's curves or surfaces, queries but for their memory, and options, and puts defaults
   in place. */
clsp_status clspi_project_check(const clspi_bspline_plan *plan, const clsp_nearest_queries *queries,
                                clsp_nearest_opts *opts, const clsp_run *run);

/* Finds nearest points, as a clspi_patch_family does. */
clsp_status clspi_bspline_project(clsp_patch_plan *plan, const clsp_nearest_queries *queries,
                                  const clsp_nearest_opts *opts, const clsp_output *nearest,
                                  const clsp_run *run);

/* Carries out a call on surfaces whose arguments have been checked. */
clsp_status clspi_project_surfaces(clspi_bspline_plan *plan, const clsp_nearest_queries *queries,
                                   const clsp_nearest_opts *opts, const clsp_output *nearest,
                                   const clsp_run *run);

/* Counts the elements of a query's results, of curves. Errors: CLSP_ERROR_NO_MEMORY (the memory of
   all is more than the address space). */
clsp_status clspi_project_result(const clspi_bspline_plan *plan, size_t num,
                                 const clsp_nearest_opts *opts, size_t *result);

#endif
