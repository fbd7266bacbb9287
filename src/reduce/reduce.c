/* The public calls that make pieces of a lower degree. */
#include <clspline/reduce.h>

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "patch_rows.h"
#include "reduction.h"
#include "reduce_surfaces.h"
#include "work.h"

_Static_assert((int)CLSP_REDUCE_MAX_DEGREE == (int)CLSPI_REDUCE_TO_MAX &&
                   (int)CLSP_REDUCE_MAX_CURVE_DEGREE == (int)CLSPI_REDUCE_FROM_MAX &&
                   (int)CLSP_REDUCE_MAX_PIECES == (int)CLSPI_REDUCE_PIECES_MAX,
               "the limits of the host's mathematics are the public ones");

/* What was counted: pieces of segments of curves, counted through all of them, or of surfaces. */
struct clspi_reduction {
    uint32_t directions;
    uint32_t to[2];                /* degrees of pieces */
    clspi_reduce_tables tables[2]; /* of directions along which the degree falls */
    clspi_spans spans[2];
    double tolerance;
    uint64_t load;     /* of the control points that it is of */
    size_t units;      /* segments, or surfaces; */
    size_t each;       /* of a patch, */
    size_t num_counts; /* and counts of each: a surface has one for each span of each direction */
    uint32_t *counts;  /* [units][num_counts] */
    size_t *first;     /* [units + 1], pieces before each */
};

void clspi_reduction_destroy(clspi_reduction **ptr)
{
    clspi_reduction *const r = *ptr;

    if (!r) return;
    *ptr = NULL;
    for (int k = 0; k < 2; k++) {
        clspi_reduce_tables_release(&r->tables[k]);
        clspi_spans_release(&r->spans[k]);
    }
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

/* Checks the degrees of curves or surfaces, and of pieces. */
static clsp_status check_degrees(const clsp_patch_plan *plan, uint32_t to)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const uint32_t degree =
        d->directions == 2 && d->degrees[1] > d->degrees[0] ? d->degrees[1] : d->degrees[0];

    if (to == 0 || to >= degree)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: reduction of degree %u to %u, which is not lower and above 0",
                          plan->base.family, degree, to);
    if (degree > CLSP_REDUCE_MAX_CURVE_DEGREE || to > CLSP_REDUCE_MAX_DEGREE)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_DEGREE,
                          "%s: reduction of degree %u to %u: of at most %d to at most %d",
                          plan->base.family, degree, to, CLSP_REDUCE_MAX_CURVE_DEGREE,
                          CLSP_REDUCE_MAX_DEGREE);
    return CLSP_OK;
}

static clsp_status check_reduction(const clsp_patch_plan *plan, const clsp_reduction *r)
{
    const clspi_tensor_desc *const d = &plan->desc;

    CLSPI_CHECK(clspi_reserved_check(&plan->base.ctx->log, "clsp_reduction", r->reserved));
    if (d->directions > 2 || d->is_triangle)
        return bad(plan, "of curves and surfaces, and directions is", 3);
    if (d->directions == 2 && d->rational && r->polynomial)
        return bad(plan, "of rational surfaces to rational pieces, and polynomial is", 1);
    if (d->directions == 2 && clspi_coords(d) > CLSPI_REDUCE_SURFACE_COORDS)
        return bad(plan, "of rational surfaces with up to three dimensions, and dim is", d->dim);
    CLSPI_CHECK(check_degrees(plan, r->degree));
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
                                 .spans = &r->spans[0],
                                 .tables = &r->tables[0],
                                 .tolerance = r->tolerance};
}

/* Describes its surfaces. */
static clspi_reduce_surfaces surfaces_of(const clsp_patch_plan *plan, const clspi_reduction *r)
{
    const clspi_tensor_desc *const d = &plan->desc;

    return (clspi_reduce_surfaces){.f64 = d->precision == CLSP_F64,
                                   .points = plan->host.data,
                                   .rational = d->rational != 0,
                                   .coords = clspi_coords(d),
                                   .controls = {d->controls[0], d->controls[1]},
                                   .degree = {d->degrees[0], d->degrees[1]},
                                   .to = {r->to[0], r->to[1]},
                                   .spans = {&r->spans[0], &r->spans[1]},
                                   .is_bezier = !d->basis.num_spans,
                                   .tables = {&r->tables[0], &r->tables[1]},
                                   .tolerance = r->tolerance};
}

