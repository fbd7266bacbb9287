/* The public call that finds nearest points, from and into memory of any kind: by a device that
   searches, by the host's cores, or shared (docs/cooperation.md). */
#include <clspline/nearest.h>

#include <math.h>

#include "buffer.h"
#include "check.h"
#include "curve_device.h"
#include "methods.h"
#include "nearest_set.h"
#include "split.h"
#include "surface_device.h"
#include "surface_parts.h"
#include "patch_rows.h"
#include "work.h"

enum {
    QUERY_ITEMS = 64, /* a query takes longer than so many vertices: tiles are of so many fewer */
    POINTS = 0        /* an input; the others follow where they are */
};

/* What a launch on surfaces takes until its last queries are found, beside others and by the host.
 */
#define CHUNK_MS 2.0

_Static_assert(sizeof(clspi_nearest_f32) == sizeof(clsp_nearest_f32) &&
                   sizeof(clspi_nearest_f64) == sizeof(clsp_nearest_f64),
               "the results of the host's search are the public ones");
_Static_assert(sizeof(clspi_nearest_foot) == sizeof(clsp_nearest_foot), "and so are feet");
_Static_assert((int)CLSPI_SEARCH_FOUND == (int)CLSP_NEAREST_FOUND &&
                   (int)CLSPI_SEARCH_CUT == (int)CLSP_NEAREST_CUT &&
                   (int)CLSPI_SEARCH_NONE == (int)CLSP_NEAREST_NONE &&
                   (int)CLSPI_SEARCH_INVALID == (int)CLSP_NEAREST_INVALID &&
                   (int)CLSPI_SEARCH_DEGREE_MAX == (int)CLSP_NEAREST_MAX_DEGREE &&
                   (int)CLSPI_SURFACE_DEGREE_MAX == (int)CLSP_NEAREST_MAX_SURFACE_DEGREE &&
                   (int)CLSPI_SEARCH_NEAREST_MAX == (int)CLSP_NEAREST_MAX_RESULTS,
               "and so is what becomes of a query");

/* What is searched: a plan's patches, or those of several plans. */
typedef struct target {
    clspi_plan *base;
    clsp_patch_plan *plan; /* NULL: a search of several */
    clsp_nearest *set;     /* NULL: a plan */
    clsp_type precision;
    uint32_t dim, directions; /* 2 of several plans */
    size_t num_patches;
} target;

/* What a call works on. */
typedef struct project_call {
    target of;
    clsp_nearest_opts opts;                 /* with defaults in place; its pointers are not read */
    uint32_t patches, hints, normals, feet; /* their inputs; POINTS: none */
    double scale[4];                        /* of coordinates: the roots of the metric's weights */
} project_call;

/* ---- checks ---- */

static clsp_status bad(const clspi_plan *base, const char *what, double value)
{
    return clspi_fail(&base->ctx->log, CLSP_ERROR_ARGUMENT, "%s: projection: %s: %g", base->family,
                      what, value);
}

/* Checks options, and puts defaults in place. */
static clsp_status check_opts(const target *t, clsp_nearest_opts *opts)
{
    const clspi_plan *const base = t->base;

    CLSPI_CHECK(clspi_reserved_check_some(&base->ctx->log, "clsp_nearest_opts", opts->reserved,
                                          CLSP_RESERVED - 3));
    if (opts->method == CLSP_NEAREST_METHOD_DEFAULT) opts->method = CLSP_NEAREST_EXACT;
    if (opts->method != CLSP_NEAREST_EXACT && opts->method != CLSP_NEAREST_MREP)
        return bad(base, "no such method", opts->method);
    if (opts->num_nearest == 0) opts->num_nearest = 1;
    if (opts->num_nearest > 1 && t->directions == 2)
        return bad(base, "surfaces have one result a query, and num_nearest is", opts->num_nearest);
    if (opts->num_nearest > CLSP_NEAREST_MAX_RESULTS)
        return bad(base, "num_nearest is above the maximum", opts->num_nearest);
    if (!(opts->max_dist >= 0.0) || isinf(opts->max_dist))
        return bad(base, "max_dist is no distance", opts->max_dist);
    if (!(opts->tolerance >= 0.0) || isinf(opts->tolerance))
        return bad(base, "tolerance is no distance", opts->tolerance);
    if (opts->normals && t->directions != 2)
        return bad(base, "normals are of surfaces, and directions is", t->directions);
    if (opts->normals && t->dim != 3)
        return bad(base, "normals are of 3 dimensions, and dim is", t->dim);
    for (uint32_t k = 0; opts->metric && k < t->dim; k++)
        if (!(opts->metric[k] > 0.0) || isinf(opts->metric[k]))
            return bad(base, "a weight of the metric is not above 0 and finite", opts->metric[k]);
    if (opts->feet && !t->set) return bad(base, "feet are of searches of several plans", 0);
    if (t->set && opts->metric)
        return bad(base, "a metric is of one plan, and its first weight is", opts->metric[0]);
    if (opts->method == CLSP_NEAREST_EXACT) return CLSP_OK;
    if (t->set)
        return bad(base, "several plans are searched exactly, and the method is", opts->method);
    CLSPI_CHECK(clspi_published_check(&base->ctx->log, base->family));
    return clspi_published_mrep.check(t->plan, opts->num_nearest);
}

