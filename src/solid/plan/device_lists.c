#include "device_lists.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "class_trees.h"
#include "kernel_arguments.h"
#include "profile.h"
#include "solid_desc.h"
#include "transfer.h"

enum {
    MOST_REALS = 1 << 24, /* of all trees */
    POINT_FMA = 512,      /* multiply-adds of a point and channel, about */
    OUT = 0,              /* streams: vertices, and then parameters and cells */
    CELLS = 3             /* the staging buffer of a shared chunk's cells, behind its parameters */
};

/* ---- what the device has ---- */

/* Tells whether a device goes down trees in good time. Mesa's llvmpipe, which has items as lanes of
   vectors, takes minutes for what the host finds the weights of in seconds. */
static bool takes_trees(const clsp_device_info *device)
{
    return !clspi_is_rusticl(device->platform) || !strstr(device->name, "llvmpipe");
}

static bool takes_plan(const clsp_solid_plan *plan)
{
    const clspi_solid_shape *const shape = &plan->shape;

    return takes_trees(&plan->base.ctx->device) && shape->num_sums == 1 &&
           shape->number[0] == CLSPI_VALUE && !shape->has_normal;
}

static clsp_status no_memory(const clsp_solid_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for lists of points in %zu cells", plan->num_cells);
}

/* Makes the trees of the classes that cells have. *fits: there are such, and not too large ones. */
static clsp_status make_trees(const clsp_solid_plan *plan, clspi_class_trees *trees, bool *fits)
{
    const clspi_class_set *const set = &plan->classes;
    const double least = plan->desc.precision == CLSP_F64 ? 0x1p-46 : 0x1p-28;
    bool *const used = calloc((size_t)set->num + 1, sizeof *used);

    if (!used) return no_memory(plan);
    for (size_t c = 0; c < plan->num_cells; c++)
        if (plan->points.use[c].number != CLSPI_REGULAR) used[plan->points.use[c].number] = true;
    *fits = clspi_class_trees_make(trees, set, used, least, CLSPI_LIMIT_DEPTH, MOST_REALS);
    free(used);
    return *fits || trees->too_large ? CLSP_OK : no_memory(plan);
}

/* Writes the place and the code of each cell, and the words of trees. */
static void write_words(const clsp_solid_plan *plan, const clspi_class_trees *trees,
                        uint32_t *words)
{
    const clspi_cell_points *const points = &plan->points;
    const size_t index = 2 * plan->num_cells;

    for (size_t c = 0; c < plan->num_cells; c++) {
        const clspi_class_use use = points->use[c];
        words[2 * c] = points->place[c];
        words[2 * c + 1] = use.number == CLSPI_REGULAR
                               ? CLSPI_TREE_LEAF
                               : use.number << CLSPI_TREE_CODE_BITS | clspi_tree_frame(use.frame);
    }
    memcpy(words + index, trees->words, trees->num_words * sizeof *words);
}

/* Brings the points of cells that are not regular, which the device may have, to words from one
   on. */
static clsp_status bring_index(clsp_solid_plan *plan, clspi_series *series, size_t at)
{
    const clspi_cell_points *const points = &plan->points;
    const size_t bytes = points->num_index * sizeof *points->index;

    if (bytes == 0) return CLSP_OK;
    return points->index ? clspi_series_write(series, plan->lists.words, at * sizeof(uint32_t),
                                              points->index, bytes)
                         : clspi_series_copy(series, plan->index, 0, plan->lists.words,
                                             at * sizeof(uint32_t), bytes);
}

/* Brings the words of cells and trees to the device, between which those points lie, in so many
   words. */
static clsp_status bring_words(clsp_solid_plan *plan, clspi_series *series,
                               const clspi_class_trees *trees, size_t num)
{
    clspi_point_lists *const lists = &plan->lists;
    const size_t cells = lists->index_at * sizeof(uint32_t);
    const size_t bytes = trees->num_words * sizeof(uint32_t);
    uint32_t *const words = malloc(cells + bytes + 1);
    clsp_status status;

    if (!words) return no_memory(plan);
    write_words(plan, trees, words);
    status = clspi_buffer_create(&lists->words, plan->base.ctx, num * sizeof *words);
    if (status == CLSP_OK) status = clspi_series_write(series, lists->words, 0, words, cells);
    if (status == CLSP_OK) status = bring_index(plan, series, lists->index_at);
    if (status == CLSP_OK && bytes)
        status = clspi_series_write(series, lists->words, lists->trees_at * sizeof *words,
                                    words + lists->index_at, bytes);
    free(words);
    return status;
}

/* Brings the reals of trees to the device, in the plan's precision. */
static clsp_status bring_reals(clsp_solid_plan *plan, clspi_series *series,
                               clspi_class_trees *trees)
{
    clspi_point_lists *const lists = &plan->lists;
    const size_t bytes = trees->num_reals * clsp_type_bytes(plan->desc.precision);

    if (plan->desc.precision == CLSP_F32)
        for (size_t i = 0; i < trees->num_reals; i++)
            clspi_put_float(trees->reals, i, trees->reals[i]);
    CLSPI_CHECK(clspi_buffer_create(&lists->tables, plan->base.ctx, bytes + 4 * sizeof(double)));
    return bytes ? clspi_series_write(series, lists->tables, 0, trees->reals, bytes) : CLSP_OK;
}

