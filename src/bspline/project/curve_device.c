#include "curve_device.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "product_weights.h"
#include "split.h"

/* ---- preparation ---- */

static clsp_status make_weights(clspi_nearest *nearest, clspi_series *series,
                                const clspi_tensor_desc *d)
{
    const size_t num = clspi_product_weights(NULL, d->degrees[0], d->rational);
    double *const w = malloc(num * sizeof *w);

    if (!w)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for %zu weights of products", num);
    clspi_product_weights(w, d->degrees[0], d->rational);
    const clsp_status status = clspi_reals_create(&nearest->weights, series, d->precision, w, num);
    free(w);
    return status;
}

clspi_options clspi_nearest_options(const clsp_context *ctx, const clspi_tensor_desc *desc,
                                    bool many)
{
    clspi_options options = clspi_segment_options(ctx, desc);

    clspi_option(&options, "MANY", many);
    return options;
}

clsp_status clspi_nearest_prepare(clspi_bspline_plan *plan, clspi_series *series,
                                  uint32_t num_nearest)
{
    const clspi_tensor_desc *const d = &plan->tensor.desc;
    clspi_nearest *nearest = plan->nearest;

    if (!nearest) nearest = plan->nearest = calloc(1, sizeof *nearest);
    if (!nearest)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for a search");
    CLSPI_CHECK(clspi_segments_prepare(plan, &nearest->segments, series));
    if (!nearest->weights) CLSPI_CHECK(make_weights(nearest, series, d));
    clspi_kernel *const kernel = &nearest->find[num_nearest > 1];
    if (kernel->kernel) return CLSP_OK;
    const clspi_options options = clspi_nearest_options(series->ctx, d, num_nearest > 1);
    return clspi_kernel_create(kernel, series->ctx, "nearest", &clspi_find_nearest_signature,
                               &options);
}

void clspi_nearest_destroy(clspi_nearest **ptr)
{
    clspi_nearest *const nearest = *ptr;

    if (!nearest) return;
    *ptr = NULL;
    clspi_segments_release(&nearest->segments);
    clspi_kernel_release(&nearest->find[0]);
    clspi_kernel_release(&nearest->find[1]);
    clspi_buffer_release(&nearest->weights);
    free(nearest);
}

/* ---- the search ---- */

/* Returns how many queries a launch may have: each looks at all boxes in the worst case, and at a
   few segments, a dozen times each, as a rule. */
static uint64_t most_queries(const clsp_context *ctx, const clspi_tensor_desc *d,
                             const clspi_segments *segments, size_t local)
{
    const uint64_t order = d->terms[0], part = 4 * order * order * (clspi_coords(d) + 1);
    const uint64_t boxes = segments->offsets[segments->all_tiers];

    return clspi_launch_lines(&ctx->tuning, 16 * part + 4 * d->dim * boxes, 1, local, 1);
}

clsp_status clspi_nearest_find(const clspi_bspline_plan *plan, clspi_series *series,
                               const clspi_nearest_job *job)
{
    const clspi_tensor_desc *const d = &plan->tensor.desc;
    const clspi_nearest *const nearest = plan->nearest;
    const clspi_segments *const segments = &nearest->segments;
    const clspi_kernel *const find = &nearest->find[job->num_nearest > 1];
    const size_t result = d->precision == CLSP_F32 ? CLSP_NEAREST_F32_SIZE : CLSP_NEAREST_F64_SIZE;
    const uint64_t most = most_queries(series->ctx, d, segments, find->local);
    clspi_cut cut = {.per_piece = clspi_max(1, job->num), .left = job->num};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_find_nearest_args args = {
            .segments = segments->segments ? segments->segments : job->points, /* not read then */
            .boxes = segments->boxes ? segments->boxes : job->points,
            .tiers = segments->tier_table ? segments->tier_table : job->points,
            .weights = nearest->weights,
            .queries = job->points,
            .patches = job->patches ? job->patches : job->points,
            .hints = job->hints ? job->hints : job->points,
            .results = job->out,
            .shape = {.num_curves = (cl_uint)plan->tensor.num_patches,
                      .spans = segments->spans,
                      .tiers = segments->tiers,
                      .all_tiers = segments->all_tiers},
            .range = {.points_offset = job->points_offset + part.before * d->dim,
                      .patches_offset = job->patches_offset + part.before,
                      .hints_offset = job->hints_offset + part.before,
                      .offset = job->offset + part.before * result * job->num_nearest,
                      .has_patches = job->patches != NULL,
                      .has_hints = job->hints != NULL,
                      .num = job->num_nearest,
                      .items = (cl_uint)part.num_lines},
            .max_dist = job->max_dist};
        CLSPI_CHECK(clspi_launch_find_nearest(series, find, &args, part.num_lines));
    }
    return CLSP_OK;
}
