#include "surface_project.h"

#include <stdlib.h>

#include "check.h"
#include "shared_batch.h"
#include "surface_device.h"
#include "surface_host.h"
#include "surface_share.h"
#include "transfer.h"

/* ---- memory ---- */

/* What memory must hold, of some lines. */
typedef struct needs {
    clspi_memory_need points, patches, hints, nearest, normals;
    size_t result; /* elements of one */
} needs;

static clsp_status needs_of(const clspi_tensor_plan *plan, size_t num, needs *n)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const size_t real = clsp_type_bytes(d->precision);
    const size_t result =
        (d->precision == CLSP_F32 ? sizeof(clspi_nearest_f32) : sizeof(clspi_nearest_f64)) / real;
    size_t bytes = sizeof(double) * (result + d->dim + CLSPI_NORMAL_REALS);

    if (!clspi_size_mul(&bytes, num))
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "%s: %zu queries are more than the address space", plan->base.family,
                          num);
    *n = (needs){.points = {"points", d->precision, num * d->dim},
                 .patches = {"patches", CLSP_U32, num},
                 .hints = {"hints", d->precision, num * d->directions},
                 .nearest = {"nearest", d->precision, num * result},
                 .normals = {"normals", d->precision, num * CLSPI_NORMAL_REALS},
                 .result = result};
    return CLSP_OK;
}

/* ---- memory of the host ---- */

static bool is_of_host(const clsp_input *input)
{
    return !input->buffer && !input->svm;
}

/* Finds the host memory of a call, SVM that the host may read included. */
static clsp_status find_queries(const clspi_tensor_plan *plan, const clspi_surface_project *call,
                                const needs *n, clsp_range lines, clspi_surface_queries *queries)
{
    const clspi_plan *const base = &plan->base;
    const char *points, *patches = NULL, *hints = NULL;

    CLSPI_CHECK(clspi_shared_input(base, &call->points, &n->points, &points));
    if (clspi_input_is_there(&call->patches))
        CLSPI_CHECK(clspi_shared_input(base, &call->patches, &n->patches, &patches));
    if (clspi_input_is_there(&call->hints))
        CLSPI_CHECK(clspi_shared_input(base, &call->hints, &n->hints, &hints));
    const clspi_surface_queries all = {.f64 = plan->desc.precision == CLSP_F64,
                                       .num = call->num,
                                       .points = points,
                                       .patches = (const void *)patches,
                                       .hints = hints,
                                       .max_dist = call->max_dist};
    *queries = clspi_surface_queries_part(plan, &all, lines.first, lines.count);
    return CLSP_OK;
}

static const char not_aligned[] = "memory that is not aligned to its elements";

static bool is_aligned(const clspi_surface_queries *q)
{
    const size_t real = q->f64 ? sizeof(double) : sizeof(float);
    const uintptr_t reals =
        (uintptr_t)q->points | (uintptr_t)q->hints | (uintptr_t)q->out | (uintptr_t)q->normals;

    return reals % real == 0 && (uintptr_t)q->patches % sizeof(uint32_t) == 0;
}

/* ---- memory of any kind ---- */

enum { OUT, POINTS }; /* streams: results, queries; others where they are there */

typedef struct stream_search {
    clspi_tensor_plan *plan;
    const clspi_surface_project *call;
    clspi_job_streams streams;
    uint32_t patches, hints, normals; /* their streams; 0: none */
    bool on_device;                   /* searches, not the host */
} stream_search;

/* What a part's lines are in host memory. */
typedef struct part_memory {
    void *points, *patches, *hints, *out, *normals;
} part_memory;

/* Reads some lines of a stream to memory that the caller frees; NULL where there is none. */
static clsp_status read_stream(const stream_search *s, clspi_series *series, uint32_t i,
                               const clspi_part *part, void **out)
{
    const clspi_stream *const stream = &s->streams.stream[i];
    const size_t bytes = clspi_stream_bytes(stream, part->num_lines);

    *out = malloc(clspi_max(1, bytes));
    if (!*out) return clspi_surface_no_memory(s->plan);
    if (bytes == 0) return CLSP_OK;
    return clspi_series_read(series, stream->buffer, stream->offset * stream->memory.element, *out,
                             bytes);
}

