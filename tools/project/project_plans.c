#include "project_plans.h"

#include <stdlib.h>

clsp_status project_plan_run(const project_plan *p, const clsp_bspline_queries *queries,
                             const clsp_bspline_project_opts *opts, clsp_output nearest,
                             const clsp_run *run)
{
    return p->curves ? clsp_bspline_project(p->curves, queries, opts, nearest, run)
                     : clsp_bezier_project(p->pieces, queries, opts, nearest, run);
}

void project_plans_close(project_plans *p)
{
    for (size_t i = 0; i < p->num; i++) {
        clsp_bspline_plan_destroy(&p->plans[i].curves);
        clsp_bezier_plan_destroy(&p->plans[i].pieces);
        free(p->plans[i].places);
        free(p->plans[i].points);
    }
    free(p->plans);
    *p = (project_plans){.num = 0};
}
