/* The public call that interpolates: by the context's device, or shared, as tiles of points by the
   host's evaluation and by that of devices (docs/cooperation.md). */
#include <stdio.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "image_job.h"
#include "image_points.h"
#include "image_share.h"
#include "shared_batch.h"

enum {
    KEY_MAX = 160,
    POINT_ITEMS =
        4 /* a point takes as long as some vertices, of three directions four times more */
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
    clspi_image_job job; /* of the plan that was called */
    clspi_image_grid grid;
    const char *reals;    /* coefficients as reals, of all planes */
    const char *given[3]; /* displacements or coordinates; NULL: none */
    size_t points;        /* of a piece */
    size_t real;          /* bytes */
} shared_values;

static clsp_image_plan *image_plan_of(clspi_plan *plan)
{
    return (clsp_image_plan *)plan; /* whose first member it is */
}

/* ---- peers ---- */

static clsp_status create_peer(clspi_plan **peer, clsp_context *ctx, const clspi_plan *plan)
{
    clsp_image_plan *made;
    clsp_image_desc desc = ((const clsp_image_plan *)plan)->desc;

    desc.storage = CLSP_IMAGE_ON_HOST;
    desc.fetch = CLSP_IMAGE_BUFFERS;
    const clsp_status status = clsp_image_plan_create(&made, ctx, &desc);
    *peer = status == CLSP_OK ? &made->base : NULL;
    return status;
}

static void destroy_peer(clspi_plan **peer)
{
    clsp_image_plan *plan = image_plan_of(*peer);

    clsp_image_plan_destroy(&plan);
    *peer = NULL;
}

/* Gives a peer what does not come by windows. */
static clsp_status load_peer(clspi_plan *peer, clspi_plan *plan)
{
    const clsp_image_plan *const owner = image_plan_of(plan);

    if (!owner->store.range) return CLSP_OK; /* of a call that only makes coefficients */
    return clspi_image_range_to_device(image_plan_of(peer), owner->store.range,
                                       owner->num_images * owner->layout.channels);
}

const clspi_peer_kind clspi_image_peers = {create_peer, destroy_peer, load_peer};

/* ---- the host ---- */

/* Describes the piece that a line of pixels is of. */
static clspi_image_planes planes_of(const shared_values *s, size_t piece)
{
    const clsp_image_plan *const plan = s->job.plan;
    const clspi_image_layout *const l = &plan->layout;
    const size_t plane = piece * s->job.channels;
    clspi_image_planes planes = {.planes = s->reals + plane * l->plane * s->real,
                                 .order = clspi_image_order(&plan->desc),
                                 .directions = plan->desc.directions,
                                 .channels = s->job.channels,
                                 .attributes = s->job.attributes,
                                 .cval = plan->desc.cval,
                                 .range = plan->desc.clip ? plan->store.range + plane * 2 * s->real
                                                          : NULL,
                                 .type = plan->desc.values};

    for (uint32_t d = 0; d < 3; d++) {
        planes.size[d] = l->stored[d];
        planes.pad[d] = l->pad[d];
        planes.mode[d] = l->mode[d];
    }
    return planes;
}

/* Makes so many points of a piece from `first` on, which are of one row of a map. */
static void make_points(const shared_values *s, size_t piece, clsp_range points, char *out)
{
    const clsp_image_plan *const plan = s->job.plan;
    const clspi_image_planes planes = planes_of(s, piece);
    const uint32_t *const size = s->job.map.size;
    const bool is_map = s->job.places != CLSPI_IMAGE_AT_POINTS;
    const size_t row = is_map ? points.first / size[2] : 0;
    clspi_image_row made = {.grid = is_map ? &s->grid : NULL,
                            .z = is_map ? (uint32_t)(row / size[1]) : 0,
                            .y = is_map ? (uint32_t)(row % size[1]) : 0,
                            .x = is_map ? (uint32_t)(points.first % size[2]) : 0,
                            .num = points.count,
                            .out = out};

    for (uint32_t d = 0; d < 3; d++)
        made.field[d] = s->given[d] ? s->given[d] + points.first * s->real : NULL;
    (plan->desc.precision == CLSP_F64 ? clspi_image_values_f64 : clspi_image_values_f32)(&planes,
                                                                                         &made);
}