static clsp_status check_queries(const target *t, const clsp_nearest_queries *queries)
{
    CLSPI_CHECK(
        clspi_reserved_check(&t->base->ctx->log, "clsp_nearest_queries", queries->reserved));
    if (clspi_input_is_there(&queries->hints) && !clspi_input_is_there(&queries->patches) &&
        t->num_patches > 1)
        return bad(t->base, "hints without patches, and the patches are", (double)t->num_patches);
    return CLSP_OK;
}

/* Checks that the bytes of so many queries, with results of so many elements, can be counted. */
static clsp_status check_size(const target *t, size_t num, size_t result)
{
    size_t bytes = sizeof(double) * (result + t->dim + CLSPI_NORMAL_REALS);

    if (clspi_size_mul(&bytes, num)) return CLSP_OK;
    return clspi_fail(&t->base->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "%s: %zu queries are more than the address space", t->base->family, num);
}

/* ---- the host ---- */

static clsp_status prepare(const clspi_work *work, clspi_way way)
{
    const project_call *const call = work->user;

    (void)way;
    return call->of.set ? CLSP_OK : clspi_nearest_prepare(call->of.plan);
}

/* Searches for queries: on surfaces with the context's workers, since those of all tiles are put in
   order, or else on the calling thread alone. */
static clsp_status search_on_host(const clspi_work *work, uint32_t worker, const clspi_part *part,
                                  const char *const in[], char *out)
{
    const project_call *const call = work->user;
    const bool alone = worker != CLSPI_HOST_WORKERS;
    const clspi_nearest_queries queries = {
        .f64 = call->of.precision == CLSP_F64,
        .num = part->num_lines,
        .points = in[POINTS],
        .patches = call->patches ? (const void *)in[call->patches] : NULL,
        .hints = call->hints ? in[call->hints] : NULL,
        .num_nearest = call->opts.num_nearest,
        .max_dist = call->opts.max_dist,
        .out = out,
        .normals = call->normals ? (char *)in[call->normals] : NULL,
        .feet = call->feet ? (clspi_nearest_foot *)in[call->feet] : NULL};

    return call->of.set ? clspi_nearest_set_find(call->of.set, &queries, alone)
                        : clspi_nearest_find(call->of.plan, &queries, alone);
}

/* ---- devices ---- */

static const char *lacks(const clspi_work *work, const clspi_plan *base)
{
    const project_call *const call = work->user;
    const target *const t = &call->of;

    if (t->set && (t->set->surfaces->trims || call->feet))
        return "the host's cores search trimmed faces, and find feet";
    if (t->directions == 1) return NULL;
    return clspi_surface_device_fits(base->ctx, 2, t->dim, t->num_patches) &&
                   clspi_surface_device_holds(base->ctx, t->set ? t->set->surfaces
                                                                : t->plan->nearest->surfaces)
               ? NULL
               : "the host's cores search them";
}

/* Makes the kernels of a metric. */
static clsp_status make_kernels(clsp_patch_plan *plan, clspi_series *series)
{
    clspi_nearest *const n = plan->nearest;
    clspi_options options = clspi_options_of(series->ctx, plan->desc.precision);

    clspi_option(&options, "DIM", plan->desc.dim);
    if (!n->scale_queries.kernel)
        CLSPI_CHECK(clspi_kernel_create(&n->scale_queries, series->ctx, "metric",
                                        &clspi_scale_queries_signature, &options));
    return n->unscale_results.kernel
               ? CLSP_OK
               : clspi_kernel_create(&n->unscale_results, series->ctx, "metric",
                                     &clspi_unscale_results_signature, &options);
}

/* Has the host search for queries that are left over. */
static clsp_status find_of_plan(void *of, const clspi_nearest_queries *queries)
{
    return clspi_nearest_find(of, queries, false);
}