static clsp_status read_part(const stream_search *s, clspi_series *series, const clspi_part *part,
                             part_memory *m)
{
    CLSPI_CHECK(read_stream(s, series, POINTS, part, &m->points));
    if (s->patches) CLSPI_CHECK(read_stream(s, series, s->patches, part, &m->patches));
    if (s->hints) CLSPI_CHECK(read_stream(s, series, s->hints, part, &m->hints));
    return CLSP_OK;
}

/* Makes memory for some lines of a stream that is written, which the caller frees. */
static clsp_status make_lines(const stream_search *s, uint32_t i, const clspi_part *part,
                              void **made)
{
    *made = malloc(clspi_max(1, clspi_stream_bytes(&s->streams.stream[i], part->num_lines)));
    return *made ? CLSP_OK : clspi_surface_no_memory(s->plan);
}

static clsp_status write_stream(const stream_search *s, clspi_series *series, uint32_t i,
                                const clspi_part *part, const void *from)
{
    const clspi_stream *const to = &s->streams.stream[i];
    const size_t bytes = clspi_stream_bytes(to, part->num_lines);

    if (bytes == 0) return CLSP_OK;
    return clspi_series_write(series, to->buffer, to->offset * to->memory.element, from, bytes);
}

static clsp_status search_part(const stream_search *s, clspi_series *series, const clspi_part *part,
                               part_memory *m)
{
    CLSPI_CHECK(make_lines(s, OUT, part, &m->out));
    if (s->normals) CLSPI_CHECK(make_lines(s, s->normals, part, &m->normals));
    CLSPI_CHECK(read_part(s, series, part, m));
    const clspi_surface_queries queries = {.f64 = s->plan->desc.precision == CLSP_F64,
                                           .num = part->num_lines,
                                           .points = m->points,
                                           .patches = m->patches,
                                           .hints = m->hints,
                                           .max_dist = s->call->max_dist,
                                           .out = m->out,
                                           .normals = m->normals};
    CLSPI_CHECK(clspi_surface_host_find(s->plan, &queries, false));
    if (s->normals) CLSPI_CHECK(write_stream(s, series, s->normals, part, m->normals));
    return write_stream(s, series, OUT, part, m->out);
}

static clsp_status search_by_device(const stream_search *s, clspi_series *series,
                                    const clspi_part *part)
{
    const clspi_stream *const stream = s->streams.stream;
    const clspi_surface_device_job job = {.of = s->plan,
                                          .points = stream[POINTS].buffer,
                                          .patches = s->patches ? stream[s->patches].buffer : NULL,
                                          .hints = s->hints ? stream[s->hints].buffer : NULL,
                                          .out = stream[OUT].buffer,
                                          .normals = s->normals ? stream[s->normals].buffer : NULL,
                                          .points_offset = stream[POINTS].offset,
                                          .patches_offset = stream[s->patches].offset,
                                          .hints_offset = stream[s->hints].offset,
                                          .offset = stream[OUT].offset,
                                          .normals_offset = stream[s->normals].offset,
                                          .num = part->num_lines,
                                          .max_dist = s->call->max_dist};

    return clspi_surface_device_find(s->plan, series, &job);
}

static clsp_status make_part(void *user, clspi_series *series, const clspi_part *part)
{
    const stream_search *const s = user;
    part_memory m = {.points = NULL};

    CLSPI_CHECK(clspi_surface_host_prepare(s->plan));
    if (s->on_device && clspi_surface_device_holds(s->plan, s->plan))
        return search_by_device(s, series, part);
    const clsp_status status = search_part(s, series, part, &m);

    free(m.points);
    free(m.patches);
    free(m.hints);
    free(m.out);
    free(m.normals);
    return status;
}

/* Opens one more stream to be read: some lines of an input. */
static clsp_status open_input(stream_search *s, const clsp_input *input, clspi_memory_need need,
                              clsp_range lines)
{
    clspi_stream *const stream = &s->streams.stream[s->streams.num++];
    clsp_input some = *input;

    stream->per_line = s->call->num > 0 ? need.count / s->call->num : 1;
    need.count = lines.count * stream->per_line;
    some.offset += lines.first * stream->per_line;
    return clspi_input_open(&stream->memory, &s->plan->base, &some, &need);
}

