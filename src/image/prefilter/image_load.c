#include "image_load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "filter_reach.h"
#include "filter_steps.h"
#include "fir_taps.h"
#include "float_state.h"
#include "half.h"
#include "job.h"

enum {
    KEY_MAX = 160,
    ROW_ITEMS = 4096, /* coefficients of a tile, at least */
    BAND = 128,       /* rows of a tile that is filtered across rows */
    SLAB = 32,        /* slices of one */
    PART_BYTES = 32 << 20
};

#define STEP_NS 2.0 /* that a coefficient of a step takes a core */

/* The prefilter of one channel of an image, at one step. */
typedef struct load_job {
    clsp_image_plan *plan;
    const clspi_line_functions *functions;
    uint32_t step;
    clspi_line_source source;
    char *target; /* [stored_0][stored_1][stored_2] */
    size_t element;
    bool halves;
    size_t planes_done, num_planes;
    char *scratch[CLSPI_SCRATCHES]; /* planes of reals that steps hand over */
    double taps[CLSP_IMAGE_MAX_TAPS / 2 + 1];
    enum { BY_DEVICE, BY_SHARE, BY_HOST } way;
    const clsp_share *opts; /* of BY_SHARE */
    clsp_report *report;
} load_job;

static clsp_status no_memory(const clsp_image_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "image: no host memory for the prefilter");
}

static const clspi_filter_step *step_of(const load_job *job)
{
    return &job->plan->of_parts.step[job->step];
}

/* Tells whether a step filters rows too. */
static bool is_tiled(const clspi_filter_step *step)
{
    return step->axis == 1 && clspi_image_step_has_axis(step, 2);
}

/* ---- the host ---- */

/* Returns by what a step multiplies besides: rows of bands have the gain of columns too. */
static double scale_of(const load_job *job, const clspi_filter_step *step)
{
    const bool wide = job->plan->desc.precision == CLSP_F64;
    const double pole = wide ? step->pole : (double)(float)step->pole;
    const double second = wide ? step->second : (double)(float)step->second;
    const double ones = (1.0 - pole) * (1.0 - second);

    if (step->kind == CLSPI_STEP_ACROSS) return ones * ones;
    return step->kind == CLSPI_STEP_DOWN && step->axis == 1 ? 1.0 / (ones * ones) : 1.0;
}

/* Returns the filter of a step. */
static clspi_line_filter filter_of(const load_job *job)
{
    const clspi_filter_step *const step = step_of(job);
    clspi_line_filter f = {.kind = CLSPI_LINE_COPY,
                           .halo = step->halo,
                           .poles = {step->pole, step->second},
                           .scale = scale_of(job, step),
                           .taps = job->taps};

    if (step->kind == CLSPI_STEP_COPY) return f;
    f.kind = step->kind == CLSPI_STEP_FIR || step->kind == CLSPI_STEP_STAGED ? CLSPI_LINE_FIR
                                                                             : CLSPI_LINE_RECURSION;
    return f;
}

/* Makes num lines across rows or slices, each num_x long, of these rows and those around them;
   false without memory. */
static bool filter_columns(const load_job *job, const clspi_line_filter *f,
                           const clspi_line_box *box, uint32_t axis, char *out)
{
    const size_t real = clsp_type_bytes(job->plan->desc.precision);
    const uint32_t num = axis == 0 ? box->num_z : box->num_y, halo = f->halo;
    const size_t rows = num + 2 * (size_t)halo, width = box->num_x;
    const uint32_t others = axis == 0 ? box->num_y : box->num_z;
    const void **const lines = malloc(rows * sizeof *lines);
    char *const memory = malloc(rows * width * real);
    clspi_line_filter own = *f;
    const clspi_line_filter copy = {.kind = CLSPI_LINE_COPY};
    const bool along_x = is_tiled(step_of(job));
    const bool is_all = axis == 1 && num == job->source.stored[1];

    for (size_t k = 0; lines && memory && k < rows; k++)
        lines[k] = memory + k * width * real;
    for (uint32_t i = 0; lines && memory && i < others; i++) {
        const int64_t first = (axis == 0 ? (int64_t)box->first_z : box->first_y) - halo;
        for (size_t k = 0; axis == 0 && k < rows; k++)
            job->functions->read(&job->source, first + (int64_t)k, box->first_y + i, box->first_x,
                                 width, memory + k * width * real);
        clspi_line_box band = {.first_y = first,
                               .first_z = box->first_z + i,
                               .num_z = 1,
                               .num_y = (uint32_t)rows,
                               .first_x = box->first_x,
                               .num_x = box->num_x};
        if (axis == 1 && is_all) { /* rows beyond the ends are those within */
            band.first_y = 0;
            band.num_y = num;
            for (size_t k = 0; k < rows; k++)
                lines[k] =
                    memory + (size_t)clspi_extend(first + (int64_t)k, num, job->source.extend[1]) *
                                 width * real;
        }
        if (axis == 1)
            job->functions->rows(along_x ? &own : &copy, &job->source, &band, memory, false);
        const size_t at = axis == 0 ? i * width : i * (size_t)num * width;
        job->functions->columns(&own, lines, num, width, out + at * job->element,
                                axis == 0 ? box->num_y * width : width, job->halves);
    }
    const bool is_done = lines && memory;
    free(lines);
    free(memory);
    return is_done;
}