static clsp_status find_of_set(void *of, const clspi_nearest_queries *queries)
{
    return clspi_nearest_set_find(of, queries, false);
}

/* Searches curves, or surfaces: those that the call's plan has become on the host. */
static clsp_status find_scaled(clsp_patch_plan *plan, clspi_series *series,
                               const project_call *call, const clspi_nearest_job *job)
{
    clsp_patch_plan *const of = call->of.plan;
    const clspi_searched surfaces = {.device = &plan->nearest->surface_device,
                                     .base = &plan->base,
                                     .desc = &plan->desc,
                                     .surfaces = of->nearest->surfaces,
                                     .load = of->nearest->load,
                                     .num_patches = plan->num_patches,
                                     .find = find_of_plan,
                                     .of = of};

    if (plan->desc.directions == 2) return clspi_surface_device_find(&surfaces, series, job);
    return call->opts.method == CLSP_NEAREST_MREP
               ? clspi_published_mrep.find(plan, series, job, call->opts.tolerance)
               : clspi_curve_device_find(plan, series, job);
}

/* Searches several plans. */
static clsp_status find_in_set(clsp_nearest *set, clspi_series *series,
                               const clspi_nearest_job *job)
{
    const clspi_searched surfaces = {.device = &set->device,
                                     .base = &set->base,
                                     .desc = &set->desc,
                                     .surfaces = set->surfaces,
                                     .load = 1,
                                     .num_patches = set->num_patches,
                                     .has_probes = true,
                                     .find = find_of_set,
                                     .of = set};

    return clspi_surface_device_find(&surfaces, series, job);
}

/* Searches for some queries of a job by a metric. */
static clsp_status find_part(clsp_patch_plan *plan, clspi_series *series, const project_call *call,
                             const clspi_nearest_job *job)
{
    clspi_nearest *const n = plan->nearest;
    const clspi_real4 scale = {{call->scale[0], call->scale[1], call->scale[2], call->scale[3]}};
    const clspi_metric_range range = {.points_offset = job->points_offset,
                                      .offset = job->offset,
                                      .normals_offset = job->normals_offset,
                                      .has_normals = job->normals != NULL,
                                      .num = job->num_nearest,
                                      .items = (cl_uint)job->num};
    const clspi_scale_queries_args queries = {
        .queries = job->points, .scaled = n->queries, .range = range, .scale = scale};
    const clspi_unscale_results_args results = {.results = job->out,
                                                .normals = job->normals ? job->normals : job->out,
                                                .range = range,
                                                .scale = scale};
    clspi_nearest_job scaled = *job;

    scaled.points = n->queries;
    scaled.points_offset = 0;
    CLSPI_CHECK(clspi_launch_scale_queries(series, &n->scale_queries, &queries, job->num));
    CLSPI_CHECK(find_scaled(plan, series, call, &scaled));
    return clspi_launch_unscale_results(series, &n->unscale_results, &results, job->num);
}

/* Searches by the metric of a call. */
static clsp_status find_on_device(clsp_patch_plan *plan, clspi_series *series,
                                  const project_call *call, const clspi_nearest_job *job)
{
    clspi_nearest_job some = *job;
    clspi_cut cut = {.per_piece = clspi_max(1, job->num), .left = job->num};
    clspi_part part;

    CLSPI_CHECK(clspi_nearest_ready(plan, call->scale));
    clspi_nearest *const n = plan->nearest;
    if (!n->is_scaled) return find_scaled(plan, series, call, job);
    CLSPI_CHECK(make_kernels(plan, series));
    const uint64_t most = clspi_launch_lines(&series->ctx->tuning, 16 * (uint64_t)job->num_nearest,
                                             1, n->unscale_results.local, 1);
    while (clspi_cut_next(&cut, most, &part)) {
        const size_t before = part.before;
        some.num = part.num_lines;
        some.points_offset = job->points_offset + before * plan->desc.dim;
        some.patches_offset = job->patches_offset + before;
        some.hints_offset = job->hints_offset + before * plan->desc.directions;
        some.offset =
            job->offset + before * clspi_nearest_reals(plan->desc.precision) * job->num_nearest;
        some.normals_offset = job->normals_offset + before * CLSPI_NORMAL_REALS;
        CLSPI_CHECK(clspi_buffer_reserve(&n->queries, &n->queries_bytes, series->ctx,
                                         some.num * plan->desc.dim *
                                             clsp_type_bytes(plan->desc.precision)));
        CLSPI_CHECK(find_part(plan, series, call, &some));
    }
    return CLSP_OK;
}

