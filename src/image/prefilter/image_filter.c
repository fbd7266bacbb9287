#include "image_plan.h"

#include <math.h>

#include "buffer.h"
#include "check.h"
#include "fir_taps.h"
#include "kernel_arguments.h"
#include "split.h"
#include "spline_poles.h"

/* BUNDLE_BLOCK + 2 BUNDLE_HALO, and a vector, is BLOCK_SAMPLES of image_passes.cl. */
enum { BUNDLE_BLOCK = 128, BUNDLE_HALO = 48, ITEM_BLOCK = 64 };
/* Of image_fir.cl: ROW_RUN, and how many rows an item goes down on CPUs and through local memory.
 */
enum { FIR_RUN = 128, FIR_BLOCK = 32, RING_BLOCK = 256 };
enum { TILE_GROUP = 256, TILE_GROUP_LEAST = 64, STRIP_GROUP_LEAST = 128 };
/* Neighbouring columns whose blocks go one after the other: what blocks share then stays in a
   cache. STRIP_CHUNK: rows of image_strips.cl. */
enum { COLUMNS_TOGETHER = 4096, STRIP_CHUNK = 16 };
/* Rows of a strip: with the halo they are less than CLSP_IMAGE_NAN_REACH. */
enum { STRIP_ROWS = 160 };

/* ---- which steps ---- */

uint32_t clspi_image_filter_mode(uint32_t mode)
{
    if (mode == CLSP_IMAGE_GRID_WRAP) return CLSP_IMAGE_GRID_WRAP;
    return mode == CLSP_IMAGE_REFLECT || mode == CLSP_IMAGE_NEAREST ? CLSP_IMAGE_REFLECT
                                                                    : CLSP_IMAGE_MIRROR;
}

static double eps_of(clsp_type precision)
{
    return precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
}

static clspi_filter_step *add_step(clspi_image_filter *filter, clspi_filter_step step)
{
    filter->step[filter->num] = step;
    return &filter->step[filter->num++];
}

/* Returns the coefficients of a block that an item keeps in registers. */
static uint32_t register_block(const clsp_context *ctx)
{
    return ctx->tuning.line_block > 0 ? ctx->tuning.line_block : 16;
}

/* Tells whether lines are long enough for blocks in registers, which fold an index once. */
static bool is_long(const clsp_image_plan *plan, uint32_t axis, uint32_t halo)
{
    return plan->layout.stored[axis] >= register_block(plan->base.ctx) + 2 * halo;
}

/* Tells whether the description allows recursions in registers: of one pole. */
static bool fits_registers(const clsp_image_plan *plan)
{
    const clsp_image_order order = plan->desc.order;

    return order == CLSP_IMAGE_QUADRATIC || order == CLSP_IMAGE_CUBIC;
}

/* Tells whether two directions go down strips: in double, whose halos are long, and slice by slice
   of volumes, which are many. */
static bool prefers_strips(const clsp_image_plan *plan)
{
    const clsp_image_desc *const d = &plan->desc;

    return (d->precision == CLSP_F64 || d->directions == 3) &&
           clspi_keeps_values(&plan->base.ctx->device);
}

/* Returns the bytes in local memory of a tile, PITCH and more of image_tiles.cl, or of a chunk of a
   strip of image_strips.cl. */
static size_t tile_bytes(const clsp_image_plan *plan)
{
    const size_t rows = prefers_strips(plan) ? STRIP_CHUNK + 2 : register_block(plan->base.ctx);

    return rows * (TILE_GROUP + 1) * clsp_type_bytes(plan->desc.precision);
}

static size_t least_group(const clsp_image_plan *plan)
{
    return prefers_strips(plan) ? STRIP_GROUP_LEAST : TILE_GROUP_LEAST;
}

static bool fits_tiles(const clsp_image_plan *plan, uint32_t halo)
{
    const clsp_context *const ctx = plan->base.ctx;
    const bool has_kernel = plan->desc.precision == CLSP_F32 || prefers_strips(plan);

    return fits_registers(plan) && is_long(plan, 2, halo) && is_long(plan, 1, halo) &&
           ctx->device.max_work_group >= least_group(plan) &&
           ctx->device.local_bytes >= tile_bytes(plan) && has_kernel;
}