/* Makes whole rows of one slice, or of several slices all, or a part of a row; false without
   memory. */
static bool filter_box(const load_job *job, const clspi_line_box *box, char *out)
{
    const clspi_filter_step *const step = step_of(job);
    const clspi_line_filter f = filter_of(job);

    if (is_tiled(step) || step->axis == 1) return filter_columns(job, &f, box, 1, out);
    if (step->axis == 0) return filter_columns(job, &f, box, 0, out);
    job->functions->rows(&f, &job->source, box, out, job->halves);
    return true;
}

static clsp_status make_on_host(const void *user, clspi_plan *base, uint32_t worker,
                                const clspi_part *part, char *out)
{
    const load_job *const job = user;
    const uint32_t *const stored = job->plan->layout.stored, *const low = job->plan->layout.low;
    const bool is_whole = part->line == 0 && part->num_lines % stored[2] == 0;
    const size_t rows = is_whole ? part->num_lines / stored[2] : 1;

    (void)base;
    (void)worker;
    for (size_t done = 0; done < rows;) {
        const size_t row = part->piece + done, y = row % stored[1];
        const size_t slices = y == 0 ? (rows - done) / stored[1] : 0;
        const size_t num_y = clspi_min(rows - done, stored[1] - y);
        const clspi_line_box box = {.first_y = (int64_t)(low[1] + y),
                                    .first_z = low[0] + (uint32_t)(row / stored[1]),
                                    .num_z = (uint32_t)clspi_max(slices, 1),
                                    .num_y = (uint32_t)num_y,
                                    .first_x = low[2] + (is_whole ? 0 : (uint32_t)part->line),
                                    .num_x = is_whole ? stored[2] : (uint32_t)part->num_lines};
        const clspi_float_state before = clspi_float_flush(clspi_image_flushes(&job->plan->desc));
        const bool is_done = filter_box(job, &box, out + done * stored[2] * job->element);
        clspi_float_state_set(before);
        if (!is_done) return no_memory(job->plan);
        done += clspi_max(slices * stored[1], num_y);
    }
    return CLSP_OK;
}

/* ---- devices ---- */

/* Tells whether a peer's steps make the same of the same as the plan's: devices have kernels of
   their own. */
static bool has_same_steps(const clspi_image_filter *a, const clspi_image_filter *b)
{
    bool is_same = a->num == b->num;

    for (uint32_t i = 0; i < a->num && is_same; i++) {
        const clspi_filter_step *const s = &a->step[i], *const t = &b->step[i];
        const bool is_band = clspi_is_band(s);
        is_same = s->axis == t->axis && s->from == t->from && s->to == t->to &&
                  s->pole == t->pole && is_band == clspi_is_band(t) &&
                  clspi_makes_two_directions(s) == clspi_makes_two_directions(t);
    }
    return is_same;
}

