/* The public calls that make pieces of a lower degree. */
#include <clspline/reduce.h>

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "patch_rows.h"
#include "reduction.h"
#include "reduce_curves.h"
#include "work.h"

_Static_assert((int)CLSP_REDUCE_MAX_DEGREE == (int)CLSPI_REDUCE_TO_MAX &&
                   (int)CLSP_REDUCE_MAX_CURVE_DEGREE == (int)CLSPI_REDUCE_FROM_MAX &&
                   (int)CLSP_REDUCE_MAX_PIECES == (int)CLSPI_REDUCE_PIECES_MAX,
               "the limits of the host's mathematics are the public ones");

/* What was counted. Segments of curves are counted through all of them. */
struct clspi_reduction {
    clspi_reduce_tables tables;
    clspi_spans spans;
    double tolerance;
    uint64_t load;    /* of the control points that it is of */
    size_t segments;  /* of all curves */
    uint32_t *counts; /* [segments], pieces of each, */
    size_t *first;    /* [segments + 1], and how many there are before */
};

void clspi_reduction_destroy(clspi_reduction **ptr)
{
    clspi_reduction *const r = *ptr;

    if (!r) return;
    *ptr = NULL;
    clspi_reduce_tables_release(&r->tables);
    clspi_spans_release(&r->spans);
    free(r->counts);
    free(r->first);
    free(r);
}

static clsp_status no_memory(const clsp_patch_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "%s: no memory for pieces of %zu curves", plan->base.family,
                      plan->num_patches);
}

/* ---- checks ---- */

static clsp_status bad(const clsp_patch_plan *plan, const char *what, double value)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT, "%s: reduction: %s: %g",
                      plan->base.family, what, value);
}

static clsp_status check_reduction(const clsp_patch_plan *plan, const clsp_reduction *r)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const uint32_t degree = d->degrees[0];

    CLSPI_CHECK(clspi_reserved_check(&plan->base.ctx->log, "clsp_reduction", r->reserved));
    if (d->directions != 1 || d->is_triangle)
        return bad(plan, "of curves, and directions is", d->is_triangle ? 2 : d->directions);
    if (r->degree == 0 || r->degree >= degree)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: reduction of degree %u to %u, which is not lower and above 0",
                          plan->base.family, degree, r->degree);
    if (degree > CLSP_REDUCE_MAX_CURVE_DEGREE || r->degree > CLSP_REDUCE_MAX_DEGREE)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_DEGREE,
                          "%s: reduction of degree %u to %u: of at most %d to at most %d",
                          plan->base.family, degree, r->degree, CLSP_REDUCE_MAX_CURVE_DEGREE,
                          CLSP_REDUCE_MAX_DEGREE);
    if (!(r->tolerance > 0) || isinf(r->tolerance))
        return bad(plan, "a tolerance is above 0 and finite, and it is", r->tolerance);
    if (r->polynomial > 1) return bad(plan, "polynomial is 0 or 1, and it is", r->polynomial);
    if (r->free_tangents > 1)
        return bad(plan, "free_tangents is 0 or 1, and it is", r->free_tangents);
    return clspi_patch_check_patches(plan, (clsp_range){0, 0}, NULL);
}

/* ---- counting ---- */

/* Describes the curves of a plan, whose control points the host has. */
static clspi_reduce_curves curves_of(const clsp_patch_plan *plan, const clspi_reduction *r)
{
    return (clspi_reduce_curves){.points = plan->host.data,
                                 .is_bezier = !plan->desc.basis.num_spans,
                                 .stride = plan->patch_reals,
                                 .spans = &r->spans,
                                 .tables = &r->tables,
                                 .tolerance = r->tolerance};
}

enum { SEGMENTS_AT_ONCE = 256 /* by a thread */ };

/* Segments that threads count the pieces of. */
typedef struct count_job {
    clspi_reduction *r;
    clspi_reduce_curves curves;
    double *bounds; /* [the threads' shares]: the largest of each; negative: no memory */
} count_job;

static void count_some(void *user, size_t share)
{
    const count_job *const job = user;
    const size_t first = share * SEGMENTS_AT_ONCE;
    const size_t num = clspi_min(SEGMENTS_AT_ONCE, job->r->segments - first);

    job->bounds[share] = clspi_reduce_count(&job->curves, first, num, job->r->counts + first);
}

/* Adds the counts up. */
static bool add_up(clspi_reduction *r)
{
    r->first[0] = 0;
    for (size_t i = 0; i < r->segments; i++) {
        if (r->counts[i] > SIZE_MAX - r->first[i]) return false;
        r->first[i + 1] = r->first[i] + r->counts[i];
    }
    return true;
}

