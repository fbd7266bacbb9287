/* The search for the nearest points of curves through cubics, on a device (nearest_cubic.cl). */
#include <stdlib.h>

#include "check.h"
#include "cubics.h"
#include "host_device.h"
#include "methods.h"
#include "split.h"

typedef struct clspi_nearest_cubic {
    clspi_cubics cubics;
    clspi_kernel find[2]; /* a query an item, and one a work-group */
} clspi_nearest_cubic;

static clsp_status bad(const clsp_patch_plan *plan, const char *what, double value)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT, "%s: projection: mrep %s: %g",
                      plan->base.family, what, value);
}

static clsp_status check(const clsp_patch_plan *plan, uint32_t num_nearest)
{
    CLSPI_CHECK(clspi_needs_kernels(plan->base.ctx));
    if (plan->desc.own_bases > 0)
        return bad(plan, "takes no curves with knots of their own, and there are",
                   (double)plan->desc.own_bases);
    if (plan->desc.directions == 2)
        return bad(plan, "takes curves only, and directions is", plan->desc.directions);
    if (num_nearest > 1)
        return bad(plan, "gives one result a query, and num_nearest is", num_nearest);
    return plan->desc.rational
               ? clspi_fail(&plan->base.ctx->log, CLSP_ERROR_WEIGHTS,
                            "%s: projection: mrep of rational curves", plan->base.family)
               : CLSP_OK;
}

/* Tells whether a device's groups may share queries. */
static bool can_share(const clsp_context *ctx)
{
    return ctx->device.local_is_real && clspi_keeps_values(&ctx->device);
}

static clsp_status build_programs(const clspi_build *build, const clspi_tensor_desc *desc)
{
    const clspi_options options = clspi_segment_options(build->ctx, desc);

    CLSPI_CHECK(clspi_program_build(build, "nearest_cubic", &options));
    if (!can_share(build->ctx)) return CLSP_OK;
    return clspi_program_build_grouped(build, "nearest_cubic", &clspi_find_on_cubics_signature,
                                       &options);
}

/* Tells whether groups share queries: on GPUs, where there are so few that the device is not busy
   with an item each, and enough cubics for all items of a group. The limit is that up to which
   groups were the faster ones on an H200. Results do not depend on it. */
static bool is_shared(const clsp_context *ctx, const clsp_patch_plan *plan, size_t num_queries)
{
    enum { CUBICS_PER_ITEM = 2, MOST = 4 };
    const size_t group = ctx->tuning.work_group;
    const size_t busy = ctx->device.compute_units * ctx->tuning.items_per_unit;

    return plan->num_patches > 0 && can_share(ctx) &&
           plan->nearest->cubic->cubics.num >= CUBICS_PER_ITEM * group &&
           num_queries <= MOST * (busy / group);
}

static void destroy(clspi_nearest_cubic **ptr)
{
    clspi_nearest_cubic *const nearest = *ptr;

    *ptr = NULL;
    clspi_cubics_release(&nearest->cubics);
    clspi_kernel_release(&nearest->find[0]);
    clspi_kernel_release(&nearest->find[1]);
    free(nearest);
}

/* Makes what the search for so many queries needs, of control points that are there. */
static clsp_status prepare(clsp_patch_plan *plan, clspi_series *series, double tolerance,
                           size_t num_queries)
{
    clspi_nearest_cubic *nearest = plan->nearest->cubic;

    if (!nearest) nearest = plan->nearest->cubic = calloc(1, sizeof *nearest);
    if (!nearest) return clspi_nearest_no_memory(plan);
    plan->nearest->destroy_cubic = destroy;
    CLSPI_CHECK(clspi_cubics_prepare(plan, &nearest->cubics, series, tolerance));
    const bool shared = is_shared(series->ctx, plan, num_queries);
    clspi_kernel *const find = &nearest->find[shared];
    if (find->kernel) return CLSP_OK;
    const clspi_options options = clspi_segment_options(series->ctx, &plan->desc);
    return (shared ? clspi_kernel_create_grouped : clspi_kernel_create)(
        find, series->ctx, "nearest_cubic", &clspi_find_on_cubics_signature, &options);
}

/* Returns how many queries of so many items a launch may have: each looks at all boxes and cubics
   in the worst case, and closely at some dozen, about 500 multiply-adds each, as a rule. */
static uint64_t most_queries(const clsp_context *ctx, const clspi_tensor_desc *d,
                             const clspi_cubics *cubics, size_t local, size_t items)
{
    const uint64_t boxes = cubics->segments.offsets[cubics->segments.all_tiers];

    return clspi_launch_lines(&ctx->tuning,
                              items * 24 * 500 + 4 * d->dim * (boxes + 4 * (uint64_t)cubics->num),
                              items, local, 1);
}

/* Returns the arguments that all launches of a job share. Without curves there is nothing to be
   read, and the queries stand for it. */
static clspi_find_on_cubics_args common_args(const clsp_patch_plan *plan,
                                             const clspi_nearest_job *job)
{
    const clspi_cubics *const cubics = &plan->nearest->cubic->cubics;
    const clspi_segments *const segments = &cubics->segments;
    const bool is_empty = plan->num_patches == 0;
    const clspi_find_on_cubics_args args = {
        .segments = is_empty ? job->points : segments->segments,
        .boxes = is_empty ? job->points : segments->boxes,
        .tiers = is_empty ? job->points : segments->tier_table,
        .cubics = is_empty ? job->points : cubics->cubics,
        .firsts = is_empty ? job->points : cubics->firsts,
        .queries = job->points,
        .patches = job->patches ? job->patches : job->points,
        .hints = job->hints ? job->hints : job->points,
        .results = job->out,
        .shape = {.num_curves = (uint32_t)plan->num_patches,
                  .spans = segments->spans,
                  .tiers = segments->tiers,
                  .all_tiers = segments->all_tiers},
        .range = {.points_offset = job->points_offset,
                  .patches_offset = job->patches_offset,
                  .hints_offset = job->hints_offset,
                  .offset = job->offset,
                  .has_patches = job->patches != NULL,
                  .has_hints = job->hints != NULL,
                  .items = 0},
        .limits = {.max_dist = job->max_dist, .error = cubics->error, .cut = cubics->cut}};

    return args;
}

static clsp_status find(clsp_patch_plan *plan, clspi_series *series, const clspi_nearest_job *job,
                        double tolerance)
{
    const clspi_tensor_desc *const d = &plan->desc;

    CLSPI_CHECK(prepare(plan, series, tolerance, job->num));
    const clspi_nearest_cubic *const nearest = plan->nearest->cubic;
    const size_t result = clspi_nearest_reals(plan->desc.precision);
    const bool shared = is_shared(series->ctx, plan, job->num);
    const clspi_kernel *const find = &nearest->find[shared];
    const size_t items = shared ? find->local : 1;
    const uint64_t most = most_queries(series->ctx, d, &nearest->cubics, find->local, items);
    clspi_cut cut = {.per_piece = clspi_max(1, job->num), .left = job->num};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        clspi_find_on_cubics_args args = common_args(plan, job);
        args.range.points_offset += part.before * d->dim;
        args.range.patches_offset += part.before;
        args.range.hints_offset += part.before;
        args.range.offset += part.before * result;
        args.range.items = (uint32_t)part.num_lines;
        CLSPI_CHECK(clspi_launch_find_on_cubics(series, find, &args, part.num_lines * items));
    }
    return CLSP_OK;
}

const clspi_nearest_method clspi_published_mrep = {"mrep is the device's alone", check,
                                                   build_programs, find};
