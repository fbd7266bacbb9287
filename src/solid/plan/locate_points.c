/* The public call that finds where points lie: by the host's cores on every device, from and into
   memory of any kind. */
#include "check.h"
#include "host_cells.h"
#include "query_pieces.h"
#include "solid_locate.h"
#include "solid_mesh.h"
#include "star_vertices.h"
#include "work.h"

enum {
    QUERY_ITEMS = 64,  /* a query takes longer than so many vertices: tiles are of so many fewer */
    PIECE_MAX = 16384, /* queries: neighbours have parts in common */
    NODES = 32768      /* of a query */
};

/* Some queries that are in host memory. */
typedef struct locate_job {
    const clspi_solid_locate *search;
    clspi_locate_queries queries;
    size_t real, result; /* bytes */
} locate_job;

/* ---- what is searched ---- */

static clsp_solid_plan *solid_plan_of(clspi_plan *plan)
{
    return (clsp_solid_plan *)plan; /* whose first member it is */
}

static clsp_status no_memory(const clsp_solid_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for the search of %zu cells", plan->num_cells);
}

/* Makes what is searched of the control points loaded, where that has not been done: by classes, or
   of a plan that has a lattice by stars. */
static clsp_status prepare(const clspi_work *work, clspi_way way)
{
    clsp_solid_plan *const plan = solid_plan_of(work->plan);
    const clspi_parallel threads = clspi_solid_threads(plan->base.ctx);
    clspi_locate_source source = {.f64 = plan->desc.precision == CLSP_F64, .dim = plan->desc.dim};

    (void)way;
    if (plan->located) return CLSP_OK;
    CLSPI_CHECK(clspi_solid_host_prepare(plan));
    source.control = plan->host.data;
    if (plan->lattice) {
        CLSPI_CHECK(clspi_star_topology(plan));
        source.stars = &plan->lattice->stars;
    } else {
        source.points = &plan->points;
        source.classes = &plan->classes;
    }
    plan->located = clspi_solid_locate_create(&source, &threads);
    return plan->located ? CLSP_OK : no_memory(plan);
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

/* Searches for queries with the context's workers, since those of all tiles are put in order, or on
   the calling thread alone. */
static clsp_status search_on_host(const clspi_work *work, uint32_t worker, const clspi_part *part,
                                  const char *const in[], char *out)
{
    const clsp_solid_plan *const plan = solid_plan_of(work->plan);
    const bool f64 = plan->desc.precision == CLSP_F64;
    locate_job job = {.search = plan->located,
                      .queries = *(const clspi_locate_queries *)work->user,
                      .real = clsp_type_bytes(plan->desc.precision),
                      .result = f64 ? sizeof(clspi_place_f64) : sizeof(clspi_place_f32)};
    const clspi_query_pieces pieces = {.places = {f64, 3, part->num_lines, in[0]},
                                       .most = PIECE_MAX,
                                       .answer = search_some,
                                       .user = &job};

    job.queries.points = in[0];
    job.queries.out = out;
    return clspi_query_pieces_answer(&pieces, work->plan, worker != CLSPI_HOST_WORKERS)
               ? CLSP_OK
               : no_memory(plan);
}

static const char *lacks(const clspi_work *work, const clspi_plan *plan)
{
    (void)work;
    (void)plan;
    return "the host's cores search solids";
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
    static const clspi_work_makers makers = {
        .prepare = prepare, .on_host = search_on_host, .lacks = lacks};

    if (!plan || !queries)
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_solid_locate");
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(check_call(plan, queries, run));
    const clsp_type real = plan->desc.precision;
    const size_t result = real == CLSP_F64 ? CLSP_SOLID_PLACE_F64_SIZE : CLSP_SOLID_PLACE_F32_SIZE;
    const clspi_locate_queries search = {.f64 = real == CLSP_F64,
                                         .max_nodes =
                                             queries->max_nodes ? queries->max_nodes : NODES,
                                         .asks_nearest = queries->nearest,
                                         .tolerance = queries->tolerance};
    const clspi_work_input points = {.input = &queries->points,
                                     .need = {"points", real, 3 * queries->num},
                                     .per_line = 3,
                                     .planes = 1};
    const clspi_work work = {.plan = &plan->base,
                             .makers = &makers,
                             .user = &search,
                             .user_bytes = sizeof search,
                             .tiling = clspi_list_tiling(queries->num, QUERY_ITEMS),
                             .num_in = 1,
                             .in = &points,
                             .out = {&places, "places", real, result, false},
                             .line_items = QUERY_ITEMS,
                             .takes_all = true};
    return clspi_work_run(&work, run);
}
