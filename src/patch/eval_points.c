#include "eval_points.h"

#include "check.h"
#include "vertex_assembly.h"
#include "vertex_layout.h"

/* ---- kernels ---- */

clspi_options clspi_point_options(const clsp_context *ctx, const clspi_tensor_desc *desc)
{
    clspi_options options = clspi_vertex_options(ctx, desc);

    clspi_option(&options, "TRIANGLE", desc->is_triangle);
    clspi_option(&options, "WATERTIGHT", desc->watertight);
    if (desc->own_bases > 0) clspi_option(&options, "OWN_BASIS", 1);
    return options;
}

clsp_status clspi_point_kernel_prepare(clspi_kernel *kernel, clsp_context *ctx,
                                       const clspi_point_source *source,
                                       const clspi_signature *signature)
{
    if (kernel->kernel) return CLSP_OK;
    const clspi_options options = clspi_point_options(ctx, source->desc);
    return clspi_kernel_create(kernel, ctx, source->program, signature, &options);
}

void clspi_point_kernels_release(clspi_point_kernels *kernels)
{
    clspi_kernel_release(&kernels->points);
    clspi_kernel_release(&kernels->grids);
    clspi_kernel_release(&kernels->edges);
}

uint64_t clspi_vertices_of_a_launch(const clsp_context *ctx, const clspi_tensor_desc *desc)
{
    enum { DIVISION = 16 }; /* a division costs about so many multiply-adds */
    const uint64_t term = DIVISION + 2 * clspi_coords(desc);
    uint64_t sums = 1, terms = desc->num_controls;

    for (unsigned i = 0; i < CLSP_VERTEX_MAX_ATTRIBUTES; i++)
        if (desc->vertex.attributes & 1u << i)
            sums += 1u << i == CLSP_VERTEX_NORMAL ? 2 : 1u << i == CLSP_VERTEX_CURVATURE ? 5 : 1;
    if (!desc->is_triangle) terms = (uint64_t)desc->terms[0] * desc->terms[1] * desc->terms[2];
    for (uint32_t k = 0; k < desc->directions; k++) /* whose values are sums themselves */
        if (clspi_is_banded(desc, k)) terms *= desc->terms[k];
    const uint64_t fma = terms * sums * term;
    return clspi_launch_lines(&ctx->tuning, fma, 1, ctx->tuning.work_group, 1);
}

clspi_patch_shape clspi_patch_shape_of(const clspi_tensor_desc *desc)
{
    const clspi_patch_shape shape = {.patch_reals = desc->num_controls * clspi_coords(desc),
                                     .basis_reals = desc->basis_reals,
                                     .controls_u = desc->controls[0],
                                     .controls_v = desc->controls[1],
                                     .controls_w = desc->controls[2],
                                     .degree_u = desc->degrees[0],
                                     .degree_v = desc->degrees[1],
                                     .degree_w = desc->degrees[2]};

    return shape;
}

/* ---- at parameters ---- */

static clspi_real4 domain_end(const clspi_tensor_desc *desc, int end)
{
    const clspi_real4 reals = {
        {desc->domain[0][end], desc->domain[1][end], desc->domain[2][end], 0.0}};

    return reals;
}

clsp_status clspi_eval_points(clspi_point_kernels *kernels, clspi_series *series,
                              const clspi_point_source *source, const clspi_point_job *job)
{
    const clspi_tensor_desc *const d = source->desc;
    const uint64_t most = clspi_vertices_of_a_launch(series->ctx, d);
    clspi_cut cut = {.per_piece = clspi_max(1, job->num), .left = job->num};
    clspi_part part;

    CLSPI_CHECK(clspi_point_kernel_prepare(&kernels->points, series->ctx, source,
                                           &clspi_eval_points_signature));
    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_eval_points_args args = {
            .points = source->points,
            .basis = source->basis,
            .patches = job->patches,
            .params_u = job->params[0],
            .params_v = job->params[1],
            .params_w = job->params[2],
            .out = job->out,
            .shape = clspi_patch_shape_of(d),
            .range = {.patches_offset = job->patches_offset + part.before,
                      .u_offset = job->params_offset[0] + part.before * job->step,
                      .v_offset = job->params_offset[1] + part.before * job->step,
                      .w_offset = job->params_offset[2] + part.before * job->step,
                      .offset = job->offset + part.before * d->vertex.stride,
                      .num_patches = (uint32_t)clspi_min(source->num_patches, UINT32_MAX),
                      .has_patches = job->has_patches,
                      .step = (uint32_t)job->step,
                      .items = (uint32_t)part.num_lines},
            .begin = domain_end(d, 0),
            .end = domain_end(d, 1)};
        CLSPI_CHECK(clspi_launch_eval_points(series, &kernels->points, &args, part.num_lines));
    }
    return CLSP_OK;
}

