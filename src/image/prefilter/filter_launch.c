/* Running the steps of a prefilter. */
#include <math.h>

#include "buffer.h"
#include "check.h"
#include "filter_steps.h"
#include "image_plan.h"
#include "kernel_arguments.h"
#include "split.h"

/* Coefficients of a line that an item of a recursion makes, and rows that one goes down through
   local memory. */
enum { ITEM_BLOCK = 64, RING_BLOCK = 256 };
/* Coefficients of a row that an item of image_outside.cl looks at. */
enum { OUTSIDE_BLOCK = 64 };
/* Neighbouring columns whose blocks go one after the other: what blocks share then stays in a
   cache. */
enum { COLUMNS_TOGETHER = 4096 };

/* ---- passes ---- */

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

/* Returns the element where the target of a step begins. */
static size_t target_begin(const clsp_image_plan *plan, const clspi_filter_job *job,
                           const clspi_filter_step *step)
{
    return step->to == CLSPI_STEP_COEFFICIENTS ? job->plane * plan->layout.plane : 0;
}

/* Returns how many coefficients of a direction stand before the first sample. */
static uint32_t before_samples(const clspi_image_layout *l, uint32_t d)
{
    return l->pad[d] + l->begin[d] - l->low[d];
}

/* Describes what a step reads. */
static clspi_sample_source source_of(const clsp_image_plan *plan, const clspi_filter_job *job,
                                     const clspi_filter_step *step)
{
    const clspi_image_layout *const l = job->layout;
    const bool is_first = step->from == CLSPI_STEP_SAMPLES;
    const bool is_own = step->from == CLSPI_STEP_COEFFICIENTS;
    const uint32_t *const size = is_first ? l->size : l->stored;

    return (clspi_sample_source){.cval = plan->desc.cval,
                                 .offset = is_first ? job->offset
                                           : is_own ? job->plane * plan->layout.plane
                                                    : 0,
                                 .step = is_first && !l->planar ? l->channels : 1,
                                 .channels = is_first ? job->channels : 1,
                                 .size_z = size[0],
                                 .size_y = size[1],
                                 .size_x = size[2],
                                 .pad_z = is_first ? before_samples(l, 0) : 0,
                                 .pad_y = is_first ? before_samples(l, 1) : 0,
                                 .pad_x = is_first ? before_samples(l, 2) : 0,
                                 .mode_z = l->mode[0],
                                 .mode_y = l->mode[1],
                                 .mode_x = l->mode[2]};
}

/* Returns the coefficients of a line that an item makes. */
static uint32_t block_of(const clsp_image_plan *plan, const clspi_filter_step *step)
{
    switch (step->kind) {
    case CLSPI_STEP_RECURSION:
        return step->whole_lines ? plan->layout.stored[step->axis] : ITEM_BLOCK;
    case CLSPI_STEP_COLUMNS:
        return clspi_register_block(plan->base.ctx);
    case CLSPI_STEP_STAGED:
        return step->axis == 2 ? (uint32_t)step->kernel.local : RING_BLOCK;
    default:
        return 1;
    }
}

/* Describes the lines of a step; *items: how many work-items they are. */
static clspi_line_pass pass_of(const clsp_image_plan *plan, const clspi_filter_job *job,
                               const clspi_filter_step *step, size_t *items)
{
    const uint32_t *const stored = job->layout->stored;
    const uint32_t *const made = step->made[step->axis];
    const uint32_t n = stored[step->axis], block = block_of(plan, step);
    const pole_numbers numbers = numbers_of(step, plan->desc.precision);
    const bool is_row = step->axis == 2;
    const size_t inner = is_row ? 1 : step->axis == 1 ? stored[2] : (size_t)stored[1] * stored[2];
    const size_t outer = job->layout->plane / n / inner;
    const size_t num_blocks = clspi_div_up(made[1] - made[0], block);
    const bool together = step->kind == CLSPI_STEP_COLUMNS;
    const size_t num_lines = together ? clspi_min(inner, COLUMNS_TOGETHER) : inner;
    const size_t bundles = clspi_div_up(inner, num_lines);

    *items = outer * num_blocks * bundles * num_lines;
    if (step->kind == CLSPI_STEP_STAGED && is_row) *items *= step->kernel.local;
    return (clspi_line_pass){.pole = numbers.pole,
                             .gain = numbers.gain,
                             .gain_rest = numbers.gain_rest,
                             .offset = target_begin(plan, job, step),
                             .inner = inner,
                             .first_item = 0,
                             .n = n,
                             .mode = clspi_image_filter_mode(job->layout->mode[step->axis]),
                             .block = block,
                             .first = made[0],
                             .end = made[1],
                             .halo = step->halo,
                             .num_blocks = (uint32_t)num_blocks,
                             .num_y = stored[1],
                             .bundles = (uint32_t)bundles,
                             .num_lines = (uint32_t)num_lines,
                             .items = 0};
}

