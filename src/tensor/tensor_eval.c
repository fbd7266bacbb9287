#include "tensor_eval.h"

#include "check.h"
#include "edge_normals.h"
#include "index_buffers.h"
#include "transfer.h"
#include "vertex_layout.h"
#include "vertex_rows.h"
#include "work.h"

/* ---- checks ---- */

static clsp_status check_within(const clspi_tensor_plan *plan, clsp_range patches, size_t num)
{
    if (patches.first <= num && patches.count <= num - patches.first) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "%s: patches %zu to %zu + %zu of %zu", plan->base.family, patches.first,
                      patches.first, patches.count, num);
}

clsp_status clspi_tensor_check_patches(const clspi_tensor_plan *plan, clsp_range patches,
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
static clsp_status count_patches(const clspi_tensor_plan *plan, clsp_range patches,
                                 size_t *vertices, size_t *facets)
{
    clspi_log *const log = &plan->base.ctx->log;

    if (!clspi_has_patch_grids(&plan->grids) && plan->patch_vertices == 0)
        return clspi_fail(log, CLSP_ERROR_STATE, "%s: the plan has no grid", plan->base.family);
    if (clspi_count_patches(&plan->grids, &plan->desc, patches, vertices, facets)) return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_NO_MEMORY, "%s: the vertices are more than the address space",
                      plan->base.family);
}

clsp_status clspi_tensor_count_elements(const clspi_tensor_plan *plan, clsp_range patches,
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

/* ---- grids ---- */

clsp_status clspi_tensor_enqueue(clspi_tensor_plan *plan, clspi_series *series,
                                 const clspi_rows *rows)
{
    const clspi_tensor_desc *const d = &plan->desc;

    CLSPI_CHECK(clspi_tensor_ready(plan, series));
    CLSPI_CHECK(plan->is_plain ? clspi_sum_eval(&plan->sums.sum[0], series, rows)
                : plan->sums.last_in_rows
                    ? clspi_vertex_rows_eval(&plan->vertex_rows, &plan->sums, series, d,
                                             plan->assembly.sizes, rows)
                    : clspi_assembly_eval(&plan->assembly, &plan->sums, series, d, rows));
    return plan->family->after_rows ? plan->family->after_rows(plan, series, rows) : CLSP_OK;
}

/* What the parts of a call are made from. */
typedef struct eval_job {
    clspi_tensor_plan *plan;
    clspi_job_streams streams; /* vertices; at parameters also patches and params */
} eval_job;

clsp_status clspi_tensor_find_source(clspi_point_source *source, clspi_tensor_plan *plan,
                                     clspi_series *series)
{
    CLSPI_CHECK(clspi_tensor_bring(plan, series));
    if (!plan->basis && plan->family->make_basis)
        CLSPI_CHECK(plan->family->make_basis(plan, series));
    *source = (clspi_point_source){.desc = &plan->desc,
                                   .program = plan->family->points_program,
                                   .points = plan->points,
                                   .basis = plan->basis ? plan->basis : plan->points,
                                   .num_patches = plan->num_patches};
    return CLSP_OK;
}

clsp_status clspi_tensor_edge_normals(clspi_tensor_plan *plan, clspi_series *series,
                                      const clspi_rows *rows)
{
    clspi_point_source source;

    if (!(plan->desc.vertex.attributes & CLSP_VERTEX_NORMAL)) return CLSP_OK;
    CLSPI_CHECK(clspi_tensor_find_source(&source, plan, series));
    return clspi_edge_normals(&plan->point_kernels.edges, series, &source, rows,
                              &plan->sums.tables);
}

clspi_tiling clspi_tensor_tiling(const clspi_tensor_plan *plan, clsp_range patches, size_t elements)
{
    enum { ROWS = 8 }; /* of a tile, so that those that two tiles share are few */
    const size_t num_u = plan->desc.axis[0].num;
    clspi_tiling tiling = clspi_list_tiling(elements / plan->desc.vertex.stride, 1);

    if (clspi_tensor_has_own_rows(plan))
        tiling.pieces_per_tile =
            clspi_max(tiling.pieces_per_tile,
                      clspi_min(tiling.num_pieces / ROWS, plan->grids.longest_row) * ROWS);
    if (!clspi_tensor_has_rows(plan)) return tiling;
    return clspi_tiling_of(patches.count, num_u, clspi_tensor_row_vertices(plan),
                           CLSPI_ROWS_MULTIPLE);
}

size_t clspi_tensor_line_elements(const clspi_tensor_plan *plan)
{
    const size_t stride = plan->desc.vertex.stride;

    return clspi_tensor_has_rows(plan) ? clspi_tensor_row_vertices(plan) * stride : stride;
}

clspi_cut clspi_tensor_cut_vertices(const clspi_tensor_plan *plan, size_t first_patch,
                                    clsp_range vertices)
{
    return clspi_patch_grids_cut(&plan->grids, plan->grids.first_vertex, plan->patch_vertices,
                                 first_patch, vertices);
}

clsp_status clspi_tensor_enqueue_vertices(clspi_tensor_plan *plan, clspi_series *series,
                                          clsp_range vertices, cl_mem out, size_t offset)
{
    const clspi_cut cut = clspi_tensor_cut_vertices(plan, 0, vertices);
    clspi_point_source source;
    clspi_grid_job grids = {.grids = &plan->grids,
                            .per_patch = clspi_max(1, plan->patch_vertices),
                            .patch = cut.piece,
                            .vertex = cut.line,
                            .num = cut.left,
                            .out = out,
                            .offset = offset};

    CLSPI_CHECK(clspi_tensor_find_source(&source, plan, series));
    CLSPI_CHECK(clspi_patch_grids_bring(&plan->grids, series, &plan->desc));
    if (clspi_has_own_samples(&plan->desc)) {
        CLSPI_CHECK(clspi_own_samples_bring(&plan->samples, series, &plan->desc));
        grids.samples = plan->samples.buffer;
    }
    return clspi_eval_grids(&plan->point_kernels, series, &source, &grids);
}

/* ---- patch grids ---- */

void clspi_tensor_clear_patch_grids(clspi_tensor_plan *plan)
{
    clspi_tensor_forget_grids(plan);
    clspi_peers_forget(&plan->peers);
    clspi_patch_grids_clear(&plan->grids);
    plan->base.broken &= ~(uint32_t)CLSPI_CHANGE_GRIDS;
}

/* Takes numbers of samples from host memory. */
static clsp_status take_grids(clspi_tensor_plan *plan, size_t num_patches, const uint32_t *nums)
{
    clsp_context *const ctx = plan->base.ctx;
    clspi_call call;

    CLSPI_CHECK(clspi_patch_grids_set(&plan->grids, ctx, &plan->desc, num_patches, nums));
    if (clspi_is_own_cpu(ctx)) return CLSP_OK; /* a call whose kernels need them brings them */
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    return clspi_call_end(&call, clspi_patch_grids_bring(&plan->grids, &call.series, &plan->desc));
}

clsp_status clspi_tensor_set_patch_grids(clspi_tensor_plan *plan, size_t num_patches,
                                         const clsp_input *num)
{
    const char *const family = plan->base.family;
    clspi_log *const log = &plan->base.ctx->log;
    clspi_memory memory;
    clspi_memory_need need = {"numbers of samples", CLSP_U32, num_patches};

    CLSPI_CHECK(clspi_change_check(&plan->base));
    if (!clspi_size_mul(&need.count, clspi_grid_directions(&plan->desc)))
        return clspi_fail(log, CLSP_ERROR_NO_MEMORY, "%s: %zu grids", family, num_patches);
    if (num->buffer || num->svm)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: numbers of samples: host memory only",
                          family);
    if (num_patches > 0 && clspi_own_samples_given(&plan->samples))
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "%s: patch grids are uniform, and the axes have samples of their own",
                          family);
    CLSPI_CHECK(clspi_input_open(&memory, &plan->base, num, &need));
    if (num_patches == 0) {
        clspi_tensor_clear_patch_grids(plan);
        return CLSP_OK;
    }
    const clsp_status status =
        take_grids(plan, num_patches, (const uint32_t *)(const void *)memory.host);
    if (status == CLSP_ERROR_ARGUMENT) return status;
    clspi_tensor_forget_grids(plan);
    clspi_peers_forget(&plan->peers);
    plan->base.broken &= ~(uint32_t)CLSPI_CHANGE_GRIDS;
    if (status != CLSP_OK) plan->base.broken |= CLSPI_CHANGE_GRIDS;
    return status;
}

