#include "image_load.h"

#include <math.h>
#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "filter_reach.h"
#include "filter_steps.h"
#include "float_state.h"
#include "half.h"
#include "image_reals.h"
#include "large_array.h"
#include "lone_call.h"
#include "spline_poles.h"

enum {
    ROW_ITEMS = 4096, /* coefficients of a tile, at least */
    BAND = 128,       /* rows of a tile that is filtered across rows */
    SLAB = 32,        /* slices of one */
    PART_BYTES = 32 << 20
};

#define COEFFICIENT_NS 0.5 /* that a coefficient of a direction takes a core */

/* The prefilter of one channel of an image, at one step; or by the host alone, which filters x and
   y together and then, where there are slices, z, of several channels and images at once. */
typedef struct load_job {
    clsp_image_plan *plan;
    const char *samples; /* of all images */
    const clspi_line_functions *functions;
    uint32_t step;
    clspi_line_source source;
    char *target; /* [stored_0][stored_1][stored_2] */
    clsp_type type;
    size_t element; /* bytes of one */
    bool halves;
    double taps[CLSP_IMAGE_MAX_TAPS / 2 + 1];
    clspi_line_filter along_x, across; /* of the host, the latter along y or z, */
    long double scale;                 /* and by what it multiplies: their gains */
    bool by_host;                      /* alone */
    const clsp_share *opts;            /* NULL: the call has none */
    clsp_report *report;
    bool across_slices; /* of the host alone: z */
    size_t first_plane,
        num_planes;    /* and of which planes, the first of them at source and target, */
    uint32_t tiles[3]; /* its tiles of one along each direction, */
    size_t tile[3];    /* of so many coefficients */
} load_job;

static const clspi_filter_step *step_of(const load_job *job)
{
    return &job->plan->filter.step[job->step];
}

/* ---- the host ---- */

/* Returns the memory of a worker; NULL without memory. */
static void *memory_of_worker(const load_job *job, uint32_t worker)
{
    void **const memory = &job->plan->store.line_memory[worker];

    if (!*memory) *memory = malloc(job->functions->memory_bytes);
    return *memory;
}

/* Returns the gain of a filter: that of its poles as they are rounded. */
static long double gain_of(const load_job *job, const clspi_line_filter *f)
{
    const bool wide = job->plan->desc.precision == CLSP_F64;
    long double ones = 1.0L;

    for (uint32_t i = 0; f->kind == CLSPI_LINE_RECURSION && i < f->num_poles; i++)
        ones *= 1.0L - (long double)(wide ? f->poles[i] : (double)(float)f->poles[i]);
    return ones * ones;
}

/* Sets the filters of a step. */
static void use_step(load_job *job)
{
    const clspi_filter_step *const step = step_of(job);
    const clspi_line_filter none = {.kind = CLSPI_LINE_COPY};
    clspi_line_filter f = {
        .halo = step->halo, .num_poles = 1, .poles = {step->pole}, .taps = job->taps};

    f.kind = clspi_is_convolution(step)      ? CLSPI_LINE_FIR
             : step->kind == CLSPI_STEP_COPY ? CLSPI_LINE_COPY
                                             : CLSPI_LINE_RECURSION;
    job->along_x = step->axis == 2 || clspi_makes_two_directions(step) ? f : none;
    job->across = step->axis < 2 ? f : none;
    job->scale = gain_of(job, &job->along_x) * gain_of(job, &job->across);
}

/* Begins to describe what a worker makes; `memory` is NULL without memory. */
static clspi_line_work work_of(const load_job *job, uint32_t worker, void *out)
{
    return (clspi_line_work){.from = &job->source,
                             .along_x = job->along_x,
                             .across = job->across,
                             .scale = job->scale,
                             .out = out,
                             .halves = job->halves,
                             .memory = memory_of_worker(job, worker)};
}