static clsp_status make_on_device(const void *user, clspi_plan *base, clspi_series *series,
                                  const clspi_part *part, const clspi_target *target)
{
    const load_job *const job = user;
    const clsp_image_plan *const made_by = (const clsp_image_plan *)base;

    if (!has_same_steps(&job->plan->of_parts, &made_by->of_parts))
        return clspi_fail(&base->ctx->log, CLSP_ERROR_ARGUMENT,
                          "image: %s filters directions by other steps than %s",
                          base->ctx->device.name, job->plan->base.ctx->device.name);
    return clspi_image_strips_make((clsp_image_plan *)base, series, job->step, &job->source, part,
                                   target);
}

/* Makes a step on the plan's device, some rows at a time. */
static clsp_status run_on_device(const load_job *job)
{
    clsp_image_plan *const plan = job->plan;
    const uint32_t *const stored = plan->layout.stored;
    const uint64_t bytes =
        clspi_min_u64(PART_BYTES, plan->base.ctx->device.max_alloc_bytes) / job->element;
    clspi_staging *const staging = &plan->base.staging[0][0];
    clspi_cut cut = {.per_piece = stored[2],
                     .multiple = BAND,
                     .left = (size_t)stored[0] * stored[1] * stored[2]};
    clspi_part part;

    while (clspi_cut_next(&cut, bytes, &part)) {
        clspi_call call;
        CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
        clsp_status status = clspi_buffer_reserve(&staging->buffer, &staging->bytes, plan->base.ctx,
                                                  part.num_lines * job->element);
        const clspi_target target = {staging->buffer, 0};
        if (status == CLSP_OK)
            status = make_on_device(job, &plan->base, &call.series, &part, &target);
        if (status == CLSP_OK)
            status = clspi_series_read(&call.series, staging->buffer, 0,
                                       job->target + part.before * job->element,
                                       part.num_lines * job->element);
        CLSPI_CHECK(clspi_call_end(&call, status));
    }
    return CLSP_OK;
}

/* ---- one step ---- */

/* Returns tiles of rows, or of parts of one where a row is much of what a device holds. */
static clspi_tiling tiling_of(const load_job *job)
{
    const clsp_image_plan *const plan = job->plan;
    const clspi_filter_step *const step = step_of(job);
    const uint32_t *const stored = plan->layout.stored;
    const size_t rows = (size_t)stored[0] * stored[1], row_bytes = stored[2] * job->element;
    const size_t quarter =
        (size_t)clspi_min_u64(plan->base.ctx->device.max_alloc_bytes / 4, PART_BYTES);
    clspi_tiling tiling = {.num_pieces = rows,
                           .lines = stored[2],
                           .tile_lines = stored[2],
                           .tiles_per_piece = 1,
                           .pieces_per_tile = clspi_div_up(ROW_ITEMS, stored[2])};

    if (row_bytes > quarter) {
        tiling.tile_lines = clspi_max(quarter / job->element / BAND, 1) * BAND;
        tiling.tiles_per_piece = clspi_div_up(stored[2], tiling.tile_lines);
        tiling.pieces_per_tile = 1;
        return tiling;
    }
    const bool across = is_tiled(step) || step->axis < 2;
    if (across)
        tiling.pieces_per_tile = clspi_max(
            clspi_round_up(tiling.pieces_per_tile, BAND), /* where the host's blocks begin */
            step->axis == 0 ? (size_t)SLAB * stored[1] : clspi_min(BAND, stored[1]));
    tiling.pieces_per_tile =
        clspi_min(clspi_min(tiling.pieces_per_tile, rows), clspi_max(quarter / row_bytes, 1));
    return tiling;
}

/* Adds what one job reports to what those before it did. */
static void add_report(clsp_report *all, const clsp_report *one)
{
    if (all->num_processors == 0) {
        *all = *one;
        return;
    }
    all->num_tiles += one->num_tiles;
    all->wall_ms += one->wall_ms;
    all->prepare_ms += one->prepare_ms;
    all->probe_ms += one->probe_ms;
    all->build_ms += one->build_ms;
    for (uint32_t i = 0; i < one->num_processors; i++) {
        clsp_processor_report *const to = &all->processors[i];
        const clsp_processor_report *const from = &one->processors[i];
        to->workers = from->workers > to->workers ? from->workers : to->workers;
        to->tiles += from->tiles;
        to->chunks += from->chunks;
        to->busy_ms += from->busy_ms;
        to->move_ms += from->move_ms;
        if (to->status == CLSP_OK) to->status = from->status;
    }
}

