/* The public call of projection: of surfaces as surface_project.h says; of curves by the context's
   device, or shared, as tiles of queries by the host's search and by those of devices
   (docs/cooperation.md). */
#include <clspline/bspline_project.h>

#include <stdio.h>

#include "check.h"
#include "nearest.h"
#include "project.h"
#include "shared_batch.h"
#include "surface_spans.h"
#include "tensor_share.h"

enum {
    KEY_MAX = 160,
    QUERY_ITEMS = 64 /* a query takes longer than so many vertices: tiles are of so many fewer */
};

_Static_assert(sizeof(clspi_nearest_f32) == sizeof(clsp_bspline_nearest_f32) &&
                   sizeof(clspi_nearest_f64) == sizeof(clsp_bspline_nearest_f64),
               "the results of the host's search are the public ones");
_Static_assert((int)CLSPI_SEARCH_FOUND == (int)CLSP_BSPLINE_NEAREST_FOUND &&
                   (int)CLSPI_SEARCH_CUT == (int)CLSP_BSPLINE_NEAREST_CUT &&
                   (int)CLSPI_SEARCH_NONE == (int)CLSP_BSPLINE_NEAREST_NONE &&
                   (int)CLSPI_SEARCH_INVALID == (int)CLSP_BSPLINE_NEAREST_INVALID &&
                   (int)CLSPI_SEARCH_DEGREE_MAX == (int)CLSP_BSPLINE_PROJECT_MAX_DEGREE,
               "and so is what becomes of a query");

/* What a shared call works on, all in host memory. */
typedef struct shared_search {
    const clsp_bspline_project_opts *opts;
    const char *points, *patches, *hints; /* NULL: none */
    size_t real, dim;                     /* bytes of a real; of a point */
} shared_search;

static clsp_bspline_plan *bspline_plan_of(clspi_plan *plan)
{
    return (clsp_bspline_plan *)plan; /* whose first member's first it is */
}

/* ---- the host ---- */

/* Makes the host's search ready for the plan's curves, which workers then share. */
static clsp_status prepare_host(clsp_bspline_plan *plan)
{
    const clspi_tensor_desc *const d = &plan->tensor.desc;
    const clspi_knots *const knots = &plan->knots[0];
    const clspi_curve_search_desc desc = {
        d->precision == CLSP_F64, d->dim,           d->rational != 0, knots->degree,
        knots->controls,          knots->num_spans, clspi_curve_span, knots};
    const void *points;

    if (plan->search && plan->search_load == plan->tensor.loads) return CLSP_OK;
    CLSPI_CHECK(clspi_tensor_host_points(&plan->tensor, &points));
    plan->search_load = 0;
    if (!plan->search) plan->search = clspi_curve_search_create(&desc);
    if (!plan->search || !clspi_curve_search_load(plan->search, plan->tensor.num_patches, points))
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for the host's search");
    plan->search_load = plan->tensor.loads;
    return CLSP_OK;
}

static clsp_status search_on_host(const void *user, clspi_plan *base, uint32_t worker,
                                  const clspi_part *part, char *out)
{
    const shared_search *const s = user;
    const size_t first = part->piece;
    const clspi_segment_queries queries = {
        .num = part->num_lines,
        .points = s->points + first * s->dim * s->real,
        .patches = s->patches ? (const uint32_t *)(const void *)s->patches + first : NULL,
        .hints = s->hints ? s->hints + first * s->real : NULL,
        .max_dist = s->opts->max_dist,
        .out = out};

    (void)worker;
    clspi_curve_search_find(bspline_plan_of(base)->search, &queries);
    return CLSP_OK;
}

/* ---- devices ---- */

enum { POINTS, PATCHES, HINTS }; /* staging buffers */

