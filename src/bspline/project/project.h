/* Projection by a device: checks, and the search through memory of any kind. */
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

/* What memory must hold, of curves. */
typedef struct clspi_project_needs {
    size_t result; /* elements of a query's results */
    clspi_memory_need nearest, points, patches, hints;
} clspi_project_needs;

clsp_status clspi_project_needs_of(const clsp_bspline_plan *plan,
                                   const clsp_bspline_queries *queries,
                                   const clsp_bspline_project_opts *opts,
                                   clspi_project_needs *needs);

/* A call whose arguments have been checked. */
typedef struct clspi_project_call {
    const clsp_bspline_queries *queries;
    const clsp_bspline_project_opts *opts; /* with defaults in place */
    clspi_project_needs needs;
    clsp_output nearest;
} clspi_project_call;

/* Finds the results of some queries on the context's device, into memory that begins with the first
   of them. */
clsp_status clspi_project_lines(clsp_bspline_plan *plan, const clspi_project_call *call,
                                clsp_range lines, const clsp_run *run);

#endif