/* Counts the pieces of all segments; false without memory. */
static bool count_all(const clsp_patch_plan *plan, clspi_reduction *r, clsp_reduction_size *size)
{
    const size_t shares = clspi_div_up(r->segments, SEGMENTS_AT_ONCE);
    count_job job = {r, curves_of(plan, r), malloc((shares + 1) * sizeof *job.bounds)};
    bool done = job.bounds != NULL;

    if (!done) return false;
    clspi_pieces_on_host(&plan->base, shares, count_some, &job);
    for (size_t i = 0; i < shares; i++) {
        done = done && job.bounds[i] >= 0;
        size->bound = fmax(size->bound, job.bounds[i]);
    }
    free(job.bounds);
    done = done && add_up(r);
    if (done) size->num_pieces = r->first[r->segments];
    return done;
}

/* Makes a reduction of the control points that are loaded; false without memory. */
static bool make(const clsp_patch_plan *plan, const clsp_reduction *wanted, clspi_reduction *r,
                 clsp_reduction_size *size)
{
    const clspi_reduce_form form = {.degree = plan->desc.degrees[0],
                                    .to = wanted->degree,
                                    .dim = plan->desc.dim,
                                    .f64 = plan->desc.precision == CLSP_F64,
                                    .rational = plan->desc.rational != 0,
                                    .to_polynomial = wanted->polynomial != 0,
                                    .tangents = !wanted->free_tangents};

    *r = (clspi_reduction){
        .tolerance = wanted->tolerance, .load = plan->loads, .segments = plan->num_patches};
    if (!clspi_patch_spans(plan, 0, &r->spans)) return false;
    if (!clspi_size_mul(&r->segments, r->spans.spans) || r->segments > SIZE_MAX / 16) return false;
    r->counts = malloc((r->segments + 1) * sizeof *r->counts);
    r->first = malloc((r->segments + 1) * sizeof *r->first);
    return r->counts && r->first && clspi_reduce_tables_make(&r->tables, &form) &&
           count_all(plan, r, size);
}

/* Reads the control points and counts. */
static clsp_status set_reduction(clsp_patch_plan *plan, const clsp_reduction *wanted,
                                 clsp_reduction_size *size)
{
    const void *points;

    CLSPI_CHECK(clspi_patch_host_points(plan, &points));
    clspi_reduction *made = malloc(sizeof *made);
    if (!made || !make(plan, wanted, made, size)) {
        clspi_reduction_destroy(&made);
        return no_memory(plan);
    }
    clspi_reduction_destroy(&plan->reduction);
    plan->reduction = made;
    return CLSP_OK;
}

clsp_status clsp_patch_set_reduction(clsp_patch_plan *plan, const clsp_reduction *reduction,
                                     clsp_reduction_size *size)
{
    clsp_reduction_size made = {.bound = 0};

    if (!plan) return clspi_null_argument(NULL, "clsp_patch_set_reduction");
    CLSPI_CHECK(clspi_change_check(&plan->base));
    CLSPI_CHECK(clspi_call_check(&plan->base, NULL));
    if (reduction) {
        CLSPI_CHECK(check_reduction(plan, reduction));
        CLSPI_CHECK(set_reduction(plan, reduction, &made));
    } else
        clspi_reduction_destroy(&plan->reduction);
    if (size) *size = made;
    return CLSP_OK;
}

/* ---- pieces ---- */

/* What a call works on: which inputs are memory that it writes, counted from 1; 0: none. */
typedef struct reduce_call {
    uint32_t params, bounds, patches;
} reduce_call;

