/* Values that processors share, as tiles of points made by the host's evaluation and by that of
   devices (docs/cooperation.md). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "float_state.h"
#include "image_call.h"
#include "image_points.h"
#include "image_reals.h"
#include "image_values.h"
#include "shared_batch.h"

enum {
    KEY_MAX = 160,
    RUN = CLSPI_IMAGE_STEPS, /* points of a row, and rows, that the host makes together */
    RUN_ROWS = 16
};

_Static_assert((int)CLSPI_EXTEND_WHOLE == (int)CLSP_IMAGE_MIRROR &&
                   (int)CLSPI_EXTEND_REFLECT == (int)CLSP_IMAGE_REFLECT &&
                   (int)CLSPI_EXTEND_GRID_WRAP == (int)CLSP_IMAGE_GRID_WRAP &&
                   (int)CLSPI_EXTEND_NEAREST == (int)CLSP_IMAGE_NEAREST &&
                   (int)CLSPI_EXTEND_CONSTANT == (int)CLSP_IMAGE_CONSTANT &&
                   (int)CLSPI_EXTEND_GRID_CONSTANT == (int)CLSP_IMAGE_GRID_CONSTANT &&
                   (int)CLSPI_EXTEND_WRAP == (int)CLSP_IMAGE_WRAP,
               "the host knows modes by their public numbers");
_Static_assert((int)CLSPI_PIXEL_F32 == (int)CLSP_F32 && (int)CLSPI_PIXEL_F64 == (int)CLSP_F64 &&
                   (int)CLSPI_PIXEL_F16 == (int)CLSP_F16 && (int)CLSPI_PIXEL_U8 == (int)CLSP_U8 &&
                   (int)CLSPI_PIXEL_U16 == (int)CLSP_U16 && (int)CLSPI_PIXEL_S16 == (int)CLSP_S16,
               "and types");
_Static_assert((int)CLSPI_POINT_VALUE == (int)CLSP_IMAGE_VALUE &&
                   (int)CLSPI_POINT_GRADIENT == (int)CLSP_IMAGE_GRADIENT,
               "and attributes");

/* What a shared call works on, all in host memory. */
typedef struct shared_values {
    const clspi_image_call *call;
    clspi_image_grid grid;
    const char *given[3]; /* where displacements or coordinates along each direction begin; NULL:
                             none */
    char *copy;           /* of what is given, where it is not aligned to its elements */
    size_t real;          /* bytes */
} shared_values;

static clsp_image_plan *image_plan_of(clspi_plan *plan)
{
    return (clsp_image_plan *)plan; /* whose first member it is */
}

/* ---- the host ---- */

/* Describes the coefficients of a piece. */
static clspi_image_planes planes_of(const shared_values *s, size_t piece)
{
    const clspi_image_job *const job = &s->call->job;
    clspi_image_planes planes =
        clspi_image_host_planes(job->plan, piece * job->channels, job->channels);

    planes.attributes = job->attributes;
    return planes;
}

/* Makes so many points from `first` on, which are of one row of a map. */
static void make_points(const shared_values *s, const clspi_image_planes *planes, clsp_range points,
                        char *out)
{
    const clspi_image_job *const job = &s->call->job;
    const uint32_t *const size = job->map.size, *const origin = job->map.origin;
    const bool is_map = job->places != CLSPI_IMAGE_AT_POINTS;
    const size_t row = is_map ? points.first / size[2] : 0;
    clspi_image_row made = {.grid = is_map ? &s->grid : NULL,
                            .z = is_map ? origin[0] + (uint32_t)(row / size[1]) : 0,
                            .y = is_map ? origin[1] + (uint32_t)(row % size[1]) : 0,
                            .x = is_map ? origin[2] + (uint32_t)(points.first % size[2]) : 0,
                            .num = points.count,
                            .step = job->stride,
                            .out = out};

    for (uint32_t d = 0; d < 3; d++)
        made.field[d] = s->given[d] ? s->given[d] + points.first * job->stride * s->real : NULL;
    (job->plan->desc.precision == CLSP_F64 ? clspi_image_values_f64
                                           : clspi_image_values_f32)(planes, &made);
}

/* Makes whole rows of a map, which are of one piece, from row `first` of it on: by runs of columns,
   whose taps stay in the first cache. */
