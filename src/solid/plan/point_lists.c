/* Evaluation at parameters of their own. Their weights are found on the host, which alone knows
   classes, and are brought to the device some thousand points at a time. */
#include "point_lists.h"

#include <math.h>
#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "device_lists.h"
#include "kernel_arguments.h"
#include "solid_options.h"
#include "solid_mesh.h"
#include "solid_upload.h"
#include "star_vertices.h"
#include "transfer.h"

enum {
    CHUNK = 4096, /* points that are made at once, with a weight for one sum */
    LEAST = 256,  /* of them, however many sums there are */
    CELLS = 0,
    PARAMS = 1 /* inputs */
};

typedef struct list_job {
    clsp_solid_plan *plan;
    clspi_solid_list list; /* in host memory */
    clspi_memory input[2];
    clspi_job_streams streams;
    void *read[2]; /* copies of inputs that are the device's */
    bool is_ready;
    double *row; /* [CLSPI_RING_POINTS] */
    uint32_t numbers[CLSPI_RING_POINTS];
    size_t chunk;    /* points that are made at once */
    size_t room;     /* control points that these can have */
    uint32_t *begin; /* [chunk + 1] */
    uint32_t *index; /* [room] */
    double *weights; /* [room][sums]; in the plan's precision when they are written */
    double *params;  /* [chunk][3], likewise */
    uint8_t *faces;  /* [chunk] */
} list_job;

/* ---- inputs ---- */

/* Reads an input that is on the device; the list then has it in host memory. */
static clsp_status read_input(list_job *job, clspi_series *series, int i, const void **to)
{
    const clspi_memory *const from = &job->input[i];
    const size_t bytes = job->list.num * (i == CELLS ? 1 : 3) * from->element;

    if (!from->buffer || bytes == 0) return CLSP_OK;
    job->read[i] = malloc(bytes);
    if (!job->read[i])
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "solid: no memory for %zu parameters", job->list.num);
    *to = job->read[i];
    return clspi_series_read(series, from->buffer, from->offset * from->element, job->read[i],
                             bytes);
}

static clsp_status create_kernel(clsp_solid_plan *plan)
{
    const clspi_options options = clspi_list_options(plan->base.ctx, &plan->desc);
    const clspi_signature *const signature =
        plan->is_plain ? &clspi_weighted_points_signature : &clspi_weighted_vertices_signature;

    if (plan->lists.kernel.kernel) return CLSP_OK;
    return clspi_kernel_create(&plan->lists.kernel, plan->base.ctx, "weighted_points", signature,
                               &options);
}

/* Reads the inputs that are on the device. */
static clsp_status read_inputs(list_job *job, clspi_series *series)
{
    const void *cells = job->list.cells;

    CLSPI_CHECK(read_input(job, series, CELLS, &cells));
    job->list.cells = cells;
    return read_input(job, series, PARAMS, &job->list.params);
}

/* Makes memory and the kernel ready. */
static clsp_status make_ready(list_job *job, clspi_series *series)
{
    clsp_solid_plan *const plan = job->plan;
    clsp_context *const ctx = series->ctx;
    const size_t real = clsp_type_bytes(plan->desc.precision);
    clspi_point_lists *const lists = &plan->lists;

    CLSPI_CHECK(create_kernel(plan));
    CLSPI_CHECK(clspi_buffer_reserve(&lists->begin, &lists->begin_bytes, ctx,
                                     (job->chunk + 1) * sizeof *job->begin));
    CLSPI_CHECK(clspi_buffer_reserve(&lists->index, &lists->index_bytes, ctx,
                                     job->room * sizeof *job->index));
    CLSPI_CHECK(clspi_buffer_reserve(&lists->weights, &lists->weights_bytes, ctx,
                                     job->room * clspi_max(1, plan->shape.num_sums) * real));
    if (!plan->is_plain) {
        CLSPI_CHECK(
            clspi_buffer_reserve(&lists->params, &lists->params_bytes, ctx, 3 * job->chunk * real));
        CLSPI_CHECK(clspi_buffer_reserve(&lists->faces, &lists->faces_bytes, ctx, job->chunk));
    }
    return CLSP_OK;
}

/* ---- weights ---- */

/* Adds the weights of a point of a grid to those of the two that it continues, which are beside it.
   False: they are not. */