/* Opens one more stream to be written: some lines of an output, which begin at its place. */
static clsp_status open_output(stream_search *s, const clsp_output *output, clspi_memory_need need,
                               size_t per_line, clsp_range lines)
{
    clspi_stream *const stream = &s->streams.stream[s->streams.num++];

    need.count = lines.count * per_line;
    stream->per_line = per_line;
    stream->written = true;
    return clspi_output_open(&stream->memory, &s->plan->base, output, &need);
}

static clsp_status open_streams(stream_search *s, const needs *n, clsp_range lines)
{
    const clspi_surface_project *const call = s->call;

    CLSPI_CHECK(open_output(s, &call->nearest, n->nearest, n->result, lines));
    CLSPI_CHECK(open_input(s, &call->points, n->points, lines));
    if (clspi_input_is_there(&call->patches)) {
        s->patches = s->streams.num;
        CLSPI_CHECK(open_input(s, &call->patches, n->patches, lines));
    }
    if (clspi_input_is_there(&call->hints)) {
        s->hints = s->streams.num;
        CLSPI_CHECK(open_input(s, &call->hints, n->hints, lines));
    }
    if (!call->has_normals) return CLSP_OK;
    s->normals = s->streams.num;
    return open_output(s, &call->normals, n->normals, CLSPI_NORMAL_REALS, lines);
}

static clsp_status project_streams(clspi_tensor_plan *plan, const clspi_surface_project *call,
                                   const needs *n, clsp_range lines, bool on_device,
                                   const clsp_run *run)
{
    const clspi_cut cut = {.per_piece = clspi_max(1, lines.count), .left = lines.count};
    stream_search s = {.plan = plan, .call = call, .on_device = on_device};
    const clsp_status status = open_streams(&s, n, lines);

    if (status == CLSP_OK) return clspi_carry_out(&plan->base, run, &s.streams, cut, make_part, &s);
    clspi_streams_close(&s.streams);
    return status;
}

/* ---- ways ---- */

/* Some lines of a shared call that one processor makes. */
typedef struct lines_search {
    clspi_tensor_plan *plan;
    const clspi_surface_project *call;
    const needs *n;
    clsp_range lines;
    clspi_surface_queries queries;
    bool on_device; /* searches, not the host */
} lines_search;

static clsp_status search_lines(void *user)
{
    const lines_search *const s = user;

    if (!s->on_device && is_aligned(&s->queries))
        return clspi_surface_host_find(s->plan, &s->queries, false);
    return project_streams(s->plan, s->call, s->n, s->lines, s->on_device, NULL);
}

/* Finds the memory of a shared call, the host's. */
static clsp_status find_memory(clspi_tensor_plan *plan, clspi_surface_project *call, const needs *n,
                               clsp_range lines, clspi_surface_queries *queries)
{
    clspi_memory_need need = n->nearest;
    char *out, *normals = NULL;

    need.count = lines.count * n->result;
    CLSPI_CHECK(clspi_shared_output(&plan->base, &call->nearest, &need, &out));
    need = n->normals;
    need.count = lines.count * CLSPI_NORMAL_REALS;
    if (call->has_normals)
        CLSPI_CHECK(clspi_shared_output(&plan->base, &call->normals, &need, &normals));
    CLSPI_CHECK(find_queries(plan, call, n, lines, queries));
    queries->out = out;
    queries->normals = normals;
    return CLSP_OK;
}

/* Makes tiles on the calling thread. */
static clsp_status project_by_caller(clspi_tensor_plan *plan, const lines_search *s,
                                     const clsp_run *run)
{
    if (s->lines.count > 0 && !is_aligned(&s->queries))
        return clspi_no_host_tiles(&plan->base, not_aligned);
    CLSPI_CHECK(clspi_run_wait(&plan->base, run));
    CLSPI_CHECK(clspi_surface_host_find(plan, &s->queries, true));
    return clspi_run_done(&plan->base, run);
}

