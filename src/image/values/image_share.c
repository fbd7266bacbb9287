/* Values that processors share, as tiles of points made by the host's evaluation and by that of
   devices (docs/cooperation.md). */
#include <stdlib.h>

#include "check.h"
#include "float_state.h"
#include "image_call.h"
#include "image_points.h"
#include "image_reals.h"
#include "image_values.h"
#include "work.h"

enum {
    RUN = CLSPI_IMAGE_STEPS, /* points of a row, and rows, that the host makes together */
    RUN_ROWS = 16,
    FEW = 8 /* an image with so many coefficients to a point is not copied for them */
};

#define SAME(rule, name) ((int)(rule) == (int)(name))
_Static_assert(SAME(MODE_MIRROR, CLSP_IMAGE_MIRROR) && SAME(MODE_REFLECT, CLSP_IMAGE_REFLECT) &&
                   SAME(MODE_GRID_WRAP, CLSP_IMAGE_GRID_WRAP) &&
                   SAME(MODE_NEAREST, CLSP_IMAGE_NEAREST) &&
                   SAME(MODE_CONSTANT, CLSP_IMAGE_CONSTANT) && SAME(MODE_WRAP, CLSP_IMAGE_WRAP) &&
                   SAME(MODE_GRID_CONSTANT, CLSP_IMAGE_GRID_CONSTANT),
               "rules know modes by their public numbers");
_Static_assert(SAME(PIXEL_F32, CLSP_F32) && SAME(PIXEL_F64, CLSP_F64) &&
                   SAME(PIXEL_F16, CLSP_F16) && SAME(PIXEL_U8, CLSP_U8) &&
                   SAME(PIXEL_U16, CLSP_U16) && SAME(PIXEL_S16, CLSP_S16),
               "and types");
_Static_assert(SAME(POINT_VALUE, CLSP_IMAGE_VALUE) && SAME(POINT_GRADIENT, CLSP_IMAGE_GRADIENT),
               "and attributes");
_Static_assert(SAME(ORDER_MAX, CLSP_IMAGE_SEPTIC), "and have all orders");

/* What a call works on. */
typedef struct values_work {
    clspi_image_call call;
    clspi_image_grid grid;
    size_t real; /* bytes */
} values_work;

static clsp_image_plan *image_plan_of(clspi_plan *plan)
{
    return (clsp_image_plan *)plan; /* whose first member it is */
}

/* ---- the host ---- */

/* Describes the coefficients of a piece, of which so many points are made: by a copy with margins
   in `room`, where there is one and points are not far fewer than coefficients. */
static clspi_image_planes planes_of(const values_work *s, size_t piece, size_t points, void *room)
{
    const clspi_image_job *const job = &s->call.job;
    clspi_image_planes planes =
        clspi_image_host_planes(job->plan, piece * job->channels, job->channels);

    planes.attributes = job->attributes;
    if (room && points >= job->plan->layout.plane / FEW)
        clspi_image_widen(job->plan, &planes, room);
    return planes;
}

/* Makes room for a copy of a piece of many; NULL: none is made. */
static void *room_of(const values_work *s)
{
    const clspi_image_job *const job = &s->call.job;
    const clspi_image_planes planes = clspi_image_host_planes(job->plan, 0, job->channels);
    const size_t bytes = clspi_image_wide_bytes(job->plan, &planes);

    return bytes > 0 ? malloc(bytes) : NULL;
}

/* Makes so many points from `first` on, which are of one row of a map. */
static void make_points(const values_work *s, const clspi_image_planes *planes, const char *at,
                        clsp_range points, char *out)
{
    const clspi_image_job *const job = &s->call.job;
    const char *given[3];
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

    clspi_image_find_given(&s->call, at, given);
    for (uint32_t d = 0; d < 3; d++)
        made.field[d] = given[d] ? given[d] + points.first * job->stride * s->real : NULL;
    (job->plan->desc.precision == CLSP_F64 ? clspi_image_values_f64
                                           : clspi_image_values_f32)(planes, &made);
}

/* Makes whole rows of a map, which are of one piece, from row `first` of it on: by runs of columns,
   whose taps stay in the first cache. */
static void make_rows(const values_work *s, const clspi_image_planes *planes, const char *at,
                      clsp_range rows, char *out)
{
    const clspi_image_job *const job = &s->call.job;
    const size_t width = s->call.width;
    const size_t bytes = job->point * clsp_type_bytes(job->plan->desc.values);

    for (size_t x = 0; x < width; x += RUN)
        for (size_t row = 0; row < rows.count; row++) {
            const clsp_range points = {(rows.first + row) * width + x, clspi_min(RUN, width - x)};
            make_points(s, planes, at, points, out + (row * width + x) * bytes);
        }
}