static void make_rows(const shared_values *s, const clspi_image_planes *planes, size_t first,
                      size_t num, char *out)
{
    const clspi_image_job *const job = &s->call->job;
    const size_t width = s->call->width;
    const size_t bytes = job->point * clsp_type_bytes(job->plan->desc.values);

    for (size_t x = 0; x < width; x += RUN)
        for (size_t row = 0; row < num; row++) {
            const clsp_range points = {(first + row) * width + x, clspi_min(RUN, width - x)};
            make_points(s, planes, points, out + (row * width + x) * bytes);
        }
}

static clsp_status make_on_host(const void *user, clspi_plan *base, uint32_t worker,
                                const clspi_part *part, char *out)
{
    const shared_values *const s = user;
    const clspi_image_job *const job = &s->call->job;
    const size_t width = s->call->width, rows = s->call->points / width;
    const size_t bytes = job->point * clsp_type_bytes(job->plan->desc.values);
    clspi_image_planes planes = planes_of(s, job->first_piece + part->piece / rows);
    const clspi_float_state before = clspi_float_flush(clspi_image_flushes(&job->plan->desc));

    (void)base;
    (void)worker;
    for (size_t done = 0; done < part->num_lines;) {
        const size_t row = part->piece + (part->line + done) / width, first = row % rows;
        const size_t x = (part->line + done) % width, left = part->num_lines - done;
        const size_t most = planes.order > 0 ? RUN_ROWS : 1; /* single taps go row by row */
        const size_t whole = x > 0 ? 0 : clspi_min(clspi_min(rows - first, most), left / width);
        const size_t num = whole > 0 ? whole * width : clspi_min(width - x, left);
        if (first == 0) planes = planes_of(s, job->first_piece + row / rows);
        if (whole > 1)
            make_rows(s, &planes, first, whole, out + done * bytes);
        else
            make_points(s, &planes, (clsp_range){first * width + x, num}, out + done * bytes);
        done += num;
    }
    clspi_float_state_set(before);
    return CLSP_OK;
}

/* ---- devices ---- */

/* Brings what the points of a chunk have been given. */
static clsp_status bring_given(const shared_values *s, clspi_image_job *job, clspi_series *series,
                               clsp_range points)
{
    const uint32_t missing = 3 - job->plan->desc.directions;
    const size_t bytes = points.count * job->stride * s->real;

    for (uint32_t d = missing; d < 3; d++)
        job->given[d] = s->given[d] + points.first * job->stride * s->real;
    for (uint32_t k = 0; k < clspi_image_given_streams(job); k++) {
        clspi_plan *const base = &job->plan->base;
        cl_mem *const buffer = &job->streams.stream[job->streams.num++].buffer;
        CLSPI_CHECK(clspi_plan_bring(base, series, k, job->given[missing + k], bytes, buffer));
    }
    return CLSP_OK;
}

/* Makes points of one piece, whole rows of a map or some of one. */
static clsp_status make_piece(const shared_values *s, clspi_image_job *job, clspi_series *series,
                              const clspi_part *part)
{
    const size_t width = s->call->width, rows = s->call->points / width;
    const size_t first = part->piece % rows * width + part->line;
    const clspi_part in_rows = {
        .num_pieces = 1, .line = part->piece % rows, .num_lines = part->num_lines / width};
    const clspi_part in_piece = {.piece = part->piece % rows,
                                 .num_pieces = part->num_pieces,
                                 .line = part->line,
                                 .num_lines = part->num_lines};

    job->first_piece += part->piece / rows;
    if (s->given[2]) CLSPI_CHECK(bring_given(s, job, series, (clsp_range){first, part->num_lines}));
    if (job->window) return clspi_image_make_in_windows(job, series, &in_piece);
    if (job->places == CLSPI_IMAGE_AT_POINTS)
        return clspi_image_make_points(job, series, &in_piece);
    if (part->num_lines % width == 0 && part->line == 0)
        return clspi_image_make_rows(job, series, &in_rows);
    const clspi_part row = clspi_image_row_of(job, &in_piece);
    return clspi_image_make_rows(job, series, &row);
}

