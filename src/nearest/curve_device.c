#include "curve_device.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "product_weights.h"
#include "segments.h"
#include "split.h"

struct clspi_curve_device {
    clspi_segments segments;
    clspi_kernel find[2]; /* one result a query, and several */
    cl_mem weights;       /* of products in Bernstein form */
};

/* ---- preparation ---- */

static clsp_status make_weights(clspi_curve_device *device, clspi_series *series,
                                const clsp_patch_plan *plan)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const size_t num = clspi_product_weights(NULL, d->degrees[0], d->rational);
    double *const w = malloc(num * sizeof *w);

    if (!w) return clspi_nearest_no_memory(plan);
    clspi_product_weights(w, d->degrees[0], d->rational);
    const clsp_status status = clspi_reals_create(&device->weights, series, d->precision, w, num);
    free(w);
    return status;
}

/* Returns the build options of nearest.cl; many: for several results a query. */
static clspi_options options_of(const clsp_context *ctx, const clspi_tensor_desc *desc, bool many)
{
    clspi_options options = clspi_segment_options(ctx, desc);

    clspi_option(&options, "MANY", many);
    return options;
}

clsp_status clspi_curve_device_build(const clspi_build *build, const clspi_tensor_desc *desc,
                                     bool many)
{
    const clspi_options segments = clspi_segment_options(build->ctx, desc);

    CLSPI_CHECK(clspi_program_build(build, "segments", &segments));
    for (int i = 0; i <= many; i++) {
        const clspi_options options = options_of(build->ctx, desc, i > 0);
        CLSPI_CHECK(clspi_program_build(build, "nearest", &options));
    }
    return CLSP_OK;
}

/* Makes what the search needs. */
static clsp_status prepare(clsp_patch_plan *plan, clspi_series *series, bool many)
{
    clspi_curve_device *device = plan->nearest->curve_device;

    if (!device) device = plan->nearest->curve_device = calloc(1, sizeof *device);
    if (!device) return clspi_nearest_no_memory(plan);
    CLSPI_CHECK(clspi_segments_prepare(plan, &device->segments, series));
    if (!device->weights) CLSPI_CHECK(make_weights(device, series, plan));
    if (device->find[many].kernel) return CLSP_OK;
    const clspi_options options = options_of(series->ctx, &plan->desc, many);
    return clspi_kernel_create(&device->find[many], series->ctx, "nearest",
                               &clspi_find_nearest_signature, &options);
}

void clspi_curve_device_destroy(clspi_curve_device **ptr)
{
    clspi_curve_device *const device = *ptr;

    if (!device) return;
    *ptr = NULL;
    clspi_segments_release(&device->segments);
    clspi_kernel_release(&device->find[0]);
    clspi_kernel_release(&device->find[1]);
    clspi_buffer_release(&device->weights);
    free(device);
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

clsp_status clspi_curve_device_find(clsp_patch_plan *plan, clspi_series *series,
                                    const clspi_nearest_job *job)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const bool many = job->num_nearest > 1;

    CLSPI_CHECK(prepare(plan, series, many));
    const clspi_curve_device *const device = plan->nearest->curve_device;
    const clspi_segments *const segments = &device->segments;
    const clspi_kernel *const find = &device->find[many];
    const size_t result = clspi_nearest_reals(plan->desc.precision);
    const uint64_t most = most_queries(series->ctx, d, segments, find->local);
    clspi_cut cut = {.per_piece = clspi_max(1, job->num), .left = job->num};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_find_nearest_args args = {
            .segments = segments->segments ? segments->segments : job->points, /* not read then */
            .boxes = segments->boxes ? segments->boxes : job->points,
            .tiers = segments->tier_table ? segments->tier_table : job->points,
            .weights = device->weights,
            .queries = job->points,
            .patches = job->patches ? job->patches : job->points,
            .hints = job->hints ? job->hints : job->points,
            .results = job->out,
            .shape = {.num_curves = (cl_uint)plan->num_patches,
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