static clsp_status make_on_host(const clspi_work *work, uint32_t worker, const clspi_part *part,
                                const char *const in[], char *out)
{
    const values_work *const s = work->user;
    const char *const at = work->num_in > 0 ? in[0] : NULL;
    const clspi_image_job *const job = &s->call.job;
    const size_t width = s->call.width, rows = s->call.points / width;
    const size_t bytes = job->point * clsp_type_bytes(job->plan->desc.values);
    void *const room = room_of(s);
    const size_t begin = part->piece % rows * width + part->line;
    clspi_image_planes planes = planes_of(s, job->first_piece + part->piece / rows,
                                          clspi_min(part->num_lines, s->call.points - begin), room);
    const clspi_float_state before = clspi_float_flush(clspi_image_flushes(&job->plan->desc));

    (void)worker;
    for (size_t done = 0; done < part->num_lines;) {
        const size_t row = part->piece + (part->line + done) / width, first = row % rows;
        const size_t x = (part->line + done) % width, left = part->num_lines - done;
        const size_t most = planes.order > 0 ? RUN_ROWS : 1; /* single taps go row by row */
        const size_t whole = x > 0 ? 0 : clspi_min(clspi_min(rows - first, most), left / width);
        const size_t num = whole > 0 ? whole * width : clspi_min(width - x, left);
        if (first == 0 && done > 0)
            planes =
                planes_of(s, job->first_piece + row / rows, clspi_min(left, s->call.points), room);
        if (whole > 1)
            make_rows(s, &planes, at, (clsp_range){first, whole}, out + done * bytes);
        else
            make_points(s, &planes, at, (clsp_range){first * width + x, num}, out + done * bytes);
        done += num;
    }
    clspi_float_state_set(before);
    free(room);
    return CLSP_OK;
}

/* ---- devices ---- */

/* Brings what the points of a chunk have been given. */
static clsp_status upload_given(const values_work *s, clspi_image_job *job, clspi_series *series,
                                const char *at, clsp_range points)
{
    const uint32_t missing = 3 - job->plan->desc.directions;
    const size_t bytes = points.count * job->stride * s->real;

    clspi_image_find_given(&s->call, at, job->given);
    for (uint32_t d = missing; d < 3; d++)
        job->given[d] += points.first * job->stride * s->real;
    for (uint32_t k = 0; k < clspi_image_given_streams(job); k++) {
        clspi_plan *const base = &job->plan->base;
        cl_mem *const buffer = &job->streams.stream[job->streams.num++].buffer;
        CLSPI_CHECK(clspi_plan_upload(base, series, k, job->given[missing + k], bytes, buffer));
    }
    return CLSP_OK;
}

/* Makes points of one piece, whole rows of a map or some of one. */
static clsp_status make_piece(const values_work *s, clspi_image_job *job, clspi_series *series,
                              const char *at, const clspi_part *part)
{
    const size_t width = s->call.width, rows = s->call.points / width;
    const size_t first = part->piece % rows * width + part->line;
    const clspi_part in_piece = {.piece = part->piece % rows,
                                 .num_pieces = part->num_pieces,
                                 .line = part->line,
                                 .num_lines = part->num_lines};

    job->first_piece += part->piece / rows;
    if (at) CLSPI_CHECK(upload_given(s, job, series, at, (clsp_range){first, part->num_lines}));
    return clspi_image_make_part(job, series, &in_piece);
}

static clsp_status make_on_device(const clspi_work *work, clspi_plan *base, clspi_series *series,
                                  const clspi_part *part, const clspi_place in[],
                                  const clspi_target *out)
{
    const values_work *const s = work->user;
    const char *const at = work->num_in > 0 ? in[0].host : NULL;
    clsp_image_plan *const plan = image_plan_of(base);
    const size_t width = s->call.width, rows = s->call.points / width;
    clspi_image_job of_device = s->call.job;

    if (plan != s->call.job.plan)
        CLSPI_CHECK(clspi_image_upload_all(plan, s->call.job.plan, series));
    of_device.plan = plan;
    of_device.owner = plan->store.on_device ? NULL : s->call.job.plan;
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
        one.streams.stream[0].buffer = out->buffer;
        one.streams.stream[0].offset = out->offset + done * one.point;
        CLSPI_CHECK(make_piece(s, &one, series, at, &some));
        done += some.num_lines;
    }
    return CLSP_OK;
}