/* ---- faces ---- */

/* Counts the vertices and facets of patches, which need not be loaded. */
static clsp_status count_mesh(const clspi_tensor_plan *plan, clsp_range patches, size_t *vertices,
                              size_t *facets)
{
    if (clspi_has_patch_grids(&plan->grids))
        CLSPI_CHECK(check_within(plan, patches, plan->grids.num));
    return count_patches(plan, patches, vertices, facets);
}

clsp_status clspi_tensor_mesh_size(const clspi_tensor_plan *plan, clsp_range patches,
                                   clsp_mesh_size *size)
{
    clsp_mesh_size all = {0};
    size_t facets = 0;

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
    clspi_tensor_plan *const plan = (clspi_tensor_plan *)base; /* its first member */

    (void)in;
    CLSPI_CHECK(clspi_patch_grids_bring(&plan->grids, series, &plan->desc));
    return clspi_faces_enqueue(&plan->faces, series, work->user,
                               (clsp_range){part->piece, part->num_lines}, out->buffer,
                               out->offset);
}

/* Writes the indices of a job that is checked: into host memory by the calling thread. */
static clsp_status make_indices(clspi_tensor_plan *plan, const clspi_face_job *job,
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

clsp_status clspi_tensor_indices(clspi_tensor_plan *plan, clsp_faces faces, clsp_range patches,
                                 const clsp_output *indices, const clsp_run *run)
{
    clspi_face_job job = {
        .desc = &plan->desc, .grids = &plan->grids, .faces = faces, .patches = patches};
    size_t vertices;

    if (faces == CLSP_FACES_DEFAULT) job.faces = CLSP_FACES_TRIANGLES;
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(clspi_unshared_check(&plan->base, run, "an index buffer"));
    CLSPI_CHECK(clspi_faces_check(plan->base.ctx, plan->base.family, &job));
    CLSPI_CHECK(count_mesh(plan, patches, &vertices, &job.num_facets));
    const uint64_t num_vertices = vertices; /* a size_t of 32 bits is never too large */
    if (num_vertices > (uint64_t)UINT32_MAX + 1)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: %zu vertices are more than indices of 32 bits can count",
                          plan->base.family, vertices);
    return clspi_run_asks(run) ? clspi_run_tell(run, job.num_facets * clspi_indices_per_facet(&job))
                               : make_indices(plan, &job, indices, run);
}