static clsp_status bring(clsp_solid_plan *plan, clspi_series *series, clspi_class_trees *trees)
{
    const clsp_context *const ctx = plan->base.ctx;
    clspi_point_lists *const lists = &plan->lists;
    const size_t index = 2 * plan->num_cells, at = index + plan->points.num_index;
    const size_t num = at + trees->num_words;
    const size_t real = clsp_type_bytes(plan->desc.precision);
    const clspi_options options = clspi_device_list_options(ctx, &plan->desc);

    if (num > UINT32_MAX || num > ctx->device.max_alloc_bytes / sizeof(uint32_t) ||
        trees->num_reals + 4 > ctx->device.max_alloc_bytes / real)
        return CLSP_OK;
    lists->index_at = (uint32_t)index;
    lists->trees_at = (uint32_t)at;
    CLSPI_CHECK(bring_words(plan, series, trees, num));
    CLSPI_CHECK(bring_reals(plan, series, trees));
    CLSPI_CHECK(clspi_kernel_create(&lists->direct, plan->base.ctx, "list_points",
                                    &clspi_list_points_signature, &options));
    lists->is_direct = true;
    return CLSP_OK;
}

/* Makes what the device needs, unless its weights are found by the host. */
static clsp_status make_ready(clsp_solid_plan *plan, clspi_series *series)
{
    clspi_class_trees trees = {.words = NULL};
    bool fits = false;
    clsp_status status;

    clspi_device_lists_release(plan);
    status = make_trees(plan, &trees, &fits);
    if (status == CLSP_OK && fits) status = bring(plan, series, &trees);
    clspi_class_trees_release(&trees);
    if (status == CLSP_OK)
        plan->lists.is_tried = true;
    else
        clspi_device_lists_release(plan);
    return status;
}

clspi_options clspi_device_list_options(const clsp_context *ctx, const clsp_solid_desc *desc)
{
    clspi_options options = clspi_options_of(ctx, desc->precision);
    uint32_t block = desc->dim < 4 ? desc->dim : 4;

    while (desc->dim % block != 0)
        block--;
    clspi_option(&options, "DIM", desc->dim);
    clspi_option(&options, "BLOCK", block);
    if (!clspi_solid_is_plain(desc)) clspi_vertex_place_options(&options, &desc->vertex);
    return options;
}

clsp_status clspi_device_lists_ready(clsp_solid_plan *plan, clspi_series *series, bool *is_ready)
{
    clspi_call call;

    *is_ready = false;
    if (!takes_plan(plan)) return CLSP_OK;
    if (!plan->lists.is_tried && series) CLSPI_CHECK(make_ready(plan, series));
    if (!plan->lists.is_tried) {
        CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
        CLSPI_CHECK(clspi_call_finish(&call, make_ready(plan, &call.series)));
    }
    *is_ready = plan->lists.is_direct;
    return CLSP_OK;
}

void clspi_device_lists_release(clsp_solid_plan *plan)
{
    clspi_point_lists *const lists = &plan->lists;

    clspi_kernel_release(&lists->direct);
    clspi_buffer_release(&lists->words);
    clspi_buffer_release(&lists->tables);
    lists->is_direct = lists->is_tried = false;
}

/* ---- points ---- */

/* Where the parameters and cells of a list are on the device, and where its points go. */
typedef struct list_memory {
    cl_mem params[3], cells, out; /* cells: NULL where there are none */
    size_t params_at[3], cells_at, out_at;
    uint32_t step; /* from one point's parameters to the next one's */
} list_memory;

static clsp_status launch(clsp_solid_plan *plan, clspi_series *series, const list_memory *at,
                          size_t num)
{
    const clspi_point_lists *const lists = &plan->lists;
    const uint64_t most = clspi_launch_lines(
        &plan->base.ctx->tuning, (uint64_t)POINT_FMA * plan->desc.dim, 1, lists->direct.local, 1);

    for (size_t first = 0; first < num; first += most) {
        const size_t items = clspi_min_u64(most, num - first);
        const clspi_list_points_args args = {
            .points = plan->control,
            .list = plan->block_points,
            .blocks = plan->block_words,
            .patterns = plan->patterns,
            .words = lists->words,
            .tables = lists->tables,
            .items = at->cells ? at->cells : lists->words,
            .params_u = at->params[0],
            .params_v = at->params[1],
            .params_w = at->params[2],
            .out = at->out,
            .at = {.num = (cl_uint)items,
                   .items = at->cells != NULL,
                   .step = at->step,
                   .cells = (cl_uint)plan->num_cells,
                   .vertices = (cl_uint)plan->num_vertices,
                   .index = lists->index_at,
                   .trees = lists->trees_at,
                   .from_items = at->cells_at + first,
                   .from_u = at->params_at[0] + first * at->step,
                   .from_v = at->params_at[1] + first * at->step,
                   .from_w = at->params_at[2] + first * at->step,
                   .offset = at->out_at + first * plan->shape.stride}};
        CLSPI_CHECK(clspi_launch_list_points(series, &lists->direct, &args, items));
    }
    return CLSP_OK;
}