/* Points to the counts of a surface along both directions. */
static void counts_of(const clspi_reduction *r, size_t surface, uint32_t *counts[2])
{
    counts[0] = r->counts + surface * r->num_counts;
    counts[1] = counts[0] + r->spans[0].spans;
}

enum { SEGMENTS_AT_ONCE = 256 /* by a thread; of surfaces one */ };

/* Units that threads count the pieces of. */
typedef struct count_job {
    const clsp_patch_plan *plan;
    clspi_reduction *r;
    double *bounds; /* [the threads' shares]: the largest of each; negative: no memory */
} count_job;

static void count_segments(void *user, size_t share)
{
    const count_job *const job = user;
    const clspi_reduce_curves curves = curves_of(job->plan, job->r);
    const size_t first = share * SEGMENTS_AT_ONCE;
    const size_t num = clspi_min(SEGMENTS_AT_ONCE, job->r->units - first);

    job->bounds[share] = clspi_reduce_count(&curves, first, num, job->r->counts + first);
}

static void count_surface(void *user, size_t number)
{
    const count_job *const job = user;
    const clspi_reduce_surfaces surfaces = surfaces_of(job->plan, job->r);
    uint32_t *counts[2];

    counts_of(job->r, number, counts);
    if (!clspi_reduce_surface_count(&surfaces, number, counts, &job->bounds[number]))
        job->bounds[number] = -1;
}

/* Counts the pieces of a unit; false where they are more than a number. */
static bool count_unit(const clspi_reduction *r, size_t unit, size_t *num)
{
    const uint32_t *count = r->counts + unit * r->num_counts;

    *num = r->directions == 1 ? *count : 1;
    for (uint32_t k = 0; k < r->directions && r->directions == 2; k++) {
        size_t pieces = 0;
        for (uint32_t i = 0; i < r->spans[k].spans; i++)
            pieces += *count++;
        if (!clspi_size_mul(num, pieces)) return false;
    }
    return true;
}

/* Adds the counts up. */
static bool add_up(clspi_reduction *r)
{
    r->first[0] = 0;
    for (size_t i = 0; i < r->units; i++) {
        size_t num;
        if (!count_unit(r, i, &num) || num > SIZE_MAX - r->first[i]) return false;
        r->first[i + 1] = r->first[i] + num;
    }
    return true;
}

/* Counts the pieces of all units; false without memory. */
static bool count_all(const clsp_patch_plan *plan, clspi_reduction *r, clsp_reduction_size *size)
{
    const bool is_curve = r->directions == 1;
    const size_t shares = is_curve ? clspi_div_up(r->units, SEGMENTS_AT_ONCE) : r->units;
    count_job job = {plan, r, malloc((shares + 1) * sizeof *job.bounds)};
    bool done = job.bounds != NULL;

    if (!done) return false;
    clspi_pieces_on_host(&plan->base, shares, is_curve ? count_segments : count_surface, &job);
    for (size_t i = 0; i < shares; i++) {
        done = done && job.bounds[i] >= 0;
        size->bound = fmax(size->bound, job.bounds[i]);
    }
    free(job.bounds);
    done = done && add_up(r);
    if (done) size->num_pieces = r->first[r->units];
    return done;
}

