/* Values of images by the context's device. */
#include "image_values.h"

#include "check.h"
#include "image_blocks.h"

/* Of an item on CPUs: points of a line, or a tile of rows, whose taps stay in the first cache.
   TILE_RUN is RUN of image_values.cl. */
enum {
    LINE_RUN = CLSPI_IMAGE_RUN,
    RUN = 64,
    RUN_ROWS = 16,
    GROUP = 128,
    TILE_X = CLSPI_IMAGE_TILE,
    TILE_RUN = 8
};

typedef clspi_image_job value_job;

/* ---- kernels ---- */

static clspi_options value_options(const clsp_context *ctx, const clsp_image_desc *d, size_t plane,
                                   uint32_t attributes, bool fixed)
{
    clspi_options options =
        clspi_options_of(ctx, d->precision, clspi_lanes(ctx, d->precision) > 1 ? 4 : 1);

    clspi_option(&options, "COEFFICIENTS", clspi_pixel_type(d->coefficients, d->precision));
    clspi_option(&options, "VALUES", clspi_pixel_type(d->values, d->precision));
    clspi_option(&options, "DIRECTIONS", d->directions);
    clspi_option(&options, "ORDER", clspi_image_order(d));
    clspi_option(&options, "ATTRIBUTES", attributes);
    clspi_option(&options, "CLIP", d->clip);
    clspi_option(&options, "FIXED", fixed);
    clspi_option(&options, "INDEX", plane > UINT32_MAX ? 64 : 32);
    return options;
}

static bool has_tiles(const clsp_context *ctx)
{
    return clspi_lanes(ctx, CLSP_F32) == 1;
}

/* Makes the kernel of a job's map in blocks; job->in_blocks says whether it is to be used. */
static clsp_status use_blocks(clspi_image_job *job)
{
    clsp_context *const ctx = job->plan->base.ctx;
    const clsp_image_desc *const d = &job->plan->desc;
    clspi_kernel *const kernel = &job->plan->kernels.in_blocks[job->attributes];
    const bool fits = job->places == CLSPI_IMAGE_ON_MAP && !job->window && job->map.is_fixed &&
                      has_tiles(ctx) && clspi_image_has_blocks(ctx, d) &&
                      clspi_image_find_block(job, &job->block);

    job->in_blocks = false;
    if (!fits) return CLSP_OK;
    if (!kernel->kernel) {
        clspi_options options =
            value_options(ctx, d, job->plan->layout.plane, job->attributes, true);
        clspi_option(&options, "WINDOW", 0);
        CLSPI_CHECK(clspi_kernel_create_for_group(
            kernel, ctx, "image_blocks", &clspi_values_of_blocks_signature, &options, GROUP));
    }
    job->in_blocks = kernel->local == GROUP; /* the device may not have such groups */
    if (job->in_blocks) job->kernel = kernel;
    return CLSP_OK;
}

clsp_status clspi_image_job_kernel(clspi_image_job *job)
{
    clsp_context *const ctx = job->plan->base.ctx;
    const uint32_t a = job->attributes;
    const bool fixed = job->map.is_fixed && job->places != CLSPI_IMAGE_AT_POINTS;
    clspi_image_kernels *const of = job->window ? &job->plan->windowed : &job->plan->kernels;
    clspi_kernel *const kernels[] = {&of->on_map[fixed][a], &of->displaced[fixed][a],
                                     &of->at_points[a]};
    const clspi_signature *const signatures[] = {&clspi_values_on_map_signature,
                                                 &clspi_values_displaced_signature,
                                                 &clspi_values_at_points_signature};
    const clspi_signature *const signature = signatures[job->places];
    clspi_options options = value_options(ctx, &job->plan->desc, job->plan->layout.plane, a, fixed);

    CLSPI_CHECK(use_blocks(job));
    if (job->in_blocks) return CLSP_OK;
    clspi_option(&options, "WINDOW", job->window != NULL);
    job->kernel = kernels[job->places];
    if (job->kernel->kernel) return CLSP_OK;
    return has_tiles(ctx)
               ? clspi_kernel_create_for_group(job->kernel, ctx, "image_values", signature,
                                               &options, GROUP)
               : clspi_kernel_create(job->kernel, ctx, "image_values", signature, &options);
}

