/* The family of Bezier patches, and the public calls that it alone has. */
#include "bezier_edges.h"
#include "bezier_plan.h"
#include "bernstein_basis.h"
#include "check.h"
#include "methods.h"
#include "patch_eval.h"
#include "reduction.h"

static const clspi_patch_family family; /* at the end */

/* ---- what the family brings ---- */

static clspi_bezier_plan *bezier_plan_of(clsp_patch_plan *plan)
{
    return (clspi_bezier_plan *)plan; /* the patch plan is its first member */
}

/* Makes the kernel of edges. */
static clsp_status prepare(clsp_patch_plan *tensor, clspi_series *series)
{
    clspi_bezier_plan *const plan = bezier_plan_of(tensor);

    return clspi_patch_has_sums(tensor) && clspi_bezier_edges_needed(&tensor->desc)
               ? clspi_bezier_edges_prepare(&plan->edges, series->ctx, &tensor->desc,
                                            tensor->sums.last_in_rows)
               : CLSP_OK;
}

static clsp_status after_rows(clsp_patch_plan *tensor, clspi_series *series, const clspi_rows *rows)
{
    const clspi_bezier_plan *const plan = bezier_plan_of(tensor);

    if (!clspi_bezier_edges_needed(&tensor->desc)) return CLSP_OK;
    return clspi_bezier_edges_eval(&plan->edges, series, &tensor->desc, tensor->points, rows);
}

static void describe(const clsp_patch_plan *plan, clsp_patch_desc *desc)
{
    desc->bezier = &((const clspi_bezier_plan *)plan)->desc;
}

static void release(clsp_patch_plan *plan)
{
    clspi_kernel_release(&bezier_plan_of(plan)->edges);
    clspi_nearest_destroy(&plan->nearest);
    clspi_reduction_destroy(&plan->reduction);
}

/* ---- creation ---- */

/* Takes over a description, resolved as `tensor`. */
static clsp_status configure(clspi_bezier_plan *plan, const clsp_bezier_desc *desc,
                             clspi_tensor_desc *tensor)
{
    tensor->basis = clspi_bernstein_basis(&plan->tensor.desc);
    plan->desc = *desc;
    plan->tensor.variant = (uint32_t)desc->method;
    const clsp_status status = clspi_patch_configure(&plan->tensor, tensor);
    clspi_own_samples_describe(&plan->tensor.samples, status, plan->desc.axis);
    return status;
}

static clsp_status create(clsp_patch_plan **out, clsp_context *ctx, const clsp_bezier_desc *given)
{
    clsp_bezier_desc desc = *given;
    clspi_tensor_desc tensor;
    clsp_patch_plan *plan;

    CLSPI_CHECK(clspi_context_usable(ctx));
    CLSPI_CHECK(clspi_bezier_resolve(ctx, &desc, &tensor));
    CLSPI_CHECK(clspi_patch_create(&plan, sizeof(clspi_bezier_plan), ctx, &family,
                                   clspi_published_bezier.sums[desc.method]));
    const clsp_status status = configure(bezier_plan_of(plan), &desc, &tensor);
    if (status != CLSP_OK) clspi_patch_destroy(&plan);
    *out = plan;
    return status;
}

clsp_status clsp_bezier_plan_create(clsp_patch_plan **out, clsp_context *ctx,
                                    const clsp_bezier_desc *given)
{
    if (out) *out = NULL;
    if (!out || !ctx || !given) return clspi_context_null(ctx, "clsp_bezier_plan_create");
    return create(out, ctx, given);
}

static clsp_status create_peer(clspi_plan **peer, clsp_context *ctx, const clspi_plan *plan)
{
    clsp_patch_plan *made = NULL;
    const clsp_status status = create(&made, ctx, &((const clspi_bezier_plan *)plan)->desc);

    *peer = made ? &made->base : NULL;
    return status;
}

/* ---- changes ---- */

static clsp_status set_axes(clsp_patch_plan *tensor, const clsp_axis *axis)
{
    clspi_bezier_plan *const plan = bezier_plan_of(tensor);
    clsp_bezier_desc desc = plan->desc;
    clspi_tensor_desc resolved;

    for (uint32_t k = 0; k < clspi_grid_directions(&tensor->desc); k++)
        desc.axis[k] = axis[k];
    CLSPI_CHECK(clspi_bezier_resolve(tensor->base.ctx, &desc, &resolved));
    clspi_patch_clear_grids(tensor); /* first: any change may mend a failed one */
    return configure(plan, &desc, &resolved);
}

clsp_status clsp_bezier_set_degrees(clsp_patch_plan *tensor, const uint32_t *degree)
{
    clspi_bezier_plan *const plan = bezier_plan_of(tensor);
    clspi_tensor_desc resolved;

    CLSPI_CHECK(clspi_family_check(tensor, &family, "clsp_bezier_set_degrees"));
    if (!degree) return clspi_null_argument(&tensor->base, "clsp_bezier_set_degrees");
    clsp_bezier_desc desc = plan->desc;
    for (uint32_t k = 0; k < clspi_grid_directions(&tensor->desc); k++)
        desc.degree[k] = degree[k];
    CLSPI_CHECK(clspi_change_check(&tensor->base));
    CLSPI_CHECK(clspi_bezier_resolve(tensor->base.ctx, &desc, &resolved));
    clspi_nearest_destroy(&tensor->nearest);
    return configure(plan, &desc, &resolved);
}

/* ---- the family ---- */

static const clspi_patch_family family = {
    .name = "bezier",
    .points_program = "bezier_points",
    .peers = {create_peer, clspi_patch_destroy_peer, clspi_patch_load_peer},
    .describe = describe,
    .set_axes = set_axes,
    .release = release,
    .prepare = prepare,
    .after_rows = after_rows,
    .has_edges = clspi_bezier_edges_needed};
