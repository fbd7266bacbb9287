#include "suite_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "curve_cases.h"

/* Many Bezier curves whose x goes from 0 to 1 in about equal steps. */
typedef struct reduce_case {
    const char *name;
    uint32_t degree, to, dim, rational;
    double tolerance;
} reduce_case;

static const reduce_case cases[] = {{"7 to 3", 7, 3, 3, 0, 1e-3},
                                    {"7 to 3, fine", 7, 3, 3, 0, 1e-6},
                                    {"3 to 2", 3, 2, 2, 0, 1e-3},
                                    {"3 to 1", 3, 1, 2, 0, 1e-3},
                                    {"5 to 3, rational", 5, 3, 3, 1, 1e-3}};

enum { MANY = 100000, MANY_QUICK = 10000 };

/* A plan with curves, and room for their pieces. */
typedef struct reduce_job {
    bench *b;
    const char *suite, *name;
    clsp_type precision;
    clsp_reduction reduction;
    size_t num, coords, num_pieces;
    clsp_patch_plan *plan;
    void *points, *controls;
    size_t reals; /* of the pieces */
} reduce_job;

static clsp_output output_of(const reduce_job *j)
{
    return j->precision == CLSP_F64 ? clsp_out_f64(j->controls, j->reals)
                                    : clsp_out_f32(j->controls, j->reals);
}

static clsp_status count(void *user)
{
    reduce_job *const j = user;

    return clsp_patch_set_reduction(j->plan, &j->reduction, NULL);
}

static clsp_status make(void *user)
{
    const reduce_job *const j = user;
    const clsp_pieces pieces = {.controls = output_of(j)};

    return clsp_patch_reduce(j->plan, (clsp_range){0, j->num}, &pieces, NULL);
}

static clsp_status decompose(void *user)
{
    const reduce_job *const j = user;

    return clsp_bspline_convert(j->plan, (clsp_range){0, j->num}, output_of(j), NULL);
}

static void put(const reduce_job *j, size_t i, double x)
{
    if (j->precision == CLSP_F64)
        ((double *)j->points)[i] = x;
    else
        ((float *)j->points)[i] = (float)x;
}

/* Loads curves from j->points, counts their pieces and makes room for them, or for more. */
static clsp_status load(reduce_job *j, size_t reals, size_t room)
{
    clsp_reduction_size size;
    const clsp_input points =
        j->precision == CLSP_F64 ? clsp_in_f64(j->points, reals) : clsp_in_f32(j->points, reals);
    clsp_status status;

    BENCH_TRY(clsp_patch_set_control_points(j->plan, j->num, points, NULL));
    BENCH_TRY(clsp_patch_set_reduction(j->plan, &j->reduction, &size));
    j->num_pieces = size.num_pieces;
    j->reals = size.num_pieces * (j->reduction.degree + 1) * j->coords;
    if (j->reals < room) j->reals = room;
    j->controls = malloc(j->reals * clsp_type_bytes(j->precision));
    if (!j->controls) status = CLSP_ERROR_NO_MEMORY;

fail:
    return bench_check(status, j->name);
}

static void finish(reduce_job *j)
{
    clsp_patch_plan_destroy(&j->plan);
    free(j->points);
    free(j->controls);
}

static void report(const reduce_job *j, const char *method, const bench_contestant *x, double work)
{
    bench_row row = bench_row_empty(j->suite, j->name, method, j->precision == CLSP_F64 ? 64 : 32);

    row.time = x->sustained;
    row.work = work;
    row.unit = "piece/s";
    bench_report_row(j->b->report, &row);
}