static bool fold_point(const clspi_cell_points *points, const uint32_t *index, double *weights,
                       uint32_t n, uint32_t sums)
{
    const size_t i = index[n] - points->num_vertices;
    const uint32_t from = clspi_continued_from(points, i, 0);
    const uint32_t beyond = clspi_continued_from(points, i, 1);

    for (uint32_t stride = 1; stride < CLSPI_GRID_POINTS; stride *= 4) {
        const uint32_t at = n / stride % 4;
        const uint32_t one = at == 0 ? n + stride : n - stride;
        const uint32_t two = at == 0 ? n + 2 * stride : n - 2 * stride;
        if (at == 1 || at == 2 || index[one] != from || index[two] != beyond) continue;
        for (uint32_t k = 0; k < sums; k++) {
            weights[one * sums + k] += 2.0 * weights[n * sums + k];
            weights[two * sums + k] -= weights[n * sums + k];
        }
        return true;
    }
    return false;
}

/* Leaves of a regular cell's grid the vertices alone: weights are not negative then, and no point
   is farther than they are. Returns how many there are. */
static uint32_t fold(const clspi_cell_points *points, uint32_t *index, double *weights,
                     uint32_t sums)
{
    uint8_t depth[CLSPI_GRID_POINTS]; /* continued points of continued ones: up to 3 */
    uint32_t kept = 0;

    for (uint32_t n = 0; n < CLSPI_GRID_POINTS; n++) {
        depth[n] = 0;
        for (uint32_t p = index[n]; p >= points->num_vertices; depth[n]++)
            p = clspi_continued_from(points, p - points->num_vertices, 0);
    }
    for (uint8_t d = 3; d > 0; d--)
        for (uint32_t n = 0; n < CLSPI_GRID_POINTS; n++)
            if (depth[n] == d && !fold_point(points, index, weights, n, sums)) depth[n] = 0;
    for (uint32_t n = 0; n < CLSPI_GRID_POINTS; n++) {
        if (depth[n] > 0) continue;
        index[kept] = index[n];
        memmove(weights + (size_t)kept * sums, weights + (size_t)n * sums, sums * sizeof *weights);
        kept++;
    }
    return kept;
}

/* Brings the control point of the largest weight in the first sum to the front: the others are
   summed relative to it, so that in float what is rounded is small. */
static void lead(uint32_t *index, double *weights, uint32_t num, uint32_t sums)
{
    uint32_t most = 0;

    for (uint32_t n = 1; n < num; n++)
        if (weights[(size_t)n * sums] > weights[(size_t)most * sums]) most = n;
    const uint32_t swap = index[0];
    index[0] = index[most];
    index[most] = swap;
    for (uint32_t k = 0; k < sums; k++) {
        const double weight = weights[k];
        weights[k] = weights[(size_t)most * sums + k];
        weights[(size_t)most * sums + k] = weight;
    }
}

/* Appends the control points of a point, with the weights of all sums; of one that is nowhere a
   single NaN for each. Returns where they end. */
static size_t append(list_job *job, size_t i, const clspi_solid_spot *spot, size_t at)
{
    const clsp_solid_plan *const plan = job->plan;
    const clspi_solid_shape *const shape = &plan->shape;
    double *const weights = job->weights + at * shape->num_sums;
    uint32_t num = 1;

    job->numbers[0] = 0;
    if (spot->is_there)
        num = clspi_cell_points_of(&plan->points, &plan->classes, spot->cell, job->numbers);
    memcpy(job->index + at, job->numbers, num * sizeof *job->index);
    for (uint32_t k = 0; k < shape->num_sums; k++) {
        if (spot->is_there)
            clspi_cell_weights(&plan->points, &plan->classes, spot->cell, spot->t,
                               clspi_order_by[shape->number[k]], job->row);
        for (uint32_t n = 0; n < num; n++)
            weights[n * shape->num_sums + k] = spot->is_there ? job->row[n] : (double)NAN;
    }
    if (num == CLSPI_GRID_POINTS && plan->points.use[spot->cell].number == CLSPI_REGULAR)
        num = fold(&plan->points, job->index + at, weights, shape->num_sums);
    if (shape->num_sums > 0) lead(job->index + at, weights, num, shape->num_sums);
    memcpy(job->params + 3 * i, spot->t, sizeof spot->t);
    job->faces[i] = spot->face;
    return at + num;
}

/* Rounds numbers to floats, in place. */
static void narrow(double *numbers, size_t num)
{
    for (size_t i = 0; i < num; i++)
        clspi_put_float(numbers, i, numbers[i]);
}

/* ---- making vertices ---- */

