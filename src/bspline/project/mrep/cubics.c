#include "cubics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "cubic_fit.h"
#include "split.h"

enum {
    MOST_HALVINGS = 24,    /* of a segment, one after another: parts' numbers are exact in floats */
    MOST_CUBICS = 1 << 22, /* made by halving; more segments than that have a cubic each */
    ROW = 64               /* of cubics.cl */
};

/* Counts the reals of a cubic: CLSP_CUBIC of cubic.clh. */
static size_t cubic_reals(const clspi_tensor_desc *d)
{
    return 4 * (size_t)d->dim + 3;
}

static size_t control_reals(const clspi_tensor_desc *d)
{
    return (size_t)d->terms[0] * d->dim;
}

/* ---- what does not depend on control points ---- */

static clsp_status make_kernels(clspi_cubics *cubics, clsp_context *ctx,
                                const clspi_tensor_desc *desc)
{
    const clspi_options options = clspi_segment_options(ctx, desc);
    const struct {
        clspi_kernel *kernel;
        const clspi_signature *signature;
    } all[] = {{&cubics->fit, &clspi_fit_cubics_signature},
               {&cubics->sum, &clspi_sum_counts_signature},
               {&cubics->halve, &clspi_halve_parts_signature},
               {&cubics->note, &clspi_note_firsts_signature}};

    for (size_t i = 0; i < CLSPI_COUNT(all); i++)
        if (!all[i].kernel->kernel)
            CLSPI_CHECK(
                clspi_kernel_create(all[i].kernel, ctx, "cubics", all[i].signature, &options));
    return CLSP_OK;
}

static clsp_status make_weights(clspi_cubics *cubics, clspi_series *series,
                                const clspi_tensor_desc *d)
{
    if (cubics->weights) return CLSP_OK;
    const size_t num = clspi_cubic_fit_size(d->degrees[0]);
    double *const weights = malloc(num * sizeof *weights);
    if (!weights)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for %zu weights of cubics", num);
    clspi_cubic_fit(weights, d->degrees[0]);
    const clsp_status status =
        clspi_reals_create(&cubics->weights, series, d->precision, weights, num);
    free(weights);
    return status;
}

/* ---- the tolerance ---- */

/* Reads the largest edge of the box around all curves; 0 where that is empty. */
static clsp_status read_size(const clspi_segments *segments, clspi_series *series,
                             const clspi_tensor_desc *d, double *size)
{
    const size_t real = clsp_type_bytes(d->precision), box = 2 * d->dim * real;
    const size_t root = (size_t)segments->offsets[segments->all_tiers] - 1;
    float narrow[8];
    double wide[8];

    CLSPI_CHECK(clspi_series_read(series, segments->boxes, root * box,
                                  d->precision == CLSP_F32 ? (void *)narrow : (void *)wide, box));
    *size = 0.0;
    for (uint32_t c = 0; c < d->dim; c++) {
        const double low = d->precision == CLSP_F32 ? narrow[c] : wide[c];
        const double high = d->precision == CLSP_F32 ? narrow[d->dim + c] : wide[d->dim + c];
        if (high - low > *size) *size = high - low;
    }
    return CLSP_OK;
}

/* What cubics may err by. */
typedef struct aims {
    double error; /* how far they may be from their segments */
    double unit;  /* in which the errors are counted, rounded upward */
} aims;

/* Chooses both, above 0 and finite in the precision. */
static clsp_status choose_aims(const clspi_segments *segments, clspi_series *series,
                               const clspi_tensor_desc *d, double tolerance, aims *aim)
{
    const bool narrow = d->precision == CLSP_F32;
    const double normal = narrow ? FLT_MIN : DBL_MIN;
    const double least = normal * (narrow ? FLT_EPSILON : DBL_EPSILON); /* above 0 there is */
    const double most = (narrow ? FLT_MAX : DBL_MAX) / 4, eps = narrow ? FLT_EPSILON : DBL_EPSILON;
    double size;

    CLSPI_CHECK(read_size(segments, series, d, &size));
    if (tolerance == 0.0) tolerance = 1e-4 * size;
    aim->error = fmin(fmax(tolerance / 2, least), most);
    /* fine beside the error and beside rounding, and so large that 32 bits count the size */
    const double counted = fmax(aim->error, 4 * eps * size);
    aim->unit = fmin(fmax(counted / 1024, counted >= 64 * normal ? normal : least), most);
    return CLSP_OK;
}

/* ---- steps ---- */