/* ---- by the context's device ---- */

typedef struct list_job {
    clsp_solid_plan *plan;
    bool planar, has_cells;
    clspi_job_streams streams;
} list_job;

static clsp_status make_points(void *user, clspi_series *series, const clspi_part *part)
{
    list_job *const job = user;
    const clspi_stream *const stream = job->streams.stream;
    const clspi_stream *const cells = &stream[job->streams.num - 1];
    list_memory at = {.cells = job->has_cells ? cells->buffer : NULL,
                      .cells_at = job->has_cells ? cells->offset : 0,
                      .out = stream[OUT].buffer,
                      .out_at = stream[OUT].offset,
                      .step = job->planar ? 1 : 3};

    for (uint32_t a = 0; a < 3; a++) {
        const clspi_stream *const from = &stream[1 + (job->planar ? a : 0)];
        at.params[a] = from->buffer;
        at.params_at[a] = from->offset + (job->planar ? 0 : a);
    }
    return launch(job->plan, series, &at, part->num_lines);
}

/* Opens one more stream to be read, of so many elements a point. */
static clsp_status open_input(list_job *job, const clsp_input *input, size_t first, size_t per_line,
                              clspi_memory_need need)
{
    clspi_stream *const stream = &job->streams.stream[job->streams.num++];
    clsp_input some = *input;

    stream->per_line = per_line;
    some.offset += first;
    return clspi_input_open(&stream->memory, &job->plan->base, &some, &need);
}

static clsp_status open_all(list_job *job, const clsp_points *points, clsp_range lines,
                            const clsp_output *vertices)
{
    const clsp_solid_desc *const d = &job->plan->desc;
    const size_t per_line = job->planar ? 1 : 3;
    const size_t stride = job->plan->shape.stride;
    const clspi_memory_need out = {"vertices", d->vertex.type, lines.count * stride};
    const clspi_memory_need params = {"params", d->precision, lines.count * per_line};
    const clspi_memory_need cells = {"cells", CLSP_U32, lines.count};
    clspi_stream *const stream = &job->streams.stream[OUT];

    job->streams.num = 1;
    stream->per_line = stride;
    stream->written = true;
    stream->has_gaps = job->plan->has_gaps;
    CLSPI_CHECK(clspi_output_open(&stream->memory, &job->plan->base, vertices, &out));
    for (size_t a = 0; a < (job->planar ? 3 : 1); a++)
        CLSPI_CHECK(open_input(job, &points->params, a * points->num + lines.first * per_line,
                               per_line, params));
    return job->has_cells ? open_input(job, &points->item, lines.first, 1, cells) : CLSP_OK;
}

clsp_status clspi_device_list_lines(clsp_solid_plan *plan, const clsp_points *points,
                                    clsp_range lines, const clsp_output *out, const clsp_run *run)
{
    const clspi_cut cut = {.per_piece = clspi_max(1, lines.count), .left = lines.count};
    list_job job = {.plan = plan,
                    .planar = points->planar != 0,
                    .has_cells = clspi_input_is_there(&points->item)};
    const clsp_status status = open_all(&job, points, lines, out);

    if (status == CLSP_OK)
        return clspi_carry_out(&plan->base, run, &job.streams, cut, make_points, &job);
    clspi_streams_close(&job.streams);
    return status;
}

/* ---- shared ---- */

clsp_status clspi_device_list_enqueue(clsp_solid_plan *plan, clspi_series *series,
                                      const clspi_solid_list *list, clsp_range points,
                                      const clspi_target *target)
{
    const size_t real = clsp_type_bytes(plan->desc.precision), step = list->planar ? 1 : 3;
    const char *const params = list->params;
    list_memory at = {.out = target->buffer, .out_at = target->offset, .step = (uint32_t)step};

    for (uint32_t a = 0; a < (list->planar ? 3 : 1); a++)
        CLSPI_CHECK(clspi_plan_bring(&plan->base, series, a,
                                     params + (a * list->num + points.first * step) * real,
                                     points.count * step * real, &at.params[a]));
    for (uint32_t a = 0; a < 3; a++) {
        if (!list->planar) at.params[a] = at.params[0];
        at.params_at[a] = list->planar ? 0 : a;
    }
    if (list->cells)
        CLSPI_CHECK(clspi_plan_bring(&plan->base, series, CELLS,
                                     (const char *)(list->cells + points.first),
                                     points.count * sizeof *list->cells, &at.cells));
    return launch(plan, series, &at, points.count);
}
