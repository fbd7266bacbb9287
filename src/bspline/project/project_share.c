/* The public call of projection: of surfaces as surface_project.h says; of curves by the context's
   device, by the host's search for its own CPU, or shared, as tiles of queries by both and by
   joined devices (docs/cooperation.md). */
#include <clspline/bspline_project.h>

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "nearest.h"
#include "project.h"
#include "shared_batch.h"
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
                   (int)CLSPI_SEARCH_DEGREE_MAX == (int)CLSP_BSPLINE_PROJECT_MAX_DEGREE &&
                   (int)CLSPI_SEARCH_NEAREST_MAX == (int)CLSP_BSPLINE_PROJECT_MAX_NEAREST,
               "and so is what becomes of a query");

/* What a call works on, all in host memory. */
typedef struct shared_search {
    const clsp_bspline_project_opts *opts;
    const char *points, *patches, *hints; /* NULL: none */
    void *copies[3];                      /* of what is not aligned to its elements; NULL: none */
    size_t real, dim;                     /* bytes of a real; of a point */
} shared_search;

static clsp_bspline_plan *bspline_plan_of(clspi_plan *plan)
{
    return (clsp_bspline_plan *)plan; /* whose first member's first it is */
}

/* ---- the host ---- */

/* Makes the host's search of curves over a plan's knots. */
static clsp_status make_search(clsp_bspline_plan *plan)
{
    const clspi_tensor_desc *const d = &plan->tensor.desc;
    clspi_curve_spans spans;
    const clsp_status status = clspi_plan_curve_spans(plan, &spans);
    const clspi_curve_search_desc desc = {.f64 = d->precision == CLSP_F64,
                                          .dim = d->dim,
                                          .rational = d->rational != 0,
                                          .degree = plan->knots[0].degree,
                                          .controls = plan->knots[0].controls,
                                          .spans = &spans};

    if (status == CLSP_OK) plan->search = clspi_curve_search_create(&desc);
    clspi_curve_spans_release(&spans);
    return status;
}