clsp_status clspi_image_values_build(const clspi_build *build, const clsp_image_desc *desc,
                                     uint32_t attributes)
{
    clspi_options options =
        value_options(build->ctx, desc, 0, attributes, desc->precision == CLSP_F32);

    clspi_option(&options, "WINDOW", 0);
    if (!has_tiles(build->ctx)) return clspi_program_build(build, "image_values", &options);
    if (clspi_image_has_blocks(build->ctx, desc))
        CLSPI_CHECK(clspi_program_build_for_group(
            build, "image_blocks", &clspi_values_of_blocks_signature, &options, GROUP));
    return clspi_program_build_for_group(build, "image_values", &clspi_values_on_map_signature,
                                         &options, GROUP);
}

clsp_status clspi_image_values_prepare(clsp_image_plan *plan)
{
    clspi_image_job job = {.plan = plan,
                           .map = {.is_fixed = plan->desc.precision == CLSP_F32},
                           .attributes = CLSP_IMAGE_VALUE};

    return clspi_image_job_kernel(&job);
}

void clspi_image_kernels_release(clspi_image_kernels *kernels)
{
    for (uint32_t a = 0; a < CLSPI_ATTRIBUTE_SETS; a++) {
        clspi_kernel_release(&kernels->in_blocks[a]);
        for (uint32_t fixed = 0; fixed < 2; fixed++) {
            clspi_kernel_release(&kernels->on_map[fixed][a]);
            clspi_kernel_release(&kernels->displaced[fixed][a]);
        }
        clspi_kernel_release(&kernels->at_points[a]);
    }
}

/* ---- a call ---- */

clsp_status clspi_image_check_range(const clsp_image_plan *plan, clsp_range images)
{
    clspi_log *const log = &plan->base.ctx->log;

    if (!plan->has_samples)
        return clspi_fail(log, CLSP_ERROR_STATE, "image: no samples are loaded");
    if (images.first <= plan->num_images && images.count <= plan->num_images - images.first)
        return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_ARGUMENT, "image: images %zu to %zu + %zu of %zu",
                      images.first, images.first, images.count, plan->num_images);
}

clsp_status clspi_image_take_images(clspi_image_job *job, clsp_range images, uint32_t attributes)
{
    const clsp_image_plan *const plan = job->plan;
    const uint32_t per_image = plan->desc.planar ? plan->desc.channels : 1;

    CLSPI_CHECK(clspi_image_check_range(plan, images));
    job->first_piece = images.first * per_image;
    job->num_pieces = images.count * per_image;
    job->channels = plan->desc.channels / per_image;
    job->attributes = attributes;
    job->point = ((attributes & CLSP_IMAGE_VALUE) != 0) +
                 (attributes & CLSP_IMAGE_GRADIENT ? plan->desc.directions : 0);
    job->point *= job->channels;
    return CLSP_OK;
}

/* Multiplies the elements of something by how many there are. */
static clsp_status multiply(const clsp_image_plan *plan, size_t *count, size_t by)
{
    return clspi_size_mul(count, by)
               ? CLSP_OK
               : clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                            "image: the values are more than the address space");
}

clspi_image_axes clspi_image_axes_of(const clspi_image_job *job)
{
    const clspi_image_layout *const l = &job->plan->layout;
    const clspi_image_part whole = clspi_image_whole(l), *const w = job->window ? &job->window->part
                                                                                : &whole;

    return (clspi_image_axes){.cval = job->plan->desc.cval,
                              .size_z = l->stored[0],
                              .size_y = l->stored[1],
                              .size_x = l->stored[2],
                              .pad_z = l->pad[0],
                              .pad_y = l->pad[1],
                              .pad_x = l->pad[2],
                              .mode_z = l->mode[0],
                              .mode_y = l->mode[1],
                              .mode_x = l->mode[2],
                              .channels = job->channels,
                              .num_z = w->num[0],
                              .num_y = w->num[1],
                              .num_x = w->num[2],
                              .cut_z = w->cut[0],
                              .cut_y = w->cut[1],
                              .cut_x = w->cut[2],
                              .low_z = w->low[0],
                              .low_y = w->low[1],
                              .low_x = w->low[2],
                              .high_z = w->high[0],
                              .high_y = w->high[1],
                              .high_x = w->high[2]};
}

static cl_mem coefficients_of(const value_job *job)
{
    return job->window ? job->window->buffer : job->plan->coefficients;
}

/* Returns where the coefficients of a plane begin in their buffer. */
static size_t plane_begin(const value_job *job, size_t plane)
{
    return job->window ? 0 : plane * job->plan->layout.plane;
}

static cl_mem range_of(const value_job *job)
{
    return job->plan->desc.clip ? job->plan->range.range : coefficients_of(job); /* not looked at */
}

/* Returns how many multiply-adds a point takes, about. */
static uint64_t point_fma(const value_job *job)
{
    uint64_t taps = 8;

    for (uint32_t d = 0; d < job->plan->desc.directions; d++)
        taps *= clspi_image_order(&job->plan->desc) + 1;
    return taps * job->point;
}

