/* Projection by several processors: tiles of queries, by the host's search and by those of devices
   (docs/cooperation.md). */
#include <stdio.h>

#include "buffer.h"
#include "check.h"
#include "nearest.h"
#include "project.h"
#include "shared_batch.h"
#include "tensor_share.h"

enum {
    KEY_MAX = 160,
    QUERY_ITEMS = 64 /* a query takes longer than so many vertices: tiles are of so many fewer */
};

_Static_assert(sizeof(clspi_nearest_f32) == sizeof(clsp_nearest_f32) &&
                   sizeof(clspi_nearest_f64) == sizeof(clsp_nearest_f64),
               "the results of the host's search are the public ones");
_Static_assert((int)CLSPI_SEARCH_FOUND == (int)CLSP_NEAREST_FOUND &&
                   (int)CLSPI_SEARCH_CUT == (int)CLSP_NEAREST_CUT &&
                   (int)CLSPI_SEARCH_NONE == (int)CLSP_NEAREST_NONE &&
                   (int)CLSPI_SEARCH_INVALID == (int)CLSP_NEAREST_INVALID &&
                   (int)CLSPI_SEARCH_DEGREE_MAX == (int)CLSP_PROJECT_MAX_DEGREE,
               "and so is what becomes of a query");

/* What a shared call works on, all in host memory. */
typedef struct shared_search {
    const clsp_project_opts *opts;
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
    const clspi_curve_search_desc desc = {d->precision == CLSP_F64, d->dim, d->rational != 0,
                                          &plan->knots[0]};
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

/* Brings what a part's queries need to a device. Chunks of a plan run one after another, so that
   one buffer serves them all; the caller's memory stays until they have run. */
static clsp_status bring(clspi_plan *plan, clspi_series *series, uint32_t i, const char *from,
                         size_t bytes)
{
    clspi_staging *const staging = &plan->staging[0][i];

    CLSPI_CHECK(clspi_buffer_reserve(&staging->buffer, &staging->bytes, series->ctx, bytes));
    return clspi_series_write_later(series, staging->buffer, 0, from, bytes);
}

static clsp_status search_on_device(const void *user, clspi_plan *base, clspi_series *series,
                                    const clspi_part *part, const clspi_target *target)
{
    const shared_search *const s = user;
    const size_t first = part->piece, num = part->num_lines;
    const size_t point = s->dim * s->real, patch = sizeof(uint32_t);

    CLSPI_CHECK(clspi_nearest_prepare(bspline_plan_of(base), series, s->opts->num_nearest));
    CLSPI_CHECK(bring(base, series, POINTS, s->points + first * point, num * point));
    if (s->patches)
        CLSPI_CHECK(bring(base, series, PATCHES, s->patches + first * patch, num * patch));
    if (s->hints)
        CLSPI_CHECK(bring(base, series, HINTS, s->hints + first * s->real, num * s->real));
    const clspi_nearest_job job = {.points = base->staging[0][POINTS].buffer,
                                   .patches = s->patches ? base->staging[0][PATCHES].buffer : NULL,
                                   .hints = s->hints ? base->staging[0][HINTS].buffer : NULL,
                                   .out = target->buffer,
                                   .offset = target->offset,
                                   .num = num,
                                   .num_nearest = s->opts->num_nearest,
                                   .max_dist = s->opts->max_dist};
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

/* Shares a call whose arguments have been checked. */
static clsp_status share_queries(clsp_bspline_plan *plan, const shared_search *s, size_t num,
                                 size_t line_bytes, char *out, const clsp_cooperate_opts *share,
                                 clsp_cooperate_report *report)
{
    static const clspi_line_maker maker = {search_on_host, search_on_device, NULL};
    char key[KEY_MAX];
    clspi_shared_batch batch = {
        .plan = &plan->tensor.base,
        .peers = &plan->tensor.peers,
        .maker = &maker,
        .user = s,
        .why_no_host = s->opts->num_nearest > 1 ? "the host looks for one nearest point alone"
                       : plan->own.num > 0      ? "curves have knots of their own"
                                                : NULL,
        .why_not_persistent = "no persistent kernel searches for nearest points",
        .tiling = clspi_tiling_of(num, 1, QUERY_ITEMS, 1),
        .line_items = QUERY_ITEMS,
        .line_bytes = line_bytes,
        .element = s->real,
        .key = key};

    name_job(plan, s, num, key);
    if (!batch.why_no_host) CLSPI_CHECK(prepare_host(plan));
    return clspi_shared_batch_run(&batch, out, share, report);
}

/* A call on memory that is not aligned to its elements: the device's call stages that. */
typedef struct lone_search {
    clsp_bspline_plan *plan;
    const clsp_bspline_queries *queries;
    const clsp_project_opts *opts;
    clsp_output nearest;
} lone_search;

static clsp_status search_alone(void *user)
{
    const lone_search *const call = user;

    return clsp_bspline_project(call->plan, call->queries, call->opts, call->nearest, NULL);
}

static bool is_aligned(const shared_search *s, const char *out)
{
    const uintptr_t reals = (uintptr_t)s->points | (uintptr_t)s->hints | (uintptr_t)out;

    return reals % s->real == 0 && (uintptr_t)s->patches % sizeof(uint32_t) == 0;
}

clsp_status clsp_bspline_project_shared(clsp_bspline_plan *plan,
                                        const clsp_bspline_queries *queries,
                                        const clsp_project_opts *given, clsp_output nearest,
                                        const clsp_cooperate_opts *share,
                                        clsp_cooperate_report *report)
{
    clsp_project_opts opts = {.method = CLSP_PROJECT_DEFAULT};
    clspi_project_needs needs;
    char *out;

    if (!plan || !queries)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bspline_project_shared");
    if (given) opts = *given;
    CLSPI_CHECK(clspi_call_check(&plan->tensor.base, NULL));
    CLSPI_CHECK(clspi_project_check(plan, queries, &opts));
    if (opts.method != CLSP_PROJECT_EXACT)
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "bspline: shared projection: method exact alone");
    CLSPI_CHECK(clspi_project_needs_of(plan, queries, &opts, &needs));
    CLSPI_CHECK(clspi_shared_output(&plan->tensor.base, &nearest, &needs.nearest, &out));
    shared_search s = {.opts = &opts,
                       .real = clsp_type_bytes(plan->tensor.desc.precision),
                       .dim = plan->tensor.desc.dim};
    CLSPI_CHECK(open_memory(plan, queries, &needs, &s));
    lone_search own = {plan, queries, &opts, nearest};
    const clspi_lone_call alone = {"memory that is not aligned to its elements", queries->num > 0,
                                   search_alone, &own};
    if (!is_aligned(&s, out)) return clspi_shared_alone(&plan->tensor.base, &alone, share, report);
    return share_queries(plan, &s, queries->num, needs.result * s.real, out, share, report);
}