static clsp_status make_on_host(const void *user, clspi_plan *base, uint32_t worker,
                                const clspi_part *part, char *out)
{
    const shared_values *const s = user;
    const bool is_map = s->job.places != CLSPI_IMAGE_AT_POINTS;
    const size_t width = is_map ? s->job.map.size[2] : s->points, rows = s->points / width;
    const size_t bytes = s->job.point * clsp_type_bytes(s->job.plan->desc.values);

    (void)base;
    (void)worker;
    for (size_t done = 0; done < part->num_lines;) {
        const size_t row = part->piece + (part->line + done) / width;
        const size_t x = (part->line + done) % width;
        const size_t num = clspi_min(width - x, part->num_lines - done);
        const clsp_range points = {row % rows * width + x, num};
        make_points(s, s->job.first_piece + row / rows, points, out + done * bytes);
        done += num;
    }
    return CLSP_OK;
}

/* ---- devices ---- */

/* Brings what the points of a chunk have been given. Chunks of a plan run one after another, so
   that one buffer serves them all; the caller's memory stays until they have run. */
static clsp_status bring_given(const shared_values *s, clspi_image_job *job, clspi_series *series,
                               clsp_range points)
{
    for (uint32_t d = 3 - job->plan->desc.directions; d < 3; d++) {
        clspi_staging *const staging = &job->plan->base.staging[0][d];
        clspi_stream *const stream = &job->streams.stream[job->streams.num++];
        const char *const from = s->given[d] + points.first * s->real;
        const size_t bytes = points.count * s->real;
        CLSPI_CHECK(clspi_buffer_reserve(&staging->buffer, &staging->bytes, series->ctx, bytes));
        CLSPI_CHECK(clspi_series_write_later(series, staging->buffer, 0, from, bytes));
        stream->buffer = staging->buffer;
        job->given[d] = from;
    }
    return CLSP_OK;
}

/* Makes points of one piece, whole rows of a map or some of one. */
static clsp_status make_piece(const shared_values *s, clspi_image_job *job, clspi_series *series,
                              const clspi_part *part)
{
    const bool is_map = job->places != CLSPI_IMAGE_AT_POINTS;
    const size_t width = is_map ? job->map.size[2] : s->points, rows = s->points / width;
    const size_t first = part->piece % rows * width + part->line;
    const clspi_part in_rows = {
        .num_pieces = 1, .line = part->piece % rows, .num_lines = part->num_lines / width};
    const clspi_part in_piece = {.piece = part->piece % rows,
                                 .num_pieces = part->num_pieces,
                                 .line = part->line,
                                 .num_lines = part->num_lines};

    job->first_piece = s->job.first_piece + part->piece / rows;
    if (s->given[2]) CLSPI_CHECK(bring_given(s, job, series, (clsp_range){first, part->num_lines}));
    if (job->window) return clspi_image_make_in_windows(job, series, &in_piece);
    if (!is_map) return clspi_image_make_points(job, series, &in_piece);
    if (part->num_lines % width == 0 && part->line == 0)
        return clspi_image_make_rows(job, series, &in_rows);
    const clspi_part one_row = {.num_pieces = 1, .line = in_piece.piece, .num_lines = 1};
    job->begin_x = job->first_x = (uint32_t)part->line;
    job->end_x = (uint32_t)(part->line + part->num_lines);
    return clspi_image_make_rows(job, series, &one_row);
}

static clsp_status make_on_device(const void *user, clspi_plan *base, clspi_series *series,
                                  const clspi_part *part, const clspi_target *target)
{
    const shared_values *const s = user;
    clsp_image_plan *const plan = image_plan_of(base);
    const bool is_map = s->job.places != CLSPI_IMAGE_AT_POINTS;
    const size_t width = is_map ? s->job.map.size[2] : s->points, rows = s->points / width;
    clspi_image_job of_device = s->job;

    of_device.plan = plan;
    of_device.owner = plan->store.on_device ? NULL : s->job.plan;
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
        one.streams.stream[0].offset = target->offset + done * s->job.point;
        CLSPI_CHECK(make_piece(s, &one, series, &some));
        done += some.num_lines;
    }
    return CLSP_OK;
}

