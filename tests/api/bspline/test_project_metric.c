/* Projection by a metric, a weight for each coordinate: onto curves against the oracle on scaled
   ones, onto surfaces against the definition at many points. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "project_fixture.h"
#include "surface_cases.h"

static const double weights[4] = {4, 0.3, 11, 0.01};

/* ---- curves ---- */

/* Copies random curves, with coordinates multiplied by the roots of the weights. */
static curves scaled_curves(const curves *c)
{
    const size_t num = c->num * c->d.num_controls[0];
    curves s = curves_make(c->d.precision, c->d.degree[0], c->d.num_controls[0], c->dim,
                           c->d.rational != 0, c->num);

    s.name = c->name;
    for (size_t i = 0; i < num; i++) {
        const double w = c->d.rational ? c->controls[i * c->coords + c->dim] : 1;
        for (unsigned k = 0; k < c->dim; k++)
            set_coordinate(&s, i, k, c->controls[i * c->coords + k] / w * sqrt(weights[k]));
        if (c->d.rational) set_coordinate(&s, i, c->dim, w);
    }
    curves_finish(&s);
    return s;
}

/* Fails unless results are those of the scaled curves, brought back. */
static void check_results(const projecting *p, curves *s, const clsp_nearest_f64 *results,
                          double tolerance)
{
    const size_t each = p->opts.num_nearest > 1 ? p->opts.num_nearest : 1;

    for (size_t i = 0; i < p->num; i++) {
        const clsp_nearest_f64 *const r = &results[i * each];
        double query[4], square = 0;
        for (unsigned k = 0; k < s->dim; k++) {
            query[k] = p->queries[i * s->dim + k] * sqrt(weights[k]);
            const double off = r->point[k] - p->queries[i * s->dim + k];
            square += weights[k] * off * off;
        }
        const ref_nearest exact = exact_nearest(s, query, UINT32_MAX);
        const double slack = 4 * allowed(s, (double)exact.distance) + tolerance;
        assert_int_equal(r->status, CLSP_NEAREST_FOUND);
        assert_true(fabs(r->distance - (double)exact.distance) <= slack);
        assert_true(r->bound <= (double)exact.distance + slack);
        assert_true(r->bound >= r->distance - slack - tolerance);
        assert_true(fabs(sqrt(square) - r->distance) <= slack);
        for (unsigned k = s->dim; k < 4; k++)
            assert_true(r->point[k] == 0);
        for (size_t n = 1; n < each; n++)
            assert_true(r[n].status == CLSP_NEAREST_NONE || r[n].distance >= r->distance);
    }
}

static void project_onto(clsp_context *ctx, curves c, uint32_t num_nearest, bool by_mrep)
{
    enum { NUM = 160 };
    static const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};
    curves s = scaled_curves(&c);
    double *const queries = make_queries(&c, NUM);
    projecting p = project_start(ctx, &c, NUM, queries);

    p.opts.metric = weights;
    p.opts.num_nearest = num_nearest;
    if (by_mrep) {
        p.opts.method = CLSP_NEAREST_MREP;
        p.opts.tolerance = 1e-4;
    }
    for (int host = 0; host < 2 - by_mrep; host++) {
        p.share = host ? &by_host : NULL;
        clsp_nearest_f64 *const results = project_range(&p, 0, NUM);
        check_results(&p, &s, results, by_mrep ? 1e-4 : 0);
        free(results);
    }
    project_finish(&p);
    free(queries);
    curves_free(&s);
    curves_free(&c);
}

static void test_curves(void **state)
{
    clsp_context *const ctx = lent_context("");

    clsp_device_info info;

    (void)state;
    assert_ok(ctx, clsp_context_device(ctx, &info));
    seed(5);
    for (int precision = 0; precision < 2; precision++) {
        const clsp_type real = precision ? CLSP_F64 : CLSP_F32;
        if (precision && (!has_fp64(ctx) || tiny())) continue;
        project_onto(ctx, random_curves(real, 2, 7, 3, true, 2), 1, false);
        if (tiny()) continue;
        project_onto(ctx, random_curves(real, 3, 9, 2, false, 3), 1, false);
        project_onto(ctx, random_curves(real, 4, 6, 4, false, 1), 3, false);
        project_onto(ctx, random_curves(real, 5, 8, 1, false, 2), 1, false);
        if (info.device_class != CLSP_CLASS_HOST && support_has_methods())
            project_onto(ctx, random_curves(real, 5, 12, 2, false, 2), 1, true);
    }
}

