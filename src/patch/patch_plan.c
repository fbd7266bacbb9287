#include "patch_plan.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "host_list.h"
#include "points.h"
#include "vertex_layout.h"
#include "vertex_rows.h"

/* ---- life ---- */

static void destroy_scratch(void *scratch)
{
    clspi_vertex_scratch *own = scratch;

    clspi_vertex_scratch_destroy(&own);
}

static clsp_status init(clsp_patch_plan *plan, clsp_context *ctx, const clspi_patch_family *family,
                        const clspi_sum_method *method)
{
    CLSPI_CHECK(clspi_plan_init(&plan->base, ctx, family->name));
    plan->family = family;
    plan->sums.method = method;
    plan->peers.kind = &family->peers;
    const clsp_status status = clspi_host_state_init(&plan->host, &plan->base, destroy_scratch);
    if (status != CLSP_OK) clspi_plan_release(&plan->base);
    return status;
}

clsp_status clspi_patch_create(clsp_patch_plan **out, size_t bytes, clsp_context *ctx,
                               const clspi_patch_family *family, const clspi_sum_method *method)
{
    clsp_patch_plan *const plan = calloc(1, bytes);

    *out = NULL;
    if (!plan)
        return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "%s: no memory for a plan",
                          family->name);
    const clsp_status status = init(plan, ctx, family, method);
    if (status == CLSP_OK)
        *out = plan;
    else
        free(plan);
    return status;
}

clsp_status clspi_family_check(const clsp_patch_plan *plan, const clspi_patch_family *family,
                               const char *call)
{
    if (!plan) return clspi_null_argument(NULL, call);
    CLSPI_CHECK(clspi_context_check(plan->base.ctx));
    if (plan->family == family) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "%s: %s takes plans of the family %s alone", plan->base.family, call,
                      family->name);
}

void clspi_patch_forget_grids(clsp_patch_plan *plan)
{
    clspi_host_state_free_scratch(&plan->host);
    clspi_vertex_tile_destroy(&plan->host_tile);
}

static void forget_list_recipe(clsp_patch_plan *plan)
{
    clspi_list_recipe_release(plan->list_recipe);
    plan->list_recipe = NULL;
}

static void release(clsp_patch_plan *plan)
{
    clspi_plan_release(&plan->base);
    forget_list_recipe(plan);
    clspi_own_samples_release(&plan->samples);
    clspi_grid_sums_release(&plan->sums);
    clspi_assembly_release(&plan->assembly);
    clspi_kernel_release(&plan->vertex_rows);
    clspi_point_kernels_release(&plan->point_kernels);
    clspi_kernel_release(&plan->faces);
    clspi_patch_grids_clear(&plan->grids);
    clspi_peers_release(&plan->peers);
    clspi_patch_forget_grids(plan);
    clspi_host_state_release(&plan->host);
    clspi_buffer_release(&plan->points);
    clspi_buffer_release(&plan->basis);
}

void clspi_patch_destroy(clsp_patch_plan **ptr)
{
    clsp_patch_plan *const plan = *ptr;

    if (!plan) return;
    *ptr = NULL;
    if (clspi_context_is_inherited(plan->base.ctx)) return;
    clspi_plan_settle(&plan->base);
    if (plan->family->release) plan->family->release(plan);
    release(plan);
    free(plan);
}

void clspi_patch_destroy_peer(clspi_plan **peer)
{
    clsp_patch_plan *plan = (clsp_patch_plan *)*peer; /* whose first member it is */

    clspi_patch_destroy(&plan);
    *peer = NULL;
}

/* ---- what a plan is ---- */

/* Tells whether vertices of grids are made one by one whatever the grid is: those of triangles, of
   patches with bases of their own, and of volumes with normals and curvatures of their layers. */
static bool is_one_by_one(const clspi_tensor_desc *desc)
{
    const uint32_t layers = CLSP_VERTEX_NORMAL | CLSP_VERTEX_CURVATURE;

    return desc->is_triangle || desc->own_bases > 0 ||
           (desc->directions == 3 && (desc->vertex.attributes & layers));
}

bool clspi_patch_has_sums(const clsp_patch_plan *plan)
{
    return !is_one_by_one(&plan->desc) && plan->patch_vertices > 0 &&
           clspi_own_samples_fit_tables(&plan->desc);
}

bool clspi_patch_has_rows(const clsp_patch_plan *plan)
{
    return !clspi_has_patch_grids(&plan->grids) && !is_one_by_one(&plan->desc) &&
           clspi_own_samples_fit_tables(&plan->desc);
}

bool clspi_patch_has_own_rows(const clsp_patch_plan *plan)
{
    return clspi_has_patch_grids(&plan->grids) && !is_one_by_one(&plan->desc);
}

size_t clspi_patch_row_vertices(const clsp_patch_plan *plan)
{
    return (size_t)plan->desc.axis[1].num * plan->desc.axis[2].num;
}

/* ---- configuring ---- */

/* What a description amounts to. */
typedef struct sizes {
    size_t patch_reals, patch_vertices;
} sizes;

