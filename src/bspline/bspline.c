/* The public calls on B-splines. */
#include <clspline/bspline_project.h>

#include <stdlib.h>

#include "bspline_plan.h"
#include "buffer.h"
#include "check.h"
#include "convert_target.h"
#include "nearest.h"
#include "project.h"
#include "tensor_list.h"
#include "tensor_share.h"

/* ---- the family ---- */

static clsp_status create_peer(clspi_plan **peer, clsp_context *ctx, const clspi_plan *plan)
{
    const clsp_bspline_plan *const own = (const clsp_bspline_plan *)plan;
    const size_t num_knots = (size_t)own->desc.num_controls[0] + own->desc.degree[0] + 1;
    clsp_bspline_plan *made;
    clsp_status status = clsp_bspline_plan_create(&made, ctx, &own->desc);

    if (status == CLSP_OK && own->own.num > 0) {
        status = clsp_bspline_set_knots(made, own->own.num,
                                        clsp_in_f64(own->own.u, own->own.num * num_knots));
        if (status != CLSP_OK) clsp_bspline_plan_destroy(&made);
    }
    *peer = status == CLSP_OK ? &made->tensor.base : NULL;
    return status;
}

static void destroy_peer(clspi_plan **peer)
{
    clsp_bspline_plan *plan = (clsp_bspline_plan *)*peer; /* whose first member's first it is */

    clsp_bspline_plan_destroy(&plan);
    *peer = NULL;
}

static const clspi_tensor_family family = {
    .name = "bspline",
    .points_program = "bspline_points",
    .peers = {create_peer, destroy_peer, clspi_tensor_load_peer},
    .make_basis = clspi_bspline_make_basis,
    .host_basis = clspi_bspline_host_basis,
    .after_rows = clspi_tensor_edge_normals,
    .own_spans = clspi_bspline_own_spans};

/* ---- creation ---- */

/* Takes over a description that clspi_bspline_check has passed, but for its knots, which are made.
 */
static clsp_status configure(clsp_bspline_plan *plan, clsp_bspline_desc *desc)
{
    clspi_tensor_desc tensor;

    CLSPI_CHECK(clspi_bspline_resolve(plan, desc, &tensor));
    tensor.basis = clspi_bspline_basis(plan);
    plan->desc = *desc;
    const clsp_status status = clspi_tensor_configure(&plan->tensor, &tensor);
    clspi_own_samples_tell(&plan->tensor.samples, status, plan->desc.axis);
    return status;
}

/* Makes a plan whose description stands in it, for the first time. */
static clsp_status make(clsp_bspline_plan *plan)
{
    CLSPI_CHECK(clspi_bspline_make_knots(plan));
    clsp_bspline_desc desc = plan->desc;
    return configure(plan, &desc);
}

clsp_status clsp_bspline_plan_create(clsp_bspline_plan **out, clsp_context *ctx,
                                     const clsp_bspline_desc *given)
{
    if (out) *out = NULL;
    if (!out || !ctx || !given) return clspi_context_null(ctx, "clsp_bspline_plan_create");
    clsp_bspline_desc desc = *given;
    CLSPI_CHECK(clspi_context_usable(ctx));
    CLSPI_CHECK(clspi_bspline_check(ctx, &desc));
    clsp_bspline_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "bspline: no memory for a plan");
    plan->desc = desc;
    clsp_status status = clspi_tensor_init(&plan->tensor, ctx, &family, NULL);
    if (status != CLSP_OK) {
        free(plan);
        return status;
    }
    status = make(plan);
    if (status == CLSP_OK)
        *out = plan;
    else
        clsp_bspline_plan_destroy(&plan);
    return status;
}

void clsp_bspline_plan_destroy(clsp_bspline_plan **ptr)
{
    clsp_bspline_plan *const plan = ptr ? *ptr : NULL;

    if (!plan) return;
    *ptr = NULL;
    if (clspi_context_is_inherited(plan->tensor.base.ctx)) return;
    clspi_plan_settle(&plan->tensor.base);
    clspi_convert_target_destroy(&plan->target);
    clspi_tensor_release(&plan->tensor);
    clspi_nearest_destroy(&plan->tensor.nearest);
    clspi_bspline_release_knots(plan);
    clspi_own_knots_release(&plan->own);
    free(plan);
}