/* ---- surfaces ---- */

enum { CONTROLS = 7, QUERIES = 60, SAMPLES = 40, REALS = CONTROLS * CONTROLS * 3 };

/* A surface, points to be projected, and what comes of it. */
typedef struct searched {
    clsp_context *ctx;
    clsp_patch_plan *plan;
    double points[REALS], queries[3 * QUERIES], normals[4 * QUERIES];
    clsp_nearest_f64 results[QUERIES];
} searched;

static void start(searched *s, clsp_context *ctx, const double *scale)
{
    static const surface_case smooth = {SURFACE_SMOOTH, 3, CONTROLS - 3, 3, 0};
    const clsp_vertex_layout layout = {.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL};
    const clsp_bspline_desc d = {.degree = {3, 3},
                                 .num_controls = {CONTROLS, CONTROLS},
                                 .precision = CLSP_F64,
                                 .vertex = layout};
    uint64_t state = 3;

    memset(s, 0, sizeof *s);
    s->ctx = ctx;
    surface_case_points(&smooth, s->points);
    for (size_t i = 0; i < REALS; i++)
        s->points[i] *= scale ? scale[i % 3] : 1;
    for (size_t i = 0; i < 3 * QUERIES; i++)
        s->queries[i] = (1.6 * surface_case_uniform(&state) - 0.3) * (scale ? scale[i % 3] : 1);
    assert_ok(ctx, clsp_bspline_plan_create(&s->plan, ctx, &d));
    assert_ok(ctx, clsp_patch_set_control_points(s->plan, 1, clsp_in_f64(s->points, REALS), NULL));
}

static void project(searched *s, const double *metric, const clsp_run *run)
{
    const clsp_nearest_queries q = {.num = QUERIES, .points = clsp_in_f64(s->queries, 3 * QUERIES)};
    const clsp_output sides = clsp_out_f64(s->normals, 4 * QUERIES);
    const clsp_nearest_opts opts = {.metric = metric, .normals = &sides};

    assert_ok(s->ctx, clsp_nearest_project(s->plan, &q, &opts,
                                           clsp_out_nearest_f64(s->results, QUERIES), run));
}

/* Evaluates points and normals of a surface at places of the unit square, [num][6]. */
static void evaluate(const searched *s, double *params, size_t num, double *vertices)
{
    const clsp_points at = {.num = num, .params = clsp_in_f64(params, 2 * num)};

    assert_ok(s->ctx, clsp_patch_eval_points(s->plan, &at, clsp_out_f64(vertices, 6 * num), NULL));
}

static double distance_of(const double *x, const double *y)
{
    double square = 0;

    for (int k = 0; k < 3; k++)
        square += weights[k] * (x[k] - y[k]) * (x[k] - y[k]);
    return sqrt(square);
}

