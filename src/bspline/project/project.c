#include "project.h"

#include <math.h>

#include "check.h"
#include "host_device.h"
#include "surface_project.h"
#include "patch_rows.h"

/* ---- checks ---- */

static clsp_status bad(const clspi_bspline_plan *plan, const char *what, double value)
{
    return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "bspline: projection: %s: %g", what, value);
}

/* Checks that a plan's curves or surfaces can be projected onto. */
static clsp_status check_splines(const clspi_bspline_plan *plan, const clsp_run *run)
{
    const uint32_t directions = plan->desc.directions;
    const uint32_t most =
        directions == 1 ? CLSP_NEAREST_MAX_DEGREE : CLSP_NEAREST_MAX_SURFACE_DEGREE;

    if (directions > 2) return bad(plan, "onto curves and surfaces, and directions is", directions);
    if (directions == 2 && plan->desc.dim < 2)
        return bad(plan, "onto surfaces of 2 to 4 dimensions, and dim is", plan->desc.dim);
    for (uint32_t k = 0; k < directions; k++)
        if (plan->desc.degree[k] < 1 || plan->desc.degree[k] > most)
            return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_DEGREE,
                              "bspline: projection onto degree %u: 1 to %u", plan->desc.degree[k],
                              most);
    CLSPI_CHECK(clspi_patch_check_patches(&plan->tensor, (clsp_range){0, 0}, run));
    if (plan->own.num > 0 && plan->tensor.is_loaded && plan->own.num != plan->tensor.num_patches)
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_STATE,
                          "bspline: %zu curves are loaded, and %zu have knots of their own",
                          plan->tensor.num_patches, plan->own.num);
    return CLSP_OK;
}

static clsp_status check_opts(const clspi_bspline_plan *plan, clsp_nearest_opts *opts)
{
    CLSPI_CHECK(clspi_reserved_check_some(&plan->tensor.base.ctx->log, "clsp_nearest_opts",
                                          opts->reserved, CLSP_RESERVED - 1));
    if (opts->method == CLSP_NEAREST_METHOD_DEFAULT) opts->method = CLSP_NEAREST_EXACT;
    if (opts->method != CLSP_NEAREST_EXACT && opts->method != CLSP_NEAREST_MREP)
        return bad(plan, "no such method", opts->method);
    if (opts->method == CLSP_NEAREST_MREP) CLSPI_CHECK(clspi_needs_kernels(plan->tensor.base.ctx));
    if (opts->method == CLSP_NEAREST_MREP && plan->own.num > 0)
        return bad(plan, "mrep takes no curves with knots of their own, and there are",
                   (double)plan->own.num);
    if (opts->method == CLSP_NEAREST_MREP && plan->desc.directions == 2)
        return bad(plan, "mrep takes curves only, and directions is", plan->desc.directions);
    if (opts->num_nearest == 0) opts->num_nearest = 1;
    if (opts->num_nearest > 1 && plan->desc.directions == 2)
        return bad(plan, "surfaces have one result a query, and num_nearest is", opts->num_nearest);
    if (opts->num_nearest > CLSP_NEAREST_MAX_RESULTS)
        return bad(plan, "num_nearest is above the maximum", opts->num_nearest);
    if (opts->method == CLSP_NEAREST_MREP && opts->num_nearest > 1)
        return bad(plan, "mrep gives one result a query, and num_nearest is", opts->num_nearest);
    if (!(opts->max_dist >= 0.0) || isinf(opts->max_dist))
        return bad(plan, "max_dist is no distance", opts->max_dist);
    if (!(opts->tolerance >= 0.0) || isinf(opts->tolerance))
        return bad(plan, "tolerance is no distance", opts->tolerance);
    if (opts->normals && plan->desc.directions != 2)
        return bad(plan, "normals are of surfaces, and directions is", plan->desc.directions);
    if (opts->normals && plan->desc.dim != 3)
        return bad(plan, "normals are of 3 dimensions, and dim is", plan->desc.dim);
    if (opts->method == CLSP_NEAREST_MREP && plan->desc.rational)
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_WEIGHTS,
                          "bspline: projection: mrep of rational curves");
    return CLSP_OK;
}

static clsp_status check_queries(const clspi_bspline_plan *plan,
                                 const clsp_nearest_queries *queries)
{
    CLSPI_CHECK(clspi_reserved_check(&plan->tensor.base.ctx->log, "clsp_nearest_queries",
                                     queries->reserved));
    if (clspi_input_is_there(&queries->hints) && !clspi_input_is_there(&queries->patches) &&
        plan->tensor.num_patches > 1)
        return bad(plan, "hints without patches, and the patches are",
                   (double)plan->tensor.num_patches);
    return CLSP_OK;
}

clsp_status clspi_project_check(const clspi_bspline_plan *plan, const clsp_nearest_queries *queries,
                                clsp_nearest_opts *opts, const clsp_run *run)
{
    CLSPI_CHECK(check_splines(plan, run));
    CLSPI_CHECK(check_opts(plan, opts));
    return check_queries(plan, queries);
}

clsp_status clspi_project_surfaces(clspi_bspline_plan *plan, const clsp_nearest_queries *queries,
                                   const clsp_nearest_opts *opts, const clsp_output *nearest,
                                   const clsp_run *run)
{
    const clspi_surface_project call = {.num = queries->num,
                                        .points = queries->points,
                                        .patches = queries->patches,
                                        .hints = queries->hints,
                                        .max_dist = opts->max_dist,
                                        .nearest = *nearest,
                                        .has_normals = opts->normals != NULL,
                                        .normals = opts->normals ? *opts->normals
                                                                 : (clsp_output){.size = 0}};

    return clspi_patch_project(&plan->tensor, &call, run);
}

clsp_status clspi_project_result(const clspi_bspline_plan *plan, size_t num,
                                 const clsp_nearest_opts *opts, size_t *result)
{
    const clspi_tensor_desc *const d = &plan->tensor.desc;
    const size_t one = d->precision == CLSP_F32 ? CLSP_NEAREST_F32_SIZE : CLSP_NEAREST_F64_SIZE;

    *result = one * opts->num_nearest;
    size_t bytes = sizeof(double) * (*result + d->dim);
    if (clspi_size_mul(&bytes, num)) return CLSP_OK;
    return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bspline: %zu queries are more than the address space", num);
}
