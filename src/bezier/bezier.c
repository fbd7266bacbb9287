/* The public calls on Bezier patches. */
#include <clspline/bezier_project.h>

#include <stdlib.h>

#include "bezier_desc.h"
#include "bezier_edges.h"
#include "bezier_plan.h"
#include "bezier_sums.h"
#include "bernstein_basis.h"
#include "check.h"
#include "nearest.h"
#include "project.h"
#include "tensor_list.h"
#include "tensor_share.h"

/* ---- the family ---- */

static clsp_bezier_plan *bezier_plan_of(clspi_plan *plan)
{
    return (
        clsp_bezier_plan *)plan; /* the tensor plan is its first member, and that one's is base */
}

/* Makes the kernel of edges. */
static clsp_status prepare(clspi_tensor_plan *tensor, clspi_series *series)
{
    clsp_bezier_plan *const plan = bezier_plan_of(&tensor->base);

    return clspi_tensor_has_sums(tensor) && clspi_bezier_edges_needed(&tensor->desc)
               ? clspi_bezier_edges_prepare(&plan->edges, series->ctx, &tensor->desc,
                                            tensor->sums.last_in_rows)
               : CLSP_OK;
}

static clsp_status after_rows(clspi_tensor_plan *tensor, clspi_series *series,
                              const clspi_rows *rows)
{
    const clsp_bezier_plan *const plan = bezier_plan_of(&tensor->base);

    if (!clspi_bezier_edges_needed(&tensor->desc)) return CLSP_OK;
    return clspi_bezier_edges_eval(&plan->edges, series, &tensor->desc, tensor->points, rows);
}

static clsp_status create_peer(clspi_plan **peer, clsp_context *ctx, const clspi_plan *plan)
{
    const clsp_bezier_plan *const own = (const clsp_bezier_plan *)plan;
    clsp_bezier_plan *made;
    const clsp_status status = clsp_bezier_plan_create(&made, ctx, &own->desc);

    *peer = status == CLSP_OK ? &made->tensor.base : NULL;
    return status;
}

static void destroy_peer(clspi_plan **peer)
{
    clsp_bezier_plan *plan = bezier_plan_of(*peer);

    clsp_bezier_plan_destroy(&plan);
    *peer = NULL;
}

static const clspi_tensor_family family = {
    .name = "bezier",
    .points_program = "bezier_points",
    .peers = {create_peer, destroy_peer, clspi_tensor_load_peer},
    .prepare = prepare,
    .after_rows = after_rows,
    .has_edges = clspi_bezier_edges_needed};

/* ---- creation ---- */

static const clspi_sum_method *method_of(clsp_bezier_method method)
{
    switch (method) {
    case CLSP_BEZIER_MULTILEVEL:
        return &clspi_table_sums;
    case CLSP_BEZIER_MATRIX:
        return &clspi_matrix_sums;
    case CLSP_BEZIER_BRUTE:
        return &clspi_power_sums;
    default:
        return NULL;
    }
}

/* Takes over a description, resolved as `tensor`. */
static clsp_status configure(clsp_bezier_plan *plan, const clsp_bezier_desc *desc,
                             clspi_tensor_desc *tensor)
{
    tensor->basis = clspi_bernstein_basis(&plan->tensor.desc);
    plan->desc = *desc;
    plan->tensor.variant = (uint32_t)desc->method;
    const clsp_status status = clspi_tensor_configure(&plan->tensor, tensor);
    clspi_own_samples_tell(&plan->tensor.samples, status, plan->desc.axis);
    return status;
}

clsp_status clsp_bezier_plan_create(clsp_bezier_plan **out, clsp_context *ctx,
                                    const clsp_bezier_desc *given)
{
    clsp_bezier_desc desc;
    clspi_tensor_desc tensor;
    clsp_status status;

    if (out) *out = NULL;
    if (!out || !ctx || !given) return clspi_context_null(ctx, "clsp_bezier_plan_create");
    desc = *given;
    CLSPI_CHECK(clspi_context_usable(ctx));
    CLSPI_CHECK(clspi_bezier_resolve(ctx, &desc, &tensor));
    clsp_bezier_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for a plan");
    status = clspi_tensor_init(&plan->tensor, ctx, &family, method_of(desc.method));
    if (status != CLSP_OK) {
        free(plan);
        return status;
    }
    status = configure(plan, &desc, &tensor);
    if (status == CLSP_OK)
        *out = plan;
    else
        clsp_bezier_plan_destroy(&plan);
    return status;
}