static clsp_status launch_pass(const clsp_image_plan *plan, clspi_series *series,
                               const clspi_filter_step *step, const clspi_filter_job *job,
                               const clspi_sample_source *source, const clspi_line_pass *pass)
{
    const clspi_kernel *const kernel = &step->kernel;

    switch (step->kind) {
    case CLSPI_STEP_COPY: {
        const clspi_copy_samples_args args = {
            .samples = job->from, .target = job->to, .from = *source, .pass = *pass};
        return clspi_launch_copy_samples(series, kernel, &args, pass->items);
    }
    case CLSPI_STEP_RECURSION: {
        const clspi_filter_pass_args args = {
            .samples = job->from, .target = job->to, .from = *source, .pass = *pass};
        return clspi_launch_filter_pass(series, kernel, &args, pass->items);
    }
    case CLSPI_STEP_COLUMNS: {
        const clspi_filter_columns_args args = {
            .samples = job->from, .target = job->to, .from = *source, .pass = *pass};
        return clspi_launch_filter_columns(series, kernel, &args, pass->items);
    }
    default: {
        const clspi_fir_pass_args args = {.samples = job->from,
                                          .target = job->to,
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
    const uint64_t num = pass->block;

    if (step->kind == CLSPI_STEP_FIR || step->kind == CLSPI_STEP_STAGED)
        return num * (2 * pass->halo + 1);
    return 3 * (num + 2 * pass->halo);
}

/* Makes one row of all that are copied as they stand, or of each plane where channels alternate:
   items of short rows would take as long to begin as to copy. */
static void join_rows(const clspi_image_layout *layout, clspi_sample_source *source,
                      clspi_line_pass *pass, size_t *items)
{
    const uint32_t *const stored = layout->stored;
    const bool is_padded =
        source->size_z < stored[0] || source->size_y < stored[1] || source->size_x < stored[2];

    if (is_padded || layout->plane > INT32_MAX) return;
    if (source->channels == 1) source->size_z = 1;
    source->size_y = pass->num_y = 1;
    source->size_x = pass->n = pass->end = (uint32_t)(layout->plane / source->size_z);
    pass->num_blocks = (uint32_t)clspi_div_up(pass->n, pass->block);
    *items = (size_t)pass->num_blocks * source->size_z;
}

/* Launches the passes of a step, cut where they are too large. */
static clsp_status run_pass(const clsp_image_plan *plan, clspi_series *series,
                            const clspi_filter_step *step, const clspi_filter_job *job)
{
    clspi_sample_source source = source_of(plan, job, step);
    size_t items;
    clspi_line_pass pass = pass_of(plan, job, step, &items);
    if (step->kind == CLSPI_STEP_COPY) join_rows(job->layout, &source, &pass, &items);
    const uint64_t most =
        clspi_launch_lines(&series->ctx->tuning, item_fma(step, &pass), 1, step->kernel.local, 1);
    clspi_cut cut = {.per_piece = items, .multiple = step->kernel.local, .left = items};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        pass.first_item = part.before;
        pass.items = (uint32_t)part.num_lines;
        CLSPI_CHECK(launch_pass(plan, series, step, job, &source, &pass));
    }
    return CLSP_OK;
}

/* ---- two directions ---- */

static clsp_status launch_groups(const clsp_image_plan *plan, clspi_series *series,
                                 const clspi_filter_step *step, const clspi_filter_job *job,
                                 const clspi_plane_grid *grid, size_t items)
{
    const clspi_filter_tiles_args args = {
        .samples = job->from, .target = job->to, .from = source_of(plan, job, step), .grid = *grid};
    const clspi_filter_strips_args strips = {
        .samples = args.samples, .target = args.target, .from = args.from, .grid = args.grid};
    const clspi_filter_fir_strips_args fir = {.samples = args.samples,
                                              .target = args.target,
                                              .taps = plan->filter.taps,
                                              .from = args.from,
                                              .grid = args.grid};

    if (step->kind == CLSPI_STEP_FIR_STRIPS)
        return clspi_launch_filter_fir_strips(series, &step->kernel, &fir, items);
    return step->kind == CLSPI_STEP_TILES
               ? clspi_launch_filter_tiles(series, &step->kernel, &args, items)
               : clspi_launch_filter_strips(series, &step->kernel, &strips, items);
}

/* Returns how many multiply-adds an item takes for a row, about. */
static uint64_t row_fma(const clspi_filter_step *step)
{
    return step->kind == CLSPI_STEP_TILES        ? 8
           : step->kind == CLSPI_STEP_FIR_STRIPS ? 4 * step->halo + 2
                                                 : 12;
}

/* Launches the groups of all slices, some lines of them at a time. */
static clsp_status run_groups(const clsp_image_plan *plan, clspi_series *series,
                              const clspi_filter_step *step, const clspi_filter_job *job)
{
    const uint32_t *const stored = job->layout->stored, *const mode = job->layout->mode;
    const uint32_t *const x = step->made[2], *const y = step->made[1];
    const pole_numbers numbers = numbers_of(step, plan->desc.precision);
    const uint32_t block = clspi_register_block(series->ctx);
    const bool in_tiles = step->kind == CLSPI_STEP_TILES;
    const size_t local = step->kernel.local, rows = in_tiles ? block : step->rows;
    const size_t groups_x = clspi_div_up(x[1] - x[0], clspi_group_width(plan, step, local));
    const size_t groups_y = clspi_div_up(y[1] - y[0], rows);
    const uint64_t most = clspi_launch_lines(
        &series->ctx->tuning, row_fma(step) * (rows + 2 * step->halo), groups_x * local, local, 1);
    clspi_plane_grid grid = {.pole = numbers.pole,
                             .gain = numbers.gain,
                             .gain_rest = numbers.gain_rest,
                             .far = pow(step->pole, STRIP_CHUNK),
                             .offset = target_begin(plan, job, step),
                             .size_y = stored[1],
                             .size_x = stored[2],
                             .mode_y = clspi_image_filter_mode(mode[1]),
                             .mode_x = clspi_image_filter_mode(mode[2]),
                             .first_y = y[0],
                             .first_x = x[0],
                             .end_x = x[1],
                             .groups_x = (uint32_t)groups_x,
                             .groups_y = (uint32_t)groups_y,
                             .rows = (uint32_t)rows,
                             .first_line = 0};
    clspi_cut cut = {.per_piece = groups_y, .left = groups_y * stored[0]};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        grid.first_line = part.before;
        CLSPI_CHECK(
            launch_groups(plan, series, step, job, &grid, part.num_lines * groups_x * local));
    }
    return CLSP_OK;
}

/* ---- all steps ---- */

/* Makes room for what steps hand over to each other. */
static clsp_status reserve_scratch(clsp_image_plan *plan, const clspi_filter_job *job)
{
    clspi_image_filter *const filter = &plan->filter;
    const size_t bytes = job->layout->plane * clsp_type_bytes(plan->desc.precision);

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

    return clspi_makes_two_directions(step) ? run_groups(plan, series, step, job)
                                            : run_pass(plan, series, step, job);
}

/* Makes the coefficients NaN that are not made of the samples of a part. */
static clsp_status fill_outside(const clsp_image_plan *plan, clspi_series *series,
                                const clspi_filter_job *job)
{
    const clspi_image_layout *const l = job->layout;
    const clspi_image_filter *const f = &plan->filter;
    const size_t blocks = clspi_div_up(l->stored[2], OUTSIDE_BLOCK);
    const size_t local = f->outside.local;
    const uint32_t end_z = l->whole[0] > 1 ? f->made[0][1] : l->stored[0]; /* images are slices */
    const uint64_t most = clspi_launch_lines(&series->ctx->tuning, OUTSIDE_BLOCK, 1, local, 1);
    clspi_cut cut = {.per_piece = 1, .left = (size_t)l->stored[0] * l->stored[1] * blocks};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_fill_outside_args args = {.target = plan->coefficients,
                                              .kept = {.offset = job->plane * plan->layout.plane,
                                                       .first_item = part.before,
                                                       .num_y = l->stored[1],
                                                       .num_x = l->stored[2],
                                                       .begin_z = f->made[0][0],
                                                       .end_z = end_z,
                                                       .begin_y = f->made[1][0],
                                                       .end_y = f->made[1][1],
                                                       .begin_x = f->made[2][0],
                                                       .end_x = f->made[2][1],
                                                       .num_blocks = (uint32_t)blocks,
                                                       .block = OUTSIDE_BLOCK,
                                                       .items = (uint32_t)part.num_lines}};
        CLSPI_CHECK(clspi_launch_fill_outside(series, &f->outside, &args, part.num_lines));
    }
    return CLSP_OK;
}