/* Finds the weights of points first .. first + num - 1 and brings them to the device. */
static clsp_status bring_weights(list_job *job, clspi_series *series, size_t first, size_t num)
{
    const clsp_solid_plan *const plan = job->plan;
    const clspi_point_lists *const lists = &plan->lists;
    const size_t real = clsp_type_bytes(plan->desc.precision);
    size_t total = 0;

    for (size_t i = 0; i < num; i++) {
        clspi_solid_spot spot;
        clspi_solid_spot_find(plan, &job->list, first + i, &spot);
        job->begin[i] = (uint32_t)total;
        total = append(job, i, &spot, total);
    }
    job->begin[num] = (uint32_t)total;
    const size_t num_weights = total * plan->shape.num_sums;
    if (plan->desc.precision == CLSP_F32) {
        narrow(job->weights, num_weights);
        narrow(job->params, 3 * num);
    }
    CLSPI_CHECK(
        clspi_series_write(series, lists->begin, 0, job->begin, (num + 1) * sizeof *job->begin));
    CLSPI_CHECK(
        clspi_series_write(series, lists->index, 0, job->index, total * sizeof *job->index));
    if (num_weights > 0)
        CLSPI_CHECK(
            clspi_series_write(series, lists->weights, 0, job->weights, num_weights * real));
    if (plan->is_plain) return CLSP_OK;
    CLSPI_CHECK(clspi_series_write(series, lists->params, 0, job->params, 3 * num * real));
    return clspi_series_write(series, lists->faces, 0, job->faces, num);
}

/* Makes points first .. first + num - 1, into the output from `done` on. */
static clsp_status make_chunk(list_job *job, clspi_series *series, size_t first, size_t num,
                              size_t done)
{
    clsp_solid_plan *const plan = job->plan;
    const clspi_point_lists *const lists = &plan->lists;
    const clspi_stream *const out = &job->streams.stream[0];
    const size_t offset = out->offset + done * plan->shape.stride;
    const bool is_value = plan->shape.number[0] == CLSPI_VALUE;
    const clspi_weighted_points_args points = {
        .points = plan->control,
        .begin = lists->begin,
        .index = lists->index,
        .weights = lists->weights,
        .out = out->buffer,
        .at = {.num = (cl_uint)num, .offset = offset, .keep = is_value ? 1.0 : 0.0}};
    const clspi_weighted_vertices_args vertices = {.points = plan->control,
                                                   .begin = lists->begin,
                                                   .index = lists->index,
                                                   .weights = lists->weights,
                                                   .params = lists->params,
                                                   .faces = lists->faces,
                                                   .out = out->buffer,
                                                   .at = {.num = (cl_uint)num, .offset = offset}};

    CLSPI_CHECK(bring_weights(job, series, first, num));
    return plan->is_plain ? clspi_launch_weighted_points(series, &lists->kernel, &points, num)
                          : clspi_launch_weighted_vertices(series, &lists->kernel, &vertices, num);
}

/* Makes points by stars. */
static clsp_status make_by_stars(const list_job *job, clspi_series *series, const clspi_part *part)
{
    const clspi_parallel threads = clspi_solid_threads(series->ctx);
    const clspi_star_lines lines = {&job->list, {part->line, part->num_lines}};
    const clspi_stream *const out = &job->streams.stream[0];
    const clspi_target target = {out->buffer, out->offset};

    return clspi_star_enqueue(job->plan, series, &lines, &threads, &target);
}

static clsp_status make_points(void *user, clspi_series *series, const clspi_part *part)
{
    list_job *const job = user;

    if (!job->is_ready) CLSPI_CHECK(read_inputs(job, series));
    if (!job->is_ready && !job->plan->lattice) CLSPI_CHECK(make_ready(job, series));
    job->is_ready = true;
    if (job->plan->lattice) return make_by_stars(job, series, part);
    for (size_t done = 0; done < part->num_lines; done += job->chunk)
        CLSPI_CHECK(make_chunk(job, series, part->line + done,
                               clspi_min(job->chunk, part->num_lines - done), done));
    return CLSP_OK;
}

