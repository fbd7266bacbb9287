/* Checks of projection, and that onto surfaces. */
#ifndef CLSPI_PROJECT_H
#define CLSPI_PROJECT_H

#include <clspline/bspline_project.h>

#include "bspline_plan.h"

/* Checks a plan's curves or surfaces, queries but for their memory, and options, and puts defaults
   in place. */
clsp_status clspi_project_check(const clsp_bspline_plan *plan, const clsp_bspline_queries *queries,
                                clsp_bspline_project_opts *opts, const clsp_run *run);

/* Carries out a call on surfaces whose arguments have been checked. */
clsp_status clspi_project_surfaces(clsp_bspline_plan *plan, const clsp_bspline_queries *queries,
                                   const clsp_bspline_project_opts *opts,
                                   const clsp_output *nearest, const clsp_run *run);

/* Counts the elements of a query's results, of curves. Errors: CLSP_ERROR_NO_MEMORY (the memory of
   all is more than the address space). */
clsp_status clspi_project_result(const clsp_bspline_plan *plan, size_t num,
                                 const clsp_bspline_project_opts *opts, size_t *result);

#endif