/* Describes a step as a batch that the host and devices can make. */
static clspi_shared_batch batch_of(const load_job *job)
{
    static const clspi_line_maker maker = {make_on_host, make_on_device, NULL};
    clsp_image_plan *const plan = job->plan;

    return (clspi_shared_batch){.plan = &plan->base,
                                .peers = &plan->peers,
                                .maker = &maker,
                                .user = job,
                                .why_not_persistent = "no persistent kernel filters images",
                                .tiling = tiling_of(job),
                                .line_items = 1,
                                .line_bytes = job->element,
                                .element = job->element};
}

static clsp_status run_shared(load_job *job)
{
    clsp_image_plan *const plan = job->plan;
    const clsp_image_desc *const d = &plan->desc;
    clspi_shared_batch batch = batch_of(job);
    clsp_report report;
    char key[KEY_MAX];

    batch.key = key;
    snprintf(key, KEY_MAX, "image-filter-%u-%u-p%d-k%d-f%zu-s%d-step%u-c%u", d->directions,
             clspi_image_order(d), (int)d->prefilter, (int)step_of(job)->kind,
             8 * clsp_type_bytes(d->precision), (int)d->samples, job->step,
             clspi_size_class((double)plan->layout.plane));
    const clsp_run run = {.share = job->opts};
    clspi_tiles tiles;
    CLSPI_CHECK(clspi_tiles_of(&tiles, &plan->base, &batch.tiling, &run));
    CLSPI_CHECK(clspi_shared_batch_run(&batch, &tiles, job->target, &run, &report));
    add_report(job->report, &report);
    return CLSP_OK;
}

/* Makes a step by the host's threads. */
static clsp_status run_on_host(load_job *job)
{
    clspi_shared_batch batch = batch_of(job);
    clspi_tiles tiles;

    CLSPI_CHECK(clspi_tiles_of(&tiles, &job->plan->base, &batch.tiling, NULL));
    return clspi_batch_on_host(&batch, &tiles, job->target, STEP_NS, NULL);
}

static clsp_status run_step(load_job *job)
{
    return job->way == BY_SHARE  ? run_shared(job)
           : job->way == BY_HOST ? run_on_host(job)
                                 : run_on_device(job);
}

/* ---- all steps ---- */

/* Describes the samples of a channel, or what a step before has made. */
static clspi_line_source source_of(const load_job *job, const char *at, bool is_samples)
{
    const clsp_image_desc *const d = &job->plan->desc;
    const clspi_image_layout *const l = &job->plan->layout;
    clspi_line_source source = {.at = at,
                                .type = is_samples ? d->samples : d->precision,
                                .step = is_samples && !l->planar ? l->channels : 1,
                                .cval = d->cval};

    for (uint32_t k = 0; k < 3; k++) {
        source.pad[k] = is_samples ? l->pad[k] : 0;
        source.size[k] = l->whole[k] - 2 * source.pad[k];
        source.first[k] = is_samples ? l->begin[k] : l->low[k];
        source.num[k] = is_samples ? l->size[k] : l->stored[k];
        source.mode[k] = l->mode[k];
        source.stored[k] = l->whole[k];
        source.extend[k] = clspi_image_filter_mode(l->mode[k]);
    }
    return source;
}

/* Returns the memory of a step's, and makes it where that has not been done. */
static char *memory_of(load_job *job, clspi_step_memory memory, char *coefficients)
{
    if (memory == CLSPI_STEP_COEFFICIENTS) return coefficients;
    char **const scratch = &job->scratch[memory - CLSPI_STEP_SCRATCH];
    size_t bytes = job->plan->layout.plane;

    if (!*scratch && clspi_size_mul(&bytes, clsp_type_bytes(job->plan->desc.precision)))
        *scratch = malloc(bytes);
    return *scratch;
}