static clsp_status search_on_device(const clspi_work *work, clspi_plan *base, clspi_series *series,
                                    const clspi_part *part, const clspi_place in[],
                                    const clspi_target *out)
{
    const project_call *const call = work->user;
    clspi_staging *const staging = &base->staging[0][call->normals];
    const size_t bytes = part->num_lines * CLSPI_NORMAL_REALS * clsp_type_bytes(call->of.precision);
    char *const normals = call->normals ? (char *)in[call->normals].host : NULL;
    clspi_nearest_job job = {.points = in[POINTS].buffer,
                             .patches = call->patches ? in[call->patches].buffer : NULL,
                             .hints = call->hints ? in[call->hints].buffer : NULL,
                             .out = out->buffer,
                             .normals = call->normals ? in[call->normals].buffer : NULL,
                             .points_offset = in[POINTS].offset,
                             .patches_offset = in[call->patches].offset,
                             .hints_offset = in[call->hints].offset,
                             .offset = out->offset,
                             .normals_offset = in[call->normals].offset,
                             .num = part->num_lines,
                             .num_nearest = call->opts.num_nearest,
                             .max_dist = call->opts.max_dist};

    if (normals) { /* of a shared job */
        CLSPI_CHECK(clspi_buffer_reserve(&staging->buffer, &staging->bytes, series->ctx, bytes));
        job.normals = staging->buffer;
    }
    CLSPI_CHECK(call->of.set ? find_in_set(call->of.set, series, &job)
                             : find_on_device(clspi_patch_plan_of(base), series, call, &job));
    return normals ? clspi_series_read(series, job.normals, 0, normals, bytes) : CLSP_OK;
}

/* ---- the call ---- */

/* Makes what is searched before a device is asked whether its memory holds that. */
static clsp_status prepare_surfaces(clsp_patch_plan *plan, const clsp_run *run)
{
    if (!clspi_surface_device_fits(plan->base.ctx, plan->desc.directions, plan->desc.dim,
                                   plan->num_patches) ||
        clspi_run_asks(run))
        return CLSP_OK;
    pthread_mutex_lock(&plan->base.lock);
    const clsp_status status = clspi_nearest_prepare(plan);
    pthread_mutex_unlock(&plan->base.lock);
    return status;
}

/* Adds memory that is read, or written (output), and returns its number. need: of one query. */
static uint32_t add_memory(clspi_work_input *in, clspi_work *work, const clsp_input *input,
                           const clsp_output *output, clspi_memory_need need)
{
    const size_t per_line = need.count;

    need.count *= work->tiling.num_pieces;
    in[work->num_in] = (clspi_work_input){
        .input = input, .need = need, .per_line = per_line, .planes = 1, .written = output};
    return work->num_in++;
}

/* Adds all memory but that of the results. */
static void add_memories(clspi_work_input *in, clspi_work *work,
                         const clsp_nearest_queries *queries, project_call *call)
{
    const target *const t = &call->of;
    const clspi_memory_need points = {"points", t->precision, t->dim};
    const clspi_memory_need patches = {"patches", CLSP_U32, 1};
    const clspi_memory_need hints = {"hints", t->precision, t->directions};
    const clspi_memory_need feet = {"feet", CLSP_F64, CLSP_NEAREST_FOOT_SIZE};
    const clspi_memory_need normals = {"normals", t->precision, CLSPI_NORMAL_REALS};

    work->in = in;
    add_memory(in, work, &queries->points, NULL, points);
    if (clspi_input_is_there(&queries->patches))
        call->patches = add_memory(in, work, &queries->patches, NULL, patches);
    if (clspi_input_is_there(&queries->hints))
        call->hints = add_memory(in, work, &queries->hints, NULL, hints);
    if (call->opts.feet) call->feet = add_memory(in, work, NULL, call->opts.feet, feet);
    if (call->opts.normals) call->normals = add_memory(in, work, NULL, call->opts.normals, normals);
}

/* Describes what speeds depend on. */
static clspi_work_key key_of(const clspi_work *work)
{
    const project_call *const call = work->user;
    const target *const t = &call->of;
    const clspi_tensor_desc *const d = t->set ? &t->set->desc : &t->plan->desc;
    const double reals =
        t->set ? t->set->num_reals : (double)t->num_patches * (double)t->plan->patch_reals;
    const clspi_work_key key = {t->set ? "nearest_set" : "nearest",
                                12,
                                {d->directions, d->degrees[0], d->degrees[1], d->dim, d->precision,
                                 d->rational != 0, call->patches > 0, call->hints > 0,
                                 call->opts.max_dist > 0.0, call->opts.num_nearest,
                                 call->normals > 0, clspi_size_class(reals)}};

    return key;
}