static clsp_status run_case(bench *b, const char *suite, const reduce_case *c, clsp_type precision)
{
    const size_t num = b->quick ? MANY_QUICK : MANY, coords = c->dim + c->rational;
    const size_t reals = num * (c->degree + 1) * coords;
    const clsp_bezier_desc desc = {.form = CLSP_BEZIER_CURVE,
                                   .precision = precision,
                                   .degree = {c->degree},
                                   .dim = c->dim,
                                   .rational = c->rational};
    char name[64];
    reduce_job j = {.b = b,
                    .suite = suite,
                    .name = name,
                    .precision = precision,
                    .reduction = {.degree = c->to, .tolerance = c->tolerance},
                    .num = num,
                    .coords = coords};
    bench_contestant all[] = {{.enqueue = count, .user = &j}, {.enqueue = make, .user = &j}};
    uint64_t state = 1;
    clsp_status status;

    snprintf(name, sizeof name, "%zu curves, %s", num, c->name);
    if (!bench_wants(b, name)) return CLSP_OK;
    j.points = malloc(reals * clsp_type_bytes(precision));
    if (!j.points) return bench_check(CLSP_ERROR_NO_MEMORY, name);
    for (size_t i = 0; i < reals; i++) {
        const size_t k = i / coords % (c->degree + 1), at = i % coords;
        const double x = 0.3 * curve_case_uniform(&state);
        put(&j, i, at == c->dim ? 0.5 + x : at == 0 ? (double)k / c->degree + x : x);
    }
    BENCH_TRY(clsp_bezier_plan_create(&j.plan, b->ctx, &desc));
    BENCH_TRY(load(&j, reals, 0));
    BENCH_TRY(bench_measure(b->queue, all, BENCH_COUNT(all), b->quick ? 5 : 20));
    report(&j, "count", &all[0], (double)j.num_pieces);
    report(&j, "write", &all[1], (double)j.num_pieces);
    const bench_timing sum = {all[0].sustained.median_ms + all[1].sustained.median_ms,
                              all[0].sustained.min_ms + all[1].sustained.min_ms};
    report(&j, "count and write", &(bench_contestant){.sustained = sum}, (double)j.num_pieces);

fail:
    finish(&j);
    return bench_check(status, name);
}

/* The stages of a curve before its search, whose row is "mrep" of its other cases: Bezier pieces,
   cubics within 1e-4, how many, and all of what "mrep, loaded, 1 point" makes, trees included. */
static clsp_status run_stages(bench *b, const char *suite, const curve_case *c, clsp_type precision)
{
    const clsp_bspline_desc desc = {.directions = 1,
                                    .precision = precision,
                                    .degree = {c->degree},
                                    .num_controls = {c->controls},
                                    .dim = c->dim};
    const clsp_bspline_target target = {.bezier = 1};
    const size_t reals = (size_t)c->controls * c->dim, orders = c->degree + 1;
    double controls[CURVE_CASE_REALS];
    char name[64];
    reduce_job j = {.b = b,
                    .suite = suite,
                    .name = name,
                    .precision = precision,
                    .reduction = {.degree = 3, .tolerance = 1e-4},
                    .num = 1,
                    .coords = c->dim};
    bench_contestant all[] = {{.enqueue = decompose, .user = &j},
                              {.enqueue = count, .user = &j},
                              {.enqueue = make, .user = &j}};
    clsp_status status;

    snprintf(name, sizeof name, "%s wild, stages", c->name);
    if (!bench_wants(b, name)) return CLSP_OK;
    curve_case_controls(c, CURVE_WILD, controls);
    j.points = malloc(reals * clsp_type_bytes(precision));
    if (!j.points) return bench_check(CLSP_ERROR_NO_MEMORY, name);
    for (size_t i = 0; i < reals; i++)
        put(&j, i, controls[i]);
    const size_t spans = c->controls - c->degree;
    BENCH_TRY(clsp_bspline_plan_create(&j.plan, b->ctx, &desc));
    BENCH_TRY(clsp_bspline_set_target(j.plan, &target));
    BENCH_TRY(load(&j, reals, spans * orders * c->dim));
    BENCH_TRY(bench_measure(b->queue, all, BENCH_COUNT(all), b->quick ? 5 : 20));
    report(&j, "decomposition", &all[0], (double)spans);
    report(&j, "cubics, count", &all[1], (double)j.num_pieces);
    report(&j, "cubics, write", &all[2], (double)j.num_pieces);

fail:
    finish(&j);
    return bench_check(status, name);
}

clsp_status reduce_run(bench *b, const char *suite, clsp_type precision)
{
    clsp_status status = CLSP_OK;

    for (size_t i = 0; i < BENCH_COUNT(cases) && status == CLSP_OK; i++)
        if (!b->quick || i % 2 == 0) status = run_case(b, suite, &cases[i], precision);
    for (size_t i = 0; i < CURVE_CASES && status == CLSP_OK; i++)
        if (!b->quick || i % 4 == 0) status = run_stages(b, suite, &curve_cases[i], precision);
    return status;
}