/* Returns the segment that piece number i is of: the last one with no more before it. */
static size_t segment_of(const clspi_reduction *r, size_t i)
{
    size_t low = 0, high = r->segments;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (r->first[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Makes parameters of curves of places in segments. */
static void make_params(const clspi_reduction *r, const uint32_t *segments, size_t num,
                        double *params)
{
    for (size_t i = 0; i < num; i++) {
        const size_t at = r->spans.sets > 1 ? segments[i] : segments[i] % r->spans.spans;
        const double *const ends = r->spans.ends + CLSPI_SPAN_ENDS * at;
        for (size_t k = 0; k < 2; k++) {
            const double t = params[2 * i + k];
            params[2 * i + k] = (1 - t) * ends[0] + t * ends[1];
        }
    }
}

static clsp_status prepare(const clspi_work *work, clspi_way way)
{
    const void *points;

    (void)way;
    return clspi_patch_host_points(clspi_patch_plan_of(work->plan), &points);
}

/* Makes some pieces on the host. */
static clsp_status make_on_host(const clspi_work *work, uint32_t worker, const clspi_part *part,
                                const char *const in[], char *out)
{
    const reduce_call *const call = work->user;
    const clsp_patch_plan *const plan = clspi_patch_plan_of(work->plan);
    const clspi_reduction *const r = plan->reduction;
    const clspi_reduce_curves curves = curves_of(plan, r);
    const size_t num = part->num_lines, segment = segment_of(r, part->piece);
    const bool needs = call->params > 0 && call->patches == 0;
    uint32_t *const own = needs ? malloc((num + 1) * sizeof *own) : NULL;
    const clspi_reduce_pieces to = {
        .points = out,
        .ends = call->params > 0 ? (double *)(void *)in[call->params - 1] : NULL,
        .bounds = call->bounds > 0 ? (double *)(void *)in[call->bounds - 1] : NULL,
        .segments = call->patches > 0 ? (uint32_t *)(void *)in[call->patches - 1] : own};

    (void)worker;
    if ((needs && !own) ||
        !clspi_reduce_write(&curves, r->counts, segment,
                            (uint32_t)(part->piece - r->first[segment]), num, &to)) {
        free(own);
        return no_memory(plan);
    }
    if (to.ends) make_params(r, to.segments, num, to.ends);
    for (size_t i = 0; i < num && call->patches > 0; i++)
        to.segments[i] /= r->spans.spans;
    free(own);
    return CLSP_OK;
}

static const char *lacks(const clspi_work *work, const clspi_plan *plan)
{
    (void)work;
    (void)plan;
    return "the host's cores make pieces of a lower degree";
}

/* Adds memory that is written where it is asked for; per_line: elements of a piece. Returns its
   number from 1 on; 0: there is none. */
static uint32_t add_memory(clspi_work_input *in, clspi_work *work, const clsp_output *output,
                           const char *what, clsp_type type, size_t per_line)
{
    if (!output->buffer && !output->host && !output->svm && !output->graphics) return 0;
    in[work->num_in] = (clspi_work_input){.need = {what, type, per_line * work->tiling.num_pieces},
                                          .per_line = per_line,
                                          .planes = 1,
                                          .written = output};
    return ++work->num_in;
}

/* Carries out a call whose arguments have been checked, but for memory. */
static clsp_status reduce(clsp_patch_plan *plan, clsp_range patches, const clsp_pieces *pieces,
                          const clsp_run *run)
{
    static const clspi_work_makers makers = {
        .prepare = prepare, .on_host = make_on_host, .lacks = lacks};
    const clspi_reduction *const r = plan->reduction;
    const clspi_reduce_form *const form = &r->tables.form;
    const size_t first = r->first[patches.first * r->spans.spans];
    const size_t num = r->first[(patches.first + patches.count) * r->spans.spans] - first;
    const size_t each = (size_t)(form->to + 1) * clspi_reduce_to_coords(form);
    reduce_call call = {.params = 0};
    clspi_work_input in[CLSPI_WORK_INPUTS];
    clspi_work work = {
        .plan = &plan->base,
        .peers = &plan->peers,
        .makers = &makers,
        .user = &call,
        .user_bytes = sizeof call,
        .tiling = clspi_list_tiling(num, each),
        .first_piece = first,
        .in = in,
        .out = {&pieces->controls, "control points", plan->desc.precision, each, false},
        .line_items = each,
        .line_ns = 8.0 * (form->degree + 1) * (double)each};

    if (num > SIZE_MAX / sizeof(double) / each) return no_memory(plan);
    if (clspi_run_asks(run)) return clspi_run_report(run, num * each);
    call.params = add_memory(in, &work, &pieces->params, "parameters", CLSP_F64, 2);
    call.bounds = add_memory(in, &work, &pieces->bounds, "bounds", CLSP_F64, 1);
    call.patches = add_memory(in, &work, &pieces->patches, "patches", CLSP_U32, 1);
    return clspi_work_run(&work, run);
}

clsp_status clsp_patch_reduce(clsp_patch_plan *plan, clsp_range patches, const clsp_pieces *pieces,
                              const clsp_run *run)
{
    if (!plan || !pieces)
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_patch_reduce");
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(clspi_unshared_check(&plan->base, run, "a reduction"));
    CLSPI_CHECK(clspi_reserved_check(&plan->base.ctx->log, "clsp_pieces", pieces->reserved));
    CLSPI_CHECK(clspi_patch_check_patches(plan, patches, NULL));
    if (!plan->reduction || plan->reduction->load != plan->loads)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_STATE,
                          "%s: no pieces of the control points loaded are counted",
                          plan->base.family);
    return reduce(plan, patches, pieces, run);
}
