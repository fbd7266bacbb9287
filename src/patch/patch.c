/* What there is to ask of plans of patches, the grids, the faces, and the checks of ranges of
   patches. */
#include "check.h"
#include "index_buffers.h"
#include "patch_eval.h"
#include "work.h"

/* ---- checks ---- */

static clsp_status check_within(const clsp_patch_plan *plan, clsp_range patches, size_t num)
{
    if (patches.first <= num && patches.count <= num - patches.first) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "%s: patches %zu to %zu + %zu of %zu", plan->base.family, patches.first,
                      patches.first, patches.count, num);
}

clsp_status clspi_patch_check_patches(const clsp_patch_plan *plan, clsp_range patches,
                                      const clsp_run *run)
{
    const size_t own = plan->desc.own_bases;

    if (!plan->is_loaded && clspi_run_asks(run)) return CLSP_OK;
    if (plan->is_loaded && own > 0 && own != plan->num_patches)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_STATE,
                          "%s: %zu patches are loaded, and %zu have bases of their own",
                          plan->base.family, plan->num_patches, own);
    if (plan->is_loaded) return check_within(plan, patches, plan->num_patches);
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_STATE, "%s: no control points are loaded",
                      plan->base.family);
}

/* Counts the vertices and facets of patches that have been checked. */
static clsp_status count_patches(const clsp_patch_plan *plan, clsp_range patches, size_t *vertices,
                                 size_t *facets)
{
    clspi_log *const log = &plan->base.ctx->log;

    if (!clspi_has_patch_grids(&plan->grids) && plan->patch_vertices == 0)
        return clspi_fail(log, CLSP_ERROR_STATE, "%s: the plan has no grid", plan->base.family);
    if (clspi_count_patches(&plan->grids, &plan->desc, patches, vertices, facets)) return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_NO_MEMORY, "%s: the vertices are more than the address space",
                      plan->base.family);
}

clsp_status clspi_patch_count_elements(const clsp_patch_plan *plan, clsp_range patches,
                                       const clsp_run *run, size_t *elements)
{
    size_t facets;

    if (clspi_has_patch_grids(&plan->grids) && clspi_run_asks(run))
        CLSPI_CHECK(check_within(plan, patches, plan->grids.num));
    else if (clspi_has_patch_grids(&plan->grids) && plan->grids.num != plan->num_patches)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_STATE,
                          "%s: %zu patches are loaded, and %zu have grids of their own",
                          plan->base.family, plan->num_patches, plan->grids.num);
    CLSPI_CHECK(count_patches(plan, patches, elements, &facets));
    *elements *= plan->desc.vertex.stride;
    return CLSP_OK;
}

/* ---- plans ---- */

void clsp_patch_plan_destroy(clsp_patch_plan **plan)
{
    if (plan) clspi_patch_destroy(plan);
}

clsp_status clsp_patch_plan_desc(const clsp_patch_plan *plan, clsp_patch_desc *desc)
{
    if (!plan || !desc)
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_patch_plan_desc");
    CLSPI_CHECK(clspi_context_check(plan->base.ctx));
    *desc = (clsp_patch_desc){0};
    plan->family->describe(plan, desc);
    return CLSP_OK;
}

clsp_status clsp_patch_set_grids(clsp_patch_plan *plan, const clsp_axis *axis, size_t num_patches,
                                 clsp_input num)
{
    if (!plan) return clspi_null_argument(NULL, "clsp_patch_set_grids");
    return clspi_patch_set_grids(plan, axis, num_patches, &num);
}

/* ---- faces ---- */

/* Counts the vertices and facets of patches, which need not be loaded. */
static clsp_status count_mesh(const clsp_patch_plan *plan, clsp_range patches, size_t *vertices,
                              size_t *facets)
{
    if (clspi_has_patch_grids(&plan->grids))
        CLSPI_CHECK(check_within(plan, patches, plan->grids.num));
    return count_patches(plan, patches, vertices, facets);
}