/* Tells whether recursions are to go through registers and tiles: where they are asked for, and by
   default on GPUs. */
static bool wants_tiles(const clsp_image_plan *plan)
{
    const clsp_context *const ctx = plan->base.ctx;

    if (plan->desc.kernels != CLSP_IMAGE_KERNELS_DEFAULT)
        return plan->desc.kernels == CLSP_IMAGE_TILES;
    return ctx->tuning.line_block > 0 && ctx->device.local_is_real;
}

static clspi_filter_step recursion_of(const clsp_image_plan *plan, uint32_t axis, double pole)
{
    const clsp_image_desc *const d = &plan->desc;
    const bool whole = d->kernels == CLSP_IMAGE_LINES;

    return (clspi_filter_step){.kind = CLSPI_STEP_RECURSION,
                               .axis = axis,
                               .pole = pole,
                               .halo = clspi_pole_halo(pole, eps_of(d->precision)),
                               .whole_lines = whole,
                               .lanes = whole ? 1 : clspi_lanes(plan->base.ctx, d->precision)};
}

/* Adds the recursions of all directions, x first. A line of one sample is its own coefficient. */
static void add_recursions(clspi_image_filter *filter, const clsp_image_plan *plan, bool tiles)
{
    double poles[CLSPI_POLES_MAX];
    const uint32_t num = clspi_spline_poles(clspi_image_order(&plan->desc), poles);
    const uint32_t halo = clspi_pole_halo(poles[0], eps_of(plan->desc.precision));
    uint32_t axis = 3;

    if (tiles && fits_tiles(plan, halo)) {
        clspi_filter_step *const step = add_step(filter, recursion_of(plan, 1, poles[0]));
        step->kind = prefers_strips(plan) ? CLSPI_STEP_STRIPS : CLSPI_STEP_TILES;
        step->lanes = 1;
        axis = 1;
    }
    while (axis-- > 0)
        for (uint32_t i = 0; i < num && plan->layout.stored[axis] > 1; i++) {
            clspi_filter_step *const step = add_step(filter, recursion_of(plan, axis, poles[i]));
            const bool in_registers = tiles && axis < 2 && fits_registers(plan);
            if (!in_registers || !is_long(plan, axis, halo)) continue;
            step->kind = CLSPI_STEP_COLUMNS;
            step->lanes = 1;
        }
}

/* Returns what a group of the staged convolution has of its columns in local memory. */
static size_t ring_bytes(const clsp_image_plan *plan)
{
    return plan->desc.taps * plan->base.ctx->tuning.work_group *
           clsp_type_bytes(plan->desc.precision);
}

/* Tells whether convolutions are to go through local memory: where that is asked for, and by
   default on GPUs where samples are more than a cache holds. The bits are the same. */
static bool wants_staged(const clsp_image_plan *plan)
{
    enum { MANY = 1 << 22 }; /* docs/performance.md */
    const clsp_context *const ctx = plan->base.ctx;
    const uint32_t *const num = plan->layout.stored;

    if (plan->desc.kernels != CLSP_IMAGE_KERNELS_DEFAULT)
        return plan->desc.kernels == CLSP_IMAGE_STAGED;
    return ctx->tuning.line_block > 0 && ctx->device.local_is_real &&
           ring_bytes(plan) <= ctx->device.local_bytes && (uint64_t)num[0] * num[1] * num[2] > MANY;
}

/* Adds the convolutions of all directions, x first. */
static void add_firs(clspi_image_filter *filter, const clsp_image_plan *plan)
{
    const clsp_image_desc *const d = &plan->desc;
    const bool staged = wants_staged(plan);

    for (uint32_t axis = 3; axis-- > 0;)
        if (plan->layout.stored[axis] > 1)
            add_step(filter, (clspi_filter_step){
                                 .kind = staged ? CLSPI_STEP_STAGED : CLSPI_STEP_FIR,
                                 .axis = axis,
                                 .halo = d->taps / 2,
                                 .lanes = staged ? 1 : clspi_lanes(plan->base.ctx, d->precision)});
}