/* Finds the range of a channel's samples; NaN is passed over. */
static void find_range(const load_job *job, void *range)
{
    enum { RUN = 1024 };
    const bool wide = job->plan->desc.precision == CLSP_F64;
    const uint32_t *const size = job->source.size;
    clspi_line_source from = job->source;
    double low = HUGE_VAL, high = -HUGE_VAL, memory[RUN];

    for (uint32_t d = 0; d < 3; d++) {
        from.pad[d] = 0;
        from.stored[d] = size[d];
    }
    for (size_t row = 0; row < (size_t)size[0] * size[1]; row++)
        for (uint32_t x = 0; x < size[2]; x += RUN) {
            const size_t num = clspi_min(RUN, size[2] - x);
            job->functions->read(&from, (int64_t)(row / size[1]), (int64_t)(row % size[1]), x, num,
                                 memory);
            for (size_t k = 0; k < num; k++) {
                const double s = wide ? memory[k] : (double)((const float *)(void *)memory)[k];
                low = fmin(low, s);
                high = fmax(high, s);
            }
        }
    for (int k = 0; k < 2; k++) {
        const double x = k == 0 ? low : high;
        if (wide)
            ((double *)range)[k] = x;
        else
            ((float *)range)[k] = (float)x;
    }
}

/* Makes so many coefficients NaN. */
static void spoil(const load_job *job, char *at, size_t num)
{
    const clsp_type type = job->plan->desc.coefficients;

    for (size_t k = 0; k < num; k++)
        if (type == CLSP_F64)
            ((double *)(void *)at)[k] = (double)NAN;
        else if (type == CLSP_F32)
            ((float *)(void *)at)[k] = NAN;
        else
            ((uint16_t *)(void *)at)[k] = clspi_half((double)NAN);
}

/* Makes coefficients of a plane NaN where they need samples that the part has not. */
static void spoil_outside(const load_job *job, char *plane)
{
    const uint32_t *const stored = job->plan->layout.stored;
    uint32_t(*const made)[2] = job->plan->filter.made;
    const size_t element = clsp_type_bytes(job->plan->desc.coefficients);

    for (uint32_t z = 0; z < stored[0]; z++)
        for (uint32_t y = 0; y < stored[1]; y++, plane += stored[2] * element) {
            const bool is_made =
                z >= made[0][0] && z < made[0][1] && y >= made[1][0] && y < made[1][1];
            const uint32_t first = is_made ? made[2][0] : stored[2];
            const uint32_t end = is_made ? made[2][1] : stored[2];
            spoil(job, plane, first);
            spoil(job, plane + end * element, stored[2] - end);
        }
}

/* Makes the coefficients of one channel. */
static clsp_status load_plane(load_job *job, const char *samples, size_t plane)
{
    clsp_image_plan *const plan = job->plan;
    const clsp_image_desc *const d = &plan->desc;
    const size_t real = clsp_type_bytes(d->precision);
    char *const coefficients =
        plan->store.host + plane * plan->layout.plane * clsp_type_bytes(d->coefficients);

    job->source = source_of(job, samples, true);
    if (d->clip) find_range(job, plan->store.range + plane * 2 * real);
    for (job->step = 0; job->step < plan->of_parts.num; job->step++) {
        const clspi_step_memory to = step_of(job)->to;
        const clsp_type type = to == CLSPI_STEP_COEFFICIENTS ? d->coefficients : d->precision;
        job->target = memory_of(job, to, coefficients);
        if (!job->target) return no_memory(plan);
        job->element = clsp_type_bytes(type);
        job->halves = type != d->precision;
        CLSPI_CHECK(run_step(job));
        job->source = source_of(job, job->target, false);
    }
    if (clspi_is_part(&plan->layout)) spoil_outside(job, coefficients);
    return CLSP_OK;
}

static clsp_status make_taps(load_job *job)
{
    const clsp_image_desc *const d = &job->plan->desc;

    if (d->taps == 0) return CLSP_OK;
    if (d->prefilter == CLSP_IMAGE_TRUNCATED)
        clspi_fir_truncated(clspi_image_order(d), d->taps / 2, job->taps);
    else if (!clspi_fir_least_squares(clspi_image_order(d), d->taps / 2, job->taps))
        return no_memory(job->plan);
    return CLSP_OK;
}

static clsp_status load_all(load_job *job, size_t num_images, const char *samples)
{
    clsp_image_plan *const plan = job->plan;
    const clspi_image_layout *const l = &plan->layout;
    const size_t element = clsp_type_bytes(plan->desc.samples);

    job->functions =
        plan->desc.precision == CLSP_F64 ? &clspi_line_functions_f64 : &clspi_line_functions_f32;
    CLSPI_CHECK(make_taps(job));
    for (size_t i = 0; i < num_images; i++)
        for (uint32_t c = 0; c < l->channels; c++) {
            const size_t at = i * l->channels * l->samples + (l->planar ? c * l->samples : c);
            CLSPI_CHECK(load_plane(job, samples + at * element, i * l->channels + c));
        }
    return CLSP_OK;
}