/* Estimates how long a query on curves takes a core, in ns: as measured. */
static double query_ns(const clspi_tensor_desc *d, uint32_t num_nearest)
{
    const double order = d->degrees[0] + 1;

    return 100.0 * order * order * (d->rational ? 2 : 1) * num_nearest;
}

/* Makes ready what a plan's patches become. */
static clsp_status make_ready(const project_call *call, const clsp_run *run)
{
    if (call->of.set) return CLSP_OK;
    CLSPI_CHECK(clspi_nearest_ready(call->of.plan, call->scale));
    return prepare_surfaces(call->of.plan, run);
}

/* Carries out a call whose arguments have been checked. */
static clsp_status project(const target *t, const clsp_nearest_queries *queries,
                           const clsp_nearest_opts *opts, const clsp_output *nearest,
                           const clsp_run *run)
{
    static const clspi_work_makers makers = {.key = key_of,
                                             .prepare = prepare,
                                             .on_host = search_on_host,
                                             .lacks = lacks,
                                             .on_device = search_on_device};
    const size_t each = t->precision == CLSP_F64 ? CLSP_NEAREST_F64_SIZE : CLSP_NEAREST_F32_SIZE;
    const size_t result = each * opts->num_nearest;
    const char *const alone =
        opts->method == CLSP_NEAREST_MREP ? clspi_published_mrep.why_alone : NULL;
    const char *const no_peers = t->set ? "joined devices do not search several plans" : alone;
    const bool is_curve = t->directions == 1;
    project_call call = {.of = *t, .opts = *opts};
    clspi_work_input in[CLSPI_WORK_INPUTS];
    clspi_work work = {.plan = t->base,
                       .peers = t->plan ? &t->plan->peers : NULL,
                       .makers = &makers,
                       .user = &call,
                       .user_bytes = sizeof call,
                       .tiling = clspi_list_tiling(queries->num, QUERY_ITEMS),
                       .out = {nearest, "nearest", t->precision, result, false},
                       .line_items = QUERY_ITEMS,
                       .line_ns = is_curve ? query_ns(&t->plan->desc, opts->num_nearest) : 0,
                       .takes_all = !is_curve,
                       .chunk_ms = is_curve ? 0 : CHUNK_MS,
                       .why_no_host = alone,
                       .why_alone = no_peers};

    CLSPI_CHECK(check_size(t, queries->num, result));
    add_memories(in, &work, queries, &call);
    for (uint32_t k = 0; k < 4; k++)
        call.scale[k] = opts->metric && k < t->dim ? sqrt(opts->metric[k]) : 1;
    CLSPI_CHECK(make_ready(&call, run));
    return clspi_work_run(&work, run);
}

/* Checks what is asked of a target, and carries it out. */
static clsp_status project_onto(const target *t, const clsp_nearest_queries *queries,
                                const clsp_nearest_opts *given, const clsp_output *nearest,
                                const clsp_run *run)
{
    clsp_nearest_opts opts = {.method = CLSP_NEAREST_METHOD_DEFAULT};

    if (given) opts = *given;
    CLSPI_CHECK(check_opts(t, &opts));
    CLSPI_CHECK(check_queries(t, queries));
    return project(t, queries, &opts, nearest, run);
}

clsp_status clsp_nearest_project(clsp_patch_plan *plan, const clsp_nearest_queries *queries,
                                 const clsp_nearest_opts *given, clsp_output nearest,
                                 const clsp_run *run)
{
    if (!plan || !queries)
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_nearest_project");
    const target t = {.base = &plan->base,
                      .plan = plan,
                      .precision = plan->desc.precision,
                      .dim = plan->desc.dim,
                      .directions = plan->desc.directions,
                      .num_patches = plan->num_patches};
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(clspi_nearest_check_patches(plan, run));
    return project_onto(&t, queries, given, &nearest, run);
}

clsp_status clsp_nearest_find(clsp_nearest *search, const clsp_nearest_queries *queries,
                              const clsp_nearest_opts *given, clsp_output nearest,
                              const clsp_run *run)
{
    if (!search || !queries)
        return clspi_null_argument(search ? &search->base : NULL, "clsp_nearest_find");
    const target t = {.base = &search->base,
                      .set = search,
                      .precision = search->precision,
                      .dim = search->dim,
                      .directions = 2,
                      .num_patches = search->num_patches};
    CLSPI_CHECK(clspi_call_check(&search->base, run));
    return project_onto(&t, queries, given, &nearest, run);
}