static bool makes_two_directions(const clspi_filter_step *step)
{
    return step->kind == CLSPI_STEP_TILES || step->kind == CLSPI_STEP_STRIPS;
}

/* Says what each step reads and writes: the last one writes the coefficients, and those before take
   turns. Where coefficients are halves, what works in place on its target needs reals. */
static void connect_steps(clspi_image_filter *filter, const clsp_image_desc *d)
{
    const bool is_real = d->coefficients == d->precision;
    const clspi_filter_step *const last = &filter->step[filter->num - 1];

    if (!is_real && last->kind == CLSPI_STEP_RECURSION && last->lanes == 1)
        add_step(filter, (clspi_filter_step){.kind = CLSPI_STEP_COPY, .axis = 2, .lanes = 1});
    for (uint32_t i = 0; i < filter->num; i++) {
        clspi_filter_step *const step = &filter->step[i];
        const uint32_t behind = filter->num - 1 - i;
        step->from = i == 0 ? CLSPI_STEP_SAMPLES : filter->step[i - 1].to;
        if (behind == 0 || (is_real && behind % 2 == 0))
            step->to = CLSPI_STEP_COEFFICIENTS;
        else
            step->to = CLSPI_STEP_SCRATCH + (is_real ? 0 : behind % 2);
    }
}

static void choose_steps(clspi_image_filter *filter, const clsp_image_plan *plan, bool tiles)
{
    const clsp_image_desc *const d = &plan->desc;

    filter->num = 0;
    if (d->prefilter == CLSP_IMAGE_RECURSIVE)
        add_recursions(filter, plan, tiles);
    else if (d->prefilter != CLSP_IMAGE_NONE)
        add_firs(filter, plan);
    const clspi_filter_step *const first = &filter->step[0];
    const bool reads_samples = filter->num > 0 && (first->axis == 2 || makes_two_directions(first));
    if (!reads_samples) { /* rows of one sample */
        for (uint32_t i = filter->num++; i > 0; i--)
            filter->step[i] = filter->step[i - 1];
        filter->step[0] = (clspi_filter_step){.kind = CLSPI_STEP_COPY, .axis = 2, .lanes = 1};
    }
    connect_steps(filter, d);
}

/* ---- kernels ---- */

clspi_options clspi_sample_options(const clsp_context *ctx, const clsp_image_desc *d)
{
    clspi_options options = clspi_options_of(ctx, d->precision, 1);

    clspi_option(&options, "SAMPLES", clspi_pixel_type(d->samples, d->precision));
    return options;
}

static clspi_options filter_options(const clsp_context *ctx, const clsp_image_desc *d,
                                    const clspi_filter_step *step)
{
    clspi_options options = clspi_options_of(ctx, d->precision, step->lanes);

    if (step->from == CLSPI_STEP_SAMPLES)
        clspi_option(&options, "SAMPLES", clspi_pixel_type(d->samples, d->precision));
    if (step->to == CLSPI_STEP_COEFFICIENTS)
        clspi_option(&options, "COEFFICIENTS", clspi_pixel_type(d->coefficients, d->precision));
    clspi_option(&options, "ROWS", step->axis == 2);
    if (makes_two_directions(step) || step->kind == CLSPI_STEP_COLUMNS)
        clspi_option(&options, "HALO", step->halo);
    if (step->kind == CLSPI_STEP_TILES || step->kind == CLSPI_STEP_COLUMNS)
        clspi_option(&options, "TILE", register_block(ctx));
    if (step->kind == CLSPI_STEP_COLUMNS) /* tiles beside them stay small: nobody launches those */
        clspi_option(&options, "GROUP", STRIP_GROUP_LEAST);
    if (step->kind == CLSPI_STEP_STAGED) {
        clspi_option(&options, "HALF", step->halo);
        clspi_option(&options, "STAGED", 1);
    }
    return options;
}

