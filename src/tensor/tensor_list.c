#include "tensor_list.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "host_command.h"
#include "host_list.h"
#include "points.h"
#include "queued_list.h"
#include "shared_batch.h"
#include "tensor_eval.h"
#include "tensor_share.h"
#include "transfer.h"
#include "vertex_layout.h"

enum {
    KEY_MAX = 160,
    OUT = 0,    /* streams: vertices, and then parameters and patches */
    PATCHES = 3 /* staging buffers of a shared chunk: parameters, and this one */
};

static clspi_tensor_plan *tensor_plan_of(clspi_plan *plan)
{
    return (clspi_tensor_plan *)plan; /* base is its first member */
}

/* ---- what a list needs ---- */

/* Returns how many memories hold the parameters: one, or one a direction. */
static uint32_t num_params(const clspi_tensor_plan *plan, const clsp_points *points)
{
    return points->planar ? plan->desc.directions : 1;
}

/* Checks numbers of patches in host memory, which may be NULL and need not be aligned. */
static clsp_status check_numbers(const clspi_tensor_plan *plan, clsp_range lines,
                                 const char *patches)
{
    for (size_t k = 0; patches && k < lines.count; k++) {
        uint32_t patch;
        memcpy(&patch, patches + k * sizeof patch, sizeof patch);
        if (patch >= plan->num_patches)
            return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                              "%s: item %zu of the points is patch %u of %zu", plan->base.family,
                              lines.first + k, patch, plan->num_patches);
    }
    return CLSP_OK;
}

/* Finds out which patches and bases a job's vertices are made from. */
static clsp_status make_job(clspi_tensor_plan *plan, clspi_series *series, clspi_point_job *job)
{
    clspi_point_source source;

    CLSPI_CHECK(clspi_tensor_find_source(&source, plan, series));
    /* without patches there is nothing to read, and the kernel asks nothing of these */
    if (!source.points) source.points = job->out;
    if (!source.basis) source.basis = source.points;
    if (!job->patches) job->patches = job->params[0];
    for (uint32_t k = 1; k < 3; k++)
        if (!job->params[k]) job->params[k] = job->params[0];
    return clspi_eval_points(&plan->point_kernels, series, &source, job);
}

/* ---- by the context's device ---- */

typedef struct list_job {
    clspi_tensor_plan *plan;
    uint32_t params; /* streams of parameters, behind that of vertices */
    bool planar, has_items;
    clspi_job_streams streams;
} list_job;

static clsp_status make_points(void *user, clspi_series *series, const clspi_part *part)
{
    list_job *const list = user;
    const clspi_stream *const stream = list->streams.stream;
    const clspi_stream *const items = &stream[1 + list->params];
    const uint32_t directions = list->plan->desc.directions;
    clspi_point_job job = {.patches = list->has_items ? items->buffer : NULL,
                           .has_patches = list->has_items,
                           .patches_offset = list->has_items ? items->offset : 0,
                           .step = list->planar ? 1 : directions,
                           .out = stream[OUT].buffer,
                           .offset = stream[OUT].offset,
                           .num = part->num_lines};

    for (uint32_t k = 0; k < directions; k++) {
        const clspi_stream *const from = &stream[1 + (list->planar ? k : 0)];
        job.params[k] = from->buffer;
        job.params_offset[k] = from->offset + (list->planar ? 0 : k);
    }
    return make_job(list->plan, series, &job);
}

/* Makes them by the host, in the queue of its CPU. */
static clsp_status queue_points(void *user, clspi_series *series, const clspi_part *part)
{
    const list_job *const list = user;
    const clspi_stream *const stream = list->streams.stream, *const params = &stream[1];
    const clspi_stream *const items = &stream[1 + list->params];
    const size_t directions = list->plan->desc.directions;
    const bool apart = list->planar && list->params > 1;
    const clspi_queued_list queued = {.out = stream[OUT].buffer,
                                      .params = params->buffer,
                                      .items = list->has_items ? items->buffer : NULL,
                                      .offset = stream[OUT].offset,
                                      .params_offset = params->offset,
                                      .items_offset = list->has_items ? items->offset : 0,
                                      .point_step = list->planar ? 1 : directions,
                                      .direction_step =
                                          apart ? params[1].offset - params->offset : 1,
                                      .num = part->num_lines};

    return clspi_queue_list(list->plan, series, &queued);
}

/* Tells whether a list goes that way, which the kinds of memory alone decide. */
static bool goes_to_queue(const list_job *list, const clsp_run *run)
{
    bool goes = list->plan->num_patches > 0 &&
                clspi_is_host_job(&list->plan->base, clspi_host_list_is_faster(list->plan));

    for (uint32_t i = 0; i < list->streams.num && goes; i++)
        goes = clspi_is_host_command(&list->plan->base, run, &list->streams.stream[i].memory);
    return goes;
}