static clsp_status make_on_device(const void *user, clspi_plan *base, clspi_series *series,
                                  const clspi_part *part, const clspi_target *target)
{
    const shared_values *const s = user;
    clsp_image_plan *const plan = image_plan_of(base);
    const size_t width = s->call->width, rows = s->call->points / width;
    clspi_image_job of_device = s->call->job;

    if (plan != s->call->job.plan)
        CLSPI_CHECK(clspi_image_bring_all(plan, s->call->job.plan, series));
    of_device.plan = plan;
    of_device.owner = plan->store.on_device ? NULL : s->call->job.plan;
    of_device.window = plan->store.on_device ? NULL : &plan->window;
    CLSPI_CHECK(clspi_image_job_kernel(&of_device));
    for (size_t done = 0; done < part->num_lines;) {
        const size_t row = part->piece + done / width;
        const size_t left = part->num_lines - done, of_piece = (rows - row % rows) * width;
        clspi_image_job one = of_device;
        const clspi_part some = {.piece = row,
                                 .num_pieces = 1,
                                 .line = part->line,
                                 .num_lines = clspi_min(left, of_piece)};
        one.streams = (clspi_job_streams){.num = 1};
        one.streams.stream[0].buffer = target->buffer;
        one.streams.stream[0].offset = target->offset + done * one.point;
        CLSPI_CHECK(make_piece(s, &one, series, &some));
        done += some.num_lines;
    }
    return CLSP_OK;
}

/* ---- the call ---- */

static void name_job(const shared_values *s, char key[KEY_MAX])
{
    static const char *const places[] = {"map", "field", "at"};
    const clspi_image_job *const job = &s->call->job;
    const clsp_image_desc *const d = &job->plan->desc;

    snprintf(key, KEY_MAX, "image-%s-%u-%u-f%zu-v%d-n%zu-a%u-c%u", places[job->places],
             d->directions, clspi_image_order(d), 8 * s->real, (int)d->values, job->point,
             job->attributes, clspi_size_class((double)s->call->points * (double)job->num_pieces));
}

static void make_grid(shared_values *s)
{
    const clspi_image_map *const map = &s->call->job.map;

    s->grid.is_fixed = map->is_fixed;
    s->grid.middle = map->middle;
    for (uint32_t d = 0; d < 3; d++) {
        const clspi_map_axis axis = clspi_image_map_axis(map, d);
        const cl_uint whole[4] = {axis.z_whole, axis.y_whole, axis.x_whole, axis.at_whole};
        const cl_uint high[4] = {axis.z_high, axis.y_high, axis.x_high, axis.at_high};
        const cl_uint low[4] = {axis.z_low, axis.y_low, axis.x_low, axis.at_low};
        for (uint32_t k = 0; k < 4; k++) {
            s->grid.matrix[d][k] = map->matrix[d][k];
            s->grid.fixed[d][k] = (uint64_t)whole[k] << 32 | high[k];
            s->grid.low[d][k] = low[k];
        }
        for (uint32_t x = 0; x < CLSPI_IMAGE_STEPS; x++) {
            const uint64_t of_low = x * (uint64_t)s->grid.low[d][2];
            const uint64_t step = x * s->grid.fixed[d][2] + (of_low >> 32);
            s->grid.step[d][0][x] = (uint32_t)(step >> 32);
            s->grid.step[d][1][x] = (uint32_t)step;
            s->grid.step[d][2][x] = (uint32_t)of_low;
        }
    }
}

/* Copies what is given, where it is not aligned. */
static clsp_status align_given(shared_values *s)
{
    const clspi_image_call *const call = s->call;
    const uint32_t missing = 3 - call->job.plan->desc.directions;
    const char *const from = s->given[missing];
    const size_t bytes = call->points * call->job.plan->desc.directions * s->real;

    if ((uintptr_t)from % s->real == 0) return CLSP_OK;
    s->copy = malloc(clspi_max(bytes, 1));
    if (!s->copy)
        return clspi_fail(&call->job.plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "image: no host memory for %s", call->what);
    memcpy(s->copy, from, bytes);
    for (uint32_t d = missing; d < 3; d++)
        s->given[d] = s->copy + (s->given[d] - from);
    return CLSP_OK;
}

/* Brings coefficients to where they are read. What is there stays as it is, so that callers that
   make tiles at once do not see it change. */
static clsp_status prepare(const void *user, clspi_plan *base)
{
    shared_values *const s = (shared_values *)user; /* the batch's is const for makers alone */
    clsp_image_plan *const plan = image_plan_of(base);

    plan->store.shared_calls++;
    if (s->call->tiles.way == CLSPI_BY_ALL) CLSPI_CHECK(clspi_image_to_device(plan));
    CLSPI_CHECK(clspi_image_to_host(plan));
    CLSPI_CHECK(align_given(s));
    return clspi_image_host_reals(plan);
}