static clsp_status make_kernel(clspi_filter_step *step, clsp_context *ctx, const clsp_image_desc *d)
{
    const clspi_options options = filter_options(ctx, d, step);
    clspi_kernel *const kernel = &step->kernel;

    switch (step->kind) {
    case CLSPI_STEP_COPY:
        return clspi_kernel_create(kernel, ctx, "image_passes", &clspi_copy_samples_signature,
                                   &options);
    case CLSPI_STEP_RECURSION:
        return clspi_kernel_create(kernel, ctx, "image_passes", &clspi_filter_pass_signature,
                                   &options);
    case CLSPI_STEP_COLUMNS:
        return clspi_kernel_create(kernel, ctx, "image_tiles", &clspi_filter_columns_signature,
                                   &options);
    case CLSPI_STEP_TILES:
        return clspi_kernel_create_for_group(kernel, ctx, "image_tiles",
                                             &clspi_filter_tiles_signature, &options, TILE_GROUP);
    case CLSPI_STEP_STRIPS:
        return clspi_kernel_create_for_group(kernel, ctx, "image_strips",
                                             &clspi_filter_strips_signature, &options, TILE_GROUP);
    case CLSPI_STEP_FIR:
        return clspi_kernel_create(kernel, ctx, "image_fir", &clspi_fir_pass_signature, &options);
    default:
        return clspi_kernel_create_grouped(kernel, ctx, "image_fir", &clspi_fir_pass_signature,
                                           &options);
    }
}

static void release_kernels(clspi_image_filter *filter)
{
    for (uint32_t i = 0; i < filter->num; i++)
        clspi_kernel_release(&filter->step[i].kernel);
}

static clsp_status make_kernels(clspi_image_filter *filter, const clsp_image_plan *plan)
{
    for (uint32_t i = 0; i < filter->num; i++)
        CLSPI_CHECK(make_kernel(&filter->step[i], plan->base.ctx, &plan->desc));
    return CLSP_OK;
}

/* Makes the taps of FIR prefilters. */
static clsp_status make_taps(clspi_image_filter *filter, clspi_series *series,
                             const clsp_image_desc *d)
{
    double taps[CLSP_IMAGE_MAX_TAPS / 2 + 1];
    cl_float narrow[CLSP_IMAGE_MAX_TAPS / 2 + 1];
    const uint32_t half = d->taps / 2;
    const bool wide = d->precision == CLSP_F64;

    if (d->taps == 0) return CLSP_OK;
    if (d->prefilter == CLSP_IMAGE_TRUNCATED)
        clspi_fir_truncated(clspi_image_order(d), half, taps);
    else if (!clspi_fir_least_squares(clspi_image_order(d), half, taps))
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY, "image: no memory for taps");
    for (uint32_t k = 0; k <= half; k++)
        narrow[k] = (cl_float)taps[k];
    const size_t bytes = (half + 1) * clsp_type_bytes(d->precision);
    CLSPI_CHECK(clspi_buffer_create(&filter->taps, series->ctx, bytes));
    return clspi_series_write(series, filter->taps, 0, wide ? (const void *)taps : narrow, bytes);
}

/* Checks that kernels that were asked for can be had. */
static clsp_status check_kernels(const clsp_image_plan *plan)
{
    const clsp_context *const ctx = plan->base.ctx;
    const clsp_image_desc *const d = &plan->desc;
    double poles[CLSPI_POLES_MAX];

    clspi_spline_poles(clspi_image_order(d), poles);
    if (d->kernels == CLSP_IMAGE_TILES &&
        !fits_tiles(plan, clspi_pole_halo(poles[0], eps_of(d->precision))))
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "image: no tiles of this order, precision and size on this device");
    if (d->kernels == CLSP_IMAGE_STAGED && ring_bytes(plan) > ctx->device.local_bytes)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "image: %u taps are more than the device's local memory holds", d->taps);
    return CLSP_OK;
}

clsp_status clspi_image_filter_create(clspi_image_filter *filter, clspi_series *series,
                                      const clsp_image_plan *plan)
{
    CLSPI_CHECK(check_kernels(plan));
    choose_steps(filter, plan, wants_tiles(plan));
    CLSPI_CHECK(make_kernels(filter, plan));
    if (makes_two_directions(&filter->step[0]) &&
        filter->step[0].kernel.local < least_group(plan)) {
        release_kernels(filter);
        choose_steps(filter, plan, false);
        CLSPI_CHECK(make_kernels(filter, plan));
    }
    return make_taps(filter, series, &plan->desc);
}

