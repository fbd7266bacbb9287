/* Every program that the families choose by themselves, built ahead of use. */
#include <clspline/context.h>

#include "bezier_plan.h"
#include "bspline_plan.h"
#include "check.h"
#include "image_build.h"
#include "job.h"
#include "solid_build.h"

static clsp_status build_families(const clspi_build *build)
{
    CLSPI_CHECK(clspi_bezier_build(build));
    CLSPI_CHECK(clspi_bspline_build(build));
    CLSPI_CHECK(clspi_image_build(build));
    CLSPI_CHECK(clspi_solid_build(build));
    return clspi_cooperate_build(build);
}

clsp_status clsp_context_build_all(clsp_context *ctx, clsp_kernel_fn fn, void *user)
{
    clspi_build_count count = {.only_counts = true};
    const clspi_build build = {ctx, fn, user, &count};

    if (!ctx) return clspi_context_null(NULL, "clsp_context_build_all");
    CLSPI_CHECK(clspi_context_usable(ctx));
    if (!ctx->queue) return CLSP_OK;
    CLSPI_CHECK(build_families(&build));
    count.only_counts = false;
    return build_families(&build);
}