clsp_status clspi_image_filter_run(clsp_image_plan *plan, clspi_series *series,
                                   const clspi_filter_job *job)
{
    CLSPI_CHECK(reserve_scratch(plan, job));
    for (uint32_t i = 0; i < plan->filter.num; i++) {
        const clspi_filter_step *const step = &plan->filter.step[i];
        clspi_filter_job one = *job;
        one.from = memory_of(plan, job, step->from);
        one.to = memory_of(plan, job, step->to);
        CLSPI_CHECK(clspi_image_filter_step(plan, series, i, &one));
    }
    return clspi_is_part(job->layout) ? fill_outside(plan, series, job) : CLSP_OK;
}

uint32_t clspi_image_step_block(const clsp_image_plan *plan, const clspi_filter_step *step,
                                uint32_t axis)
{
    switch (step->kind) {
    case CLSPI_STEP_RECURSION:
        return step->whole_lines ? 0 : block_of(plan, step);
    case CLSPI_STEP_STRIPS:
        return axis == 2 ? (uint32_t)clspi_group_width(plan, step, step->kernel.local) : step->rows;
    case CLSPI_STEP_TILES:
    case CLSPI_STEP_COLUMNS:
        return clspi_register_block(plan->base.ctx);
    default:
        return 1;
    }
}