/* Makes a box of a step that filters z. */
static void make_slices(const load_job *job, clspi_line_work *pass, const clspi_line_box *box)
{
    const uint32_t *const stored = job->plan->layout.stored, *const low = job->plan->layout.low;
    const bool is_whole = box->num_x == stored[2];
    char *const out = pass->out;

    for (uint32_t y = 0; y < (is_whole ? 1 : box->num_y); y++) {
        const size_t row = box->first_y - low[1] + y;
        const clspi_slice_range range = {.at = row * stored[2] + box->first_x - low[2],
                                         .width =
                                             is_whole ? (size_t)box->num_y * stored[2] : box->num_x,
                                         .first = box->first_z,
                                         .num = box->num_z,
                                         .block = SLAB};
        pass->out = out + y * pass->row * job->element;
        job->functions->slices(pass, &range);
    }
}

/* Makes whole rows of one slice, or of several slices all, or a part of a row. */
static clsp_status filter_box(const load_job *job, const clspi_line_box *box, uint32_t worker,
                              char *out)
{
    clspi_line_work pass = work_of(job, worker, out);

    if (!pass.memory) return clspi_image_no_memory(job->plan, "the prefilter");
    pass.row = box->num_x;
    pass.slice = (size_t)box->num_y * box->num_x;
    const clspi_float_state before = clspi_float_flush(clspi_image_flushes(&job->plan->desc));
    if (step_of(job)->axis == 0)
        make_slices(job, &pass, box);
    else
        job->functions->bands(&pass, box);
    clspi_float_state_set(before);
    return CLSP_OK;
}

static clsp_status make_on_host(const clspi_work *work, uint32_t worker, const clspi_part *part,
                                const char *const in[], char *out)
{
    const load_job *const job = work->user;
    const uint32_t *const stored = job->plan->layout.stored, *const low = job->plan->layout.low;
    const bool is_whole = part->line == 0 && part->num_lines % stored[2] == 0;
    const size_t rows = is_whole ? part->num_lines / stored[2] : 1;

    (void)in;
    for (size_t done = 0; done < rows;) {
        const size_t row = part->piece + done, y = row % stored[1];
        const size_t slices = y == 0 ? (rows - done) / stored[1] : 0;
        const size_t num_y = clspi_min(rows - done, stored[1] - y);
        const clspi_line_box box = {.first_y = low[1] + (uint32_t)y,
                                    .first_z = low[0] + (uint32_t)(row / stored[1]),
                                    .num_z = (uint32_t)clspi_max(slices, 1),
                                    .num_y = (uint32_t)num_y,
                                    .first_x = low[2] + (is_whole ? 0 : (uint32_t)part->line),
                                    .num_x = is_whole ? stored[2] : (uint32_t)part->num_lines};
        CLSPI_CHECK(filter_box(job, &box, worker, out + done * stored[2] * job->element));
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
        is_same = s->axis == t->axis && s->from == t->from && s->to == t->to &&
                  s->pole == t->pole &&
                  clspi_makes_two_directions(s) == clspi_makes_two_directions(t);
    }
    return is_same;
}