clsp_status clsp_patch_mesh_size(const clsp_patch_plan *plan, clsp_range patches,
                                 clsp_mesh_size *size)
{
    clsp_mesh_size all = {0};
    size_t facets = 0;

    if (!plan || !size)
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_patch_mesh_size");
    CLSPI_CHECK(clspi_call_check(&plan->base, NULL));
    CLSPI_CHECK(count_mesh(plan, patches, &all.vertices, &facets));
    all.triangles = plan->desc.is_triangle ? facets : 2 * facets;
    all.quads = plan->desc.is_triangle ? 0 : facets;
    *size = all;
    return CLSP_OK;
}

static clsp_status make_facets(const clspi_work *work, uint32_t worker, const clspi_part *part,
                               const char *const in[], char *out)
{
    (void)worker;
    (void)in;
    clspi_faces_on_host(work->user, (clsp_range){part->piece, part->num_lines},
                        (uint32_t *)(void *)out);
    return CLSP_OK;
}

static clsp_status make_facets_on_device(const clspi_work *work, clspi_plan *base,
                                         clspi_series *series, const clspi_part *part,
                                         const clspi_place in[], const clspi_target *out)
{
    clsp_patch_plan *const plan = clspi_patch_plan_of(base);

    (void)in;
    CLSPI_CHECK(clspi_patch_grids_upload(&plan->grids, series, &plan->desc));
    return clspi_faces_enqueue(&plan->faces, series, work->user,
                               (clsp_range){part->piece, part->num_lines}, out->buffer,
                               out->offset);
}

/* Writes the indices of a job that is checked: into host memory by the calling thread. */
static clsp_status make_indices(clsp_patch_plan *plan, const clspi_face_job *job,
                                const clsp_output *indices, const clsp_run *run)
{
    static const clspi_work_makers makers = {.on_host = make_facets,
                                             .on_device = make_facets_on_device};
    const size_t each = clspi_indices_per_facet(job);
    const clspi_memory_need need = {"indices", CLSP_U32, job->num_facets * each};
    const clspi_work work = {.plan = &plan->base,
                             .peers = &plan->peers,
                             .makers = &makers,
                             .user = job,
                             .user_bytes = sizeof *job,
                             .tiling = clspi_list_tiling(job->num_facets, each),
                             .out = {indices, need.what, need.type, each, false},
                             .line_items = each,
                             .line_ns = (double)each};
    clspi_memory memory;

    if (!clspi_output_is_host(indices)) return clspi_work_run(&work, run);
    clsp_status status = clspi_output_open(&memory, &plan->base, indices, &need);
    if (status == CLSP_OK) status = clspi_call_on_host(&plan->base, run);
    if (status == CLSP_OK)
        clspi_faces_on_host(job, (clsp_range){0, job->num_facets}, (uint32_t *)(void *)memory.host);
    clspi_memory_close(&memory);
    return status;
}

clsp_status clsp_patch_indices(clsp_patch_plan *plan, clsp_faces faces, clsp_range patches,
                               clsp_output indices, const clsp_run *run)
{
    size_t vertices;

    if (!plan) return clspi_null_argument(NULL, "clsp_patch_indices");
    clspi_face_job job = {.desc = &plan->desc,
                          .grids = &plan->grids,
                          .faces = faces == CLSP_FACES_DEFAULT ? CLSP_FACES_TRIANGLES : faces,
                          .patches = patches};
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(clspi_unshared_check(&plan->base, run, "an index buffer"));
    CLSPI_CHECK(clspi_faces_check(plan->base.ctx, plan->base.family, &job));
    CLSPI_CHECK(count_mesh(plan, patches, &vertices, &job.num_facets));
    const uint64_t num_vertices = vertices; /* a size_t of 32 bits is never too large */
    if (num_vertices > (uint64_t)UINT32_MAX + 1)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: %zu vertices are more than indices of 32 bits can count",
                          plan->base.family, vertices);
    return clspi_run_asks(run)
               ? clspi_run_report(run, job.num_facets * clspi_indices_per_facet(&job))
               : make_indices(plan, &job, &indices, run);
}
