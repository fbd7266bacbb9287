#include "surface_host.h"

#include "check.h"
#include "query_pieces.h"
#include "patch_eval.h"

enum { PIECE_MAX = 512 /* queries */ };

/* Some queries of a call whose memory is the host's. */
typedef struct search_job {
    const clsp_patch_plan *plan;
    clspi_surface_queries queries;
} search_job;

clsp_status clspi_surface_no_memory(const clsp_patch_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "%s: no memory for the search of %zu patches", plan->base.family,
                      plan->num_patches);
}

/* ---- what is searched ---- */

static void run_pieces(void *host, size_t num, clspi_piece_fn fn, void *user)
{
    clspi_pieces_on_host(host, num, fn, user);
}

/* Makes the search of curves that are a segment each. */
static clsp_status make_curves(clsp_patch_plan *plan, const void *points)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const clspi_curve_search_desc desc = {.f64 = d->precision == CLSP_F64,
                                          .dim = d->dim,
                                          .rational = d->rational != 0,
                                          .degree = d->degrees[0],
                                          .controls = d->degrees[0] + 1};

    plan->curves = clspi_curve_search_create(&desc);
    if (plan->curves && !clspi_curve_search_load(plan->curves, plan->num_patches, points))
        clspi_curve_search_destroy(&plan->curves);
    return plan->curves ? CLSP_OK : clspi_surface_no_memory(plan);
}

clsp_status clspi_surface_host_prepare(clsp_patch_plan *plan)
{
    const clspi_parallel threads = {run_pieces, &plan->base};
    const void *points;

    if ((plan->surfaces || plan->curves) && plan->surfaces_load == plan->loads) return CLSP_OK;
    clspi_surface_search_destroy(&plan->surfaces);
    clspi_curve_search_destroy(&plan->curves);
    CLSPI_CHECK(clspi_patch_host_points(plan, &points));
    plan->surfaces_load = plan->loads;
    if (plan->desc.directions == 1) return make_curves(plan, points);
    plan->surfaces = plan->family->surfaces(plan, points, &threads);
    return plan->surfaces ? CLSP_OK : clspi_surface_no_memory(plan);
}

/* ---- the search ---- */

static const void *behind(const void *from, size_t bytes)
{
    return from ? (const char *)from + bytes : NULL;
}

/* Returns `num` queries from `first` on. */
static clspi_surface_queries part_of(const clsp_patch_plan *plan,
                                     const clspi_surface_queries *queries, size_t first, size_t num)
{
    const size_t real = queries->f64 ? sizeof(double) : sizeof(float);
    const size_t result = queries->f64 ? sizeof(clspi_nearest_f64) : sizeof(clspi_nearest_f32);
    clspi_surface_queries part = *queries;

    part.num = num;
    part.points = behind(part.points, first * plan->desc.dim * real);
    part.patches = behind(part.patches, first * sizeof(uint32_t));
    part.hints = behind(part.hints, first * plan->desc.directions * real);
    part.out = (char *)part.out + first * result;
    if (part.normals) part.normals = (char *)part.normals + first * CLSPI_NORMAL_REALS * real;
    return part;
}

static void search_curves(const clspi_surface_queries *some, const clspi_curve_search *curves)
{
    const clspi_segment_queries of_curves = {.num = some->num,
                                             .num_nearest = 1,
                                             .points = some->points,
                                             .patches = some->patches,
                                             .hints = some->hints,
                                             .max_dist = some->max_dist,
                                             .out = some->out};

    clspi_curve_search_find(curves, &of_curves);
}

/* Answers some queries, for clspi_query_pieces. */
static bool search_some(const void *user, size_t first, size_t num, const uint32_t *order)
{
    const search_job *const job = user;
    clspi_surface_queries some = job->queries;

    if (!order) some = part_of(job->plan, &job->queries, first, num);
    some.num = num;
    some.order = order;
    if (!job->plan->curves) return clspi_surface_search_find(job->plan->surfaces, &some);
    search_curves(&some, job->plan->curves);
    return true;
}

clsp_status clspi_surface_host_find(clsp_patch_plan *plan, const clspi_surface_queries *queries,
                                    bool alone)
{
    search_job job = {.plan = plan, .queries = *queries};
    const void *const points = plan->desc.directions == 1 ? NULL : queries->points;
    const clspi_query_pieces pieces = {
        .places = {queries->f64, plan->desc.dim, queries->num, points},
        .most = PIECE_MAX,
        .answer = search_some,
        .user = &job};

    return clspi_query_pieces_answer(&pieces, &plan->base, alone) ? CLSP_OK
                                                                  : clspi_surface_no_memory(plan);
}
