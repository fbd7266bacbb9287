#include "segments.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "split.h"

clspi_options clspi_segment_options(const clsp_context *ctx, const clspi_tensor_desc *desc)
{
    clspi_options options = clspi_options_of(ctx, desc->precision);

    clspi_option(&options, "DEGREE", desc->degrees[0]);
    clspi_option(&options, "DIM", desc->dim);
    clspi_option(&options, "RATIONAL", desc->rational);
    return options;
}

/* Counts the reals of a segment: CLSP_SEGMENT of segment.clh. */
static size_t segment_reals(const clspi_tensor_desc *d)
{
    return (size_t)(d->degrees[0] + 1) * clspi_coords(d) + clspi_frame_reals(d);
}

/* ---- what knots decide ---- */

static clsp_status make_buffer(cl_mem *buffer, clspi_series *series, const void *reals,
                               size_t bytes)
{
    CLSPI_CHECK(clspi_buffer_create(buffer, series->ctx, bytes));
    const clsp_status status = clspi_series_write(series, *buffer, 0, reals, bytes);
    if (status != CLSP_OK) clspi_buffer_release(buffer);
    return status;
}

clsp_status clspi_reals_create(cl_mem *buffer, clspi_series *series, clsp_type precision,
                               const double *reals, size_t num)
{
    if (precision == CLSP_F64) return make_buffer(buffer, series, reals, num * sizeof *reals);
    float *const narrow = malloc(num * sizeof *narrow);
    if (!narrow)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "projection: no memory for %zu numbers", num);
    for (size_t i = 0; i < num; i++)
        narrow[i] = (float)reals[i];
    const clsp_status status = make_buffer(buffer, series, narrow, num * sizeof *narrow);
    free(narrow);
    return status;
}

/* Makes the buffers that depend on knots alone. */
static clsp_status make_tables(clspi_segments *segments, clspi_series *series, clsp_type precision,
                               const clspi_spans *spans)
{
    const size_t num = spans->sets * spans->spans;

    segments->spans = spans->spans;
    segments->has_own = spans->sets > 1;
    CLSPI_CHECK(clspi_reals_create(&segments->span_table, series, precision, spans->ends,
                                   CLSPI_SPAN_ENDS * num));
    CLSPI_CHECK(make_buffer(&segments->controls, series, spans->first, num * sizeof *spans->first));
    return clspi_reals_create(&segments->operators, series, precision, spans->operators,
                              num * spans->order * spans->order);
}

static clsp_status prepare_tables(clspi_segments *segments, clspi_series *series,
                                  const clsp_patch_plan *plan)
{
    clspi_spans spans;

    if (segments->operators) return CLSP_OK;
    clspi_buffer_release(&segments->span_table); /* of a call that failed */
    clspi_buffer_release(&segments->controls);
    clsp_status status = clspi_nearest_spans(plan, 0, &spans);
    if (status == CLSP_OK) status = make_tables(segments, series, plan->desc.precision, &spans);
    clspi_spans_release(&spans);
    return status;
}

/* ---- the tree ---- */

/* Counts the boxes of all tiers: those of each curve's segments, joined until there is one, and
   these joined until there is one of all. */
static clsp_status count_tiers(clspi_segments *segments, clsp_context *ctx, size_t num_curves)
{
    uint64_t count = segments->spans, curves = num_curves, before = 0;
    cl_uint tier = 0;

    for (;; tier++, count = clspi_div_up((size_t)count, CLSPI_SEGMENT_FAN)) {
        segments->counts[tier] = (cl_uint)count;
        segments->offsets[tier] = before;
        before += count * curves;
        if (before > UINT32_MAX)
            return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                              "projection: the segments of %zu curves are more than 32 bits count",
                              num_curves);
        if (count == 1) break;
    }
    segments->tiers = ++tier;
    for (count = num_curves; count > 1; tier++) {
        count = clspi_div_up((size_t)count, CLSPI_SEGMENT_FAN);
        segments->counts[tier] = (cl_uint)count;
        segments->offsets[tier] = before;
        before += count;
    }
    segments->all_tiers = tier;
    segments->offsets[tier] = before;
    return CLSP_OK;
}

static clsp_status write_tiers(clspi_segments *segments, clspi_series *series)
{
    cl_uint table[CLSPI_BOX_TIERS][2];

    for (cl_uint i = 0; i < segments->all_tiers; i++) {
        table[i][0] = (cl_uint)segments->offsets[i];
        table[i][1] = segments->counts[i];
    }
    if (!segments->tier_table)
        CLSPI_CHECK(clspi_buffer_create(&segments->tier_table, series->ctx, sizeof table));
    return clspi_series_write(series, segments->tier_table, 0, table,
                              segments->all_tiers * sizeof table[0]);
}

/* Makes the boxes of a tier of those below. */
static clsp_status join_tier(const clspi_segments *segments, clspi_series *series, cl_uint tier,
                             size_t num_curves)
{
    const bool of_curve = tier < segments->tiers;
    const size_t per_row = segments->counts[tier];
    const size_t from = of_curve                  ? segments->counts[tier - 1]
                        : tier == segments->tiers ? num_curves
                                                  : segments->counts[tier - 1];
    clspi_cut cut = {.per_piece = per_row, .left = per_row * (of_curve ? num_curves : 1)};
    const uint64_t most =
        clspi_launch_lines(&series->ctx->tuning, CLSPI_SEGMENT_FAN, 1, segments->join.local, 1);
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_join_boxes_args args = {.boxes = segments->boxes,
                                            .range = {.first = part.before,
                                                      .at = segments->offsets[tier],
                                                      .below = segments->offsets[tier - 1],
                                                      .from = (cl_uint)from,
                                                      .row_nodes = (cl_uint)per_row,
                                                      .items = (cl_uint)part.num_lines}};
        CLSPI_CHECK(clspi_launch_join_boxes(series, &segments->join, &args, part.num_lines));
    }
    return CLSP_OK;
}