static clsp_status search_on_device(const void *user, clspi_plan *base, clspi_series *series,
                                    const clspi_part *part, const clspi_target *target)
{
    const shared_search *const s = user;
    const size_t first = part->piece, num = part->num_lines;
    const size_t point = s->dim * s->real, patch = sizeof(uint32_t);

    clspi_nearest_job job = {.out = target->buffer,
                             .offset = target->offset,
                             .num = num,
                             .num_nearest = s->opts->num_nearest,
                             .max_dist = s->opts->max_dist};

    CLSPI_CHECK(clspi_nearest_prepare(bspline_plan_of(base), series, s->opts->num_nearest));
    CLSPI_CHECK(clspi_plan_bring(base, series, POINTS, s->points + first * point, num * point,
                                 &job.points));
    if (s->patches)
        CLSPI_CHECK(clspi_plan_bring(base, series, PATCHES, s->patches + first * patch, num * patch,
                                     &job.patches));
    if (s->hints)
        CLSPI_CHECK(clspi_plan_bring(base, series, HINTS, s->hints + first * s->real, num * s->real,
                                     &job.hints));
    return clspi_nearest_find(bspline_plan_of(base), series, &job);
}

/* ---- the call ---- */

static void name_job(const clsp_bspline_plan *plan, const shared_search *s, size_t num,
                     char key[KEY_MAX])
{
    const clspi_tensor_desc *const d = &plan->tensor.desc;

    snprintf(key, KEY_MAX, "bspline-nearest-%u-d%u-f%zu%s%s%s%s-n%u-s%u-c%u", d->degrees[0], d->dim,
             8 * s->real, d->rational ? "-rational" : "", s->patches ? "-patches" : "",
             s->hints ? "-hints" : "", s->opts->max_dist > 0.0 ? "-near" : "", s->opts->num_nearest,
             clspi_size_class((double)plan->knots[0].num_spans) +
                 clspi_size_class((double)plan->tensor.num_patches),
             clspi_size_class((double)num));
}

/* Checks the memory of a call and finds where it is. */
static clsp_status open_memory(const clsp_bspline_plan *plan, const clsp_bspline_queries *queries,
                               const clspi_project_needs *needs, shared_search *s)
{
    const clspi_plan *const base = &plan->tensor.base;

    CLSPI_CHECK(clspi_shared_input(base, &queries->points, &needs->points, &s->points));
    if (clspi_input_is_there(&queries->patches))
        CLSPI_CHECK(clspi_shared_input(base, &queries->patches, &needs->patches, &s->patches));
    if (!clspi_input_is_there(&queries->hints)) return CLSP_OK;
    return clspi_shared_input(base, &queries->hints, &needs->hints, &s->hints);
}

static clsp_status prepare(const void *user, clspi_plan *base)
{
    (void)user;
    return prepare_host(bspline_plan_of(base));
}

/* Tells why the host cannot search; NULL: it can. */
static const char *host_refusal(const clsp_bspline_plan *plan,
                                const clsp_bspline_project_opts *opts)
{
    return opts->method != CLSP_BSPLINE_PROJECT_EXACT ? "the host has the exact method alone"
           : opts->num_nearest > 1                    ? "the host looks for one nearest point alone"
           : plan->own.num > 0                        ? "curves have knots of their own"
                                                      : NULL;
}

static clspi_tiling tiling_of(size_t num)
{
    return clspi_list_tiling(num, QUERY_ITEMS);
}

/* Shares a call whose memory has been found. */
static clsp_status share_queries(clsp_bspline_plan *plan, const shared_search *s,
                                 const clspi_project_call *call, const clspi_tiles *tiles,
                                 char *out, const clsp_run *run)
{
    static const clspi_line_maker maker = {search_on_host, search_on_device, NULL};
    const char *const why_no_host = host_refusal(plan, s->opts);
    char key[KEY_MAX];
    clspi_shared_batch batch = {.plan = &plan->tensor.base,
                                .peers = &plan->tensor.peers,
                                .maker = &maker,
                                .user = s,
                                .why_no_host = why_no_host,
                                .why_not_persistent =
                                    "no persistent kernel searches for nearest points",
                                .tiling = tiling_of(call->queries->num),
                                .line_items = QUERY_ITEMS,
                                .line_bytes = call->needs.result * s->real,
                                .element = s->real,
                                .key = key,
                                .prepare = why_no_host ? NULL : prepare};

    name_job(plan, s, call->queries->num, key);
    CLSPI_CHECK(clspi_shared_batch_run(&batch, tiles, out, run, run->report));
    return clspi_run_done(&plan->tensor.base, run);
}