static clspi_shared_batch batch_of(shared_values *s)
{
    static const clspi_line_maker maker = {make_on_host, make_on_device, NULL};
    const clspi_image_call *const call = s->call;
    clsp_image_plan *const plan = call->job.plan;
    const size_t element = clsp_type_bytes(plan->desc.values);

    make_grid(s);
    return (clspi_shared_batch){.plan = &plan->base,
                                .peers = &plan->peers,
                                .maker = &maker,
                                .user = s,
                                .why_not_persistent = "no persistent kernel makes values of images",
                                .tiling = call->tiling,
                                .line_items = clspi_image_point_items(call),
                                .line_bytes = call->job.point * element,
                                .element = element,
                                .prepare = prepare};
}

static clsp_status share(shared_values *s, char *out, const clsp_run *run)
{
    const clspi_image_call *const call = s->call;
    clspi_shared_batch batch = batch_of(s);
    char key[KEY_MAX];

    name_job(s, key);
    batch.key = key;
    const clsp_status status = clspi_shared_batch_run(&batch, &call->tiles, out, run, run->report);
    free(s->copy);
    CLSPI_CHECK(status);
    return clspi_run_done(&call->job.plan->base, run);
}

static clsp_status make_alone(void *user)
{
    return clspi_image_eval_on_device(user, NULL);
}

/* Tells why the context's device makes a call alone; NULL: it does not. */
static const char *why_alone(const shared_values *s, const clsp_share *share)
{
    const clspi_image_job *const job = &s->call->job;

    return clspi_image_is_textured(job) &&
                   (share->bit_equal || share->schedule == CLSP_SCHEDULE_DEVICE)
               ? "the bits are those of the device's image objects"
               : NULL;
}

clsp_status clspi_image_eval_shared(const clspi_image_call *given, const clsp_run *run)
{
    clspi_image_call call = *given;
    clspi_plan *const base = &call.job.plan->base;
    shared_values s = {.call = &call, .real = clsp_type_bytes(call.job.plan->desc.precision)};
    clspi_memory_need need;
    char *out;

    CLSPI_CHECK(clspi_image_values_need(&call, call.tiles.lines.count, &need));
    CLSPI_CHECK(clspi_shared_output(base, &call.values, &need, &out));
    if (call.given) CLSPI_CHECK(clspi_image_open_given(&call, s.given));
    const char *const why = why_alone(&s, run->share);
    const clspi_lone_call alone = {why, call.tiles.tiles.count, make_alone, &call, false};
    if (!why) return share(&s, out, run);
    return call.tiles.way == CLSPI_BY_CALLER ? clspi_no_host_tiles(base, why)
                                             : clspi_shared_alone(base, &alone, run);
}

/* ---- the host for its own CPU ---- */

bool clspi_image_goes_to_host(const clspi_image_call *call, const clsp_run *run)
{
    const clspi_image_job *const job = &call->job;
    const bool on_host = !call->given || (!call->given->buffer && !call->given->svm);
    /* the host takes as long as a launch for volumes and gradients */
    const bool is_faster = job->plan->desc.directions == 2 &&
                           !(job->attributes & CLSP_IMAGE_GRADIENT) &&
                           clspi_image_is_small(job->plan, job->plan->num_images);

    return on_host && clspi_goes_to_host(&job->plan->base, run, &call->values, is_faster) &&
           !clspi_image_is_textured(job);
}

/* Estimates how long a point takes a core, in ns: as measured. */
static double point_ns(const clspi_image_job *job)
{
    const double order = clspi_image_order(&job->plan->desc);
    double taps = 1;

    for (uint32_t d = 0; d < job->plan->desc.directions; d++)
        taps *= order + 1;
    return 1 + 0.12 * taps * (double)job->point;
}

clsp_status clspi_image_eval_on_host(const clspi_image_call *call, const clsp_run *run)
{
    shared_values s = {.call = call, .real = clsp_type_bytes(call->job.plan->desc.precision)};
    clspi_memory_need need;
    clspi_memory memory;

    CLSPI_CHECK(clspi_image_values_need(call, call->tiles.lines.count, &need));
    CLSPI_CHECK(clspi_output_open(&memory, &call->job.plan->base, &call->values, &need));
    if (call->given) CLSPI_CHECK(clspi_image_open_given(call, s.given));
    clspi_shared_batch batch = batch_of(&s);
    const clsp_status status =
        clspi_batch_on_host(&batch, &call->tiles, memory.host, point_ns(&call->job), run);
    free(s.copy);
    return status;
}