static clsp_status make_on_device(const clspi_work *work, clspi_plan *base, clspi_series *series,
                                  const clspi_part *part, const clspi_place in[],
                                  const clspi_target *out)
{
    const load_job *const job = work->user;
    clsp_image_plan *const made_by = (clsp_image_plan *)base;

    (void)in;
    if (!has_same_steps(&job->plan->filter, &made_by->filter))
        return clspi_fail(&base->ctx->log, CLSP_ERROR_ARGUMENT,
                          "image: %s filters directions by other steps than %s",
                          base->ctx->device.name, job->plan->base.ctx->device.name);
    return clspi_image_strips_make(made_by, series, job->step, &job->source, part, out);
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
    const bool across = step->axis < 2;
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

/* Describes what speeds depend on. */
static clspi_work_key key_of(const clspi_work *work)
{
    const load_job *const job = work->user;
    const clsp_image_desc *const d = &job->plan->desc;
    const clspi_work_key key = {job->by_host ? "filter-host" : "filter",
                                7,
                                {d->directions, clspi_image_order(d), d->prefilter,
                                 step_of(job)->kind, d->precision, d->samples, job->step}};

    return key;
}

/* Carries out work that makes `coefficients` of the target's. */
static clsp_status carry_out(const load_job *job, clspi_work *work, size_t coefficients)
{
    const clsp_output target = {.type = job->type, .host = job->target, .size = coefficients};
    clsp_report report;
    const clsp_run run = {.share = job->opts, .report = &report};

    work->plan = &job->plan->base;
    work->peers = &job->plan->peers;
    work->user = job;
    work->out.output = &target;
    work->out.what = "coefficients";
    work->out.type = job->type;
    if (!job->opts) return job->by_host ? clspi_work_within(work) : clspi_work_run(work, NULL);
    CLSPI_CHECK(clspi_work_run(work, &run));
    add_report(job->report, &report);
    return CLSP_OK;
}

/* Makes a step by the plan's device, or shares it: coefficients are its lines. */
static clsp_status run_step(load_job *job)
{
    static const clspi_work_makers makers = {
        .key = key_of, .on_host = make_on_host, .on_device = make_on_device};
    use_step(job);
    clspi_work work = {.makers = &makers,
                       .tiling = tiling_of(job),
                       .multiple = BAND,
                       .out = {.per_line = 1},
                       .line_items = 1,
                       .is_devices = true};

    return carry_out(job, &work, job->plan->layout.plane);
}

/* ---- samples ---- */

/* Returns where the samples of a plane begin: those of channels alternate, or stand one channel
   after the other. */
static const char *samples_of(const load_job *job, size_t plane)
{
    const clspi_image_layout *const l = &job->plan->layout;
    const size_t image = plane / l->channels, channel = plane % l->channels;
    const size_t at = image * l->channels * l->samples + channel * (l->planar ? l->samples : 1);

    return job->samples + at * clsp_type_bytes(job->plan->desc.samples);
}

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

/* Finds the range of a plane's samples, where values are clipped to it. */
static void find_range(const load_job *job, const clspi_line_source *source, size_t plane)
{
    const clsp_image_plan *const plan = job->plan;

    if (plan->desc.clip)
        job->functions->range(source, plan->store.range +
                                          plane * 2 * clsp_type_bytes(plan->desc.precision));
}

/* ---- the host alone ---- */

/* Returns the filter of a direction, of all poles. */
static clspi_line_filter filter_along(const load_job *job, uint32_t axis)
{
    const clsp_image_plan *const plan = job->plan;
    clspi_line_filter f = {.kind = CLSPI_LINE_COPY, .taps = job->taps};

    if (plan->layout.whole[axis] == 1 || plan->desc.prefilter == CLSP_IMAGE_NONE) return f;
    if (plan->desc.prefilter == CLSP_IMAGE_RECURSIVE) {
        f.kind = CLSPI_LINE_RECURSION;
        f.num_poles = clspi_spline_poles(clspi_image_order(&plan->desc), f.poles);
        f.halo = clspi_filter_halo(plan);
    } else {
        f.kind = CLSPI_LINE_FIR;
        f.halo = plan->desc.taps / 2;
    }
    return f;
}

/* Sets the filters of x and y, which multiply by the gains of all directions, or of z. */
static void use_directions(load_job *job)
{
    const clspi_line_filter z = filter_along(job, 0);

    job->along_x = filter_along(job, 2);
    job->across = job->across_slices ? z : filter_along(job, 1);
    job->scale = job->across_slices
                     ? 1.0L
                     : gain_of(job, &z) * gain_of(job, &job->across) * gain_of(job, &job->along_x);
}

/* Describes what a plane of the job's is made of. */
static clspi_line_source plane_source(const load_job *job, size_t plane)
{
    const clsp_type real = job->plan->desc.precision;

    if (!job->across_slices) return source_of(job, samples_of(job, job->first_plane + plane), true);
    return source_of(job, job->source.at + plane * job->plan->layout.plane * clsp_type_bytes(real),
                     false);
}

/* Makes a tile of a plane, counted z, y, x: of two directions, or of columns across all slices. */
static void make_tile(const load_job *job, const clspi_line_work *of_plane, size_t tile)
{
    const clspi_image_layout *const l = &job->plan->layout;
    clspi_line_work pass = *of_plane;
    const size_t in_slice = tile % ((size_t)job->tiles[1] * job->tiles[2]);
    const size_t z = tile / job->tiles[1] / job->tiles[2];
    const size_t y = in_slice / job->tiles[2] * job->tile[1];
    const size_t x = in_slice % job->tiles[2] * job->tile[2];
    const size_t num_x = clspi_min(job->tile[2], (job->across_slices ? pass.slice : pass.row) - x);
    const clspi_line_box box = {.first_z = l->low[0] + (uint32_t)z,
                                .num_z = 1,
                                .first_y = l->low[1] + (uint32_t)y,
                                .num_y = (uint32_t)clspi_min(job->tile[1], l->stored[1] - y),
                                .first_x = l->low[2] + (uint32_t)x,
                                .num_x = (uint32_t)num_x};
    const clspi_slice_range columns = {.at = x,
                                       .width = num_x,
                                       .first = l->low[0],
                                       .num = l->stored[0],
                                       .block = CLSPI_LINE_BLOCK,
                                       .in_place = pass.from->at == pass.out};

    pass.out = (char *)pass.out + (z * pass.slice + y * pass.row + x) * job->element;
    if (job->across_slices)
        job->functions->slices(&pass, &columns);
    else
        job->functions->bands(&pass, &box);
}

/* Makes tiles of all planes, and with the first one of each the range of its samples. */
static clsp_status make_tiles(const clspi_work *work, uint32_t worker, const clspi_part *part,
                              const char *const in[], char *out)
{
    const load_job *const job = work->user;
    const clspi_image_layout *const l = &job->plan->layout;
    const size_t of_plane = (size_t)job->tiles[0] * job->tiles[1] * job->tiles[2];
    clspi_line_work pass = work_of(job, worker, NULL);

    (void)in;
    (void)out;
    if (!pass.memory) return clspi_image_no_memory(job->plan, "the prefilter");
    pass.row = l->stored[2];
    pass.slice = (size_t)l->stored[1] * l->stored[2];
    const clspi_float_state before = clspi_float_flush(clspi_image_flushes(&job->plan->desc));
    for (size_t k = part->piece; k < part->piece + part->num_pieces; k++) {
        const size_t plane = k / of_plane;
        const clspi_line_source source = plane_source(job, plane);
        pass.from = &source;
        pass.out = job->target + plane * l->plane * job->element;
        if (k % of_plane == 0 && !job->across_slices)
            find_range(job, &source, job->first_plane + plane);
        make_tile(job, &pass, k % of_plane);
    }
    clspi_float_state_set(before);
    return CLSP_OK;
}

/* Chooses the tiles of a plane, and returns how many: columns as narrow as blocks, since rows
   around a tile are filtered for it too; and of lines that are filtered along x alone some blocks.
 */
static size_t choose_tiles(load_job *job)
{
    enum { COLUMNS = 4096, ROWS = 512 };
    const uint32_t *const stored = job->plan->layout.stored;
    const bool is_tall = job->across.kind != CLSPI_LINE_COPY;
    const size_t block = CLSPI_LINE_BLOCK;
    const size_t slice = (size_t)stored[1] * stored[2];

    if (job->across_slices) {
        job->tile[1] = stored[1];
        job->tile[2] = block;
        job->tiles[0] = job->tiles[1] = 1;
        job->tiles[2] = (uint32_t)clspi_div_up(slice, block);
        return job->tiles[2];
    }
    job->tile[2] = is_tall ? block : 16 * block;
    job->tile[1] = is_tall ? ROWS : clspi_max(COLUMNS / clspi_min(job->tile[2], stored[2]), 1);
    job->tiles[0] = stored[0];
    job->tiles[1] = (uint32_t)clspi_div_up(stored[1], job->tile[1]);
    job->tiles[2] = (uint32_t)clspi_div_up(stored[2], job->tile[2]);
    return (size_t)job->tiles[0] * job->tiles[1] * job->tiles[2];
}

/* Filters x and y, or z, by the host's threads: tiles are lines without coefficients of their own,
   which each tile finds. */
static clsp_status run_on_host(load_job *job)
{
    static const clspi_work_makers makers = {.key = key_of, .on_host = make_tiles};
    use_directions(job);
    const size_t num = choose_tiles(job), items = job->plan->layout.plane / num;
    clspi_work work = {.makers = &makers,
                       .tiling = {num * job->num_planes, 1, 1, 1, 1},
                       .line_items = items,
                       .line_ns = 2 * COEFFICIENT_NS * (double)items};

    return carry_out(job, &work, 0);
}

/* ---- all steps ---- */

/* Returns the memory of a step's, and makes it where that has not been done. */
static char *memory_of(const load_job *job, clspi_step_memory memory, char *coefficients)
{
    if (memory == CLSPI_STEP_COEFFICIENTS) return coefficients;
    char **const scratch = &job->plan->store.scratch[memory - CLSPI_STEP_SCRATCH];
    size_t bytes = job->plan->layout.plane;

    if (!*scratch && clspi_size_mul(&bytes, clsp_type_bytes(job->plan->desc.precision)))
        *scratch = clspi_large_array(bytes, 1);
    return *scratch;
}

/* Makes so many coefficients NaN. */
static void fill_nan(const load_job *job, char *at, size_t num)
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
static void fill_outside(const load_job *job, char *plane)
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
            fill_nan(job, plane, first);
            fill_nan(job, plane + end * element, stored[2] - end);
        }
}