/* ---- on grids ---- */

uint32_t clspi_triangle_row(uint32_t length, uint32_t step, size_t item, uint32_t *rest)
{
    uint32_t low = 0, count = (length + step - 1) / step;
    uint64_t begin = 0;

    while (count > 1) {
        const uint64_t r = low + count / 2;
        const uint64_t before = r * length - step * (r * (r - 1) / 2);
        if (before > item) {
            count /= 2;
        } else {
            low = (uint32_t)r;
            begin = before;
            count -= count / 2;
        }
    }
    *rest = (uint32_t)(item - begin);
    return low;
}

/* Sets the sample where a launch begins within its first patch. */
static void set_begin(clspi_patch_range *range, const clspi_tensor_desc *desc,
                      const clspi_patch_grids *grids, const clspi_part *part)
{
    const uint32_t num_u = clspi_samples_of(grids, desc, part->piece, 0);
    const uint32_t num_v = clspi_samples_of(grids, desc, part->piece, 1);
    const uint32_t num_w = clspi_samples_of(grids, desc, part->piece, 2);

    if (desc->is_triangle) {
        range->first_u = clspi_triangle_row(num_u, 1, part->line, &range->skip);
        return;
    }
    const size_t line = part->line / num_w;
    range->first_u = (uint32_t)(line / num_v);
    range->first_v = (uint32_t)(line % num_v);
    range->skip = (uint32_t)(part->line % num_w);
}

static clsp_status launch_grids(const clspi_point_kernels *kernels, clspi_series *series,
                                const clspi_point_source *source, const clspi_grid_job *job,
                                const clspi_part *part)
{
    const clspi_tensor_desc *const d = source->desc;
    const clspi_patch_grids *const grids = job->grids;
    const bool own = clspi_has_patch_grids(grids);
    clspi_eval_patch_grids_args args = {
        .points = source->points,
        .basis = source->basis,
        .nums = own ? grids->nums_buffer : source->points, /* not read then */
        .prefix = own ? grids->vertex_buffer : source->points,
        .samples = job->samples ? job->samples : source->points,
        .out = job->out,
        .shape = clspi_patch_shape_of(d),
        .range = {.first_patch = part->piece,
                  .offset = job->offset + part->before * d->vertex.stride,
                  .num_patches = (uint32_t)part->num_pieces,
                  /* patches of one launch that are cut from common grids fit; of a part the number
                     is not used */
                  .per_patch = own ? 0 : (uint32_t)clspi_min(job->per_patch, UINT32_MAX),
                  .first_u = 0,
                  .first_v = 0,
                  .skip = 0,
                  .has_samples = job->samples != NULL,
                  .items = (uint32_t)part->num_lines},
        .axis_u = clspi_sample_axis_of(d, 0),
        .axis_v = clspi_sample_axis_of(d, 1),
        .axis_w = clspi_sample_axis_of(d, 2)};

    set_begin(&args.range, d, grids, part);
    return clspi_launch_eval_patch_grids(series, &kernels->grids, &args, part->num_lines);
}

clsp_status clspi_eval_grids(clspi_point_kernels *kernels, clspi_series *series,
                             const clspi_point_source *source, const clspi_grid_job *job)
{
    const uint64_t most = clspi_vertices_of_a_launch(series->ctx, source->desc);
    clspi_cut cut = {.prefix = job->grids->first_vertex,
                     .per_piece = job->per_patch,
                     .piece = job->patch,
                     .line = job->vertex,
                     .left = job->num};
    clspi_part part;

    CLSPI_CHECK(clspi_point_kernel_prepare(&kernels->grids, series->ctx, source,
                                           &clspi_eval_patch_grids_signature));
    while (clspi_cut_next(&cut, most, &part))
        CLSPI_CHECK(launch_grids(kernels, series, source, job, &part));
    return CLSP_OK;
}
