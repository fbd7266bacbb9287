#include "patch_rows.h"

#include "check.h"
#include "edge_normals.h"
#include "transfer.h"
#include "vertex_layout.h"
#include "vertex_rows.h"

/* ---- grids ---- */

clsp_status clspi_patch_enqueue(clsp_patch_plan *plan, clspi_series *series, const clspi_rows *rows)
{
    const clspi_tensor_desc *const d = &plan->desc;

    CLSPI_CHECK(clspi_patch_ready(plan, series));
    CLSPI_CHECK(plan->is_plain ? clspi_sum_eval(&plan->sums.sum[0], series, rows)
                : plan->sums.last_in_rows
                    ? clspi_vertex_rows_eval(&plan->vertex_rows, &plan->sums, series, d,
                                             plan->assembly.sizes, rows)
                    : clspi_assembly_eval(&plan->assembly, &plan->sums, series, d, rows));
    return plan->family->after_rows ? plan->family->after_rows(plan, series, rows) : CLSP_OK;
}

clsp_status clspi_patch_find_source(clspi_point_source *source, clsp_patch_plan *plan,
                                    clspi_series *series)
{
    CLSPI_CHECK(clspi_patch_upload(plan, series));
    if (!plan->basis && plan->family->make_basis)
        CLSPI_CHECK(plan->family->make_basis(plan, series));
    *source = (clspi_point_source){.desc = &plan->desc,
                                   .program = plan->family->points_program,
                                   .points = plan->points,
                                   .basis = plan->basis ? plan->basis : plan->points,
                                   .num_patches = plan->num_patches};
    return CLSP_OK;
}

clsp_status clspi_patch_edge_normals(clsp_patch_plan *plan, clspi_series *series,
                                     const clspi_rows *rows)
{
    clspi_point_source source;

    if (!(plan->desc.vertex.attributes & CLSP_VERTEX_NORMAL)) return CLSP_OK;
    CLSPI_CHECK(clspi_patch_find_source(&source, plan, series));
    return clspi_edge_normals(&plan->point_kernels.edges, series, &source, rows,
                              &plan->sums.tables);
}

clspi_tiling clspi_patch_tiling(const clsp_patch_plan *plan, clsp_range patches, size_t elements)
{
    enum { ROWS = 8 }; /* of a tile, so that those that two tiles share are few */
    const size_t num_u = plan->desc.axis[0].num;
    clspi_tiling tiling = clspi_list_tiling(elements / plan->desc.vertex.stride, 1);

    if (clspi_patch_has_own_rows(plan))
        tiling.pieces_per_tile =
            clspi_max(tiling.pieces_per_tile,
                      clspi_min(tiling.num_pieces / ROWS, plan->grids.longest_row) * ROWS);
    if (!clspi_patch_has_rows(plan)) return tiling;
    return clspi_tiling_of(patches.count, num_u, clspi_patch_row_vertices(plan),
                           CLSPI_ROWS_MULTIPLE);
}

size_t clspi_patch_line_elements(const clsp_patch_plan *plan)
{
    const size_t stride = plan->desc.vertex.stride;

    return clspi_patch_has_rows(plan) ? clspi_patch_row_vertices(plan) * stride : stride;
}

clspi_cut clspi_patch_cut_vertices(const clsp_patch_plan *plan, size_t first_patch,
                                   clsp_range vertices)
{
    return clspi_patch_grids_cut(&plan->grids, plan->grids.first_vertex, plan->patch_vertices,
                                 first_patch, vertices);
}

clsp_status clspi_patch_vertices_ready(clsp_patch_plan *plan, clspi_series *series)
{
    clspi_point_source source;

    CLSPI_CHECK(clspi_patch_find_source(&source, plan, series));
    CLSPI_CHECK(clspi_patch_grids_upload(&plan->grids, series, &plan->desc));
    return clspi_has_own_samples(&plan->desc)
               ? clspi_own_samples_upload(&plan->samples, series, &plan->desc)
               : CLSP_OK;
}