/* Tells whether the host filters x and y of a plane aside, where z is filtered as reals. */
static bool needs_scratch(const load_job *job)
{
    const clsp_image_desc *const d = &job->plan->desc;

    return d->coefficients != d->precision && filter_along(job, 0).kind != CLSPI_LINE_COPY;
}

/* Says what is written next, of reals or of coefficients. */
static clsp_status aim(load_job *job, clspi_step_memory to, char *coefficients)
{
    const clsp_image_desc *const d = &job->plan->desc;
    const clsp_type type = to == CLSPI_STEP_COEFFICIENTS ? d->coefficients : d->precision;

    job->target = memory_of(job, to, coefficients);
    job->type = type;
    job->element = clsp_type_bytes(type);
    job->halves = type != d->precision;
    return job->target ? CLSP_OK : clspi_image_no_memory(job->plan, "the prefilter");
}

static clsp_status run_steps(load_job *job, char *coefficients)
{
    for (job->step = 0; job->step < job->plan->filter.num; job->step++) {
        CLSPI_CHECK(aim(job, step_of(job)->to, coefficients));
        CLSPI_CHECK(run_step(job));
        job->source = source_of(job, job->target, false);
    }
    return CLSP_OK;
}

/* Filters x and y, and then z in place, where coefficients are reals. */
static clsp_status run_passes(load_job *job, char *coefficients)
{
    const bool is_aside = needs_scratch(job);

    job->across_slices = false;
    CLSPI_CHECK(aim(job, is_aside ? CLSPI_STEP_SCRATCH : CLSPI_STEP_COEFFICIENTS, coefficients));
    CLSPI_CHECK(run_on_host(job));
    if (filter_along(job, 0).kind == CLSPI_LINE_COPY) return CLSP_OK;
    job->source.at = job->target;
    job->across_slices = true;
    CLSPI_CHECK(aim(job, CLSPI_STEP_COEFFICIENTS, coefficients));
    return run_on_host(job);
}