/* ---- the call ---- */

static void make_grid(values_work *s)
{
    const clspi_image_map *const map = &s->call.job.map;

    s->grid.is_fixed = map->is_fixed;
    s->grid.middle = map->middle;
    for (uint32_t d = 0; d < 3; d++) {
        const clspi_map_axis axis = clspi_image_map_axis(map, d);
        const uint32_t whole[4] = {axis.z_whole, axis.y_whole, axis.x_whole, axis.at_whole};
        const uint32_t high[4] = {axis.z_high, axis.y_high, axis.x_high, axis.at_high};
        const uint32_t low[4] = {axis.z_low, axis.y_low, axis.x_low, axis.at_low};
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

/* Brings coefficients to where they are read. What is there stays as it is, so that callers that
   make tiles at once do not see it change. */
static clsp_status prepare(const clspi_work *work, clspi_way way)
{
    clsp_image_plan *const plan = image_plan_of(work->plan);
    const bool has_part = work->is_devices || !clspi_is_own_cpu(plan->base.ctx);

    if (way != CLSPI_BY_DEVICE) CLSPI_CHECK(clspi_plan_catch_up(&plan->base));
    CLSPI_CHECK(clspi_later_check(&plan->base));
    plan->store.shared_calls++;
    if (way == CLSPI_BY_ALL && has_part) CLSPI_CHECK(clspi_image_to_device(plan));
    CLSPI_CHECK(clspi_image_to_host(plan));
    return clspi_image_host_reals(plan);
}

/* Makes values by the context's device, in memory of any kind. */
static clsp_status make_alone(const clspi_work *work, const clspi_tiles *tiles,
                              const clsp_output *output, const clsp_run *run)
{
    clspi_image_call call = ((const values_work *)work->user)->call;

    call.tiles = *tiles;
    call.values = *output;
    CLSPI_CHECK(clspi_image_check_overlap(&call));
    return clspi_image_eval_on_device(&call, run);
}

/* Refuses values that would overwrite what they are made from. */
static clsp_status check(const clspi_work *work, clsp_range lines, const char *const in[])
{
    clspi_image_call call = ((const values_work *)work->user)->call;

    (void)in;
    call.tiles.lines = lines;
    return clspi_image_check_overlap(&call);
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

/* Tells why the context's device makes a call alone; NULL: it does not. */
static const char *why_alone(const clspi_image_job *job, const clsp_share *share)
{
    const bool asks_bits = share && (share->bit_equal || share->schedule == CLSP_SCHEDULE_DEVICE);

    return asks_bits && clspi_image_is_textured(job)
               ? "the bits are those of the device's image objects"
               : NULL;
}

/* Describes what speeds depend on. */
static clspi_work_key key_of(const clspi_work *work)
{
    static const char *const places[] = {"map", "field", "at"};
    const clspi_image_job *const job = &((const values_work *)work->user)->call.job;
    const clsp_image_desc *const d = &job->plan->desc;
    const clspi_work_key key = {places[job->places],
                                6,
                                {d->directions, clspi_image_order(d), d->precision, d->values,
                                 (uint32_t)job->point, job->attributes}};

    return key;
}

clsp_status clspi_image_call_run(const clspi_image_call *call, const clsp_run *run)
{
    static const clspi_work_makers makers = {.key = key_of,
                                             .check = check,
                                             .prepare = prepare,
                                             .on_host = make_on_host,
                                             .on_device = make_on_device,
                                             .alone = make_alone};
    const clspi_image_job *const job = &call->job;
    const clsp_image_desc *const d = &job->plan->desc;
    const char *const why = why_alone(job, run ? run->share : NULL);
    clspi_work_input given = {.input = call->given, .planes = 1};
    values_work s = {.call = *call, .real = clsp_type_bytes(d->precision)};
    clspi_work work = {.plan = &job->plan->base,
                       .peers = &job->plan->peers,
                       .makers = &makers,
                       .user = &s,
                       .user_bytes = sizeof s,
                       .tiling = call->tiling,
                       .num_in = call->given != NULL,
                       .in = &given,
                       .out = {&call->values, "values", d->values, job->point, false},
                       .line_items = clspi_image_point_items(call),
                       .line_ns = point_ns(job),
                       .is_devices = clspi_image_is_textured(job),
                       .why_no_host = why,
                       .why_alone = why};

    if (call->given) CLSPI_CHECK(clspi_image_given_need(call, &given.need));
    make_grid(&s);
    return clspi_work_run(&work, run);
}
