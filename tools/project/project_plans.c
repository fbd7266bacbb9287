#include "project_plans.h"

#include <stdlib.h>

void project_plans_close(project_plans *p)
{
    for (size_t i = 0; i < p->num; i++) {
        clsp_patch_plan_destroy(&p->plans[i].plan);
        free(p->plans[i].places);
        free(p->plans[i].points);
    }
    free(p->plans);
    *p = (project_plans){.num = 0};
}