/* Makes the coefficients of the job's planes, or of one plane step by step. */
static clsp_status load_planes(load_job *job)
{
    clsp_image_plan *const plan = job->plan;
    const size_t bytes = plan->layout.plane * clsp_type_bytes(plan->desc.coefficients);
    char *const coefficients = plan->store.host + job->first_plane * bytes;

    if (job->by_host) {
        CLSPI_CHECK(run_passes(job, coefficients));
    } else {
        job->source = source_of(job, samples_of(job, job->first_plane), true);
        find_range(job, &job->source, job->first_plane);
        CLSPI_CHECK(run_steps(job, coefficients));
    }
    for (size_t k = 0; k < job->num_planes && clspi_is_part(&plan->layout); k++)
        fill_outside(job, coefficients + k * bytes);
    return CLSP_OK;
}

static clsp_status load_all(load_job *job, size_t num_images, const char *samples)
{
    clsp_image_plan *const plan = job->plan;
    const size_t planes = num_images * plan->layout.channels;

    job->samples = samples;
    job->functions = clspi_image_line_functions(plan);
    if (plan->desc.taps > 0) CLSPI_CHECK(clspi_image_find_taps(plan, job->taps));
    job->num_planes = job->by_host && !needs_scratch(job) ? planes : 1;
    for (; job->first_plane < planes; job->first_plane += job->num_planes)
        CLSPI_CHECK(load_planes(job));
    clspi_image_reals_renew(plan);
    return CLSP_OK;
}

