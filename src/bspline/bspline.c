/* The family of B-splines, and the public calls on its knots. */
#include "bspline_plan.h"
#include "buffer.h"
#include "check.h"
#include "convert_target.h"
#include "nearest_search.h"
#include "patch_eval.h"
#include "reduction.h"

/* ---- what the family brings ---- */

static void describe(const clsp_patch_plan *plan, clsp_patch_desc *desc)
{
    desc->bspline = &((const clspi_bspline_plan *)plan)->desc;
}

/* Releases what is made of a plan's knots: searches and the target of conversions. */
static void release_made(clspi_bspline_plan *plan)
{
    clspi_convert_target_destroy(&plan->target);
    clspi_nearest_destroy(&plan->tensor.nearest);
    clspi_reduction_destroy(&plan->tensor.reduction);
}

static void release(clsp_patch_plan *tensor)
{
    clspi_bspline_plan *const plan = clspi_bspline_plan_of(&tensor->base);

    release_made(plan);
    clspi_bspline_release_knots(plan);
    clspi_own_knots_release(&plan->own);
}

/* ---- creation ---- */

/* Takes over a description that clspi_bspline_check has passed, but for its knots, which are made.
 */
static clsp_status configure(clspi_bspline_plan *plan, clsp_bspline_desc *desc)
{
    clspi_tensor_desc tensor;

    CLSPI_CHECK(clspi_bspline_resolve(plan, desc, &tensor));
    tensor.basis = clspi_bspline_basis(plan);
    plan->desc = *desc;
    const clsp_status status = clspi_patch_configure(&plan->tensor, &tensor);
    clspi_own_samples_describe(&plan->tensor.samples, status, plan->desc.axis);
    return status;
}

/* Makes a plan whose description stands in it, for the first time. */
static clsp_status make(clspi_bspline_plan *plan)
{
    CLSPI_CHECK(clspi_bspline_make_knots(plan));
    clsp_bspline_desc desc = plan->desc;
    return configure(plan, &desc);
}

static clsp_status create(clsp_patch_plan **out, clsp_context *ctx, const clsp_bspline_desc *given)
{
    clsp_bspline_desc desc = *given;
    clsp_patch_plan *plan;

    CLSPI_CHECK(clspi_context_usable(ctx));
    CLSPI_CHECK(clspi_bspline_check(ctx, &desc));
    CLSPI_CHECK(
        clspi_patch_create(&plan, sizeof(clspi_bspline_plan), ctx, &clspi_bspline_family, NULL));
    clspi_bspline_plan_of(&plan->base)->desc = desc;
    const clsp_status status = make(clspi_bspline_plan_of(&plan->base));
    if (status != CLSP_OK) clspi_patch_destroy(&plan);
    *out = plan;
    return status;
}

clsp_status clsp_bspline_plan_create(clsp_patch_plan **out, clsp_context *ctx,
                                     const clsp_bspline_desc *given)
{
    if (out) *out = NULL;
    if (!out || !ctx || !given) return clspi_context_null(ctx, "clsp_bspline_plan_create");
    return create(out, ctx, given);
}

/* ---- changes ---- */

static clsp_status set_axes(clsp_patch_plan *tensor, const clsp_axis *axis)
{
    clspi_bspline_plan *const plan = clspi_bspline_plan_of(&tensor->base);
    clsp_bspline_desc desc = plan->desc;
    clspi_tensor_desc resolved;

    for (uint32_t k = 0; k < desc.directions; k++)
        desc.axis[k] = axis[k];
    CLSPI_CHECK(clspi_bspline_resolve(plan, &desc, &resolved));
    clspi_patch_clear_grids(tensor); /* first: any change may mend a failed one */
    return configure(plan, &desc);
}

static clsp_status set_knots(clspi_bspline_plan *plan, size_t num_patches, const clsp_input *knots)
{
    clspi_own_knots own;

    CLSPI_CHECK(clspi_change_check(&plan->tensor.base));
    CLSPI_CHECK(clspi_own_knots_take(&own, &plan->tensor.base, &plan->desc, num_patches, knots));
    clspi_own_knots_release(&plan->own);
    plan->own = own;
    release_made(plan);
    clspi_buffer_release(&plan->tensor.basis);
    clspi_point_kernels_release(&plan->tensor.point_kernels);
    clsp_bspline_desc desc = plan->desc;
    return configure(plan, &desc);
}

clsp_status clsp_bspline_set_knots(clsp_patch_plan *plan, size_t num_patches, clsp_input knots)
{
    CLSPI_CHECK(clspi_family_check(plan, &clspi_bspline_family, "clsp_bspline_set_knots"));
    return set_knots(clspi_bspline_plan_of(&plan->base), num_patches, &knots);
}

static clsp_status create_peer(clspi_plan **peer, clsp_context *ctx, const clspi_plan *plan)
{
    const clspi_bspline_plan *const own = (const clspi_bspline_plan *)plan;
    const size_t num_knots = (size_t)own->desc.num_controls[0] + own->desc.degree[0] + 1;
    const clsp_input knots = clsp_in_f64(own->own.u, own->own.num * num_knots);
    clsp_patch_plan *made = NULL;
    clsp_status status = create(&made, ctx, &own->desc);

    if (status == CLSP_OK && own->own.num > 0) {
        status = set_knots(clspi_bspline_plan_of(&made->base), own->own.num, &knots);
        if (status != CLSP_OK) clspi_patch_destroy(&made);
    }
    *peer = made ? &made->base : NULL;
    return status;
}

/* ---- the family ---- */

const clspi_patch_family clspi_bspline_family = {
    .name = "bspline",
    .points_program = "bspline_points",
    .peers = {create_peer, clspi_patch_destroy_peer, clspi_patch_load_peer},
    .describe = describe,
    .set_axes = set_axes,
    .release = release,
    .make_basis = clspi_bspline_make_basis,
    .host_basis = clspi_bspline_host_basis,
    .after_rows = clspi_patch_edge_normals,
    .own_spans = clspi_bspline_own_spans};
