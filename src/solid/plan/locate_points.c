#include "locate_points.h"

#include <stdlib.h>

#include "check.h"
#include "host_cells.h"
#include "query_pieces.h"
#include "solid_locate.h"
#include "solid_mesh.h"
#include "star_vertices.h"
#include "transfer.h"

enum {
    QUERY_ITEMS = 64,  /* a query takes longer than so many vertices: tiles are of so many fewer */
    PIECE_MAX = 16384, /* queries: neighbours have parts in common */
    NODES = 32768      /* of a query */
};

/* Some queries of a call whose memory is the host's. */
typedef struct locate_job {
    const clspi_solid_locate *search;
    clspi_locate_queries queries;
    size_t real, result; /* bytes */
} locate_job;

/* ---- what is searched ---- */

static clsp_status no_memory(const clsp_solid_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for the search of %zu cells", plan->num_cells);
}

void clspi_locate_forget(clsp_solid_plan *plan)
{
    clspi_solid_locate_destroy(&plan->located);
}

/* Makes what is searched of a plan that has classes. */
static clsp_status search_classes(clsp_solid_plan *plan)
{
    const clspi_parallel threads = clspi_solid_threads(plan->base.ctx);

    CLSPI_CHECK(clspi_solid_host_prepare(plan));
    const clspi_locate_source source = {.points = &plan->points,
                                        .classes = &plan->classes,
                                        .control = plan->host.data,
                                        .f64 = plan->desc.precision == CLSP_F64,
                                        .dim = plan->desc.dim};
    plan->located = clspi_solid_locate_create(&source, &threads);
    return plan->located ? CLSP_OK : no_memory(plan);
}

/* Makes what is searched of a plan that has a lattice, by stars. */
static clsp_status search_stars(clsp_solid_plan *plan)
{
    const clspi_parallel threads = clspi_solid_threads(plan->base.ctx);

    CLSPI_CHECK(clspi_star_topology(plan));
    void *const control = malloc(plan->num_vertices * plan->desc.dim * sizeof(double) + 1);
    if (!control) return no_memory(plan);
    const clsp_status status = clspi_star_read(plan, control);
    const clspi_locate_source source = {.stars = &plan->lattice->stars,
                                        .control = control,
                                        .f64 = plan->desc.precision == CLSP_F64,
                                        .dim = plan->desc.dim};
    if (status == CLSP_OK) plan->located = clspi_solid_locate_create(&source, &threads);
    free(control);
    return status != CLSP_OK || plan->located ? status : no_memory(plan);
}

/* Gives what is searched, made of the control points loaded. */
static clsp_status prepare(clsp_solid_plan *plan, const clspi_solid_locate **search)
{
    clsp_status status = CLSP_OK;

    pthread_mutex_lock(&plan->base.lock);
    if (!plan->located) status = plan->lattice ? search_stars(plan) : search_classes(plan);
    *search = plan->located;
    pthread_mutex_unlock(&plan->base.lock);
    return status;
}

/* ---- the search ---- */

/* Answers some queries, for clspi_query_pieces. */
static bool search_some(const void *user, size_t first, size_t num, const uint32_t *order)
{
    const locate_job *const job = user;
    clspi_locate_queries some = job->queries;

    some.num = num;
    some.order = order;
    if (!order) {
        some.points = (const char *)some.points + 3 * first * job->real;
        some.out = (char *)some.out + first * job->result;
    }
    return clspi_solid_locate_find(job->search, &some);
}

/* Searches for queries in host memory, with the context's workers if the thread is not to do all
   alone. */
static clsp_status search_all(clsp_solid_plan *plan, const clspi_locate_queries *queries,
                              bool alone)
{
    locate_job job = {.queries = *queries,
                      .real = clsp_type_bytes(plan->desc.precision),
                      .result = queries->f64 ? sizeof(clspi_place_f64) : sizeof(clspi_place_f32)};
    const clspi_query_pieces pieces = {.places = {queries->f64, 3, queries->num, queries->points},
                                       .most = PIECE_MAX,
                                       .answer = search_some,
                                       .user = &job};

    CLSPI_CHECK(prepare(plan, &job.search));
    return clspi_query_pieces_answer(&pieces, &plan->base, alone) ? CLSP_OK : no_memory(plan);
}

/* ---- memory ---- */