/* Carries out a shared call, or tiles that the calling thread makes. */
static clsp_status project_shared(clspi_tensor_plan *plan, clspi_surface_project *call,
                                  const needs *n, const clspi_tiling *tiling,
                                  const clspi_tiles *tiles, const clsp_run *run)
{
    lines_search s = {.plan = plan, .call = call, .n = n, .lines = tiles->lines};

    CLSPI_CHECK(find_memory(plan, call, n, tiles->lines, &s.queries));
    if (tiles->way == CLSPI_BY_CALLER) return project_by_caller(plan, &s, run);
    CLSPI_CHECK(clspi_surface_host_prepare(plan));
    const bool fits = clspi_surface_device_fits(plan) && clspi_surface_device_holds(plan, plan);
    const clspi_surface_shared shared = {plan, s.queries, call->num, *tiling, *tiles};
    if (fits && is_aligned(&s.queries)) return clspi_surface_share(&shared, run);
    s.on_device = fits;
    const clspi_lone_call alone = {fits ? not_aligned : "the host's cores search them",
                                   tiles->tiles.count, search_lines, &s, !fits};
    return clspi_shared_alone(&plan->base, &alone, run);
}

/* Finds the host memory of an output. */
static clsp_status find_output(const clspi_tensor_plan *plan, const clsp_output *output,
                               clspi_memory_need need, size_t count, void **host)
{
    clspi_memory memory;

    need.count = count;
    CLSPI_CHECK(clspi_output_open(&memory, &plan->base, output, &need));
    *host = memory.host;
    clspi_memory_close(&memory);
    return CLSP_OK;
}

static bool is_all_of_host(const clspi_surface_project *call)
{
    const clsp_output *const out = &call->nearest, *const normals = &call->normals;

    return clspi_output_is_host(out) && !out->graphics &&
           (!call->has_normals || (clspi_output_is_host(normals) && !normals->graphics)) &&
           is_of_host(&call->points) && is_of_host(&call->patches) && is_of_host(&call->hints);
}

/* Carries out a call of the context's own: at once where all memory is the host's. */
static clsp_status project_alone(clspi_tensor_plan *plan, const clspi_surface_project *call,
                                 const needs *n, clsp_range lines, const clsp_run *run)
{
    clspi_surface_queries queries;
    void *out, *normals = NULL;

    if (!is_all_of_host(call) || clspi_surface_device_fits(plan))
        return project_streams(plan, call, n, lines, clspi_surface_device_fits(plan), run);
    CLSPI_CHECK(find_output(plan, &call->nearest, n->nearest, lines.count * n->result, &out));
    if (call->has_normals)
        CLSPI_CHECK(find_output(plan, &call->normals, n->normals, lines.count * CLSPI_NORMAL_REALS,
                                &normals));
    CLSPI_CHECK(find_queries(plan, call, n, lines, &queries));
    queries.out = out;
    queries.normals = normals;
    if (!is_aligned(&queries)) return project_streams(plan, call, n, lines, false, run);
    CLSPI_CHECK(clspi_plan_await(&plan->base, run));
    CLSPI_CHECK(clspi_surface_host_find(plan, &queries, false));
    return clspi_run_done(&plan->base, run);
}

clsp_status clspi_tensor_project(clspi_tensor_plan *plan, const clspi_surface_project *given,
                                 const clsp_run *run)
{
    clspi_surface_project call = *given;
    clspi_tiles tiles;
    needs n;

    CLSPI_CHECK(needs_of(plan, call.num, &n));
    const clspi_tiling tiling = clspi_list_tiling(call.num, CLSPI_QUERY_ITEMS);
    CLSPI_CHECK(clspi_tiles_of(&tiles, &plan->base, &tiling, run));
    switch (tiles.way) {
    case CLSPI_ASKED:
        return clspi_tiles_tell(&tiles, &tiling, n.result, run);
    case CLSPI_BY_DEVICE:
        return project_alone(plan, &call, &n, tiles.lines, run);
    default:
        return project_shared(plan, &call, &n, &tiling, &tiles, run);
    }
}