clsp_status clsp_bspline_plan_desc(const clsp_bspline_plan *plan, clsp_bspline_desc *desc)
{
    if (!plan || !desc)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bspline_plan_desc");
    CLSPI_CHECK(clspi_context_check(plan->tensor.base.ctx));
    *desc = plan->desc;
    return CLSP_OK;
}

/* ---- changes ---- */

clsp_status clsp_bspline_set_grid(clsp_bspline_plan *plan, const clsp_axis *axis)
{
    clspi_tensor_desc tensor;

    if (!plan || !axis)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bspline_set_grid");
    clsp_bspline_desc desc = plan->desc;
    for (cl_uint k = 0; k < desc.directions; k++)
        desc.axis[k] = axis[k];
    CLSPI_CHECK(clspi_change_check(&plan->tensor.base));
    CLSPI_CHECK(clspi_bspline_resolve(plan, &desc, &tensor));
    clspi_tensor_clear_patch_grids(&plan->tensor); /* first: any change may mend a failed one */
    return configure(plan, &desc);
}

clsp_status clsp_bspline_set_knots(clsp_bspline_plan *plan, size_t num_patches, clsp_input knots)
{
    clspi_own_knots own;

    if (!plan) return clspi_null_argument(NULL, "clsp_bspline_set_knots");
    CLSPI_CHECK(clspi_change_check(&plan->tensor.base));
    CLSPI_CHECK(clspi_own_knots_take(&own, &plan->tensor.base, &plan->desc, num_patches, &knots));
    clspi_own_knots_release(&plan->own);
    plan->own = own;
    clspi_convert_target_destroy(&plan->target);
    clspi_nearest_destroy(&plan->tensor.nearest);
    clspi_buffer_release(&plan->tensor.basis);
    clspi_point_kernels_release(&plan->tensor.point_kernels);
    clsp_bspline_desc desc = plan->desc;
    return configure(plan, &desc);
}

clsp_status clsp_bspline_set_control_points(clsp_bspline_plan *plan, size_t num_patches,
                                            clsp_input points, const clsp_run *run)
{
    if (!plan) return clspi_null_argument(NULL, "clsp_bspline_set_control_points");
    if (plan->target) plan->target->is_loaded = false;
    return clspi_tensor_set_points(&plan->tensor, num_patches, &points, run);
}

clsp_status clsp_bspline_set_patch_grids(clsp_bspline_plan *plan, size_t num_patches,
                                         clsp_input num)
{
    if (!plan) return clspi_null_argument(NULL, "clsp_bspline_set_patch_grids");
    return clspi_tensor_set_patch_grids(&plan->tensor, num_patches, &num);
}

/* ---- evaluation ---- */

clsp_status clsp_bspline_eval(clsp_bspline_plan *plan, clsp_range patches, clsp_output vertices,
                              const clsp_run *run)
{
    if (!plan) return clspi_null_argument(NULL, "clsp_bspline_eval");
    return clspi_tensor_eval(&plan->tensor, patches, &vertices, run);
}

clsp_status clsp_bspline_eval_points(clsp_bspline_plan *plan, const clsp_points *points,
                                     clsp_output vertices, const clsp_run *run)
{
    if (!plan || !points)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bspline_eval_points");
    return clspi_tensor_eval_points(&plan->tensor, points, &vertices, run);
}

clsp_status clsp_bspline_mesh_size(const clsp_bspline_plan *plan, clsp_range patches,
                                   clsp_mesh_size *size)
{
    if (!plan || !size)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bspline_mesh_size");
    return clspi_tensor_mesh_size(&plan->tensor, patches, size);
}

clsp_status clsp_bspline_indices(clsp_bspline_plan *plan, clsp_faces faces, clsp_range patches,
                                 clsp_output indices, const clsp_run *run)
{
    if (!plan) return clspi_null_argument(NULL, "clsp_bspline_indices");
    return clspi_tensor_indices(&plan->tensor, faces, patches, &indices, run);
}

clsp_status clsp_bspline_project(clsp_bspline_plan *plan, const clsp_bspline_queries *queries,
                                 const clsp_bspline_project_opts *opts, clsp_output nearest,
                                 const clsp_run *run)
{
    if (!plan || !queries)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bspline_project");
    return clspi_project(&plan->tensor, queries, opts, &nearest, run);
}
