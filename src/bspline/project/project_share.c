/* Projection onto B-splines: of surfaces as surface_project.h says; of curves by the context's
   device, by the host's search for its own CPU, or shared, as tiles of queries by both and by
   joined devices (docs/cooperation.md). */
#include "check.h"
#include "curve_device.h"
#include "nearest_cubic.h"
#include "project.h"
#include "patch_eval.h"
#include "work.h"

enum {
    QUERY_ITEMS = 64, /* a query takes longer than so many vertices: tiles are of so many fewer */
    POINTS = 0        /* an input; the others follow where they are */
};

_Static_assert(sizeof(clspi_nearest_f32) == sizeof(clsp_nearest_f32) &&
                   sizeof(clspi_nearest_f64) == sizeof(clsp_nearest_f64),
               "the results of the host's search are the public ones");
_Static_assert((int)CLSPI_SEARCH_FOUND == (int)CLSP_NEAREST_FOUND &&
                   (int)CLSPI_SEARCH_CUT == (int)CLSP_NEAREST_CUT &&
                   (int)CLSPI_SEARCH_NONE == (int)CLSP_NEAREST_NONE &&
                   (int)CLSPI_SEARCH_INVALID == (int)CLSP_NEAREST_INVALID &&
                   (int)CLSPI_SEARCH_DEGREE_MAX == (int)CLSP_NEAREST_MAX_DEGREE &&
                   (int)CLSPI_SEARCH_NEAREST_MAX == (int)CLSP_NEAREST_MAX_RESULTS,
               "and so is what becomes of a query");

/* What a call works on. */
typedef struct project_call {
    clsp_nearest_opts opts;  /* with defaults in place */
    uint32_t patches, hints; /* their inputs; POINTS: none */
} project_call;

/* ---- the host ---- */