/* Approximates the parts that there are. */
static clsp_status fit_parts(const clspi_cubics *cubics, clspi_series *series,
                             const clspi_tensor_desc *d, cl_uint depth, double error)
{
    const cl_mem controls = depth == 0 ? cubics->segments.segments : cubics->controls[cubics->now];
    const size_t stride = control_reals(d) + (depth == 0 ? clspi_frame_reals(d) : 0);
    const uint64_t most =
        clspi_launch_lines(&series->ctx->tuning, 12 * control_reals(d), 1, cubics->fit.local, 1);
    clspi_cut cut = {.per_piece = cubics->num, .left = cubics->num};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_fit_cubics_args args = {.parts = cubics->parts[cubics->now],
                                            .segments = cubics->segments.segments,
                                            .controls = controls,
                                            .weights = cubics->weights,
                                            .cubics = cubics->cubics[cubics->now],
                                            .counts = cubics->counts,
                                            .range = {.first = part.before,
                                                      .stride = (cl_uint)stride,
                                                      .depth = depth,
                                                      .items = (cl_uint)part.num_lines},
                                            .tolerance = error};
        CLSPI_CHECK(clspi_launch_fit_cubics(series, &cubics->fit, &args, part.num_lines));
    }
    return CLSP_OK;
}

/* Makes prefix sums of the counts, and reads the sum of all. */
static clsp_status sum_counts(const clspi_cubics *cubics, clspi_series *series, cl_uint *sum)
{
    size_t at = 0, num = cubics->num;

    for (; num > 1; at += num, num = clspi_div_up(num, ROW)) {
        const uint64_t most =
            clspi_launch_lines(&series->ctx->tuning, ROW, 1, cubics->sum.local, 1);
        const size_t rows = clspi_div_up(num, ROW);
        clspi_cut cut = {.per_piece = rows, .left = rows};
        clspi_part part;
        while (clspi_cut_next(&cut, most, &part)) {
            const clspi_sum_counts_args args = {.counts = cubics->counts,
                                                .range = {.at = at,
                                                          .first = (cl_uint)part.before,
                                                          .num = (cl_uint)num,
                                                          .items = (cl_uint)part.num_lines}};
            CLSPI_CHECK(clspi_launch_sum_counts(series, &cubics->sum, &args, part.num_lines));
        }
    }
    return clspi_series_read(series, cubics->counts, at * sizeof *sum, sum, sizeof *sum);
}

/* Makes room for num parts in buffers `to`, of which the last `halves` come with their control
   points. */
static clsp_status reserve(clspi_cubics *cubics, clsp_context *ctx, const clspi_tensor_desc *d,
                           uint32_t to, size_t num, size_t halves)
{
    const size_t real = clsp_type_bytes(d->precision);
    size_t bytes = cubic_reals(d) * real, controls = control_reals(d) * real;
    size_t parts = sizeof(cl_uint4), counts = 2 * sizeof(cl_uint);

    if (!clspi_size_mul(&bytes, num) || !clspi_size_mul(&controls, halves) ||
        !clspi_size_mul(&parts, num) || !clspi_size_mul(&counts, num))
        return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: %zu cubics are more than the address space", num);
    CLSPI_CHECK(clspi_buffer_reserve(&cubics->cubics[to], &cubics->cubics_bytes[to], ctx, bytes));
    CLSPI_CHECK(clspi_buffer_reserve(&cubics->parts[to], &cubics->parts_bytes[to], ctx, parts));
    return clspi_buffer_reserve(&cubics->controls[to], &cubics->controls_bytes[to], ctx, controls);
}

/* Halves the parts that are not accepted, and moves all to their places. */
static clsp_status halve_parts(clspi_cubics *cubics, clspi_series *series,
                               const clspi_tensor_desc *d, cl_uint depth, cl_uint halvings)
{
    const uint32_t from = cubics->now, to = 1 - from;
    const size_t num = cubics->num,
                 stride = control_reals(d) + (depth == 0 ? clspi_frame_reals(d) : 0);
    const uint64_t most = clspi_launch_lines(&series->ctx->tuning, d->terms[0] * control_reals(d),
                                             1, cubics->halve.local, 1);
    clspi_cut cut = {.per_piece = num, .left = num};
    clspi_part part;

    CLSPI_CHECK(reserve(cubics, series->ctx, d, to, num + halvings, 2 * (size_t)halvings));
    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_halve_parts_args args = {.parts = cubics->parts[from],
                                             .cubics = cubics->cubics[from],
                                             .controls = depth == 0 ? cubics->segments.segments
                                                                    : cubics->controls[from],
                                             .counts = cubics->counts,
                                             .new_parts = cubics->parts[to],
                                             .new_cubics = cubics->cubics[to],
                                             .new_controls = cubics->controls[to],
                                             .range = {.first = part.before,
                                                       .num = (cl_uint)num,
                                                       .stride = (cl_uint)stride,
                                                       .items = (cl_uint)part.num_lines}};
        CLSPI_CHECK(clspi_launch_halve_parts(series, &cubics->halve, &args, part.num_lines));
    }
    cubics->now = to;
    cubics->num = num + halvings;
    return CLSP_OK;
}

/* ---- all of it ---- */

/* Returns how many cubics halving may make. */
static size_t most_cubics(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    const size_t reals = clspi_max(cubic_reals(d), control_reals(d));
    const uint64_t room = ctx->device.max_alloc_bytes / (reals * clsp_type_bytes(d->precision));

    return (size_t)clspi_min_u64(room, MOST_CUBICS);
}