/* ---- grids ---- */

/* Describes the rows of a launch, whose part has slices as pieces; *items: how many work-items they
   are. */
static clspi_value_grid grid_of(const value_job *job, const clspi_part *part, size_t *items)
{
    const uint32_t *const size = job->map.size;
    const bool tiled = has_tiles(job->plan->base.ctx);
    const bool is_whole = part->line == 0 && part->num_lines % size[1] == 0;
    const size_t num_y = is_whole ? size[1] : part->num_lines, num_slices = part->num_lines / num_y;
    const size_t run = num_y > 1 ? RUN : LINE_RUN, rows = num_y > 1 ? RUN_ROWS : 1;
    const size_t local = job->kernel->local, tile_x = tiled ? clspi_min(local, TILE_X) : run;
    const size_t tile_y = tiled ? local / tile_x * TILE_RUN : rows;
    const uint32_t end_x = job->end_x > 0 ? job->end_x : size[2];
    const size_t tiles_x = clspi_div_up(end_x - job->first_x, tile_x);
    const size_t tiles_y = clspi_div_up(num_y, tile_y);
    const size_t piece = part->piece / size[0], plane = (job->first_piece + piece) * job->channels;

    *items = num_slices * tiles_y * tiles_x * (tiled ? local : 1);
    return (clspi_value_grid){.offset = job->streams.stream[0].offset +
                                        part->before * size[2] * job->point,
                              .coefficients = plane_begin(job, plane),
                              .range = plane * 2,
                              .num_x = size[2],
                              .begin_x = job->begin_x,
                              .first_x = job->first_x,
                              .end_x = end_x,
                              .num_y = (cl_uint)num_y,
                              .num_z = size[0],
                              .first_y = (cl_uint)part->line,
                              .first_slice = (cl_uint)(part->piece - piece * size[0]),
                              .num_slices = (cl_uint)num_slices,
                              .tiles_x = (cl_uint)tiles_x,
                              .tiles_y = (cl_uint)tiles_y,
                              .inverse = (cl_uint)(UINT32_MAX / tiles_x),
                              .run = (cl_uint)run,
                              .rows = (cl_uint)rows,
                              .items = (cl_uint)*items};
}

/* Makes the rows of a launch in blocks. */
static clsp_status launch_blocks(const value_job *job, clspi_series *series,
                                 const clspi_value_grid *grid, size_t items)
{
    const clspi_values_of_blocks_args args = {.coefficients = coefficients_of(job),
                                              .range = range_of(job),
                                              .out = job->streams.stream[0].buffer,
                                              .axes = clspi_image_axes_of(job),
                                              .grid = *grid,
                                              .map_y = clspi_image_map_axis(&job->map, 1),
                                              .map_x = clspi_image_map_axis(&job->map, 2),
                                              .block = job->block};

    return clspi_launch_values_of_blocks(series, job->kernel, &args, items);
}

/* Makes the rows of a launch; part: slices as pieces. */
static clsp_status launch_grid(const value_job *job, clspi_series *series, const clspi_part *part)
{
    const clspi_stream *const stream = job->streams.stream, *const last =
                                                                &stream[job->streams.num - 1];
    const clsp_image_plan *const plan = job->plan;
    size_t items;
    const clspi_value_grid grid = grid_of(job, part, &items);
    const clspi_map_axis z = clspi_image_map_axis(&job->map, 0),
                         y = clspi_image_map_axis(&job->map, 1),
                         x = clspi_image_map_axis(&job->map, 2);

    if (job->in_blocks) return launch_blocks(job, series, &grid, items);
    if (job->places == CLSPI_IMAGE_DISPLACED) {
        const uint32_t directions = plan->desc.directions;
        const clspi_stream *const fy = directions > 1 ? last - 1 : last;
        const clspi_stream *const fz = directions > 2 ? last - 2 : last;
        const size_t done = part->before * job->map.size[2];
        const clspi_values_displaced_args args = {
            .coefficients = coefficients_of(job),
            .range = range_of(job),
            .out = stream[0].buffer,
            .field_z = fz->buffer,
            .field_y = fy->buffer,
            .field_x = last->buffer,
            .axes = clspi_image_axes_of(job),
            .grid = grid,
            .map_z = z,
            .map_y = y,
            .map_x = x,
            .begin = {.z = fz->offset + done, .y = fy->offset + done, .x = last->offset + done}};
        return clspi_launch_values_displaced(series, job->kernel, &args, items);
    }
    const clspi_values_on_map_args args = {.coefficients = coefficients_of(job),
                                           .range = range_of(job),
                                           .out = stream[0].buffer,
                                           .axes = clspi_image_axes_of(job),
                                           .grid = grid,
                                           .map_z = z,
                                           .map_y = y,
                                           .map_x = x};
    return clspi_launch_values_on_map(series, job->kernel, &args, items);
}

