/* Launches of the kernels of values, on maps and at coordinates. */
#include "image_values.h"

#include "check.h"
#include "image_blocks.h"

typedef clspi_image_job value_job;

clspi_image_axes clspi_image_axes_of(const clspi_image_job *job)
{
    const clspi_image_layout *const l = &job->plan->layout;
    const clspi_image_part whole = clspi_image_whole(l), *const w = job->window ? &job->window->part
                                                                                : &whole;

    return (clspi_image_axes){.cval = job->plan->desc.cval,
                              .size_z = l->whole[0],
                              .size_y = l->whole[1],
                              .size_x = l->whole[2],
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

/* Where what was given for points begins along one direction. */
typedef struct given_axis {
    cl_mem buffer;
    size_t offset;
} given_axis;

/* Finds direction d of displacements or coordinates, or the last one where d is missing. */
static given_axis given_along(const value_job *job, uint32_t d)
{
    const uint32_t missing = 3 - job->plan->desc.directions, k = d < missing ? 2 : d;
    const clspi_stream *const from = &job->streams.stream[1 + (job->stride > 1 ? 0 : k - missing)];

    return (given_axis){from->buffer, from->offset + (job->stride > 1 ? k - missing : 0)};
}

/* ---- grids ---- */

/* Returns the columns of points that a group makes. */
static size_t columns_of(const value_job *job)
{
    return job->is_textured ? TEXTURE_TILE : VALUE_TILE;
}

/* Describes the rows of a launch, whose part has slices as pieces; *items: how many work-items they
   are. */
static clspi_value_grid grid_of(const value_job *job, const clspi_part *part, size_t *items)
{
    const uint32_t *const size = job->map.size, *const origin = job->map.origin;
    const bool is_whole = part->line == 0 && part->num_lines % size[1] == 0;
    const size_t num_y = is_whole ? size[1] : part->num_lines, num_slices = part->num_lines / num_y;
    const size_t local = job->kernel->local, tile_x = clspi_min(local, columns_of(job));
    const size_t tile_y = local / tile_x * (job->is_textured ? 1 : VALUE_RUN);
    const uint32_t end_x = job->end_x > 0 ? job->end_x : size[2];
    const size_t tiles_x = clspi_div_up(end_x - job->first_x, tile_x);
    const size_t tiles_y = clspi_div_up(num_y, tile_y);
    const size_t piece = part->piece / size[0], plane = (job->first_piece + piece) * job->channels;

    *items = num_slices * tiles_y * tiles_x * local;
    return (clspi_value_grid){.offset = job->streams.stream[0].offset +
                                        part->before * size[2] * job->point,
                              .coefficients = plane_begin(job, plane),
                              .range = plane * 2,
                              .num_x = size[2],
                              .begin_x = job->begin_x,
                              .first_x = job->first_x,
                              .end_x = end_x,
                              .num_y = (uint32_t)num_y,
                              .num_z = size[0],
                              .first_y = (uint32_t)part->line,
                              .first_slice = (uint32_t)(part->piece - piece * size[0]),
                              .num_slices = (uint32_t)num_slices,
                              .tiles_x = (uint32_t)tiles_x,
                              .tiles_y = (uint32_t)tiles_y,
                              .inverse = (uint32_t)(UINT32_MAX / tiles_x),
                              .origin_z = origin[0],
                              .origin_y = origin[1],
                              .origin_x = origin[2]};
}

/* Makes the rows of a launch in blocks. */
static clsp_status launch_blocks(const value_job *job, clspi_series *series,
                                 const clspi_values_on_map_args *on_map, size_t items)
{
    const clspi_values_of_blocks_args args = {.coefficients = on_map->coefficients,
                                              .range = on_map->range,
                                              .out = on_map->out,
                                              .axes = on_map->axes,
                                              .grid = on_map->grid,
                                              .map_y = on_map->map_y,
                                              .map_x = on_map->map_x,
                                              .block = job->block};

    return clspi_launch_values_of_blocks(series, job->kernel, &args, items);
}

/* Launches the kernel of values along displacements, before which `done` others of them are. */
static clsp_status launch_displaced(const value_job *job, clspi_series *series,
                                    const clspi_values_on_map_args *on_map, size_t items,
                                    size_t done)
{
    const given_axis z = given_along(job, 0), y = given_along(job, 1), x = given_along(job, 2);
    const clspi_values_displaced_args args = {
        .coefficients = on_map->coefficients,
        .range = on_map->range,
        .out = on_map->out,
        .field_z = z.buffer,
        .field_y = y.buffer,
        .field_x = x.buffer,
        .axes = on_map->axes,
        .grid = on_map->grid,
        .map_z = on_map->map_z,
        .map_y = on_map->map_y,
        .map_x = on_map->map_x,
        .begin = {.z = z.offset + done, .y = y.offset + done, .x = x.offset + done}};

    return clspi_launch_values_displaced(series, job->kernel, &args, items);
}

/* Makes the rows of a launch; part: slices as pieces. */
static clsp_status launch_grid(const value_job *job, clspi_series *series, const clspi_part *part)
{
    size_t items;
    const clspi_values_on_map_args args = {.coefficients = coefficients_of(job),
                                           .range = range_of(job),
                                           .out = job->streams.stream[0].buffer,
                                           .axes = clspi_image_axes_of(job),
                                           .grid = grid_of(job, part, &items),
                                           .map_z = clspi_image_map_axis(&job->map, 0),
                                           .map_y = clspi_image_map_axis(&job->map, 1),
                                           .map_x = clspi_image_map_axis(&job->map, 2)};

    if (job->is_textured) return clspi_image_launch_textured(job, series, &args, items);
    if (job->in_blocks) return launch_blocks(job, series, &args, items);
    if (job->places == CLSPI_IMAGE_DISPLACED)
        return launch_displaced(job, series, &args, items, part->before * job->map.size[2]);
    return clspi_launch_values_on_map(series, job->kernel, &args, items);
}

clsp_status clspi_image_make_rows(const clspi_image_job *job, clspi_series *series,
                                  const clspi_part *part)
{
    const uint32_t *const size = job->map.size;
    const uint64_t most = clspi_launch_lines(&series->ctx->tuning, point_fma(job) * size[2],
                                             size[2], job->kernel->local, 1);
    const uint64_t slice = job->is_textured ? size[1] : UINT64_MAX;
    clspi_cut cut = {.per_piece = size[1],
                     .multiple = columns_of(job),
                     .piece = part->piece * size[0] + part->line / size[1],
                     .line = part->line % size[1],
                     .left = part->num_lines};
    clspi_part rows;

    while (clspi_cut_next(&cut, clspi_min_u64(most, slice), &rows))
        CLSPI_CHECK(launch_grid(job, series, &rows));
    return CLSP_OK;
}

/* ---- coordinates ---- */

clsp_status clspi_image_make_points(const clspi_image_job *job, clspi_series *series,
                                    const clspi_part *part)
{
    const clspi_stream *const out = &job->streams.stream[0];
    const given_axis z = given_along(job, 0), y = given_along(job, 1), x = given_along(job, 2);
    const size_t plane = job->first_piece * job->channels;
    const uint64_t most =
        clspi_launch_lines(&series->ctx->tuning, point_fma(job), 1, job->kernel->local, 1);
    clspi_cut cut = {.per_piece = part->num_lines, .left = part->num_lines};
    clspi_part some;

    while (clspi_cut_next(&cut, most, &some)) {
        const size_t done = some.before;
        const clspi_values_at_points_args args = {
            .coefficients = coefficients_of(job),
            .range = range_of(job),
            .out = out->buffer,
            .at_z = z.buffer,
            .at_y = y.buffer,
            .at_x = x.buffer,
            .axes = clspi_image_axes_of(job),
            .points = {.offset = out->offset + done * job->point,
                       .coefficients = plane_begin(job, plane),
                       .range = plane * 2,
                       .first_z = z.offset + done * job->stride,
                       .first_y = y.offset + done * job->stride,
                       .first_x = x.offset + done * job->stride,
                       .items = (uint32_t)some.num_lines}};
        CLSPI_CHECK(clspi_launch_values_at_points(series, job->kernel, &args, some.num_lines));
    }
    return CLSP_OK;
}

/* ---- parts ---- */

clspi_image_job clspi_image_job_behind(const clspi_image_job *job, size_t piece, size_t before)
{
    clspi_image_job one = *job;

    one.first_piece = piece;
    for (uint32_t i = 0; i < one.streams.num; i++)
        one.streams.stream[i].offset += before * (i == 0 ? job->point : job->stride);
    return one;
}

clsp_status clspi_image_make_part(void *user, clspi_series *series, const clspi_part *part)
{
    clspi_image_job *const job = user;
    clspi_cut cut = {.per_piece = job->map.size[2],
                     .piece = part->piece,
                     .line = part->line,
                     .left = part->num_lines};
    clspi_part some;

    if (job->window) return clspi_image_make_in_windows(job, series, part);
    if (job->places == CLSPI_IMAGE_AT_POINTS) return clspi_image_make_points(job, series, part);
    while (clspi_cut_next(&cut, UINT64_MAX, &some)) {
        clspi_image_job one = clspi_image_job_behind(job, job->first_piece, some.before);
        const clspi_part rows = {.num_pieces = 1, .line = some.piece, .num_lines = some.num_pieces};
        one.begin_x = one.first_x = (uint32_t)some.line;
        if (some.num_pieces == 1) one.end_x = (uint32_t)(some.line + some.num_lines);
        CLSPI_CHECK(clspi_image_make_rows(&one, series, &rows));
    }
    return CLSP_OK;
}
