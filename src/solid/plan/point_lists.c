/* Evaluation at parameters of their own. Their weights are found on the host, which alone knows
   classes, and are brought to the device some thousand points at a time. */
#include <math.h>
#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "kernel_arguments.h"
#include "point_lists.h"
#include "transfer.h"

enum { CHUNK = 4096, /* points that are made at once */ CELLS = 0, PARAMS = 1 /* inputs */ };

typedef struct list_job {
    clsp_solid_plan *plan;
    uint8_t by[3];
    size_t num;
    clspi_memory input[2];
    clspi_job_streams streams;
    const void *given[2]; /* inputs that are the host's */
    void *read[2];        /* copies of inputs that are the device's */
    bool is_ready;
    double *row; /* [CLSPI_RING_POINTS] */
    uint32_t numbers[CLSPI_RING_POINTS];
    uint32_t *begin; /* [CHUNK + 1] */
    uint32_t *index; /* [room] */
    double *weights; /* [room]; in the plan's precision when they are written */
    size_t room;     /* for the weights of CHUNK points */
} list_job;

/* ---- inputs ---- */

static size_t input_elements(const list_job *job, int i)
{
    return job->num * (i == CELLS ? 1 : 3);
}

/* Makes memory and the kernel ready, and reads inputs that are on the device. */
static clsp_status make_ready(list_job *job, clspi_series *series)
{
    clsp_solid_plan *const plan = job->plan;
    const size_t real = clsp_type_bytes(plan->desc.precision);
    const clspi_options options = clspi_solid_options(series->ctx, &plan->desc, 1);
    clspi_point_lists *const lists = &plan->lists;

    job->is_ready = true;
    if (!lists->kernel.kernel)
        CLSPI_CHECK(clspi_kernel_create(&lists->kernel, series->ctx, "weighted_points",
                                        &clspi_weighted_points_signature, &options));
    CLSPI_CHECK(clspi_buffer_reserve(&lists->begin, &lists->begin_bytes, series->ctx,
                                     (CHUNK + 1) * sizeof *job->begin));
    CLSPI_CHECK(clspi_buffer_reserve(&lists->index, &lists->index_bytes, series->ctx,
                                     job->room * sizeof *job->index));
    CLSPI_CHECK(clspi_buffer_reserve(&lists->weights, &lists->weights_bytes, series->ctx,
                                     job->room * real));
    for (int i = 0; i < 2; i++) {
        const clspi_memory *const from = &job->input[i];
        const size_t bytes = input_elements(job, i) * from->element;
        if (!from->buffer || bytes == 0) continue;
        job->read[i] = malloc(bytes);
        if (!job->read[i])
            return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                              "solid: no memory for %zu parameters", job->num);
        CLSPI_CHECK(clspi_series_read(series, from->buffer, from->offset * from->element,
                                      job->read[i], bytes));
    }
    return CLSP_OK;
}

static const void *input_of(const list_job *job, int i)
{
    return job->read[i] ? job->read[i] : job->given[i];
}

/* ---- weights ---- */

/* Appends the weights of a point; of one that is nowhere a single NaN. Returns where they end. */
static size_t append(list_job *job, size_t point, size_t at)
{
    clsp_solid_plan *const plan = job->plan;
    const clspi_cell_points *const points = &plan->points;
    const uint32_t cell = ((const uint32_t *)input_of(job, CELLS))[point];
    double t[3];
    bool good = cell < plan->num_cells;

    for (uint32_t a = 0; a < 3; a++) {
        const void *const params = input_of(job, PARAMS);
        t[a] = plan->desc.precision == CLSP_F64 ? ((const double *)params)[3 * point + a]
                                                : (double)((const float *)params)[3 * point + a];
        good = good && !isnan(t[a]);
        t[a] = fmin(fmax(t[a], 0.0), 1.0);
    }
    if (!good) {
        job->index[at] = 0;
        job->weights[at] = NAN;
        return at + 1;
    }
    clspi_cell_weights(points, &plan->classes, cell, t, job->by, job->row);
    const uint32_t num = clspi_cell_points_of(points, &plan->classes, cell, job->numbers);
    for (uint32_t i = 0; i < num; i++) {
        job->index[at + i] = job->numbers[i];
        job->weights[at + i] = job->row[i];
    }
    return at + num;
}

/* Rounds weights to floats, in place. */
static void narrow(double *weights, size_t num)
{
    for (size_t i = 0; i < num; i++)
        clspi_put_float(weights, i, weights[i]);
}

/* ---- the call ---- */