/* ---- the calls ---- */

static void name_job(const shared_values *s, char key[KEY_MAX])
{
    static const char *const places[] = {"map", "field", "at"};
    const clsp_image_desc *const d = &s->job.plan->desc;

    snprintf(key, KEY_MAX, "image-%s-%u-%u-f%zu-v%d-n%zu-a%u-c%u", places[s->job.places],
             d->directions, clspi_image_order(d), 8 * s->real, (int)d->values, s->job.point,
             s->job.attributes, clspi_size_class((double)s->points * (double)s->job.num_pieces));
}

/* Returns tiles of so many points at least; those of maps are whole rows, or parts of one that
   begin where items on CPUs do. */
static clspi_tiling tiling_of_items(const shared_values *s, size_t items)
{
    const bool is_map = s->job.places != CLSPI_IMAGE_AT_POINTS;
    const size_t width = is_map ? s->job.map.size[2] : s->points;

    return clspi_tiling_of(s->points / clspi_max(width, 1) * s->job.num_pieces, clspi_max(width, 1),
                           items, CLSPI_IMAGE_RUN);
}

static void make_grid(shared_values *s)
{
    const clspi_image_map *const map = &s->job.map;

    s->grid.is_fixed = map->is_fixed;
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
    }
}

/* Returns how many vertices of a grid take as long as a point. */
static size_t items_of(const shared_values *s)
{
    return s->job.plan->desc.directions > 2 ? 4 * POINT_ITEMS : POINT_ITEMS;
}

/* Tells why the host cannot make a job's points; NULL: it can. */
static const char *host_refusal(const shared_values *s)
{
    const bool is_far = s->job.plan->desc.precision == CLSP_F32 && !s->job.map.is_fixed;

    return is_far && s->job.places != CLSPI_IMAGE_AT_POINTS ? "the map leads beyond 2^29 samples"
                                                            : NULL;
}

static clsp_status prepare(const void *user, clspi_plan *base)
{
    shared_values *const s = (shared_values *)user; /* the batch's is const for makers alone */

    (void)base;
    CLSPI_CHECK(clspi_image_to_device(s->job.plan));
    CLSPI_CHECK(clspi_image_to_host(s->job.plan));
    return clspi_image_host_reals(s->job.plan, &s->reals);
}

static clspi_tiling tiling_of(const shared_values *s)
{
    return tiling_of_items(s, items_of(s));
}

static clsp_status share(shared_values *s, const clspi_tiling *tiling, const clspi_tiles *tiles,
                         char *out, const clsp_run *run)
{
    static const clspi_line_maker maker = {make_on_host, make_on_device, NULL};
    clsp_image_plan *const plan = s->job.plan;
    const size_t element = clsp_type_bytes(plan->desc.values);
    char key[KEY_MAX];
    clspi_shared_batch batch = {.plan = &plan->base,
                                .peers = &plan->peers,
                                .maker = &maker,
                                .user = s,
                                .why_no_host = host_refusal(s),
                                .why_not_persistent = "no persistent kernel makes values of images",
                                .tiling = *tiling,
                                .line_items = items_of(s),
                                .line_bytes = s->job.point * element,
                                .element = element,
                                .key = key,
                                .prepare = prepare};

    make_grid(s);
    name_job(s, key);
    CLSPI_CHECK(clspi_shared_batch_run(&batch, tiles, out, run, run->report));
    return clspi_run_done(&plan->base, run);
}

/* Checks what a call writes. */
static clsp_status need_of(const shared_values *s, size_t points, clspi_memory_need *need)
{
    const clsp_image_plan *const plan = s->job.plan;

    *need = (clspi_memory_need){"values", plan->desc.values, points};
    if (clspi_size_mul(&need->count, s->job.point)) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "image: the values are more than the address space");
}

