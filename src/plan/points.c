#include "points.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

clsp_status clspi_axes_copy(double *params[3], clsp_context *ctx, clsp_axis axis[3])
{
    for (uint32_t k = 0; k < 3; k++)
        params[k] = NULL;
    for (uint32_t k = 0; k < 3; k++) {
        const double *const from = axis[k].num > 0 ? axis[k].params : NULL;
        const size_t bytes = axis[k].num * sizeof *from;
        axis[k].params = NULL;
        if (!from) continue;
        params[k] = malloc(bytes);
        if (!params[k]) {
            clspi_axes_free(params);
            return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "no memory for %u samples",
                              axis[k].num);
        }
        memcpy(params[k], from, bytes);
        axis[k].params = params[k];
    }
    return CLSP_OK;
}

void clspi_axes_free(double *params[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        free(params[k]);
        params[k] = NULL;
    }
}

clsp_status clspi_points_check(const clspi_plan *plan, const clsp_points *points, size_t doubles)
{
    clspi_log *const log = &plan->ctx->log;
    size_t bytes = sizeof(double) * doubles;

    CLSPI_CHECK(clspi_reserved_check(log, "clsp_points", points->reserved));
    if (points->planar > 1)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: planar is neither 0 nor 1", plan->family);
    if (clspi_size_mul(&bytes, points->num)) return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_NO_MEMORY, "%s: %zu points are more than the address space",
                      plan->family, points->num);
}