/* A call, and what its memory must hold. */
typedef struct locate_call {
    clsp_solid_plan *plan;
    const clsp_solid_queries *queries;
    clsp_output places;
    size_t result;    /* elements of one */
    clsp_range lines; /* queries that are asked for */
    bool alone;       /* the calling thread makes them */
    const char *from; /* the queries, and where results go, in host memory */
    char *to;
    clspi_job_streams streams;
} locate_call;

static clspi_memory_need points_need(const locate_call *c, size_t num)
{
    return (clspi_memory_need){"points", c->plan->desc.precision, 3 * num};
}

static clspi_memory_need places_need(const locate_call *c)
{
    return (clspi_memory_need){"places", c->plan->desc.precision, c->lines.count * c->result};
}

static clspi_locate_queries queries_of(const locate_call *c, size_t num, const void *from, void *to)
{
    return (clspi_locate_queries){.f64 = c->plan->desc.precision == CLSP_F64,
                                  .num = num,
                                  .points = from,
                                  .max_nodes =
                                      c->queries->max_nodes ? c->queries->max_nodes : NODES,
                                  .asks_nearest = c->queries->nearest,
                                  .tolerance = c->queries->tolerance,
                                  .out = to};
}

/* ---- memory of any kind ---- */

enum { OUT, POINTS }; /* streams */

/* Reads the queries of a part, searches for them and writes what comes of it. */
static clsp_status make_part(void *user, clspi_series *series, const clspi_part *part)
{
    const locate_call *const c = user;
    const clspi_stream *const to = &c->streams.stream[OUT], *const from = to + POINTS;
    const size_t in_bytes = clspi_stream_bytes(from, part->num_lines);
    const size_t out_bytes = clspi_stream_bytes(to, part->num_lines);
    void *const points = malloc(in_bytes + 1), *const out = malloc(out_bytes + 1);
    clsp_status status = points && out ? CLSP_OK : no_memory(c->plan);

    if (status == CLSP_OK && in_bytes > 0)
        status = clspi_series_read(series, from->buffer, from->offset * from->memory.element,
                                   points, in_bytes);
    if (status == CLSP_OK) {
        const clspi_locate_queries queries = queries_of(c, part->num_lines, points, out);
        status = search_all(c->plan, &queries, false);
    }
    if (status == CLSP_OK && out_bytes > 0)
        status =
            clspi_series_write(series, to->buffer, to->offset * to->memory.element, out, out_bytes);
    free(points);
    free(out);
    return status;
}

static clsp_status open_streams(locate_call *c)
{
    const clspi_memory_need in = points_need(c, c->lines.count), out = places_need(c);
    clspi_stream *const stream = c->streams.stream;
    clsp_input points = c->queries->points;

    points.offset += 3 * c->lines.first;
    stream[OUT] = (clspi_stream){.per_line = c->result, .written = true};
    c->streams.num++;
    CLSPI_CHECK(clspi_output_open(&stream[OUT].memory, &c->plan->base, &c->places, &out));
    stream[POINTS] = (clspi_stream){.per_line = 3};
    c->streams.num++;
    return clspi_input_open(&stream[POINTS].memory, &c->plan->base, &points, &in);
}

static clsp_status locate_streams(locate_call *c, const clsp_run *run)
{
    const clspi_cut cut = {.per_piece = clspi_max(1, c->lines.count), .left = c->lines.count};
    const clsp_status status = open_streams(c);

    if (status == CLSP_OK)
        return clspi_carry_out(&c->plan->base, run, &c->streams, cut, make_part, c);
    clspi_streams_close(&c->streams);
    return status;
}

/* ---- memory of the host ---- */

/* Finds the queries in host memory, SVM that the host may read included. */
static clsp_status find_points(locate_call *c)
{
    const clspi_memory_need need = points_need(c, c->queries->num);
    const char *points;

    CLSPI_CHECK(clspi_shared_input(&c->plan->base, &c->queries->points, &need, &points));
    if (points) c->from = points + 3 * c->lines.first * clsp_type_bytes(c->plan->desc.precision);
    return CLSP_OK;
}

static bool is_aligned(const locate_call *c)
{
    return ((uintptr_t)c->from | (uintptr_t)c->to) % clsp_type_bytes(c->plan->desc.precision) == 0;
}