/* Opens one more stream to be read, of so many lines. */
static clsp_status open_input(list_job *list, const clsp_input *input, size_t first,
                              size_t per_line, clspi_memory_need need)
{
    clspi_stream *const stream = &list->streams.stream[list->streams.num++];
    clsp_input some = *input;

    stream->per_line = per_line;
    some.offset += first;
    return clspi_input_open(&stream->memory, &list->plan->base, &some, &need);
}

/* Opens all memory of some lines of a list. */
static clsp_status open_all(list_job *list, const clsp_points *points, clsp_range lines,
                            const clsp_output *vertices)
{
    const clspi_tensor_desc *const d = &list->plan->desc;
    const size_t per_line = points->planar ? 1 : d->directions;
    const clspi_memory_need out = {"vertices", d->vertex.type, lines.count * d->vertex.stride};
    const clspi_memory_need params = {"params", d->precision, lines.count * per_line};
    const clspi_memory_need items = {"items", CLSP_U32, lines.count};
    clspi_stream *const stream = &list->streams.stream[OUT];

    list->streams.num = 1;
    stream->per_line = d->vertex.stride;
    stream->written = true;
    stream->has_gaps = clspi_layout_has_gaps(d);
    CLSPI_CHECK(clspi_output_open(&stream->memory, &list->plan->base, vertices, &out));
    for (uint32_t k = 0; k < list->params; k++)
        CLSPI_CHECK(open_input(list, &points->params, k * points->num + lines.first * per_line,
                               per_line, params));
    if (!list->has_items) return CLSP_OK;
    CLSPI_CHECK(open_input(list, &points->item, lines.first, 1, items));
    const clspi_stream *const last = &list->streams.stream[list->streams.num - 1];
    return check_numbers(list->plan, lines, last->memory.host);
}

/* Makes some lines of a list, into memory that begins with the first of them. */
static clsp_status eval_lines(clspi_tensor_plan *plan, const clsp_points *points, clsp_range lines,
                              const clsp_output *vertices, const clsp_run *run)
{
    const clspi_cut cut = {.per_piece = clspi_max(1, lines.count), .left = lines.count};
    list_job list = {.plan = plan,
                     .params = num_params(plan, points),
                     .planar = points->planar != 0,
                     .has_items = clspi_input_is_there(&points->item)};
    const clsp_status status = open_all(&list, points, lines, vertices);

    if (status == CLSP_OK)
        return clspi_carry_out(&plan->base, run, &list.streams, cut,
                               goes_to_queue(&list, run) ? queue_points : make_points, &list);
    clspi_streams_close(&list.streams);
    return status;
}

/* ---- by several devices ---- */

/* A list whose memory is all the host's. */
typedef struct shared_list {
    const clsp_points *points;
    const char *params, *items; /* items: NULL where there are none */
    size_t real;                /* bytes */
} shared_list;

/* Describes a list to the host, but for control points. */
static clspi_host_list host_list_of(const clspi_tensor_plan *plan, const shared_list *list)
{
    const clsp_points *const points = list->points;
    const size_t directions = plan->desc.directions;

    return (clspi_host_list){.params = list->params,
                             .items = list->items,
                             .point_step = points->planar ? list->real : directions * list->real,
                             .direction_step =
                                 points->planar ? points->num * list->real : list->real};
}

static clsp_status make_on_host(const void *user, clspi_plan *base, uint32_t worker,
                                const clspi_part *part, char *out)
{
    const clspi_tensor_plan *const plan = tensor_plan_of(base);
    clspi_host_list list = host_list_of(plan, user);

    (void)worker;
    list.points = plan->host.data;
    list.num_patches = plan->num_patches;
    clspi_host_list_make(plan->list_recipe, &list, part, out);
    return CLSP_OK;
}

static clsp_status make_on_device(const void *user, clspi_plan *base, clspi_series *series,
                                  const clspi_part *part, const clspi_target *target)
{
    const shared_list *const list = user;
    clspi_tensor_plan *const plan = tensor_plan_of(base);
    const clsp_points *const points = list->points;
    const uint32_t directions = plan->desc.directions;
    const size_t first = part->piece, num = part->num_lines;
    const size_t step = points->planar ? 1 : directions;
    clspi_point_job job = {.has_patches = list->items != NULL,
                           .step = step,
                           .out = target->buffer,
                           .offset = target->offset,
                           .num = num};

    for (uint32_t k = 0; k < num_params(plan, points); k++)
        CLSPI_CHECK(clspi_plan_bring(base, series, k,
                                     list->params + (k * points->num + first * step) * list->real,
                                     num * step * list->real, &job.params[k]));
    for (uint32_t k = 0; k < directions; k++) {
        if (!points->planar) job.params[k] = job.params[0];
        job.params_offset[k] = points->planar ? 0 : k;
    }
    if (list->items)
        CLSPI_CHECK(clspi_plan_bring(base, series, PATCHES, list->items + first * sizeof(uint32_t),
                                     num * sizeof(uint32_t), &job.patches));
    return make_job(plan, series, &job);
}