clsp_status clspi_image_make_rows(void *user, clspi_series *series, const clspi_part *part)
{
    const value_job *const job = user;
    const uint32_t *const size = job->map.size;
    const uint64_t most = clspi_launch_lines(&series->ctx->tuning, point_fma(job) * size[2],
                                             size[2], job->kernel->local, 1);
    clspi_cut cut = {.per_piece = size[1],
                     .multiple = TILE_X,
                     .piece = part->piece * size[0] + part->line / size[1],
                     .line = part->line % size[1],
                     .left = part->num_lines};
    clspi_part rows;

    while (clspi_cut_next(&cut, most, &rows))
        CLSPI_CHECK(launch_grid(job, series, &rows));
    return CLSP_OK;
}

/* Checks what is given for values and opens it. points: of a piece. */
static clsp_status open_values(value_job *job, const clsp_output *values, size_t points)
{
    const clsp_image_plan *const plan = job->plan;
    clspi_memory_need need = {"values", plan->desc.values, points};
    clspi_stream *const stream = &job->streams.stream[job->streams.num++];

    CLSPI_CHECK(multiply(plan, &need.count, job->point));
    CLSPI_CHECK(multiply(plan, &need.count, job->num_pieces));
    stream->written = true;
    return clspi_output_open(&stream->memory, &plan->base, values, &need);
}

clsp_status clspi_image_count_points(const clspi_image_job *job, size_t *points)
{
    *points = job->map.size[2];
    CLSPI_CHECK(multiply(job->plan, points, job->map.size[1]));
    return multiply(job->plan, points, job->map.size[0]);
}

/* Carries out a job on so many points, in rows of `row`; of coordinates each is its own. Through
   windows parts may begin within rows. */
static clsp_status carry_out(value_job *job, const clsp_run *run, size_t points, size_t row)
{
    const bool in_windows = job->owner != NULL;
    const size_t line = in_windows ? 1 : row, lines = points / line;
    const size_t per_piece = in_windows && row > 1 ? row : lines;
    const clspi_cut cut = {
        .per_piece = clspi_max(per_piece, 1), .multiple = in_windows ? RUN : 0, .left = lines};
    const clspi_make_fn make = in_windows                             ? clspi_image_make_in_windows
                               : clspi_image_is_textured(job)         ? clspi_image_make_textured
                               : job->places == CLSPI_IMAGE_AT_POINTS ? clspi_image_make_points
                                                                      : clspi_image_make_rows;

    for (uint32_t i = 0; i < job->streams.num; i++)
        job->streams.stream[i].per_line = line * (i == 0 ? job->point : 1);
    return clspi_carry_out(&job->plan->base, run, &job->streams, cut, make, job);
}

/* Makes values on a map. */
static clsp_status eval_on_map(value_job *job, size_t points, const clsp_output *values,
                               const clsp_run *run)
{
    clsp_status status = open_values(job, values, points);

    if (status == CLSP_OK) status = clspi_image_prepare(job);
    if (status == CLSP_OK) return carry_out(job, run, points * job->num_pieces, job->map.size[2]);
    clspi_streams_close(&job->streams);
    return status;
}

/* ---- the same inputs for each piece ---- */

/* A call whose inputs are read again for each piece: as many jobs, one behind the other. */
typedef struct repeated_job {
    value_job job;
    const clsp_input *input; /* [directions][points] */
    const char *what;
    clsp_output values;
    size_t points, row;
} repeated_job;

/* Opens the streams of one piece, whose output begins at `values`. */
static clsp_status open_piece(repeated_job *r, const clsp_output *values)
{
    const clsp_image_plan *const plan = r->job.plan;

    r->job.streams = (clspi_job_streams){.num = 0};
    CLSPI_CHECK(open_values(&r->job, values, r->points));
    for (uint32_t d = 0; d < plan->desc.directions; d++) {
        clspi_stream *const stream = &r->job.streams.stream[r->job.streams.num++];
        const clspi_memory_need need = {r->what, plan->desc.precision, r->points};
        clsp_input input = *r->input;
        input.offset += d * r->points;
        CLSPI_CHECK(clspi_input_open(&stream->memory, &plan->base, &input, &need));
    }
    return CLSP_OK;
}