clsp_status clspi_patch_enqueue_vertices(clsp_patch_plan *plan, clspi_series *series,
                                         clsp_range vertices, cl_mem out, size_t offset)
{
    const clspi_cut cut = clspi_patch_cut_vertices(plan, 0, vertices);
    clspi_point_source source;
    clspi_grid_job grids = {.grids = &plan->grids,
                            .per_patch = clspi_max(1, plan->patch_vertices),
                            .patch = cut.piece,
                            .vertex = cut.line,
                            .num = cut.left,
                            .out = out,
                            .offset = offset};

    CLSPI_CHECK(clspi_patch_vertices_ready(plan, series));
    CLSPI_CHECK(clspi_patch_find_source(&source, plan, series));
    if (clspi_has_own_samples(&plan->desc)) grids.samples = plan->samples.buffer;
    return clspi_eval_grids(&plan->point_kernels, series, &source, &grids);
}

/* ---- patch grids ---- */

void clspi_patch_clear_grids(clsp_patch_plan *plan)
{
    clspi_patch_forget_grids(plan);
    clspi_peers_forget(&plan->peers);
    clspi_patch_grids_clear(&plan->grids);
    plan->base.broken &= ~(uint32_t)CLSPI_CHANGE_GRIDS;
}

/* Takes numbers of samples that have been checked. */
static clsp_status take_grids(clsp_patch_plan *plan, size_t num_patches, const uint32_t *nums)
{
    clsp_context *const ctx = plan->base.ctx;
    clspi_call call;

    CLSPI_CHECK(clspi_patch_grids_set(&plan->grids, ctx, &plan->desc, num_patches, nums));
    if (clspi_is_own_cpu(ctx)) return CLSP_OK; /* a call whose kernels need them brings them */
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    return clspi_call_end(&call, clspi_patch_grids_upload(&plan->grids, &call.series, &plan->desc));
}

/* Finds numbers of samples in host memory, and checks them. */
static clsp_status find_nums(clsp_patch_plan *plan, size_t num_patches, const clsp_input *num,
                             const uint32_t **nums)
{
    const char *const family = plan->base.family;
    clspi_log *const log = &plan->base.ctx->log;
    clspi_memory memory;
    clspi_memory_need need = {"numbers of samples", CLSP_U32, num_patches};

    if (!clspi_size_mul(&need.count, clspi_grid_directions(&plan->desc)))
        return clspi_fail(log, CLSP_ERROR_NO_MEMORY, "%s: %zu grids", family, num_patches);
    if (num->buffer || num->svm)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: numbers of samples: host memory only",
                          family);
    CLSPI_CHECK(clspi_input_open(&memory, &plan->base, num, &need));
    *nums = (const uint32_t *)(const void *)memory.host;
    return clspi_patch_grids_check(plan->base.ctx, &plan->desc, num_patches, *nums);
}

/* Tells whether some axis has parameters of its own: of others that are given, else of the
   plan's. */
static bool has_params(const clsp_patch_plan *plan, const clsp_axis *axis)
{
    bool has = !axis && clspi_own_samples_given(&plan->samples);

    for (uint32_t k = 0; axis && k < clspi_grid_directions(&plan->desc); k++)
        has = has || axis[k].params;
    return has;
}

clsp_status clspi_patch_set_grids(clsp_patch_plan *plan, const clsp_axis *axis, size_t num_patches,
                                  const clsp_input *num)
{
    const uint32_t *nums = NULL;

    CLSPI_CHECK(clspi_change_check(&plan->base));
    if (num_patches > 0) CLSPI_CHECK(find_nums(plan, num_patches, num, &nums));
    if (num_patches > 0 && has_params(plan, axis))
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: patch grids are uniform, and the axes have samples of their own",
                          plan->base.family);
    if (axis) CLSPI_CHECK(plan->family->set_axes(plan, axis));
    if (num_patches == 0) {
        if (!axis) clspi_patch_clear_grids(plan);
        return CLSP_OK;
    }
    const clsp_status status = take_grids(plan, num_patches, nums);
    clspi_patch_forget_grids(plan);
    clspi_peers_forget(&plan->peers);
    plan->base.broken &= ~(uint32_t)CLSPI_CHANGE_GRIDS;
    if (status != CLSP_OK) plan->base.broken |= CLSPI_CHANGE_GRIDS;
    return status;
}