/* Makes points first .. first + num - 1, into the output from `done` on. */
static clsp_status make_chunk(list_job *job, clspi_series *series, size_t first, size_t num,
                              size_t done)
{
    clsp_solid_plan *const plan = job->plan;
    const clspi_point_lists *const lists = &plan->lists;
    const clspi_stream *const out = &job->streams.stream[0];
    const bool is_value = !(job->by[0] | job->by[1] | job->by[2]);
    size_t total = 0;

    for (size_t i = 0; i < num; i++) {
        job->begin[i] = (uint32_t)total;
        total = append(job, first + i, total);
    }
    job->begin[num] = (uint32_t)total;
    if (plan->desc.precision == CLSP_F32) narrow(job->weights, total);
    CLSPI_CHECK(
        clspi_series_write(series, lists->begin, 0, job->begin, (num + 1) * sizeof *job->begin));
    CLSPI_CHECK(
        clspi_series_write(series, lists->index, 0, job->index, total * sizeof *job->index));
    CLSPI_CHECK(clspi_series_write(series, lists->weights, 0, job->weights,
                                   total * clsp_type_bytes(plan->desc.precision)));
    const clspi_weighted_points_args args = {.points = plan->control,
                                             .begin = lists->begin,
                                             .index = lists->index,
                                             .weights = lists->weights,
                                             .out = out->buffer,
                                             .at = {.num = (cl_uint)num,
                                                    .offset = out->offset + done * plan->desc.dim,
                                                    .keep = is_value ? 1.0 : 0.0}};
    return clspi_launch_weighted_points(series, &lists->kernel, &args, num);
}

static clsp_status make_points(void *user, clspi_series *series, const clspi_part *part)
{
    list_job *const job = user;

    if (!job->is_ready) CLSPI_CHECK(make_ready(job, series));
    for (size_t done = 0; done < part->num_lines; done += CHUNK)
        CLSPI_CHECK(make_chunk(job, series, part->line + done,
                               clspi_min(CHUNK, part->num_lines - done), done));
    return CLSP_OK;
}

/* Allocates what a chunk needs: as many weights as points with the most can have. */
static clsp_status allocate(list_job *job)
{
    size_t most = CLSPI_GRID_POINTS;

    for (uint32_t n = 0; n < job->plan->classes.num; n++)
        most = clspi_max(most, job->plan->classes.entry[n].num_points);
    job->room = most * CHUNK;
    job->row = malloc(CLSPI_RING_POINTS * sizeof *job->row);
    job->begin = malloc((CHUNK + 1) * sizeof *job->begin);
    job->index = malloc(job->room * sizeof *job->index);
    job->weights = malloc(job->room * sizeof *job->weights);
    if (job->row && job->begin && job->index && job->weights) return CLSP_OK;
    return clspi_fail(&job->plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for weights");
}

static clsp_status open_all(list_job *job, const clsp_points *points, const clsp_output *out,
                            const clspi_list_needs *needs)
{
    clsp_solid_plan *const plan = job->plan;

    job->streams.num = 1;
    job->streams.stream[0].per_line = plan->desc.dim;
    job->streams.stream[0].written = true;
    CLSPI_CHECK(clspi_input_open(&job->input[CELLS], &plan->base, &points->item, &needs->cells));
    CLSPI_CHECK(
        clspi_input_open(&job->input[PARAMS], &plan->base, &points->params, &needs->params));
    for (int i = 0; i < 2; i++)
        job->given[i] = job->input[i].host;
    CLSPI_CHECK(
        clspi_output_open(&job->streams.stream[0].memory, &plan->base, out, &needs->points));
    return allocate(job);
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
}

clsp_status clspi_point_list_enqueue(clsp_solid_plan *plan, clspi_series *series,
                                     const clspi_host_list *list, clsp_range points,
                                     const clspi_target *target)
{
    const clspi_part part = {.line = points.first, .num_lines = points.count};
    list_job job = {
        .plan = plan,
        .by = {list->by[0], list->by[1], list->by[2]},
        .given = {list->cells, list->params},
        .streams = {.num = 1, .stream = {{.buffer = target->buffer, .offset = target->offset}}}};
    clsp_status status = allocate(&job);

    if (status == CLSP_OK) status = make_points(&job, series, &part);
    close_all(&job);
    return status;
}

clsp_status clspi_point_list_check(const clsp_solid_plan *plan, const clsp_points *points,
                                   clspi_list_needs *needs)
{
    const clsp_type precision = plan->desc.precision;

    CLSPI_CHECK(clspi_solid_range(plan, (clsp_range){0, 0}));
    CLSPI_CHECK(clspi_reserved_check(&plan->base.ctx->log, "clsp_points", points->reserved));
    if (points->num > SIZE_MAX / sizeof(double) / CLSP_SOLID_MAX_DIM)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "solid: %zu points are more than the address space", points->num);
    *needs = (clspi_list_needs){{"cells", CLSP_U32, points->num},
                                {"params", precision, 3 * points->num},
                                {"points", precision, plan->desc.dim * points->num}};
    return CLSP_OK;
}

clsp_status clspi_point_list_lines(clsp_solid_plan *plan, const clsp_points *points,
                                   const clspi_list_needs *needs, const clsp_output *out,
                                   const clsp_run *run)
{
    list_job job = {.plan = plan, .num = points->num};
    const clspi_cut cut = {.per_piece = clspi_max(1, job.num), .left = job.num};

    clspi_solid_plan_orders(plan, job.by);
    if (points->num) CLSPI_CHECK(clspi_solid_hold_blocks(plan));
    clsp_status status = open_all(&job, points, out, needs);
    if (status == CLSP_OK)
        status = clspi_carry_out(&plan->base, run, &job.streams, cut, make_points, &job);
    else
        clspi_streams_close(&job.streams);
    close_all(&job);
    return status;
}