static clsp_status build_step(const clspi_build *build, const clspi_filter_step *step,
                              const clsp_image_desc *d)
{
    const clspi_options options = filter_options(build->ctx, d, step);

    switch (step->kind) {
    case CLSPI_STEP_TILES:
        return clspi_program_build_for_group(build, "image_tiles", &clspi_filter_tiles_signature,
                                             &options, TILE_GROUP);
    case CLSPI_STEP_STRIPS:
        return clspi_program_build_for_group(build, "image_strips", &clspi_filter_strips_signature,
                                             &options, TILE_GROUP);
    case CLSPI_STEP_COLUMNS:
        return clspi_program_build(build, "image_tiles", &options);
    case CLSPI_STEP_FIR:
        return clspi_program_build(build, "image_fir", &options);
    case CLSPI_STEP_STAGED:
        return clspi_program_build_grouped(build, "image_fir", &clspi_fir_pass_signature, &options);
    default:
        return clspi_program_build(build, "image_passes", &options);
    }
}

clsp_status clspi_image_filter_build(const clspi_build *build, const clsp_image_plan *plan)
{
    clspi_image_filter filter = {.num = 0};

    choose_steps(&filter, plan, wants_tiles(plan));
    for (uint32_t i = 0; i < filter.num; i++)
        CLSPI_CHECK(build_step(build, &filter.step[i], &plan->desc));
    return CLSP_OK;
}

void clspi_image_filter_release(clspi_image_filter *filter)
{
    release_kernels(filter);
    for (uint32_t i = 0; i < CLSPI_SCRATCHES; i++)
        clspi_buffer_release(&filter->scratch[i]);
    clspi_buffer_release(&filter->taps);
}

/* ---- running ---- */

/* A pole as kernels have it, and its gain, which belongs to the rounded pole. */
typedef struct pole_numbers {
    double pole, gain, gain_rest;
} pole_numbers;

static pole_numbers numbers_of(const clspi_filter_step *step, clsp_type precision)
{
    const bool wide = precision == CLSP_F64;
    const double pole = wide ? step->pole : (double)(float)step->pole;
    const long double z = (long double)pole;
    const long double gain = pole < 0.0 ? (1.0L - z) * (1.0L - 1.0L / z) : 1.0L;
    const double rounded = wide ? (double)gain : (double)(float)gain;

    return (pole_numbers){pole, rounded, (double)(gain - (long double)rounded)};
}

static cl_mem memory_of(const clsp_image_plan *plan, const clspi_filter_job *job,
                        clspi_step_memory memory)
{
    if (memory == CLSPI_STEP_SAMPLES) return job->samples;
    if (memory == CLSPI_STEP_COEFFICIENTS) return plan->coefficients;
    return plan->filter.scratch[memory - CLSPI_STEP_SCRATCH];
}

static cl_mem from_of(const clsp_image_plan *plan, const clspi_filter_job *job,
                      const clspi_filter_step *step)
{
    return job->from ? job->from : memory_of(plan, job, step->from);
}

static cl_mem to_of(const clsp_image_plan *plan, const clspi_filter_job *job,
                    const clspi_filter_step *step)
{
    return job->to ? job->to : memory_of(plan, job, step->to);
}

/* Describes what a step reads. */
static clspi_sample_source source_of(const clsp_image_plan *plan, const clspi_filter_job *job,
                                     const clspi_filter_step *step)
{
    const clspi_image_layout *const l = &plan->layout;
    const bool is_first = step->from == CLSPI_STEP_SAMPLES;
    const bool is_own = step->from == CLSPI_STEP_COEFFICIENTS;
    const uint32_t *const size = is_first ? l->size : l->stored;

    return (clspi_sample_source){.cval = plan->desc.cval,
                                 .offset = is_first ? job->offset
                                           : is_own ? job->plane * plan->layout.plane
                                                    : 0,
                                 .step = is_first && !l->planar ? l->channels : 1,
                                 .size_z = size[0],
                                 .size_y = size[1],
                                 .size_x = size[2],
                                 .pad_z = is_first ? l->pad[0] : 0,
                                 .pad_y = is_first ? l->pad[1] : 0,
                                 .pad_x = is_first ? l->pad[2] : 0,
                                 .mode_z = l->mode[0],
                                 .mode_y = l->mode[1],
                                 .mode_x = l->mode[2]};
}

