#include "image_call.h"

#include "check.h"

enum {
    POINT_ITEMS =
        4 /* a point takes as long as some vertices, of three directions four times more */
};

clsp_status clspi_image_too_many(const clsp_image_plan *plan, const char *what)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "image: the %s are more than the address space", what);
}

clsp_status clspi_image_values_need(const clspi_image_call *call, size_t points,
                                    clspi_memory_need *need)
{
    const clsp_image_plan *const plan = call->job.plan;

    *need = (clspi_memory_need){"values", plan->desc.values, points};
    return clspi_size_mul(&need->count, call->job.point) ? CLSP_OK
                                                         : clspi_image_too_many(plan, "values");
}

clsp_status clspi_image_given_need(const clspi_image_call *call, clspi_memory_need *need)
{
    const clsp_image_plan *const plan = call->job.plan;

    *need = (clspi_memory_need){call->what, plan->desc.precision, call->points};
    return clspi_size_mul(&need->count, plan->desc.directions)
               ? CLSP_OK
               : clspi_image_too_many(plan, call->what);
}

size_t clspi_image_point_items(const clspi_image_call *call)
{
    return call->job.plan->desc.directions > 2 ? 4 * POINT_ITEMS : POINT_ITEMS;
}