void clsp_bezier_plan_destroy(clsp_bezier_plan **ptr)
{
    clsp_bezier_plan *const plan = ptr ? *ptr : NULL;

    if (!plan) return;
    *ptr = NULL;
    if (clspi_context_is_inherited(plan->tensor.base.ctx)) return;
    clspi_kernel_release(&plan->edges);
    clspi_tensor_release(&plan->tensor);
    clspi_nearest_destroy(&plan->tensor.nearest);
    free(plan);
}

clsp_status clsp_bezier_plan_desc(const clsp_bezier_plan *plan, clsp_bezier_desc *desc)
{
    if (!plan || !desc)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bezier_plan_desc");
    CLSPI_CHECK(clspi_context_check(plan->tensor.base.ctx));
    *desc = plan->desc;
    return CLSP_OK;
}

/* ---- changes ---- */

/* Resolves another description, without a change yet. */
static clsp_status resolve(clsp_bezier_plan *plan, clsp_bezier_desc *desc,
                           clspi_tensor_desc *tensor)
{
    CLSPI_CHECK(clspi_change_check(&plan->tensor.base));
    return clspi_bezier_resolve(plan->tensor.base.ctx, desc, tensor);
}

clsp_status clsp_bezier_set_grid(clsp_bezier_plan *plan, const clsp_axis *axis)
{
    clspi_tensor_desc tensor;

    if (!plan || !axis)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bezier_set_grid");
    clsp_bezier_desc desc = plan->desc;
    for (cl_uint k = 0; k < clspi_grid_directions(&plan->tensor.desc); k++)
        desc.axis[k] = axis[k];
    CLSPI_CHECK(resolve(plan, &desc, &tensor));
    clspi_tensor_clear_patch_grids(&plan->tensor); /* first: any change may mend a failed one */
    return configure(plan, &desc, &tensor);
}

clsp_status clsp_bezier_set_degrees(clsp_bezier_plan *plan, const uint32_t *degree)
{
    clspi_tensor_desc tensor;

    if (!plan || !degree)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bezier_set_degrees");
    clsp_bezier_desc desc = plan->desc;
    for (cl_uint k = 0; k < clspi_grid_directions(&plan->tensor.desc); k++)
        desc.degree[k] = degree[k];
    CLSPI_CHECK(resolve(plan, &desc, &tensor));
    clspi_nearest_destroy(&plan->tensor.nearest);
    return configure(plan, &desc, &tensor);
}

clsp_status clsp_bezier_set_control_points(clsp_bezier_plan *plan, size_t num_patches,
                                           clsp_input points, const clsp_run *run)
{
    if (!plan) return clspi_null_argument(NULL, "clsp_bezier_set_control_points");
    return clspi_tensor_set_points(&plan->tensor, num_patches, &points, run);
}

clsp_status clsp_bezier_set_patch_grids(clsp_bezier_plan *plan, size_t num_patches, clsp_input num)
{
    if (!plan) return clspi_null_argument(NULL, "clsp_bezier_set_patch_grids");
    return clspi_tensor_set_patch_grids(&plan->tensor, num_patches, &num);
}

/* ---- evaluation ---- */

clsp_status clsp_bezier_eval(clsp_bezier_plan *plan, clsp_range patches, clsp_output vertices,
                             const clsp_run *run)
{
    if (!plan) return clspi_null_argument(NULL, "clsp_bezier_eval");
    return clspi_tensor_eval(&plan->tensor, patches, &vertices, run);
}

clsp_status clsp_bezier_eval_points(clsp_bezier_plan *plan, const clsp_points *points,
                                    clsp_output vertices, const clsp_run *run)
{
    if (!plan || !points)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bezier_eval_points");
    return clspi_tensor_eval_points(&plan->tensor, points, &vertices, run);
}

clsp_status clsp_bezier_mesh_size(const clsp_bezier_plan *plan, clsp_range patches,
                                  clsp_mesh_size *size)
{
    if (!plan || !size)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bezier_mesh_size");
    return clspi_tensor_mesh_size(&plan->tensor, patches, size);
}

clsp_status clsp_bezier_indices(clsp_bezier_plan *plan, clsp_faces faces, clsp_range patches,
                                clsp_output indices, const clsp_run *run)
{
    if (!plan) return clspi_null_argument(NULL, "clsp_bezier_indices");
    return clspi_tensor_indices(&plan->tensor, faces, patches, &indices, run);
}

clsp_status clsp_bezier_project(clsp_bezier_plan *plan, const clsp_bspline_queries *queries,
                                const clsp_bspline_project_opts *opts, clsp_output nearest,
                                const clsp_run *run)
{
    if (!plan || !queries)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bezier_project");
    return clspi_project(&plan->tensor, queries, opts, &nearest, run);
}