/* Returns the coefficients of a line that an item makes. */
static uint32_t block_of(const clsp_image_plan *plan, const clspi_filter_step *step)
{
    const bool is_row = step->axis == 2;

    switch (step->kind) {
    case CLSPI_STEP_RECURSION:
        if (step->whole_lines) return plan->layout.stored[step->axis];
        return step->lanes > 1 ? BUNDLE_BLOCK : ITEM_BLOCK;
    case CLSPI_STEP_COLUMNS:
        return register_block(plan->base.ctx);
    case CLSPI_STEP_FIR:
        if (step->lanes == 1) return 1;
        return is_row ? FIR_RUN : FIR_BLOCK;
    case CLSPI_STEP_STAGED:
        return is_row ? (uint32_t)step->kernel.local : RING_BLOCK;
    default:
        return 1;
    }
}

/* Describes the lines of a step; *items: how many work-items they are. */
static clspi_line_pass pass_of(const clsp_image_plan *plan, const clspi_filter_job *job,
                               const clspi_filter_step *step, size_t *items)
{
    const uint32_t *const stored = plan->layout.stored;
    const uint32_t n = stored[step->axis], block = block_of(plan, step);
    const pole_numbers numbers = numbers_of(step, plan->desc.precision);
    const bool is_row = step->axis == 2;
    const size_t inner = is_row ? 1 : step->axis == 1 ? stored[2] : (size_t)stored[1] * stored[2];
    const size_t outer = plan->layout.plane / n / inner, num_blocks = clspi_div_up(n, block);
    const bool in_bundles = step->lanes > 1 && !is_row; /* columns */
    const bool together = step->kind == CLSPI_STEP_COLUMNS;
    const size_t num_lines = together ? clspi_min(inner, COLUMNS_TOGETHER) : inner;
    const size_t bundles = clspi_div_up(inner, together ? num_lines : step->lanes);

    *items = outer * num_blocks * (together ? bundles * num_lines : inner);
    if (step->kind == CLSPI_STEP_STAGED && is_row) *items *= step->kernel.local;
    if (in_bundles) *items = outer * num_blocks * bundles;
    return (clspi_line_pass){
        .pole = numbers.pole,
        .gain = numbers.gain,
        .gain_rest = numbers.gain_rest,
        .offset = step->to == CLSPI_STEP_COEFFICIENTS ? job->plane * plan->layout.plane : 0,
        .inner = inner,
        .first_item = 0,
        .n = n,
        .mode = clspi_image_filter_mode(plan->layout.mode[step->axis]),
        .block = block,
        .halo = step->halo,
        .num_blocks = (cl_uint)num_blocks,
        .num_y = stored[1],
        .bundles = (cl_uint)bundles,
        .num_lines = (cl_uint)num_lines,
        .items = 0};
}

static clsp_status launch_pass(const clsp_image_plan *plan, clspi_series *series,
                               const clspi_filter_step *step, cl_mem from, cl_mem to,
                               const clspi_sample_source *source, const clspi_line_pass *pass)
{
    const clspi_kernel *const kernel = &step->kernel;

    switch (step->kind) {
    case CLSPI_STEP_COPY: {
        const clspi_copy_samples_args args = {
            .samples = from, .target = to, .from = *source, .pass = *pass};
        return clspi_launch_copy_samples(series, kernel, &args, pass->items);
    }
    case CLSPI_STEP_RECURSION: {
        const clspi_filter_pass_args args = {
            .samples = from, .target = to, .from = *source, .pass = *pass};
        return clspi_launch_filter_pass(series, kernel, &args, pass->items);
    }
    case CLSPI_STEP_COLUMNS: {
        const clspi_filter_columns_args args = {
            .samples = from, .target = to, .from = *source, .pass = *pass};
        return clspi_launch_filter_columns(series, kernel, &args, pass->items);
    }
    default: {
        const clspi_fir_pass_args args = {.samples = from,
                                          .target = to,
                                          .taps = plan->filter.taps,
                                          .from = *source,
                                          .pass = *pass};
        return clspi_launch_fir_pass(series, kernel, &args, pass->items);
    }
    }
}

