/* What the calls of projection have in common, and the host's search of a plan. */
#ifndef CLSPI_PROJECT_H
#define CLSPI_PROJECT_H

#include <clspline/bspline_project.h>

#include "bspline_plan.h"

bool clspi_input_is_there(const clsp_input *input);

/* Checks a plan's curves, queries but for their memory, and options, and puts defaults in place. */
clsp_status clspi_project_check(const clsp_bspline_plan *plan, const clsp_bspline_queries *queries,
                                clsp_project_opts *opts);

/* What memory must hold. */
typedef struct clspi_project_needs {
    size_t result; /* elements of a query's results */
    clspi_memory_need nearest, points, patches, hints;
} clspi_project_needs;

clsp_status clspi_project_needs_of(const clsp_bspline_plan *plan,
                                   const clsp_bspline_queries *queries,
                                   const clsp_project_opts *opts, clspi_project_needs *needs);

#endif