/* Allocates what a chunk needs: as many weights as points with the most can have. */
static clsp_status allocate(list_job *job)
{
    const uint32_t sums = job->plan->shape.num_sums;

    if (job->plan->lattice) return CLSP_OK;
    const size_t num_sums = clspi_max(1, sums);
    size_t most = CLSPI_GRID_POINTS;

    for (uint32_t n = 0; n < job->plan->classes.num; n++)
        most = clspi_max(most, job->plan->classes.entry[n].num_points);
    job->chunk = clspi_max(LEAST, CHUNK / num_sums);
    job->room = most * job->chunk;
    job->row = malloc(CLSPI_RING_POINTS * sizeof *job->row);
    job->begin = malloc((job->chunk + 1) * sizeof *job->begin);
    job->index = malloc(job->room * sizeof *job->index);
    job->weights = malloc(job->room * num_sums * sizeof *job->weights);
    job->params = malloc(3 * job->chunk * sizeof *job->params);
    job->faces = malloc(job->chunk);
    if (job->row && job->begin && job->index && job->weights && job->params && job->faces)
        return CLSP_OK;
    return clspi_fail(&job->plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for weights");
}

static void close_all(list_job *job)
{
    for (int i = 0; i < 2; i++) {
        clspi_memory_close(&job->input[i]);
        free(job->read[i]);
    }
    free(job->row);
    free(job->begin);
    free(job->index);
    free(job->weights);
    free(job->params);
    free(job->faces);
}

clsp_status clspi_point_list_enqueue(clsp_solid_plan *plan, clspi_series *series,
                                     const clspi_solid_list *list, clsp_range points,
                                     const clspi_target *target)
{
    const clspi_part part = {.line = points.first, .num_lines = points.count};
    list_job job = {
        .plan = plan,
        .list = *list,
        .streams = {.num = 1, .stream = {{.buffer = target->buffer, .offset = target->offset}}}};
    const clspi_star_lines lines = {list, points};
    bool is_direct;

    if (plan->lattice) return clspi_star_enqueue(plan, series, &lines, NULL, target);
    CLSPI_CHECK(clspi_solid_device_ready(plan, series));
    CLSPI_CHECK(clspi_device_lists_ready(plan, series, &is_direct));
    if (is_direct) return clspi_device_list_enqueue(plan, series, list, points, target);
    clsp_status status = allocate(&job);
    if (status == CLSP_OK) status = make_points(&job, series, &part);
    close_all(&job);
    return status;
}

/* ---- the call ---- */

clspi_list_needs clspi_point_list_needs(const clsp_solid_plan *plan, const clsp_points *points)
{
    const clspi_list_needs needs = {{"cells", CLSP_U32, points->num},
                                    {"params", plan->desc.precision, 3 * points->num}};

    return needs;
}

clspi_memory_need clspi_vertices_need(const clsp_solid_plan *plan, size_t num)
{
    const clspi_memory_need need = {"vertices", plan->desc.vertex.type, num * plan->shape.stride};

    return need;
}

static clsp_status open_all(list_job *job, const clsp_points *points, size_t num,
                            const clsp_output *out)
{
    clsp_solid_plan *const plan = job->plan;
    const clspi_list_needs needs = clspi_point_list_needs(plan, points);
    const clspi_memory_need vertices = clspi_vertices_need(plan, num);
    clspi_stream *const stream = &job->streams.stream[0];

    job->streams.num = 1;
    stream->per_line = plan->shape.stride;
    stream->written = true;
    stream->has_gaps = plan->has_gaps;
    if (clspi_input_is_there(&points->item))
        CLSPI_CHECK(clspi_input_open(&job->input[CELLS], &plan->base, &points->item, &needs.cells));
    CLSPI_CHECK(clspi_input_open(&job->input[PARAMS], &plan->base, &points->params, &needs.params));
    job->list.cells = (const uint32_t *)(const void *)job->input[CELLS].host;
    job->list.params = job->input[PARAMS].host;
    CLSPI_CHECK(clspi_output_open(&stream->memory, &plan->base, out, &vertices));
    return allocate(job);
}

clsp_status clspi_point_list_lines(clsp_solid_plan *plan, const clsp_points *points,
                                   clsp_range lines, const clsp_output *out, const clsp_run *run)
{
    list_job job = {.plan = plan, .list = {.num = points->num, .planar = points->planar != 0}};
    const clspi_cut cut = {
        .per_piece = clspi_max(1, points->num), .line = lines.first, .left = lines.count};
    bool is_direct = false;

    if (plan->lattice) {
        CLSPI_CHECK(clspi_star_prepare(plan));
    } else {
        CLSPI_CHECK(clspi_solid_device_ready(plan, NULL));
        CLSPI_CHECK(clspi_device_lists_ready(plan, NULL, &is_direct));
    }
    if (is_direct) return clspi_device_list_lines(plan, points, lines, out, run);
    if (lines.count) CLSPI_CHECK(clspi_solid_hold_points(plan));
    clsp_status status = open_all(&job, points, lines.count, out);
    if (status == CLSP_OK)
        status = clspi_carry_out(&plan->base, run, &job.streams, cut, make_points, &job);
    else
        clspi_streams_close(&job.streams);
    close_all(&job);
    return status;
}