static clsp_status count(const clsp_patch_plan *plan, const clspi_tensor_desc *d, sizes *of)
{
    size_t vertex = clspi_vertex_bytes(d), real = clsp_type_bytes(d->precision), facets;

    of->patch_reals = d->num_controls;
    if (clspi_count_grid(d, &of->patch_vertices, &facets) &&
        clspi_size_mul(&vertex, of->patch_vertices) && of->patch_reals > 0 &&
        clspi_size_mul(&of->patch_reals, clspi_coords(d)) && clspi_size_mul(&real, of->patch_reals))
        return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "%s: one patch is larger than the address space", plan->base.family);
}

/* Makes the kernels that turn sums into vertices. */
static clsp_status prepare_vertices(clsp_patch_plan *plan)
{
    clsp_context *const ctx = plan->base.ctx;

    clspi_kernel_release(&plan->vertex_rows);
    if (plan->is_plain) return CLSP_OK;
    return plan->sums.last_in_rows ? clspi_vertex_rows_prepare(&plan->vertex_rows, ctx, &plan->desc)
                                   : clspi_assembly_prepare(&plan->assembly, ctx, &plan->desc);
}

static clsp_status upload_samples(clsp_patch_plan *plan, clspi_series *series)
{
    CLSPI_CHECK(clspi_own_samples_upload(&plan->samples, series, &plan->desc));
    plan->desc.samples = plan->samples.buffer;
    return CLSP_OK;
}

/* Makes what kernels need of the description. */
static clsp_status prepare(clsp_patch_plan *plan, clspi_series *series)
{
    const clspi_tensor_desc *const d = &plan->desc;

    plan->sums.last_in_rows =
        !plan->is_plain && !plan->sums.method && clspi_vertex_rows_fit(series->ctx, d);
    if (clspi_patch_has_sums(plan)) {
        if (clspi_needs_own_samples(d)) CLSPI_CHECK(upload_samples(plan, series));
        CLSPI_CHECK(clspi_grid_sums_prepare(&plan->sums, series, d));
        CLSPI_CHECK(prepare_vertices(plan));
    }
    plan->is_made = false;
    return plan->family->prepare ? plan->family->prepare(plan, series) : CLSP_OK;
}

clsp_status clspi_patch_ready(clsp_patch_plan *plan, clspi_series *series)
{
    if (!plan->is_ready) CLSPI_CHECK(prepare(plan, series));
    plan->is_ready = true;
    if (plan->is_made || !plan->is_loaded) return CLSP_OK;
    CLSPI_CHECK(clspi_patch_upload(plan, series));
    CLSPI_CHECK(clspi_patch_make_of_points(plan, series, plan->num_patches));
    plan->is_made = true;
    return CLSP_OK;
}

clsp_status clspi_patch_make_of_points(clsp_patch_plan *plan, clspi_series *series,
                                       size_t num_patches)
{
    const clspi_grid_sums *const sums = &plan->sums;

    cl_mem sources;

    if (!clspi_patch_has_sums(plan)) return CLSP_OK;
    CLSPI_CHECK(clspi_assembly_centre(&plan->assembly, series, &plan->desc, plan->points,
                                      num_patches, &sources));
    CLSPI_CHECK(clspi_grid_sums_load(&plan->sums, series, sources, num_patches));
    if (plan->is_plain || (sums->last_in_rows && !clspi_is_banded(&plan->desc, 0))) return CLSP_OK;
    return clspi_assembly_load(&plan->assembly, sums, series, &plan->desc, num_patches);
}

/* Takes the description over, with all that is known of it at once. */
static void take(clsp_patch_plan *plan, const clspi_tensor_desc *d, const sizes *of,
                 const clspi_own_samples *samples)
{
    if (!clspi_same_controls(d, &plan->desc)) {
        plan->is_loaded = false;
        plan->num_patches = 0;
        clspi_host_state_forget(&plan->host);
    }
    forget_list_recipe(plan);
    clspi_patch_forget_grids(plan);
    clspi_peers_release(&plan->peers);
    clspi_own_samples_release(&plan->samples);
    plan->samples = *samples;
    plan->is_ready = false;
    plan->desc = *d;
    plan->is_plain = clspi_layout_is_plain(d);
    plan->patch_reals = of->patch_reals;
    plan->patch_vertices = of->patch_vertices;
}

/* Makes what kernels need at once, where kernels make vertices: errors are those of the change. */
static clsp_status make_ready(clsp_patch_plan *plan)
{
    clspi_call call;

    if (clspi_is_own_cpu(plan->base.ctx)) return CLSP_OK;
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    return clspi_call_end(&call, clspi_patch_ready(plan, &call.series));
}

clsp_status clspi_patch_configure(clsp_patch_plan *plan, const clspi_tensor_desc *desc)
{
    clspi_tensor_desc own = *desc;
    clspi_own_samples samples = {.buffer = NULL};
    sizes of;

    plan->base.broken |= CLSPI_CHANGE_DESC;
    CLSPI_CHECK(count(plan, desc, &of));
    CLSPI_CHECK(clspi_axes_copy(samples.params, plan->base.ctx, own.axis));
    if (desc->own_bases == 0) clspi_own_samples_simplify(own.axis);
    take(plan, &own, &of, &samples);
    CLSPI_CHECK(make_ready(plan));
    plan->base.broken &= ~(uint32_t)CLSPI_CHANGE_DESC;
    return CLSP_OK;
}