/* Approximates segments, halving until all parts are near enough or there are too many. */
static clsp_status subdivide(clspi_cubics *cubics, clspi_series *series, const clspi_tensor_desc *d,
                             double error)
{
    const size_t most = most_cubics(series->ctx, d);

    cubics->now = 0;
    cubics->cut = false;
    CLSPI_CHECK(reserve(cubics, series->ctx, d, 0, cubics->num, 0));
    for (cl_uint depth = 0, halvings;; depth++) {
        size_t counts = 2 * sizeof halvings;
        if (!clspi_size_mul(&counts, cubics->num))
            return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                              "bspline: %zu cubics are more than the address space", cubics->num);
        CLSPI_CHECK(
            clspi_buffer_reserve(&cubics->counts, &cubics->counts_bytes, series->ctx, counts));
        CLSPI_CHECK(fit_parts(cubics, series, d, depth, error));
        CLSPI_CHECK(sum_counts(cubics, series, &halvings));
        if (halvings == 0) return CLSP_OK;
        cubics->cut = depth == MOST_HALVINGS || cubics->num + halvings > most;
        if (cubics->cut) break;
        CLSPI_CHECK(halve_parts(cubics, series, d, depth, halvings));
    }
    clspi_message(&series->ctx->log, CLSP_LOG_WARNING,
                  "bspline: projection: %zu cubics, and more are needed for the tolerance %g: "
                  "results are cut, and their bounds say how far off they may be",
                  cubics->num, 2 * error);
    return CLSP_OK;
}

/* Notes where each segment's cubics are, and how far off the worst of all is. */
static clsp_status note_firsts(clspi_cubics *cubics, clspi_series *series, size_t num_segments,
                               double unit)
{
    const uint64_t most = clspi_launch_lines(&series->ctx->tuning, 8, 1, cubics->note.local, 1);
    clspi_cut cut = {.per_piece = cubics->num, .left = cubics->num};
    clspi_part part;
    cl_uint worst = 0;

    CLSPI_CHECK(clspi_buffer_reserve(&cubics->firsts, &cubics->firsts_bytes, series->ctx,
                                     (num_segments + 1) * sizeof worst));
    if (!cubics->worst) CLSPI_CHECK(clspi_buffer_create(&cubics->worst, series->ctx, sizeof worst));
    CLSPI_CHECK(clspi_series_write(series, cubics->worst, 0, &worst, sizeof worst));
    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_note_firsts_args args = {.parts = cubics->parts[cubics->now],
                                             .cubics = cubics->cubics[cubics->now],
                                             .firsts = cubics->firsts,
                                             .worst = cubics->worst,
                                             .range = {.first = part.before,
                                                       .num = (cl_uint)cubics->num,
                                                       .stride = 0,
                                                       .items = (cl_uint)part.num_lines},
                                             .unit = unit};
        CLSPI_CHECK(clspi_launch_note_firsts(series, &cubics->note, &args, part.num_lines));
    }
    CLSPI_CHECK(clspi_series_read(series, cubics->worst, 0, &worst, sizeof worst));
    cubics->error = worst == UINT32_MAX ? INFINITY : worst * unit * (1.0 + 4 * FLT_EPSILON);
    return CLSP_OK;
}

clsp_status clspi_cubics_prepare(clspi_bspline_plan *plan, clspi_cubics *cubics,
                                 clspi_series *series, double tolerance)
{
    const clspi_tensor_desc *const d = &plan->tensor.desc;
    aims aim;

    CLSPI_CHECK(clspi_segments_prepare(plan, &cubics->segments, series));
    if (plan->tensor.num_patches == 0) return CLSP_OK;
    if (cubics->is_made && cubics->load == plan->tensor.loads && cubics->tolerance == tolerance)
        return CLSP_OK;
    cubics->is_made = false;
    CLSPI_CHECK(make_kernels(cubics, series->ctx, d));
    CLSPI_CHECK(make_weights(cubics, series, d));
    CLSPI_CHECK(choose_aims(&cubics->segments, series, d, tolerance, &aim));
    const size_t num_segments = plan->tensor.num_patches * cubics->segments.spans;
    cubics->num = num_segments;
    CLSPI_CHECK(subdivide(cubics, series, d, aim.error));
    CLSPI_CHECK(note_firsts(cubics, series, num_segments, aim.unit));
    cubics->is_made = true;
    cubics->load = plan->tensor.loads;
    cubics->tolerance = tolerance;
    return CLSP_OK;
}

void clspi_cubics_release(clspi_cubics *cubics)
{
    clspi_segments_release(&cubics->segments);
    for (int k = 0; k < 2; k++) {
        clspi_buffer_release(&cubics->cubics[k]);
        clspi_buffer_release(&cubics->parts[k]);
        clspi_buffer_release(&cubics->controls[k]);
    }
    clspi_buffer_release(&cubics->counts);
    clspi_buffer_release(&cubics->firsts);
    clspi_buffer_release(&cubics->weights);
    clspi_buffer_release(&cubics->worst);
    clspi_kernel_release(&cubics->fit);
    clspi_kernel_release(&cubics->sum);
    clspi_kernel_release(&cubics->halve);
    clspi_kernel_release(&cubics->note);
}