/* Returns how many multiply-adds an item of a step takes, about. */
static uint64_t item_fma(const clspi_filter_step *step, const clspi_line_pass *pass)
{
    const uint64_t num = (uint64_t)pass->block * step->lanes;

    if (step->kind == CLSPI_STEP_FIR || step->kind == CLSPI_STEP_STAGED)
        return num * (2 * pass->halo + 1);
    return 3 * (num + 2 * pass->halo * step->lanes);
}

/* Launches the passes of a step, cut where they are too large. */
static clsp_status run_pass(const clsp_image_plan *plan, clspi_series *series,
                            const clspi_filter_step *step, const clspi_filter_job *job)
{
    const cl_mem from = from_of(plan, job, step), to = to_of(plan, job, step);
    const clspi_sample_source source = source_of(plan, job, step);
    size_t items;
    clspi_line_pass pass = pass_of(plan, job, step, &items);
    const uint64_t most =
        clspi_launch_lines(&series->ctx->tuning, item_fma(step, &pass), 1, step->kernel.local, 1);
    clspi_cut cut = {.per_piece = items, .multiple = step->kernel.local, .left = items};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        pass.first_item = part.before;
        pass.items = (cl_uint)part.num_lines;
        CLSPI_CHECK(launch_pass(plan, series, step, from, to, &source, &pass));
    }
    return CLSP_OK;
}

/* ---- tiles ---- */

/* Launches the tiles of all slices, some lines of them at a time. */
static clsp_status run_tiles(const clsp_image_plan *plan, clspi_series *series,
                             const clspi_filter_step *step, const clspi_filter_job *job)
{
    const uint32_t *const stored = plan->layout.stored, *const mode = plan->layout.mode;
    const uint32_t block = register_block(series->ctx);
    const pole_numbers numbers = numbers_of(step, plan->desc.precision);
    const size_t local = step->kernel.local, tile_x = (local - 2 * step->halo) / block * block;
    const size_t tiles_x = clspi_div_up(stored[2], tile_x);
    const size_t tiles_y = clspi_div_up(stored[1], block);
    const uint64_t most = clspi_launch_lines(
        &series->ctx->tuning, (uint64_t)8 * (block + 2 * step->halo), tiles_x * local, local, 1);
    clspi_filter_tiles_args args = {.samples = from_of(plan, job, step),
                                    .target = to_of(plan, job, step),
                                    .from = source_of(plan, job, step),
                                    .grid = {.pole = numbers.pole,
                                             .gain = numbers.gain,
                                             .gain_rest = numbers.gain_rest,
                                             .offset = step->to == CLSPI_STEP_COEFFICIENTS
                                                           ? job->plane * plan->layout.plane
                                                           : 0,
                                             .size_y = stored[1],
                                             .size_x = stored[2],
                                             .mode_y = clspi_image_filter_mode(mode[1]),
                                             .mode_x = clspi_image_filter_mode(mode[2]),
                                             .tiles_x = (cl_uint)tiles_x,
                                             .tiles_y = (cl_uint)tiles_y,
                                             .first_line = 0}};
    clspi_cut cut = {.per_piece = tiles_y, .left = tiles_y * stored[0]};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        args.grid.first_line = part.before;
        CLSPI_CHECK(clspi_launch_filter_tiles(series, &step->kernel, &args,
                                              part.num_lines * tiles_x * local));
    }
    return CLSP_OK;
}

/* Returns the columns that a strip stores. */
static uint32_t strip_width(const clspi_filter_step *step)
{
    const size_t side = clspi_div_up(step->halo, STRIP_CHUNK);

    return (uint32_t)(step->kernel.local - 2 * side * STRIP_CHUNK);
}