/* Checks what a call is given for its points, and finds where it is. */
static clsp_status open_given(shared_values *s, const clsp_input *given, const char *what)
{
    const clsp_image_plan *const plan = s->job.plan;
    clspi_memory_need need = {what, plan->desc.precision, s->points};
    const char *at;

    if (!clspi_size_mul(&need.count, plan->desc.directions))
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "image: %s are more than the address space", what);
    CLSPI_CHECK(clspi_shared_input(&plan->base, given, &need, &at));
    for (uint32_t d = 3 - plan->desc.directions; at && d < 3; d++, at += s->points * s->real)
        s->given[d] = at;
    return CLSP_OK;
}

/* ---- the call ---- */

/* A call whose places and images have been checked. */
typedef struct eval_call {
    shared_values s;
    clspi_tiling tiling;
    clspi_tiles tiles;
    const clsp_input *given; /* displacements or coordinates; NULL: none */
    clsp_output values;
} eval_call;

static clsp_status make_alone(void *user)
{
    const eval_call *const c = user;

    return clspi_image_eval_on_device(&c->s.job, c->s.points, c->given, &c->values, NULL);
}

static clsp_status eval_shared(eval_call *c, const clsp_run *run)
{
    shared_values *const s = &c->s;
    clspi_plan *const base = &s->job.plan->base;
    const bool is_list = s->job.places == CLSPI_IMAGE_AT_POINTS;
    const clspi_lone_call alone = {"memory that is not aligned to its elements",
                                   c->tiles.tiles.count, make_alone, c};
    clspi_memory_need need;
    char *out;

    CLSPI_CHECK(need_of(s, c->tiles.lines.count, &need));
    CLSPI_CHECK(clspi_shared_output(base, &c->values, &need, &out));
    if (c->given) CLSPI_CHECK(open_given(s, c->given, is_list ? "coordinates" : "displacements"));
    if ((uintptr_t)out % clsp_type_bytes(s->job.plan->desc.values) != 0 ||
        (uintptr_t)s->given[2] % s->real != 0)
        return clspi_shared_alone(base, &alone, run);
    return share(s, &c->tiling, &c->tiles, out, run);
}

/* Takes over what a map says. */
static clsp_status take_map(eval_call *c, clsp_range images, const clsp_image_map *map)
{
    clspi_image_job *const job = &c->s.job;

    CLSPI_CHECK(clspi_image_map_resolve(job->plan, map, &job->map));
    job->places = !map                                        ? CLSPI_IMAGE_ON_MAP
                  : clspi_input_is_there(&map->at.params)     ? CLSPI_IMAGE_AT_POINTS
                  : clspi_input_is_there(&map->displacements) ? CLSPI_IMAGE_DISPLACED
                                                              : CLSPI_IMAGE_ON_MAP;
    CLSPI_CHECK(clspi_image_take_images(job, images, job->map.attributes));
    if (job->places == CLSPI_IMAGE_AT_POINTS) {
        c->given = &map->at.params;
        c->s.points = map->at.num;
        return CLSP_OK;
    }
    if (job->places == CLSPI_IMAGE_DISPLACED) c->given = &map->displacements;
    return clspi_image_count_points(job, &c->s.points);
}

clsp_status clsp_image_eval(clsp_image_plan *plan, clsp_range images, const clsp_image_map *map,
                            clsp_output values, const clsp_run *run)
{
    eval_call c = {.s = {.job = {.plan = plan}}, .values = values};

    if (!plan) return clspi_null_argument(NULL, "clsp_image_eval");
    c.s.real = clsp_type_bytes(plan->desc.precision);
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(take_map(&c, images, map));
    c.tiling = tiling_of(&c.s);
    CLSPI_CHECK(clspi_tiles_of(&c.tiles, &plan->base, &c.tiling, run));
    switch (c.tiles.way) {
    case CLSPI_ASKED:
        return clspi_tiles_tell(&c.tiles, &c.tiling, c.s.job.point, run);
    case CLSPI_BY_DEVICE:
        return clspi_image_eval_on_device(&c.s.job, c.s.points, c.given, &c.values, run);
    default:
        return eval_shared(&c, run);
    }
}