/* Forgets what was loaded, and makes room for so many images in host memory. */
static clsp_status make_room(clsp_image_plan *plan, size_t num_images)
{
    clspi_peers_forget(&plan->peers);
    const clsp_status status = clspi_image_store_renew(plan, num_images);
    plan->num_images = num_images;
    plan->has_samples = true;
    return status;
}

/* Loads images into host memory. */
static clsp_status load(load_job *job, size_t num_images, const char *samples)
{
    CLSPI_CHECK(make_room(job->plan, num_images));
    return load_all(job, num_images, samples);
}

clsp_status clspi_image_load(clsp_image_plan *plan, size_t num_images, const char *samples)
{
    load_job job = {.plan = plan};

    return load(&job, num_images, samples);
}

/* ---- as a work of the host's ---- */

/* Images that the host loads: one line, whose memory is the plan's. */
typedef struct host_load {
    clsp_image_plan *plan;
    size_t num_images;
    bool is_later; /* it may be a command */
} host_load;

/* Makes room, of which commands before may still use what they know. */
static clsp_status prepare(const clspi_work *work, clspi_way way)
{
    const host_load *const l = work->user;

    (void)way;
    if (atomic_load(&l->plan->base.failed_later) > 0) clspi_plan_settle(&l->plan->base);
    clspi_image_set_broken(l->plan, true);
    CLSPI_CHECK(make_room(l->plan, l->num_images));
    return l->is_later ? clspi_image_reals_reserve(l->plan) : CLSP_OK;
}

/* Loads images; what has failed before, behind which the load was enqueued, is over. */
static clsp_status make_images(const clspi_work *work, uint32_t worker, const clspi_part *part,
                               const char *const in[], char *out)
{
    const host_load *const l = work->user;
    load_job job = {.plan = l->plan, .by_host = true};

    (void)worker;
    (void)part;
    (void)out;
    CLSPI_CHECK(load_all(&job, l->num_images, in[0]));
    atomic_store(&l->plan->base.failed_later, 0);
    return CLSP_OK;
}

clsp_status clspi_image_load_by_host(clsp_image_plan *plan, size_t num_images,
                                     const clsp_input *samples, const clsp_run *run)
{
    static const clspi_work_makers makers = {.prepare = prepare, .on_host = make_images};
    const host_load l = {plan, num_images, samples->buffer || samples->svm};
    const clsp_output own = {.host = plan};
    clspi_work_input in = {.input = samples, .planes = 1};
    clspi_work work = {.plan = &plan->base,
                       .makers = &makers,
                       .user = &l,
                       .user_bytes = sizeof l,
                       .tiling = {num_images > 0, 1, 1, 1, 1},
                       .num_in = 1,
                       .in = &in,
                       .out = {.output = &own, .what = "coefficients", .type = CLSP_U8},
                       .takes_all = true};

    CLSPI_CHECK(clspi_image_samples_need(plan, num_images, &in.need));
    CLSPI_CHECK(clspi_work_run(&work, run));
    clspi_image_set_broken(plan, false);
    return CLSP_OK;
}

/* ---- shared ---- */

/* Samples that the context's device filters by itself, as if they were not shared. */
typedef struct lone_load {
    clsp_image_plan *plan;
    size_t num_images;
    const clsp_input *samples;
} lone_load;

static clsp_status load_alone(void *user)
{
    const lone_load *const l = user;

    CLSPI_CHECK(clspi_image_load_alone(l->plan, l->num_images, l->samples, NULL));
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
    load_job job = {.plan = plan,
                    .opts = run->share,
                    .report = &own,
                    .by_host = run->share->schedule == CLSP_SCHEDULE_HOST ||
                               clspi_image_is_filtered_by_host(plan)};
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
                                   load_alone, &one, false};
    if (alone.why) return clspi_shared_alone(&plan->base, &alone, run);
    CLSPI_CHECK(clspi_run_wait(&plan->base, run));
    clspi_plan_settle(&plan->base);
    const clsp_status status = load(&job, num_images, from);
    clspi_image_set_broken(plan, status != CLSP_OK);
    if (status != CLSP_OK) return status;
    if (run->report) *run->report = own;
    return clspi_run_done(&plan->base, run);
}