/* Makes the host's search ready for the plan's curves, which workers then share. */
static clsp_status prepare_host(const void *user, clspi_plan *base)
{
    clsp_bspline_plan *const plan = bspline_plan_of(base);
    const void *points;

    (void)user;
    if (plan->search && plan->search_load == plan->tensor.loads) return CLSP_OK;
    CLSPI_CHECK(clspi_tensor_host_points(&plan->tensor, &points));
    plan->search_load = 0;
    if (!plan->search) CLSPI_CHECK(make_search(plan));
    if (!plan->search || !clspi_curve_search_load(plan->search, plan->tensor.num_patches, points))
        return clspi_fail(&base->ctx->log, CLSP_ERROR_NO_MEMORY,
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
        .num_nearest = s->opts->num_nearest,
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

/* Opens what a call reads: an input or none. i: which copy it may have. */
static clsp_status open_input(const clspi_plan *plan, const clsp_input *input,
                              const clspi_memory_need *need, shared_search *s, int i,
                              const char **at)
{
    if (i > 0 && !clspi_input_is_there(input)) return CLSP_OK;
    CLSPI_CHECK(clspi_shared_input(plan, input, need, at));
    return clspi_align_input(plan, need, at, &s->copies[i]);
}

/* Checks the memory of a call and finds where it is; close_memory must follow in every case. */
static clsp_status open_memory(const clsp_bspline_plan *plan, const clsp_bspline_queries *queries,
                               const clspi_project_needs *needs, shared_search *s)
{
    const clspi_plan *const base = &plan->tensor.base;

    CLSPI_CHECK(open_input(base, &queries->points, &needs->points, s, POINTS, &s->points));
    CLSPI_CHECK(open_input(base, &queries->patches, &needs->patches, s, PATCHES, &s->patches));
    return open_input(base, &queries->hints, &needs->hints, s, HINTS, &s->hints);
}

static void close_memory(shared_search *s)
{
    for (int i = 0; i < 3; i++)
        free(s->copies[i]);
}

static clspi_tiling tiling_of(size_t num)
{
    return clspi_list_tiling(num, QUERY_ITEMS);
}

static clspi_shared_batch batch_of(clsp_bspline_plan *plan, const shared_search *s,
                                   const clspi_project_call *call)
{
    static const clspi_line_maker maker = {search_on_host, search_on_device, NULL};

    return (clspi_shared_batch){.plan = &plan->tensor.base,
                                .peers = &plan->tensor.peers,
                                .maker = &maker,
                                .user = s,
                                .why_not_persistent =
                                    "no persistent kernel searches for nearest points",
                                .tiling = tiling_of(call->queries->num),
                                .line_items = QUERY_ITEMS,
                                .line_bytes = call->needs.result * s->real,
                                .element = s->real,
                                .prepare = prepare_host};
}

/* Shares a call whose memory has been found. */
static clsp_status share_queries(clsp_bspline_plan *plan, const shared_search *s,
                                 const clspi_project_call *call, const clspi_tiles *tiles,
                                 char *out, const clsp_run *run)
{
    clspi_shared_batch batch = batch_of(plan, s, call);
    char key[KEY_MAX];

    name_job(plan, s, call->queries->num, key);
    batch.key = key;
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

/* ---- the call ---- */

static clsp_status project_shared(clsp_bspline_plan *plan, const clspi_project_call *call,
                                  shared_search *s, const clspi_tiles *tiles, const clsp_run *run)
{
    clspi_memory_need need = call->needs.nearest;
    clsp_output nearest = call->nearest;
    clspi_project_call staged = *call;
    lone_search own = {plan, &staged, tiles->lines};
    char *out;

    need.count = tiles->lines.count * call->needs.result;
    CLSPI_CHECK(clspi_shared_output(&plan->tensor.base, &nearest, &need, &out));
    CLSPI_CHECK(open_memory(plan, call->queries, &call->needs, s));
    staged.nearest = nearest;
    const clspi_lone_call alone = {"mrep is the device's alone", tiles->tiles.count, search_alone,
                                   &own, false};
    if (call->opts->method == CLSP_BSPLINE_PROJECT_EXACT)
        return share_queries(plan, s, call, tiles, out, run);
    return tiles->way == CLSPI_BY_CALLER ? clspi_no_host_tiles(&plan->tensor.base, alone.why)
                                         : clspi_shared_alone(&plan->tensor.base, &alone, run);
}

/* Tells whether the host's threads make a call, which the method and the kinds of memory decide. */
static bool goes_to_host(const clsp_bspline_plan *plan, const clspi_project_call *call,
                         const clsp_run *run)
{
    const clsp_input *const in[] = {&call->queries->points, &call->queries->patches,
                                    &call->queries->hints};
    bool on_host = clspi_goes_to_host(&plan->tensor.base, run, &call->nearest, false);

    for (int i = 0; i < 3; i++)
        on_host = on_host && !in[i]->buffer && !in[i]->svm;
    return on_host && call->opts->method == CLSP_BSPLINE_PROJECT_EXACT;
}

/* Estimates how long a query takes a core, in ns: as measured. */
static double query_ns(const clsp_bspline_plan *plan, const clsp_bspline_project_opts *opts)
{
    const double order = plan->knots[0].degree + 1;

    return 100.0 * order * order * (plan->tensor.desc.rational ? 2 : 1) * opts->num_nearest;
}

static clsp_status project_on_host(clsp_bspline_plan *plan, const clspi_project_call *call,
                                   shared_search *s, const clspi_tiles *tiles, const clsp_run *run)
{
    clspi_shared_batch batch = batch_of(plan, s, call);
    clspi_memory memory;

    CLSPI_CHECK(
        clspi_output_open(&memory, &plan->tensor.base, &call->nearest, &call->needs.nearest));
    CLSPI_CHECK(open_memory(plan, call->queries, &call->needs, s));
    return clspi_batch_on_host(&batch, tiles, memory.host, query_ns(plan, call->opts), run);
}

/* Carries out a call on curves whose arguments have been checked. */
static clsp_status project_curves(clsp_bspline_plan *plan, const clspi_project_call *call,
                                  const clsp_run *run)
{
    const clspi_tiling tiling = tiling_of(call->queries->num);
    const bool by_host = goes_to_host(plan, call, run);
    shared_search s = {.opts = call->opts,
                       .real = clsp_type_bytes(plan->tensor.desc.precision),
                       .dim = plan->tensor.desc.dim};
    clspi_tiles tiles;

    CLSPI_CHECK(clspi_tiles_of(&tiles, &plan->tensor.base, &tiling, run));
    if (tiles.way == CLSPI_ASKED) return clspi_tiles_tell(&tiles, &tiling, call->needs.result, run);
    if (tiles.way == CLSPI_BY_DEVICE && !by_host)
        return clspi_project_lines(plan, call, tiles.lines, run);
    const clsp_status status = tiles.way == CLSPI_BY_DEVICE
                                   ? project_on_host(plan, call, &s, &tiles, run)
                                   : project_shared(plan, call, &s, &tiles, run);
    close_memory(&s);
    return status;
}

clsp_status clsp_bspline_project(clsp_bspline_plan *plan, const clsp_bspline_queries *queries,
                                 const clsp_bspline_project_opts *given, clsp_output nearest,
                                 const clsp_run *run)
{
    clsp_bspline_project_opts opts = {.method = CLSP_BSPLINE_PROJECT_DEFAULT};
    clspi_project_call call = {.queries = queries, .opts = &opts, .nearest = nearest};

    if (!plan || !queries)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bspline_project");
    if (given) opts = *given;
    CLSPI_CHECK(clspi_call_check(&plan->tensor.base, run));
    CLSPI_CHECK(clspi_project_check(plan, queries, &opts, run));
    if (plan->desc.directions == 2)
        return clspi_project_surfaces(plan, queries, &opts, &nearest, run);
    CLSPI_CHECK(clspi_project_needs_of(plan, queries, &opts, &call.needs));
    return project_curves(plan, &call, run);
}
