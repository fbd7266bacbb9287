/* Every program that the families choose by themselves, built ahead of use. */
#include <clspline/context.h>

#include "bezier_programs.h"
#include "check.h"
#include "job.h"

clsp_status clsp_context_build_all(clsp_context *ctx, clsp_kernel_fn fn, void *user)
{
    clsp_status status;

    if (!ctx) return clspi_fail(NULL, CLSP_ERROR_ARGUMENT, "clsp_context_build_all: ctx is NULL");
    CLSPI_TRY(clspi_context_usable(ctx));
    CLSPI_TRY(clspi_bezier_build_all(ctx, fn, user));
    CLSPI_TRY(clspi_cooperate_build_all(ctx, fn, user));
    return CLSP_OK;

fail:
    return status;
}