static clsp_status locate_on_host(locate_call *c)
{
    const clspi_locate_queries queries = queries_of(c, c->lines.count, c->from, c->to);

    return search_all(c->plan, &queries, c->alone);
}

static clsp_status locate_lines(void *user)
{
    locate_call *const c = user;

    return is_aligned(c) ? locate_on_host(c) : locate_streams(c, NULL);
}

/* Carries out a shared call, or tiles that the calling thread makes. */
static clsp_status locate_shared(locate_call *c, const clspi_tiles *tiles, const clsp_run *run)
{
    const clspi_lone_call alone = {"the host's cores search solids", tiles->tiles.count,
                                   locate_lines, c, true};
    const clspi_memory_need need = places_need(c);

    CLSPI_CHECK(clspi_shared_output(&c->plan->base, &c->places, &need, &c->to));
    CLSPI_CHECK(find_points(c));
    if (tiles->way == CLSPI_BY_ALL) return clspi_shared_alone(&c->plan->base, &alone, run);
    c->alone = true;
    if (c->lines.count > 0 && !is_aligned(c))
        return clspi_no_host_tiles(&c->plan->base, "memory that is not aligned to its elements");
    CLSPI_CHECK(clspi_run_wait(&c->plan->base, run));
    CLSPI_CHECK(locate_on_host(c));
    return clspi_run_done(&c->plan->base, run);
}

/* Carries out a call of the context's own: at once where all memory is the host's. */
static clsp_status locate_alone(locate_call *c, const clsp_run *run)
{
    const clsp_input *const points = &c->queries->points;
    const clspi_memory_need need = places_need(c);
    clspi_memory memory;

    if (!clspi_output_is_host(&c->places) || c->places.graphics || points->buffer || points->svm)
        return locate_streams(c, run);
    CLSPI_CHECK(clspi_output_open(&memory, &c->plan->base, &c->places, &need));
    c->to = memory.host;
    clspi_memory_close(&memory);
    CLSPI_CHECK(find_points(c));
    if (!is_aligned(c)) return locate_streams(c, run);
    CLSPI_CHECK(clspi_plan_await(&c->plan->base, run));
    CLSPI_CHECK(locate_on_host(c));
    return clspi_run_done(&c->plan->base, run);
}

/* ---- the call ---- */

static clsp_status check_call(const clsp_solid_plan *plan, const clsp_solid_queries *queries,
                              const clsp_run *run)
{
    clspi_log *const log = &plan->base.ctx->log;
    size_t bytes = 9 * sizeof(double);

    CLSPI_CHECK(
        clspi_reserved_check_some(log, "clsp_solid_queries", queries->reserved, CLSP_RESERVED - 2));
    if (queries->nearest > 1)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "solid: nearest is 0 or 1, not %llu",
                          (unsigned long long)queries->nearest);
    if (!(queries->tolerance >= 0))
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "solid: the tolerance is %g, not 0 or more",
                          queries->tolerance);
    if (plan->desc.dim < 3)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "solid: places of points of 3 coordinates, and dim is %u",
                          plan->desc.dim);
    if (!plan->is_loaded && !clspi_run_asks(run))
        return clspi_fail(log, CLSP_ERROR_STATE, "solid: no control points are loaded");
    if (clspi_size_mul(&bytes, queries->num)) return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_NO_MEMORY,
                      "solid: %zu points are more than the address space", queries->num);
}

clsp_status clsp_solid_locate(clsp_solid_plan *plan, const clsp_solid_queries *queries,
                              clsp_output places, const clsp_run *run)
{
    locate_call c = {.plan = plan, .queries = queries, .places = places};
    clspi_tiles tiles;

    if (!plan || !queries)
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_solid_locate");
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(check_call(plan, queries, run));
    c.result =
        plan->desc.precision == CLSP_F64 ? CLSP_SOLID_PLACE_F64_SIZE : CLSP_SOLID_PLACE_F32_SIZE;
    const clspi_tiling tiling = clspi_list_tiling(queries->num, QUERY_ITEMS);
    CLSPI_CHECK(clspi_tiles_of(&tiles, &plan->base, &tiling, run));
    c.lines = tiles.lines;
    if (tiles.way == CLSPI_ASKED) return clspi_tiles_tell(&tiles, &tiling, c.result, run);
    return tiles.way == CLSPI_BY_DEVICE ? locate_alone(&c, run) : locate_shared(&c, &tiles, run);
}
