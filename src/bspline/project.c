/* The public calls of projection. */
#include <clspline/bspline_project.h>

#include "bspline_plan.h"

clsp_status clsp_bspline_project(clsp_bspline_plan *plan, const clsp_bspline_queries *queries,
                                 const clsp_project_opts *opts, clsp_output nearest,
                                 const clsp_sync *sync)
{
    (void)queries, (void)opts, (void)nearest, (void)sync;
    return plan ? CLSP_ERROR_STATE : CLSP_ERROR_ARGUMENT;
}

clsp_status clsp_bspline_project_shared(clsp_bspline_plan *plan,
                                        const clsp_bspline_queries *queries,
                                        const clsp_project_opts *opts, clsp_output nearest,
                                        const clsp_cooperate_opts *share,
                                        clsp_cooperate_report *report)
{
    (void)queries, (void)opts, (void)nearest, (void)share, (void)report;
    return plan ? CLSP_ERROR_STATE : CLSP_ERROR_ARGUMENT;
}