/* ---- what the context's device makes alone ---- */

typedef struct lone_search {
    clsp_bspline_plan *plan;
    const clspi_project_call *call;
    clsp_range lines;
} lone_search;

static clsp_status search_alone(void *user)
{
    const lone_search *const own = user;

    return clspi_project_lines(own->plan, own->call, own->lines, NULL);
}

/* Tells why no other processor takes part; NULL: they may. */
static const char *lone_reason(const clsp_bspline_plan *plan, const shared_search *s,
                               const char *out)
{
    const uintptr_t reals = (uintptr_t)s->points | (uintptr_t)s->hints | (uintptr_t)out;

    if (s->opts->method != CLSP_BSPLINE_PROJECT_EXACT) return "mrep is the device's alone";
    if (plan->own.num > 0) return "curves have knots of their own";
    return reals % s->real == 0 && (uintptr_t)s->patches % sizeof(uint32_t) == 0
               ? NULL
               : "memory that is not aligned to its elements";
}

/* ---- the call ---- */

static clsp_status project_shared(clsp_bspline_plan *plan, clspi_project_call *call,
                                  const clspi_tiles *tiles, const clsp_run *run)
{
    clspi_memory_need need = call->needs.nearest;
    shared_search s = {.opts = call->opts,
                       .real = clsp_type_bytes(plan->tensor.desc.precision),
                       .dim = plan->tensor.desc.dim};
    lone_search own = {plan, call, tiles->lines};
    char *out;

    need.count = tiles->lines.count * call->needs.result;
    CLSPI_CHECK(clspi_shared_output(&plan->tensor.base, &call->nearest, &need, &out));
    CLSPI_CHECK(open_memory(plan, call->queries, &call->needs, &s));
    const clspi_lone_call alone = {lone_reason(plan, &s, out), tiles->tiles.count, search_alone,
                                   &own, false};
    if (!alone.why) return share_queries(plan, &s, call, tiles, out, run);
    return tiles->way == CLSPI_BY_CALLER ? clspi_no_host_tiles(&plan->tensor.base, alone.why)
                                         : clspi_shared_alone(&plan->tensor.base, &alone, run);
}

clsp_status clsp_bspline_project(clsp_bspline_plan *plan, const clsp_bspline_queries *queries,
                                 const clsp_bspline_project_opts *given, clsp_output nearest,
                                 const clsp_run *run)
{
    clsp_bspline_project_opts opts = {.method = CLSP_BSPLINE_PROJECT_DEFAULT};
    clspi_project_call call = {.queries = queries, .opts = &opts, .nearest = nearest};
    clspi_tiles tiles;

    if (!plan || !queries)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bspline_project");
    if (given) opts = *given;
    CLSPI_CHECK(clspi_call_check(&plan->tensor.base, run));
    CLSPI_CHECK(clspi_project_check(plan, queries, &opts, run));
    if (plan->desc.directions == 2)
        return clspi_project_surfaces(plan, queries, &opts, &nearest, run);
    CLSPI_CHECK(clspi_project_needs_of(plan, queries, &opts, &call.needs));
    const clspi_tiling tiling = tiling_of(queries->num);
    CLSPI_CHECK(clspi_tiles_of(&tiles, &plan->tensor.base, &tiling, run));
    switch (tiles.way) {
    case CLSPI_ASKED:
        return clspi_tiles_tell(&tiles, &tiling, call.needs.result, run);
    case CLSPI_BY_DEVICE:
        return clspi_project_lines(plan, &call, tiles.lines, run);
    default:
        return project_shared(plan, &call, &tiles, run);
    }
}