/* Makes the host's search of curves over a plan's knots. */
static clsp_status make_search(clspi_bspline_plan *plan)
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
static clsp_status prepare_host(const clspi_work *work, clspi_way way)
{
    clspi_bspline_plan *const plan = clspi_bspline_plan_of(work->plan);
    const void *points;

    (void)way;
    if (plan->search && plan->search_load == plan->tensor.loads) return CLSP_OK;
    CLSPI_CHECK(clspi_patch_host_points(&plan->tensor, &points));
    plan->search_load = 0;
    if (!plan->search) CLSPI_CHECK(make_search(plan));
    if (!plan->search || !clspi_curve_search_load(plan->search, plan->tensor.num_patches, points))
        return clspi_fail(&work->plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for the host's search");
    plan->search_load = plan->tensor.loads;
    return CLSP_OK;
}

static clsp_status search_on_host(const clspi_work *work, uint32_t worker, const clspi_part *part,
                                  const char *const in[], char *out)
{
    const project_call *const call = work->user;
    const clspi_segment_queries queries = {
        .num = part->num_lines,
        .points = in[POINTS],
        .patches = call->patches ? (const uint32_t *)(const void *)in[call->patches] : NULL,
        .hints = call->hints ? in[call->hints] : NULL,
        .num_nearest = call->opts.num_nearest,
        .max_dist = call->opts.max_dist,
        .out = out};

    (void)worker;
    clspi_curve_search_find(clspi_bspline_plan_of(work->plan)->search, &queries);
    return CLSP_OK;
}

/* ---- devices ---- */

static clsp_status search_on_device(const clspi_work *work, clspi_plan *base, clspi_series *series,
                                    const clspi_part *part, const clspi_place in[],
                                    const clspi_target *out)
{
    const project_call *const call = work->user;
    const clsp_nearest_opts *const opts = &call->opts;
    clspi_bspline_plan *const plan = clspi_bspline_plan_of(base);
    const clspi_nearest_job job = {.points = in[POINTS].buffer,
                                   .patches = call->patches ? in[call->patches].buffer : NULL,
                                   .hints = call->hints ? in[call->hints].buffer : NULL,
                                   .out = out->buffer,
                                   .points_offset = in[POINTS].offset,
                                   .patches_offset = in[call->patches].offset,
                                   .hints_offset = in[call->hints].offset,
                                   .offset = out->offset,
                                   .num = part->num_lines,
                                   .num_nearest = opts->num_nearest,
                                   .max_dist = opts->max_dist};

    if (opts->method == CLSP_NEAREST_MREP) {
        CLSPI_CHECK(clspi_nearest_cubic_prepare(plan, series, opts->tolerance, part->num_lines));
        return clspi_nearest_cubic_find(plan, series, &job);
    }
    CLSPI_CHECK(clspi_nearest_prepare(plan, series, opts->num_nearest));
    return clspi_nearest_find(plan, series, &job);
}

/* ---- the call ---- */

/* Adds an input of one element a query that may be there; returns its number, or that of the
   points. */
static uint32_t add_input(clspi_work_input *in, uint32_t *num, const clsp_input *input,
                          clspi_memory_need need)
{
    if (!clspi_input_is_there(input)) return POINTS;
    in[*num] = (clspi_work_input){.input = input, .need = need, .per_line = 1, .planes = 1};
    return (*num)++;
}

/* Describes what speeds depend on. */
static clspi_work_key key_of(const clspi_work *work)
{
    const clspi_bspline_plan *const plan = clspi_bspline_plan_of(work->plan);
    const project_call *const call = work->user;
    const clspi_tensor_desc *const d = &plan->tensor.desc;
    const clspi_work_key key = {"nearest",
                                9,
                                {d->degrees[0], d->dim, d->precision, d->rational != 0,
                                 call->patches > 0, call->hints > 0, call->opts.max_dist > 0.0,
                                 call->opts.num_nearest,
                                 clspi_size_class((double)plan->knots[0].num_spans) +
                                     clspi_size_class((double)plan->tensor.num_patches)}};

    return key;
}

/* Estimates how long a query takes a core, in ns: as measured. */
static double query_ns(const clspi_bspline_plan *plan, const clsp_nearest_opts *opts)
{
    const double order = plan->knots[0].degree + 1;

    return 100.0 * order * order * (plan->tensor.desc.rational ? 2 : 1) * opts->num_nearest;
}

/* Carries out a call on curves whose arguments have been checked. */
static clsp_status project_curves(clspi_bspline_plan *plan, const clsp_nearest_queries *queries,
                                  const clsp_nearest_opts *opts, const clsp_output *nearest,
                                  const clsp_run *run)
{
    static const clspi_work_makers makers = {.key = key_of,
                                             .prepare = prepare_host,
                                             .on_host = search_on_host,
                                             .on_device = search_on_device};
    const clspi_tensor_desc *const d = &plan->tensor.desc;
    const size_t num = queries->num;
    const bool is_mrep = opts->method == CLSP_NEAREST_MREP;
    const char *const why = is_mrep ? "mrep is the device's alone" : NULL;
    project_call call = {.opts = *opts};
    clspi_work_input in[CLSPI_WORK_INPUTS] = {{.input = &queries->points,
                                               .need = {"points", d->precision, num * d->dim},
                                               .per_line = d->dim,
                                               .planes = 1}};
    clspi_work work = {.plan = &plan->tensor.base,
                       .peers = &plan->tensor.peers,
                       .makers = &makers,
                       .user = &call,
                       .user_bytes = sizeof call,
                       .tiling = clspi_list_tiling(num, QUERY_ITEMS),
                       .num_in = 1,
                       .in = in,
                       .out = {nearest, "nearest", d->precision, 0, false},
                       .line_items = QUERY_ITEMS,
                       .line_ns = query_ns(plan, opts),
                       .why_no_host = why,
                       .why_alone = why};

    CLSPI_CHECK(clspi_project_result(plan, num, opts, &work.out.per_line));
    call.patches = add_input(in, &work.num_in, &queries->patches,
                             (clspi_memory_need){"patches", CLSP_U32, num});
    call.hints = add_input(in, &work.num_in, &queries->hints,
                           (clspi_memory_need){"hints", d->precision, num});
    return clspi_work_run(&work, run);
}

clsp_status clspi_bspline_project(clsp_patch_plan *tensor, const clsp_nearest_queries *queries,
                                  const clsp_nearest_opts *given, const clsp_output *nearest,
                                  const clsp_run *run)
{
    clspi_bspline_plan *const plan = clspi_bspline_plan_of(&tensor->base);
    clsp_nearest_opts opts = *given;

    CLSPI_CHECK(clspi_project_check(plan, queries, &opts, run));
    return plan->desc.directions == 2 ? clspi_project_surfaces(plan, queries, &opts, nearest, run)
                                      : project_curves(plan, queries, &opts, nearest, run);
}
