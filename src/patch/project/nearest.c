/* The public call that finds nearest points. */
#include <clspline/nearest.h>

#include "check.h"
#include "patch_plan.h"

clsp_status clsp_nearest_project(clsp_patch_plan *plan, const clsp_nearest_queries *queries,
                                 const clsp_nearest_opts *opts, clsp_output nearest,
                                 const clsp_run *run)
{
    const clsp_nearest_opts defaults = {.method = CLSP_NEAREST_METHOD_DEFAULT};

    if (!plan || !queries)
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_nearest_project");
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    return plan->family->project(plan, queries, opts ? opts : &defaults, &nearest, run);
}