/* Fails unless results are the nearest points by the definition, of many and of their own. */
static void check_surface(const searched *s)
{
    static double params[2 * SAMPLES * SAMPLES], vertices[6 * SAMPLES * SAMPLES];

    for (size_t i = 0; i < SAMPLES * SAMPLES; i++) {
        params[2 * i] = (double)(i / SAMPLES) / (SAMPLES - 1);
        params[2 * i + 1] = (double)(i % SAMPLES) / (SAMPLES - 1);
    }
    evaluate(s, params, SAMPLES * SAMPLES, vertices);
    for (size_t i = 0; i < QUERIES; i++) {
        const clsp_nearest_f64 *const r = &s->results[i];
        const double *const q = s->queries + 3 * i, *const side = s->normals + 4 * i;
        double least = INFINITY, at[2] = {r->param[0], r->param[1]}, own[6];
        for (size_t k = 0; k < SAMPLES * SAMPLES; k++)
            least = fmin(least, distance_of(q, vertices + 6 * k));
        assert_int_equal(r->status, CLSP_NEAREST_FOUND);
        assert_true(r->distance <= least + 1e-12 && r->bound <= r->distance);
        assert_true(r->bound >= r->distance - 1e-11);
        assert_true(r->distance >= least - 0.2); /* samples are as near to each other */
        assert_true(fabs(distance_of(q, r->point) - r->distance) <= 1e-12);
        evaluate(s, at, 1, own);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(own[k] - r->point[k]) <= 1e-12 && fabs(own[3 + k] - side[k]) <= 1e-9);
        if (!isnan(side[3])) assert_true(fabs(fabs(side[3]) - r->distance) <= 1e-12);
    }
}

static void test_surfaces(void **state)
{
    static const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};
    clsp_context *const ctx = lent_context("");
    static searched s, other;
    double roots[3];

    (void)state;
    if (!has_fp64(ctx)) skip_because("no double precision");
    for (int k = 0; k < 3; k++)
        roots[k] = sqrt(weights[k]);
    start(&s, ctx, NULL);
    start(&other, ctx, roots);
    project(&s, weights, NULL);
    check_surface(&s);
    project(&other, NULL, NULL);
    for (size_t i = 0; i < QUERIES; i++) { /* of the scaled surface */
        assert_true(fabs(other.results[i].distance - s.results[i].distance) <= 1e-12);
        assert_true(isnan(other.normals[4 * i + 3]) == isnan(s.normals[4 * i + 3]));
        assert_true(!(other.normals[4 * i + 3] * s.normals[4 * i + 3] < -1e-12));
    }
    project(&s, weights, &(clsp_run){.share = &by_host});
    check_surface(&s);
    clsp_patch_plan_destroy(&s.plan);
    clsp_patch_plan_destroy(&other.plan);
}

/* Weights of 1 give the bits that no metric gives, also behind another one. */
static void test_ones(void **state)
{
    static const double ones[3] = {1, 1, 1};
    clsp_context *const ctx = lent_context("");
    static searched s, other;

    (void)state;
    if (!has_fp64(ctx)) skip_because("no double precision");
    start(&s, ctx, NULL);
    start(&other, ctx, NULL);
    project(&s, NULL, NULL);
    project(&other, weights, NULL);
    assert_memory_not_equal(s.results, other.results, sizeof s.results);
    project(&other, ones, NULL);
    assert_memory_equal(s.results, other.results, sizeof s.results);
    assert_memory_equal(s.normals, other.normals, sizeof s.normals);
    clsp_patch_plan_destroy(&s.plan);
    clsp_patch_plan_destroy(&other.plan);
}

static void test_refused(void **state)
{
    static const double wrong[] = {0, -1, (double)NAN, (double)INFINITY};
    static clsp_nearest_f64 results[QUERIES];
    clsp_context *const ctx = lent_context("");
    static searched s;
    double metric[4] = {1, 1, 1, -1}; /* of 3 the last does not count */
    char why[200];

    (void)state;
    if (!has_fp64(ctx)) skip_because("no double precision");
    start(&s, ctx, NULL);
    project(&s, metric, NULL);
    for (size_t i = 0; i < 12; i++) {
        const clsp_nearest_queries q = {.num = QUERIES,
                                        .points = clsp_in_f64(s.queries, 3 * QUERIES)};
        const clsp_nearest_opts opts = {.metric = metric};
        for (size_t k = 0; k < 3; k++)
            metric[k] = k == i % 3 ? wrong[i / 3] : 1;
        assert_status(
            ctx,
            clsp_nearest_project(s.plan, &q, &opts, clsp_out_nearest_f64(results, QUERIES), NULL),
            CLSP_ERROR_ARGUMENT);
        clsp_context_last_error(ctx, why, sizeof why);
        assert_non_null(strstr(why, "metric"));
    }
    clsp_patch_plan_destroy(&s.plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_ones),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