/* A call that the context's device alone can carry out. */
typedef struct lone_list {
    clspi_tensor_plan *plan;
    const clsp_points *points;
    const clsp_output *vertices;
    clsp_range lines;
} lone_list;

static clsp_status eval_alone(void *user)
{
    const lone_list *const c = user;

    return eval_lines(c->plan, c->points, c->lines, c->vertices, NULL);
}

static void name_job(const clspi_tensor_plan *plan, const clsp_points *points, char key[KEY_MAX])
{
    const clspi_tensor_desc *const d = &plan->desc;

    snprintf(key, KEY_MAX, "%s-list-%u-%u-%u-%u-f%zu%s-a%x-s%u-%zu-c%u", plan->family->name,
             d->is_triangle ? 4 : d->directions, d->degrees[0], d->degrees[1], d->degrees[2],
             8 * clsp_type_bytes(d->precision), d->rational ? "-rational" : "",
             d->vertex.attributes, d->vertex.stride, 8 * clsp_type_bytes(d->vertex.type),
             clspi_size_class((double)points->num));
}

/* Makes watertight points again on the calling thread, since processors round differently. */
static void make_shared_edges(const clspi_tensor_plan *plan, const shared_list *list,
                              clsp_range lines, char *out)
{
    const clspi_part part = {.piece = lines.first, .num_lines = lines.count};
    clspi_host_list edges = host_list_of(plan, list);

    edges.points = plan->host.data;
    edges.num_patches = plan->num_patches;
    edges.only_edges = true;
    clspi_host_list_make(plan->list_recipe, &edges, &part, out);
}

/* Shares a list whose memory has been found. */
static clsp_status share_list(clspi_tensor_plan *plan, const shared_list *list,
                              const clspi_tiling *tiling, const clspi_tiles *tiles, char *out,
                              const clsp_run *run)
{
    static const clspi_line_maker maker = {make_on_host, make_on_device, NULL};
    const clspi_tensor_desc *const d = &plan->desc;
    char key[KEY_MAX];
    clspi_shared_batch batch = {.plan = &plan->base,
                                .peers = &plan->peers,
                                .maker = &maker,
                                .user = list,
                                .why_not_persistent = "no persistent kernel makes lists",
                                .tiling = *tiling,
                                .line_items = CLSPI_POINT_ITEMS,
                                .line_bytes = clspi_vertex_bytes(d),
                                .element = clsp_type_bytes(d->vertex.type),
                                .has_gaps = clspi_layout_has_gaps(d),
                                .key = key,
                                .prepare = clspi_list_prepare};

    clsp_report own_report = {.num_processors = 0};
    clsp_report *const told = run->report ? run->report : &own_report;

    name_job(plan, list->points, key);
    CLSPI_CHECK(clspi_shared_batch_run(&batch, tiles, out, run, told));
    if (d->watertight && tiles->way == CLSPI_BY_ALL && clspi_is_mixed(told))
        make_shared_edges(plan, list, tiles->lines, out);
    return clspi_run_done(&plan->base, run);
}

/* Checks the memory of a shared call, finds where it is, and carries the call out. copies: of what
   is not aligned to its elements, to be freed in every case. */
static clsp_status find_and_share(clspi_tensor_plan *plan, const clsp_points *points,
                                  const clspi_tiling *tiling, const clspi_tiles *tiles,
                                  const clsp_output *vertices, const clsp_run *run, void *copies[2])
{
    const clspi_tensor_desc *const d = &plan->desc;
    const clspi_memory_need need = {"vertices", d->vertex.type,
                                    tiles->lines.count * d->vertex.stride};
    const clspi_memory_need params = {"params", d->precision, points->num * d->directions};
    const clspi_memory_need items = {"items", CLSP_U32, points->num};
    shared_list list = {.points = points, .real = clsp_type_bytes(d->precision)};
    clsp_output host = *vertices;
    lone_list own = {plan, points, &host, tiles->lines};
    const clspi_lone_call alone = {"lists of bases of their own are not shared", tiles->tiles.count,
                                   eval_alone, &own, false};
    const bool by_host =
        tiles->way == CLSPI_BY_CALLER || run->share->schedule == CLSP_SCHEDULE_HOST;
    char *out;

    CLSPI_CHECK(clspi_shared_output(&plan->base, &host, &need, &out));
    CLSPI_CHECK(clspi_shared_input(&plan->base, &points->params, &params, &list.params));
    CLSPI_CHECK(clspi_align_input(&plan->base, &params, &list.params, &copies[0]));
    if (clspi_input_is_there(&points->item)) {
        CLSPI_CHECK(clspi_shared_input(&plan->base, &points->item, &items, &list.items));
        CLSPI_CHECK(check_numbers(plan, (clsp_range){0, points->num}, list.items));
        CLSPI_CHECK(clspi_align_input(&plan->base, &items, &list.items, &copies[1]));
    }
    return d->own_bases > 0 && !by_host ? clspi_shared_alone(&plan->base, &alone, run)
                                        : share_list(plan, &list, tiling, tiles, out, run);
}