/* Checks all memory of a call before anything is enqueued. */
static clsp_status check_memory(repeated_job *r)
{
    const clsp_image_plan *const plan = r->job.plan;
    clspi_memory_need need = {r->what, plan->desc.precision, r->points};
    clspi_memory memory;

    CLSPI_CHECK(multiply(plan, &need.count, plan->desc.directions));
    clsp_status status = clspi_input_open(&memory, &plan->base, r->input, &need);
    clspi_memory_close(&memory);
    if (status != CLSP_OK) return status;
    status = open_values(&r->job, &r->values, r->points);
    clspi_streams_close(&r->job.streams);
    return status;
}

/* Carries out the jobs of all pieces: the first waits for the caller's list, the last one's event
   is the caller's. Those of one plan follow each other. */
static clsp_status run_pieces(repeated_job *r, const clsp_run *run)
{
    clspi_plan *const base = &r->job.plan->base;
    const size_t num = r->job.num_pieces, first = r->job.first_piece;

    CLSPI_CHECK(check_memory(r));
    r->job.streams = (clspi_job_streams){.num = 0};
    CLSPI_CHECK(clspi_image_prepare(&r->job));
    if (num == 0 || r->points == 0) return carry_out(&r->job, run, 0, 1);
    if (r->job.owner && (r->input->buffer || r->input->svm))
        return clspi_fail(&base->ctx->log, CLSP_ERROR_ARGUMENT,
                          "image: %s: host memory, as the coefficients are there", r->what);
    r->job.num_pieces = 1;
    for (size_t i = 0; i < num; i++) {
        clsp_run part = {.num_wait = 0};
        clsp_output values = r->values;
        if (run && i == 0) part.num_wait = run->num_wait;
        if (run && i == 0) part.wait = run->wait;
        if (run && i == num - 1) part.done = run->done;
        values.offset += i * r->points * r->job.point;
        r->job.first_piece = first + i;
        const clsp_status status = open_piece(r, &values);
        if (status != CLSP_OK) {
            clspi_streams_close(&r->job.streams);
            return status;
        }
        CLSPI_CHECK(carry_out(&r->job, &part, r->points, r->row));
    }
    return CLSP_OK;
}

/* ---- coordinates ---- */

clsp_status clspi_image_make_points(void *user, clspi_series *series, const clspi_part *part)
{
    const value_job *const job = user;
    const clspi_stream *const stream = job->streams.stream;
    const clspi_stream *const last = &stream[job->streams.num - 1];
    const clspi_stream *const y = job->plan->desc.directions > 1 ? last - 1 : last;
    const clspi_stream *const z = job->plan->desc.directions > 2 ? last - 2 : last;
    const size_t run = has_tiles(series->ctx) ? 1 : LINE_RUN,
                 plane = job->first_piece * job->channels;
    const uint64_t most =
        clspi_launch_lines(&series->ctx->tuning, point_fma(job), 1, job->kernel->local, run);
    clspi_cut cut = {.per_piece = part->num_lines, .left = part->num_lines};
    clspi_part some;

    while (clspi_cut_next(&cut, most, &some)) {
        const size_t items = clspi_div_up(some.num_lines, run), done = some.before;
        const clspi_values_at_points_args args = {
            .coefficients = coefficients_of(job),
            .range = range_of(job),
            .out = stream[0].buffer,
            .at_z = z->buffer,
            .at_y = y->buffer,
            .at_x = last->buffer,
            .axes = clspi_image_axes_of(job),
            .points = {.offset = stream[0].offset + done * job->point,
                       .coefficients = plane_begin(job, plane),
                       .range = plane * 2,
                       .first_z = z->offset + done,
                       .first_y = y->offset + done,
                       .first_x = last->offset + done,
                       .num = (cl_uint)some.num_lines,
                       .run = (cl_uint)run,
                       .items = (cl_uint)items}};
        CLSPI_CHECK(clspi_launch_values_at_points(series, job->kernel, &args, items));
    }
    return CLSP_OK;
}

clsp_status clspi_image_eval_on_device(const clspi_image_job *job, size_t points,
                                       const clsp_input *given, const clsp_output *values,
                                       const clsp_run *run)
{
    const bool is_list = job->places == CLSPI_IMAGE_AT_POINTS;
    repeated_job r = {.job = *job,
                      .input = given,
                      .what = is_list ? "coordinates" : "displacements",
                      .values = *values,
                      .points = points,
                      .row = is_list ? 1 : job->map.size[2]};

    return given ? run_pieces(&r, run) : eval_on_map(&r.job, points, values, run);
}