/* Launches the strips of all slices, some lines of them at a time. */
static clsp_status run_strips(const clsp_image_plan *plan, clspi_series *series,
                              const clspi_filter_step *step, const clspi_filter_job *job)
{
    const uint32_t *const stored = plan->layout.stored, *const mode = plan->layout.mode;
    const pole_numbers numbers = numbers_of(step, plan->desc.precision);
    const size_t local = step->kernel.local;
    const size_t strips_x = clspi_div_up(stored[2], strip_width(step));
    const size_t strips_y = clspi_div_up(stored[1], STRIP_ROWS);
    const uint64_t most =
        clspi_launch_lines(&series->ctx->tuning, (uint64_t)12 * (STRIP_ROWS + 2 * step->halo),
                           strips_x * local, local, 1);
    clspi_filter_strips_args args = {.samples = from_of(plan, job, step),
                                     .target = to_of(plan, job, step),
                                     .from = source_of(plan, job, step),
                                     .grid = {.pole = numbers.pole,
                                              .gain = numbers.gain,
                                              .gain_rest = numbers.gain_rest,
                                              .far = pow(step->pole, STRIP_CHUNK),
                                              .offset = step->to == CLSPI_STEP_COEFFICIENTS
                                                            ? job->plane * plan->layout.plane
                                                            : 0,
                                              .size_y = stored[1],
                                              .size_x = stored[2],
                                              .mode_y = clspi_image_filter_mode(mode[1]),
                                              .mode_x = clspi_image_filter_mode(mode[2]),
                                              .strips_x = (cl_uint)strips_x,
                                              .strips_y = (cl_uint)strips_y,
                                              .length = STRIP_ROWS,
                                              .first_line = 0}};
    clspi_cut cut = {.per_piece = strips_y, .left = strips_y * stored[0]};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        args.grid.first_line = (cl_uint)part.before;
        CLSPI_CHECK(clspi_launch_filter_strips(series, &step->kernel, &args,
                                               part.num_lines * strips_x * local));
    }
    return CLSP_OK;
}

/* Makes room for what steps hand over to each other. */
static clsp_status reserve_scratch(clsp_image_plan *plan)
{
    clspi_image_filter *const filter = &plan->filter;
    const size_t bytes = plan->layout.plane * clsp_type_bytes(plan->desc.precision);

    for (uint32_t i = 0; i < filter->num; i++) {
        const clspi_step_memory to = filter->step[i].to;
        if (to < CLSPI_STEP_SCRATCH) continue;
        const uint32_t k = (uint32_t)(to - CLSPI_STEP_SCRATCH);
        CLSPI_CHECK(clspi_buffer_reserve(&filter->scratch[k], &filter->scratch_bytes[k],
                                         plan->base.ctx, bytes));
    }
    return CLSP_OK;
}

clsp_status clspi_image_filter_step(const clsp_image_plan *plan, clspi_series *series, uint32_t i,
                                    const clspi_filter_job *job)
{
    const clspi_filter_step *const step = &plan->filter.step[i];

    return step->kind == CLSPI_STEP_TILES    ? run_tiles(plan, series, step, job)
           : step->kind == CLSPI_STEP_STRIPS ? run_strips(plan, series, step, job)
                                             : run_pass(plan, series, step, job);
}

clsp_status clspi_image_filter_run(clsp_image_plan *plan, clspi_series *series,
                                   const clspi_filter_job *job)
{
    CLSPI_CHECK(reserve_scratch(plan));
    for (uint32_t i = 0; i < plan->filter.num; i++)
        CLSPI_CHECK(clspi_image_filter_step(plan, series, i, job));
    return CLSP_OK;
}

uint32_t clspi_image_step_block(const clsp_image_plan *plan, const clspi_filter_step *step,
                                uint32_t axis)
{
    switch (step->kind) {
    case CLSPI_STEP_RECURSION:
        return step->whole_lines ? 0 : block_of(plan, step);
    case CLSPI_STEP_STRIPS:
        return axis == 2 ? strip_width(step) : STRIP_ROWS;
    case CLSPI_STEP_TILES:
    case CLSPI_STEP_COLUMNS:
        return register_block(plan->base.ctx);
    default:
        return 1;
    }
}