/* ---- segments ---- */

static clsp_status launch_segments(const clsp_patch_plan *plan, const clspi_segments *segments,
                                   clspi_series *series)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const uint64_t order = d->terms[0];
    const uint64_t most =
        clspi_launch_lines(&series->ctx->tuning, order * order * (d->dim + 2 * d->rational), 1,
                           segments->make.local, 1);
    clspi_cut cut = {.per_piece = segments->spans, .left = plan->num_patches * segments->spans};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_make_segments_args args = {
            .points = plan->nearest->is_scaled ? plan->nearest->points : plan->points,
            .operators = segments->operators,
            .controls = segments->controls,
            .spans = segments->span_table,
            .segments = segments->segments,
            .boxes = segments->boxes,
            .range = {.first = part.before,
                      .curve_reals = plan->patch_reals,
                      .spans = segments->spans,
                      .has_own_knots = segments->has_own,
                      .items = (cl_uint)part.num_lines}};
        CLSPI_CHECK(clspi_launch_make_segments(series, &segments->make, &args, part.num_lines));
    }
    return CLSP_OK;
}

/* Makes room for the segments and boxes of all curves. */
static clsp_status reserve(clspi_segments *segments, clsp_context *ctx, const clspi_tensor_desc *d,
                           size_t num_curves)
{
    const size_t real = clsp_type_bytes(d->precision);
    size_t bytes = segment_reals(d) * real, boxes = 2 * d->dim * real;

    if (!clspi_size_mul(&bytes, segments->spans) || !clspi_size_mul(&bytes, num_curves) ||
        !clspi_size_mul(&boxes, (size_t)segments->offsets[segments->all_tiers]))
        return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                          "projection: the segments are more than the address space");
    CLSPI_CHECK(clspi_buffer_reserve(&segments->segments, &segments->segments_bytes, ctx, bytes));
    return clspi_buffer_reserve(&segments->boxes, &segments->boxes_bytes, ctx, boxes);
}

static clsp_status make_kernels(clspi_segments *segments, clsp_context *ctx,
                                const clspi_tensor_desc *desc)
{
    const clspi_options options = clspi_segment_options(ctx, desc);

    if (!segments->make.kernel)
        CLSPI_CHECK(clspi_kernel_create(&segments->make, ctx, "segments",
                                        &clspi_make_segments_signature, &options));
    return segments->join.kernel ? CLSP_OK
                                 : clspi_kernel_create(&segments->join, ctx, "segments",
                                                       &clspi_join_boxes_signature, &options);
}

/* Brings the control points to the device, as they are searched. */
static clsp_status bring_points(clsp_patch_plan *plan, clspi_series *series)
{
    const size_t bytes =
        plan->num_patches * plan->patch_reals * clsp_type_bytes(plan->desc.precision);
    const void *points;
    void *own;

    if (!plan->nearest->is_scaled) return clspi_patch_upload(plan, series);
    clspi_buffer_release(&plan->nearest->points);
    pthread_mutex_lock(&plan->base.lock);
    clsp_status status = clspi_nearest_points(plan, &points, &own);
    pthread_mutex_unlock(&plan->base.lock);
    if (status == CLSP_OK) status = make_buffer(&plan->nearest->points, series, points, bytes);
    free(own);
    return status;
}

clsp_status clspi_segments_prepare(clsp_patch_plan *plan, clspi_segments *segments,
                                   clspi_series *series)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const size_t num_curves = plan->num_patches;

    if (num_curves == 0) return CLSP_OK;
    if (segments->is_made && segments->load == plan->loads) return CLSP_OK;
    segments->is_made = false;
    CLSPI_CHECK(bring_points(plan, series));
    CLSPI_CHECK(prepare_tables(segments, series, plan));
    CLSPI_CHECK(count_tiers(segments, series->ctx, num_curves));
    CLSPI_CHECK(make_kernels(segments, series->ctx, d));
    CLSPI_CHECK(reserve(segments, series->ctx, d, num_curves));
    CLSPI_CHECK(write_tiers(segments, series));
    CLSPI_CHECK(launch_segments(plan, segments, series));
    for (cl_uint tier = 1; tier < segments->all_tiers; tier++)
        CLSPI_CHECK(join_tier(segments, series, tier, num_curves));
    segments->is_made = true;
    segments->load = plan->loads;
    return CLSP_OK;
}

void clspi_segments_release(clspi_segments *segments)
{
    clspi_buffer_release(&segments->segments);
    clspi_buffer_release(&segments->boxes);
    clspi_buffer_release(&segments->tier_table);
    clspi_buffer_release(&segments->operators);
    clspi_buffer_release(&segments->controls);
    clspi_buffer_release(&segments->span_table);
    clspi_kernel_release(&segments->make);
    clspi_kernel_release(&segments->join);
}