/* Makes the tables of a direction along which the degree falls; false without memory. */
static bool make_tables(const clsp_patch_plan *plan, const clsp_reduction *wanted,
                        clspi_reduction *r, uint32_t k)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const bool is_curve = d->directions == 1; /* surfaces' numerators and weights are polynomials */
    const clspi_reduce_form form = {.degree = d->degrees[k],
                                    .to = wanted->degree,
                                    .dim = is_curve ? d->dim : clspi_coords(d),
                                    .f64 = d->precision == CLSP_F64 || !is_curve,
                                    .rational = is_curve && d->rational != 0,
                                    .to_polynomial = wanted->polynomial != 0,
                                    .tangents = !wanted->free_tangents};

    r->to[k] = wanted->degree < d->degrees[k] ? wanted->degree : d->degrees[k];
    return wanted->degree >= d->degrees[k] || clspi_reduce_tables_make(&r->tables[k], &form);
}

/* Makes a reduction of the control points that are loaded; false without memory. */
static bool make(const clsp_patch_plan *plan, const clsp_reduction *wanted, clspi_reduction *r,
                 clsp_reduction_size *size)
{
    *r = (clspi_reduction){.directions = plan->desc.directions,
                           .tolerance = wanted->tolerance,
                           .load = plan->loads,
                           .units = plan->num_patches,
                           .each = 1,
                           .num_counts = 1};
    for (uint32_t k = 0; k < r->directions; k++)
        if (!clspi_patch_spans(plan, k, &r->spans[k]) || !make_tables(plan, wanted, r, k))
            return false;
    if (r->directions == 1)
        r->each = r->spans[0].spans;
    else
        r->num_counts = (size_t)r->spans[0].spans + r->spans[1].spans;
    if (!clspi_size_mul(&r->units, r->each) || r->units > SIZE_MAX / 16 / r->num_counts)
        return false;
    r->counts = malloc((r->units + 1) * r->num_counts * sizeof *r->counts);
    r->first = malloc((r->units + 1) * sizeof *r->first);
    return r->counts && r->first && count_all(plan, r, size);
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

/* Returns the unit that piece number i is of: the last one with no more before it. */
static size_t unit_of(const clspi_reduction *r, size_t i)
{
    size_t low = 0, high = r->units;

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
        const size_t at = r->spans[0].sets > 1 ? segments[i] : segments[i] % r->spans[0].spans;
        const double *const ends = r->spans[0].ends + CLSPI_SPAN_ENDS * at;
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

/* Memory that a call writes, where some pieces begin; NULL: it is not asked for. */
typedef struct reduce_memory {
    char *points;
    double *params, *bounds;
    uint32_t *patches;
} reduce_memory;

/* Makes pieces of curves, from one on, so many; false without memory. */
static bool make_curves(const clsp_patch_plan *plan, size_t from, size_t num,
                        const reduce_memory *to)
{
    const clspi_reduction *const r = plan->reduction;
    const clspi_reduce_curves curves = curves_of(plan, r);
    const size_t segment = unit_of(r, from);
    const bool needs = to->params && !to->patches;
    uint32_t *const own = needs ? malloc((num + 1) * sizeof *own) : NULL;
    const clspi_reduce_pieces pieces = {.points = to->points,
                                        .ends = to->params,
                                        .bounds = to->bounds,
                                        .segments = to->patches ? to->patches : own};
    const bool done =
        (!needs || own) && clspi_reduce_write(&curves, r->counts, segment,
                                              (uint32_t)(from - r->first[segment]), num, &pieces);

    if (done && to->params) make_params(r, pieces.segments, num, to->params);
    for (size_t i = 0; done && i < num && to->patches; i++)
        to->patches[i] /= (uint32_t)r->each;
    free(own);
    return done;
}

/* Surfaces that threads make the pieces of. */
typedef struct surface_job {
    const clsp_patch_plan *plan;
    size_t from, num; /* pieces */
    size_t surface;   /* of the first one */
    size_t bytes;     /* of a piece's control points */
    const reduce_memory *to;
    atomic_bool failed;
} surface_job;

/* Makes the pieces of a surface, and brings those that are asked for. */
static void make_surface(void *user, size_t number)
{
    surface_job *const job = user;
    const clspi_reduction *const r = job->plan->reduction;
    const clspi_reduce_surfaces surfaces = surfaces_of(job->plan, r);
    const size_t at = job->surface + number, first = r->first[at], all = r->first[at + 1] - first;
    const size_t begin = clspi_max(first, job->from);
    const size_t end = clspi_min(first + all, job->from + job->num);
    const size_t skip = begin - first, to = begin - job->from, num = end - begin;
    double *const params = malloc(all * (5 * sizeof(double) + job->bytes));
    clspi_reduce_patches made = {.params = params};
    uint32_t *counts[2];

    counts_of(r, at, counts);
    if (params) {
        made.bounds = params + 4 * all;
        made.points = made.bounds + all;
    }
    if (!params || !clspi_reduce_surface_write(&surfaces, at, counts, &made)) {
        atomic_store(&job->failed, true);
        free(params);
        return;
    }
    memcpy(job->to->points + to * job->bytes, (char *)made.points + skip * job->bytes,
           num * job->bytes);
    if (job->to->params)
        memcpy(job->to->params + 4 * to, params + 4 * skip, 4 * num * sizeof *params);
    if (job->to->bounds)
        memcpy(job->to->bounds + to, made.bounds + skip, num * sizeof *made.bounds);
    for (size_t i = 0; i < num && job->to->patches; i++)
        job->to->patches[to + i] = (uint32_t)at;
    free(params);
}

/* Counts the reals of a piece's control points. */
static size_t piece_reals(const clsp_patch_plan *plan)
{
    const clspi_reduction *const r = plan->reduction;
    size_t reals =
        r->directions == 1 ? clspi_reduce_to_coords(&r->tables[0].form) : clspi_coords(&plan->desc);

    for (uint32_t k = 0; k < r->directions; k++)
        reals *= r->to[k] + 1;
    return reals;
}

/* Makes pieces of surfaces, as make_curves does. */
static bool make_surfaces(const clsp_patch_plan *plan, size_t from, size_t num,
                          const reduce_memory *to)
{
    const clspi_reduction *const r = plan->reduction;
    surface_job job = {.plan = plan,
                       .from = from,
                       .num = num,
                       .surface = num > 0 ? unit_of(r, from) : 0,
                       .bytes = piece_reals(plan) * clsp_type_bytes(plan->desc.precision),
                       .to = to};

    if (num == 0) return true;
    atomic_init(&job.failed, false);
    clspi_pieces_on_host(&plan->base, unit_of(r, from + num - 1) + 1 - job.surface, make_surface,
                         &job);
    return !atomic_load(&job.failed);
}

/* Makes some pieces on the host. */
static clsp_status make_on_host(const clspi_work *work, uint32_t worker, const clspi_part *part,
                                const char *const in[], char *out)
{
    const reduce_call *const call = work->user;
    const clsp_patch_plan *const plan = clspi_patch_plan_of(work->plan);
    const reduce_memory to = {
        .points = out,
        .params = call->params > 0 ? (double *)(void *)in[call->params - 1] : NULL,
        .bounds = call->bounds > 0 ? (double *)(void *)in[call->bounds - 1] : NULL,
        .patches = call->patches > 0 ? (uint32_t *)(void *)in[call->patches - 1] : NULL};

    (void)worker;
    return (plan->desc.directions == 1 ? make_curves : make_surfaces)(plan, part->piece,
                                                                      part->num_lines, &to)
               ? CLSP_OK
               : no_memory(plan);
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
    const size_t first = r->first[patches.first * r->each];
    const size_t num = r->first[(patches.first + patches.count) * r->each] - first;
    const size_t each = piece_reals(plan);
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
        .line_ns = 8.0 * (plan->desc.degrees[0] + 1) * (double)each,
        .takes_all = r->directions == 2};

    if (num > SIZE_MAX / sizeof(double) / each) return no_memory(plan);
    if (clspi_run_asks(run)) return clspi_run_report(run, num * each);
    call.params = add_memory(in, &work, &pieces->params, "parameters", CLSP_F64, 2 * r->directions);
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