static clsp_status eval_shared(clspi_tensor_plan *plan, const clsp_points *points,
                               const clspi_tiling *tiling, const clspi_tiles *tiles,
                               const clsp_output *vertices, const clsp_run *run)
{
    void *copies[2] = {NULL, NULL};
    const clsp_status status = find_and_share(plan, points, tiling, tiles, vertices, run, copies);

    free(copies[0]);
    free(copies[1]);
    return status;
}

/* ---- by the host for its own CPU ---- */

/* Tells whether a call is made by the host's threads, which the plan and the kinds of memory alone
   decide. */
static bool goes_to_host(const clspi_tensor_plan *plan, const clsp_points *points,
                         const clsp_output *vertices, const clsp_run *run)
{
    const bool on_host =
        !points->params.buffer && !points->params.svm && !points->item.buffer && !points->item.svm;

    return on_host &&
           clspi_goes_to_host(&plan->base, run, vertices, clspi_host_list_is_faster(plan));
}

/* Checks a call's memory, and finds where it is. */
static clsp_status find_list(const clspi_tensor_plan *plan, const clsp_points *points,
                             shared_list *list)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const clspi_memory_need need = {"params", d->precision, points->num * d->directions};
    const clspi_memory_need numbers = {"items", CLSP_U32, points->num};
    clspi_memory params, items = {.host = NULL};

    CLSPI_CHECK(clspi_input_open(&params, &plan->base, &points->params, &need));
    if (clspi_input_is_there(&points->item)) {
        CLSPI_CHECK(clspi_input_open(&items, &plan->base, &points->item, &numbers));
        CLSPI_CHECK(check_numbers(plan, (clsp_range){0, points->num}, items.host));
    }
    *list = (shared_list){points, params.host, items.host, clsp_type_bytes(d->precision)};
    return CLSP_OK;
}

static clsp_status eval_on_host(clspi_tensor_plan *plan, const clsp_points *points,
                                const clspi_tiling *tiling, const clspi_tiles *tiles,
                                const clsp_output *vertices, const clsp_run *run)
{
    static const clspi_line_maker maker = {make_on_host, make_on_device, NULL};
    const clspi_tensor_desc *const d = &plan->desc;
    const clspi_memory_need need = {"vertices", d->vertex.type, points->num * d->vertex.stride};
    clspi_memory memory;
    shared_list list;
    clspi_shared_batch batch = {.plan = &plan->base,
                                .maker = &maker,
                                .user = &list,
                                .tiling = *tiling,
                                .line_items = CLSPI_POINT_ITEMS,
                                .line_bytes = clspi_vertex_bytes(d),
                                .element = clsp_type_bytes(d->vertex.type),
                                .has_gaps = clspi_layout_has_gaps(d),
                                .prepare = clspi_list_prepare};

    CLSPI_CHECK(clspi_output_open(&memory, &plan->base, vertices, &need));
    CLSPI_CHECK(find_list(plan, points, &list));
    return clspi_batch_on_host(&batch, tiles, memory.host, clspi_host_list_ns(plan), run);
}

/* ---- the call ---- */

clsp_status clspi_tensor_eval_points(clspi_tensor_plan *plan, const clsp_points *points,
                                     const clsp_output *vertices, const clsp_run *run)
{
    clspi_tiles tiles;

    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(clspi_points_check(&plan->base, points,
                                   (size_t)plan->desc.directions + plan->desc.vertex.stride));
    CLSPI_CHECK(clspi_tensor_check_patches(plan, (clsp_range){0, 0}, run));
    const clspi_tiling tiling = clspi_list_tiling(points->num, CLSPI_POINT_ITEMS);
    CLSPI_CHECK(clspi_tiles_of(&tiles, &plan->base, &tiling, run));
    switch (tiles.way) {
    case CLSPI_ASKED:
        return clspi_tiles_tell(&tiles, &tiling, plan->desc.vertex.stride, run);
    case CLSPI_BY_CALLER:
    case CLSPI_BY_ALL:
        return eval_shared(plan, points, &tiling, &tiles, vertices, run);
    default:
        return goes_to_host(plan, points, vertices, run)
                   ? eval_on_host(plan, points, &tiling, &tiles, vertices, run)
                   : eval_lines(plan, points, tiles.lines, vertices, run);
    }
}