/* Loads images into host memory. */
static clsp_status load(load_job *job, size_t num_images, const char *samples)
{
    clsp_image_plan *const plan = job->plan;

    clspi_image_store_forget(plan);
    clspi_peers_forget(&plan->peers);
    clsp_status status = clspi_image_store_reserve(plan, num_images);
    if (status == CLSP_OK) status = load_all(job, num_images, samples);
    for (uint32_t k = 0; k < CLSPI_SCRATCHES; k++)
        free(job->scratch[k]);
    plan->num_images = num_images;
    plan->has_samples = true;
    return status;
}

clsp_status clspi_image_load_strips(clsp_image_plan *plan, size_t num_images, const char *samples)
{
    load_job job = {.plan = plan, .way = BY_DEVICE};

    return load(&job, num_images, samples);
}

clsp_status clspi_image_load_on_host(clsp_image_plan *plan, size_t num_images, const char *samples)
{
    load_job job = {.plan = plan, .way = BY_HOST};

    return load(&job, num_images, samples);
}

/* Samples that the context's device filters by itself, as if they were not shared. */
typedef struct lone_load {
    clsp_image_plan *plan;
    size_t num_images;
    const clsp_input *samples;
} lone_load;

static clsp_status load_none(void *user)
{
    const lone_load *const l = user;

    return clspi_image_load_strips(l->plan, 0, NULL);
}

static clsp_status load_alone(void *user)
{
    const lone_load *const l = user;

    CLSPI_CHECK(clsp_image_set_samples(l->plan, l->num_images, *l->samples, NULL));
    return clspi_plan_await(&l->plan->base, NULL);
}

/* Tells why the context's device filters alone; NULL: it does not. */
static const char *why_alone(const clsp_image_plan *plan, size_t num_images,
                             const clsp_share *share)
{
    const clsp_device_info *const device = &plan->base.ctx->device;
    const bool by_devices = share->bit_equal || share->num_workers == CLSP_NO_WORKERS;

    if (num_images == 0) return "there is nothing to share";
    if (device->device_class != CLSP_CLASS_DISCRETE || !clspi_image_fits_device(plan, num_images))
        return NULL;
    if (share->schedule == CLSP_SCHEDULE_DEVICE) return "the device was asked for";
    return share->schedule == CLSP_SCHEDULE_DEFAULT && by_devices
               ? "a device filters faster than the bus moves samples to others"
               : NULL;
}

clsp_status clspi_image_load_shared(clsp_image_plan *plan, size_t num_images,
                                    const clsp_input *samples, const clsp_run *run)
{
    clsp_report own = {.num_processors = 0};
    load_job job = {.plan = plan, .opts = run->share, .report = &own, .way = BY_SHARE};
    clspi_memory_need need = {"samples", CLSP_TYPE_DEFAULT, 0};
    const char *from;

    if (run->share->tiles.count > 0 || run->share->measure || run->tiling)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "image: loading samples has no tiles, and is not measured");
    CLSPI_CHECK(clspi_image_samples_need(plan, num_images, &need));
    CLSPI_CHECK(clspi_shared_input(&plan->base, samples, &need, &from));
    if ((uintptr_t)from % clsp_type_bytes(plan->desc.samples) != 0)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "image: samples that are not aligned to their elements");
    lone_load one = {plan, num_images, samples};
    const clspi_lone_call alone = {why_alone(plan, num_images, run->share), num_images > 0,
                                   num_images > 0 ? load_alone : load_none, &one, false};
    if (alone.why) return clspi_shared_alone(&plan->base, &alone, run);
    CLSPI_CHECK(clspi_run_wait(&plan->base, run));
    const clsp_status status = load(&job, num_images, from);
    clspi_image_set_broken(plan, status != CLSP_OK);
    if (status != CLSP_OK) return status;
    if (run->report) *run->report = own;
    return clspi_run_done(&plan->base, run);
}
