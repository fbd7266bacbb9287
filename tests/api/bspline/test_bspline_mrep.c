/* Projection through cubics within a tolerance: distances and bounds keep it, against the oracle,
   of all degrees and on hard curves; ends and joints; what a tolerance may be, curves that are no
   curves, and more cubics than there may be. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "curve_cases.h"
#include "hard_curves.h"
#include "vertex_fixture.h"

static double worst_of_tolerance;

static void say_worst(void)
{
    print_message("worst/tolerance %.3f\n", worst_of_tolerance);
    worst_of_tolerance = 0.0;
}

/* ---- checks ---- */

static double eps_of(const curves *c)
{
    return c->d.precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
}

static double size_of(const curves *c)
{
    double most = 0.0;

    for (unsigned k = 0; k < c->dim; k++)
        most = fmax(most, c->high[k] - c->low[k]);
    return most;
}

/* What a tolerance means: the default one is relative, and no cubic is known nearer than the
   roundings of a dozen halvings. */
static double tolerance_of(const curves *c, double asked)
{
    const double rounding = 8 * (6 * c->d.degree[0] + 4) * eps_of(c) * c->scale;

    return fmax(asked > 0 ? asked : 1.01e-4 * size_of(c), rounding);
}

/* Fails unless a result is within the tolerance of the nearest, and its bound is one and within it
   too. */
static void check_within(curves *c, const double *query, uint32_t patch, const clsp_nearest_f64 *r,
                         double asked)
{
    const ref_nearest exact = exact_nearest(c, query, patch);
    const double distance = (double)exact.distance, off = 2 * allowed(c, distance);
    const double most = asked > 0 ? asked : 1.01e-4 * size_of(c);
    const double gap = tolerance_of(c, asked);
    const bool is_good = r->status == CLSP_NEAREST_FOUND && r->distance <= distance + most + off &&
                         r->distance >= (double)exact.bound - off && r->bound <= distance &&
                         r->distance - r->bound <= gap + 2 * off;

    check_itself(c, query, r);
    if (patch != UINT32_MAX) assert_int_equal(r->patch, patch);
    if (!is_good)
        fail_msg("%s: degree %u, dim %u, f%d, tolerance %g: distance %.17g, wanted %.17g, bound "
                 "%.17g, gap %g (%g), param %.17g, status %u",
                 c->name, c->d.degree[0], c->dim, c->d.precision == CLSP_F64 ? 64 : 32, most,
                 r->distance, distance, r->bound, r->distance - r->bound, gap, r->param[0],
                 r->status);
    worst_of_tolerance = support_worse(worst_of_tolerance, (r->distance - distance) / (most + off));
}

static void check_all_within(projecting *p)
{
    clsp_nearest_f64 *const results = project_range(p, 0, p->num);

    for (size_t i = 0; i < p->num; i++)
        check_within(p->c, p->queries + i * p->c->dim, p->patches ? p->patches[i] : UINT32_MAX,
                     &results[i], p->opts.tolerance);
    free(results);
}

static projecting start(clsp_context *ctx, curves *c, size_t num, const double *queries)
{
    projecting p = project_start(ctx, c, num, queries);

    p.opts.method = CLSP_NEAREST_MREP;
    return p;
}

/* Projects random points of all kinds, by each tolerance. */
static void check_curves(clsp_context *ctx, curves *c, size_t num, const double *tolerances,
                         size_t num_tolerances)
{
    double *const queries = make_queries(c, num);
    projecting p = start(ctx, c, num, queries);

    for (size_t k = 0; k < num_tolerances; k++) {
        p.opts.tolerance = tolerances[k];
        check_all_within(&p);
    }
    project_finish(&p);
    free(queries);
    curves_free(c);
}

static const double default_tolerance[] = {0};

/* ---- all kinds of curves ---- */

static void cases(clsp_context *ctx, clsp_type precision)
{
    const double tolerances[] = {0, 1e-2, 1e-4, precision == CLSP_F64 ? 1e-10 : 1e-6};
    const size_t num = full() ? 2000 : tiny() ? 16 : 64;

    for (size_t i = 0; i < CURVE_CASES; i++)
        for (int kind = 0; kind < CURVE_KINDS; kind++) {
            const curve_case *const k = &curve_cases[i];
            if (!curves_in_turn(k->degree, k->dim) || (tiny() && i % 9 > 0)) continue;
            curves c = curves_make(precision, k->degree, k->controls, k->dim, false, 1);
            c.name = k->name;
            curve_case_controls(k, (curve_kind)kind, c.controls);
            curves_finish(&c);
            check_curves(ctx, &c, num, tolerances, tiny() ? 1 : COUNT(tolerances));
        }
}

static void test_cases(void **state)
{
    (void)state;
    with_limits(cases);
    say_worst();
}

static void hard(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < HARD_CURVES; i++) {
        if (tiny() && i % 3 > 0) continue;
        curves c = hard_curves(i, precision);
        if (c.d.rational || !curves_in_turn(c.d.degree[0], c.dim))
            curves_free(&c);
        else
            check_curves(ctx, &c, full() ? 500 : tiny() ? 16 : 64, default_tolerance, 1);
    }
}

static void test_hard(void **state)
{
    (void)state;
    with_limits(hard);
    say_worst();
}

static void degrees(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t list[] = {1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 64};
    const double tolerances[] = {0, precision == CLSP_F64 ? 1e-9 : 1e-5};

    for (size_t i = 0; i < COUNT(list); i++) {
        if (!curves_in_turn(list[i], list[i] % 4 + 1) || (tiny() && list[i] > 5)) continue;
        const uint32_t controls = list[i] < 16 ? 2 * list[i] + 3 : list[i] + 2;
        curves c = random_curves(precision, list[i], controls, list[i] % 4 + 1, false, 1);
        check_curves(ctx, &c, full() ? 400 : tiny() ? 8 : 40, tolerances, COUNT(tolerances));
    }
}

static void test_degrees(void **state)
{
    (void)state;
    with_limits(degrees);
    say_worst();
}

/* ---- ends and joints ---- */

/* Points on joints, and many beyond the ends. Parabolas and cubics are cubics already: of them what
   is found is exact. */
static void ends_and_joints(clsp_context *ctx, clsp_type precision)
{
    enum { CONTROLS = 12, MOST = 64 };

    for (uint32_t degree = 2; degree <= (tiny() ? 3 : 5); degree++) {
        if (!curves_in_turn(degree, 2)) continue;
        curves c = random_curves(precision, degree, CONTROLS, 2, false, 1);
        const unsigned joints = CONTROLS - degree + 1;
        double queries[2 * MOST];
        for (unsigned i = 0; i < MOST; i++) {
            const unsigned joint = i < joints ? i : i % 2 * (joints - 1);
            long double point[4], away[4];
            const double t = c.knots[degree + joint];
            ref_project_point(oracle_of(&c, 0), t, 0, point);
            ref_project_point(oracle_of(&c, 0), t + (joint == 0 ? 1e-3L : -1e-3L), 0, away);
            const double by = i < joints ? 0.0 : i < 16 ? 1e-3 : 10.0 * i;
            for (unsigned k = 0; k < 2; k++)
                queries[2 * i + k] =
                    rounded_to(precision, (double)(point[k] + by * (point[k] - away[k])));
        }
        projecting p = start(ctx, &c, MOST, queries);
        clsp_nearest_f64 *const results = project_range(&p, 0, MOST);
        for (unsigned i = 0; i < MOST; i++) {
            const double *const query = queries + 2 * i;
            const ref_nearest exact = exact_nearest(&c, query, UINT32_MAX);
            const double off = 2 * allowed(&c, results[i].distance);
            check_within(&c, query, UINT32_MAX, &results[i], 0);
            if (degree <= 3) assert_true(results[i].distance <= exact.distance + off);
        }
        free(results);
        project_finish(&p);
        curves_free(&c);
    }
}

static void test_ends_and_joints(void **state)
{
    (void)state;
    with_limits(ends_and_joints);
    say_worst();
}

/* ---- many curves ---- */

/* Onto the nearest of all and onto one each, with hints, and other curves in the same plan. */
static void many_curves(clsp_context *ctx, clsp_type precision)
{
    const size_t num = tiny() ? 8 : 64;
    curves c = random_curves(precision, 5, 9, 3, false, tiny() ? 4 : 40);
    double *const queries = make_queries(&c, num), *const hints = malloc(num * sizeof *hints);
    uint32_t *const patches = malloc(num * sizeof *patches);
    projecting p = start(ctx, &c, num, queries);

    assert_true(hints && patches);
    for (size_t i = 0; i < num; i++) {
        patches[i] = (uint32_t)((i * 7 + 3) % c.num);
        hints[i] = i % 3 ? 0.5 + 0.5 * random_real() : NAN;
    }
    check_all_within(&p);
    p.patches = patches;
    check_all_within(&p);
    p.hints = hints;
    check_all_within(&p);
    project_finish(&p);
    free(queries);
    free(hints);
    free(patches);
    curves_free(&c);
}

static void test_many_curves(void **state)
{
    (void)state;
    with_limits(many_curves);
    say_worst();
}

static void load(const projecting *p, size_t num)
{
    const size_t reals = num * p->c->d.num_controls[0] * p->c->dim;

    assert_int_equal(
        clsp_patch_set_control_points(p->plan, num, clsp_in_f64(p->c->controls, reals), NULL),
        CLSP_OK);
}

static bool same_results(const projecting *p, const unsigned char *wanted)
{
    unsigned char *const bytes = project_bytes(p, 0, p->num);
    const bool same = memcmp(bytes, wanted, p->num * nearest_bytes(p->c->d.precision)) == 0;

    free(bytes);
    return same;
}

/* Results follow the control points and the tolerance, and are the same bits however often one of
   these changes in between, and however the points are split. */
static void test_changes(void **state)
{
    enum { NUM = 60 };

    (void)state;
    if (!support_device().fp64) skip_because("no double precision");
    curves c = random_curves(CLSP_F64, 6, 20, 2, false, 2);
    double *const queries = make_queries(&c, NUM);
    projecting p = start(lent_context(""), &c, NUM, queries);
    unsigned char *const fine = project_bytes(&p, 0, NUM);

    check_all_within(&p);
    p.opts.tolerance = 1e-2;
    assert_false(same_results(&p, fine));
    check_all_within(&p);
    p.opts.tolerance = 0;
    assert_true(same_results(&p, fine));
    load(&p, 1);
    assert_false(same_results(&p, fine));
    load(&p, 0);
    clsp_nearest_f64 *const none = project_range(&p, 0, NUM);
    for (size_t i = 0; i < NUM; i++)
        check_none(&none[i], CLSP_NEAREST_NONE, INFINITY);
    free(none);
    load(&p, 2);
    assert_true(same_results(&p, fine));
    for (size_t first = 0; first < NUM; first += 17) {
        const size_t count = first + 17 < NUM ? 17 : NUM - first;
        unsigned char *const part = project_bytes(&p, first, count);
        assert_memory_equal(part, fine + first * sizeof(clsp_nearest_f64),
                            count * sizeof(clsp_nearest_f64));
        free(part);
    }
    free(fine);
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

/* ---- options ---- */

/* What is farther than max_dist is not found, all else is. */
static void within_a_distance(clsp_context *ctx, clsp_type precision)
{
    static const double distances[] = {0.125, 1e-3, 1e30};
    const size_t num = tiny() ? 8 : 80;
    curves c = random_curves(precision, 4, 9, 2, false, 3);
    double *const queries = make_queries(&c, num);
    projecting p = start(ctx, &c, num, queries);

    for (size_t k = 0; k < COUNT(distances); k++) {
        const double most = rounded_to(precision, distances[k]);
        p.opts.max_dist = distances[k];
        clsp_nearest_f64 *const results = project_range(&p, 0, num);
        for (size_t i = 0; i < num; i++) {
            const double tolerance = tolerance_of(&c, 0);
            if (results[i].status == CLSP_NEAREST_NONE) {
                const ref_nearest exact = exact_nearest(&c, queries + 2 * i, UINT32_MAX);
                check_none(&results[i], CLSP_NEAREST_NONE, results[i].bound);
                assert_true(exact.distance >= most - tolerance);
                assert_true(results[i].bound <= most && results[i].bound >= most - tolerance);
                assert_true(results[i].bound <= exact.distance);
            } else {
                check_within(&c, queries + 2 * i, UINT32_MAX, &results[i], 0);
                assert_true(results[i].distance <= most);
            }
        }
        free(results);
    }
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

static void test_max_dist(void **state)
{
    (void)state;
    with_limits(within_a_distance);
}

/* Tolerances at the ends of what numbers can be. */
static void extreme_tolerances(clsp_context *ctx, clsp_type precision)
{
    static const double tolerances[] = {DBL_MIN / 4, 1e-60, 1e60, DBL_MAX};
    enum { NUM = 16 };
    curves c = random_curves(precision, 4, 6, 2, false, 1);
    double *const queries = make_queries(&c, NUM);
    projecting p = start(ctx, &c, NUM, queries);

    for (size_t k = 0; k < (tiny() ? 1 : COUNT(tolerances)); k++) {
        p.opts.tolerance = tolerances[k];
        check_all_within(&p);
    }
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

static void test_extreme_tolerances(void **state)
{
    (void)state;
    with_limits(extreme_tolerances);
}

/* ---- arguments ---- */

static clsp_nearest_f32 few_results[2];
static const float few_points[] = {0, 0, 1, 1, 1, 1, 1, 1};
static const float few_controls[] = {0, 0, 0, 1, 1, 0, 0, 1, 2, 1, 0, 1, 3, 2, 0, 1, 4, 0, 0, 1};

static clsp_patch_plan *small_plan(clsp_context *ctx, uint32_t dim, uint32_t rational)
{
    const clsp_bspline_desc d = {
        .directions = 1, .degree = {4}, .num_controls = {5}, .dim = dim, .rational = rational};
    const clsp_input points = clsp_in_f32(few_controls, 5 * (dim + rational));
    clsp_patch_plan *plan;

    assert_ok(ctx, clsp_bspline_plan_create(&plan, ctx, &d));
    assert_ok(ctx, clsp_patch_set_control_points(plan, 1, points, NULL));
    return plan;
}

static clsp_status project_few(clsp_patch_plan *plan, uint32_t dim, const clsp_nearest_opts *opts)
{
    const clsp_nearest_queries queries = {.num = 2, .points = clsp_in_f32(few_points, 2 * dim)};

    return clsp_nearest_project(plan, &queries, opts, clsp_out_nearest_f32(few_results, 2), NULL);
}

static void test_arguments(void **state)
{
    static const double bad[] = {-1.0, -1e-300, NAN, INFINITY, -INFINITY};
    const clsp_nearest_opts good = {.method = CLSP_NEAREST_MREP};
    clsp_context *const ctx = lent_context("");
    clsp_patch_plan *plan = small_plan(ctx, 3, 0);
    clsp_nearest_opts opts = good;

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        opts.tolerance = bad[i];
        assert_status(ctx, project_few(plan, 3, &opts), CLSP_ERROR_ARGUMENT);
    }
    opts = good;
    opts.num_nearest = 2;
    assert_status(ctx, project_few(plan, 3, &opts), CLSP_ERROR_ARGUMENT);
    opts.num_nearest = 1;
    assert_ok(ctx, project_few(plan, 3, &opts));
    opts.method = (clsp_nearest_method)3;
    assert_status(ctx, project_few(plan, 3, &opts), CLSP_ERROR_ARGUMENT);
    clsp_patch_plan_destroy(&plan);
    for (uint32_t dim = 1; dim <= 4; dim += 3) {
        plan = small_plan(ctx, dim, 0);
        assert_ok(ctx, project_few(plan, dim, &good));
        assert_int_equal(few_results[0].status, CLSP_NEAREST_FOUND);
        clsp_patch_plan_destroy(&plan);
    }
    plan = small_plan(ctx, 3, 1);
    assert_status(ctx, project_few(plan, 3, &good), CLSP_ERROR_WEIGHTS);
    clsp_patch_plan_destroy(&plan);
}

/* ---- curves that are none ---- */

/* A curve with a control point that is not finite is not there where that counts, and others are
   found as without it. */
static void not_finite(clsp_context *ctx, clsp_type precision)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    enum { NUM = 16, REALS = 9 * 2 };

    for (size_t k = 0; k < COUNT(values); k++) {
        if (!program_in_turn(1)) continue;
        curves c = random_curves(precision, 5, 9, 2, false, 2);
        double *const queries = make_queries(&c, NUM);
        for (size_t i = 0; i < REALS; i++)
            c.controls[i] = values[k];
        projecting p = start(ctx, &c, NUM, queries);
        clsp_nearest_f64 *const results = project_range(&p, 0, NUM);
        for (size_t i = 0; i < NUM; i++)
            check_within(&c, queries + 2 * i, 1, &results[i], 0);
        free(results);
        uint32_t patches[NUM] = {0};
        p.patches = patches;
        clsp_nearest_f64 *const none = project_range(&p, 0, NUM);
        for (size_t i = 0; i < NUM; i++)
            check_none(&none[i], CLSP_NEAREST_NONE, INFINITY);
        free(none);
        project_finish(&p);
        free(queries);
        curves_free(&c);
    }
}

static void test_not_finite(void **state)
{
    (void)state;
    with_limits(not_finite);
}

/* Curves that are a point: anywhere, the origin too. */
static void points_alone(clsp_context *ctx, clsp_type precision)
{
    static const double places[] = {0.0, 0.75, -1e6, 1e-20};
    enum { NUM = 16 };

    for (size_t k = 0; k < COUNT(places); k++) {
        curves c = curves_make(precision, 4, 8, 2, false, 1);
        c.name = "one place";
        for (size_t i = 0; i < 16; i++)
            c.controls[i] = places[k];
        curves_finish(&c);
        check_curves(ctx, &c, NUM, default_tolerance, 1);
    }
}

static void test_points_alone(void **state)
{
    (void)state;
    with_limits(points_alone);
}

/* ---- sizes ---- */

/* Curves whose squares are more and less than numbers hold: those of a tame one, by powers of
   two. */
static void sizes(clsp_context *ctx, clsp_type precision)
{
    static const int exponents[2][5] = {{-126, -100, 64, 70, 110}, {-1022, -800, 512, 540, 1005}};
    enum { NUM = 24 };

    for (size_t k = 0; k < 5; k++) {
        const double scale = ldexp(1.0, exponents[precision == CLSP_F64][k]);
        curves c = curves_make(precision, 4, 8, 2, false, 1);
        c.name = "of a size";
        for (size_t i = 0; i < 16; i++)
            c.controls[i] = scale * (1.0 + 0.5 * random_real());
        curves_finish(&c);
        check_curves(ctx, &c, NUM, default_tolerance, 1);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    seed(71);
    worst_of_tolerance = 0.0;
    with_limits(sizes);
    say_worst();
}

/* ---- limits ---- */

static void count_warning(void *user, clsp_log_level level, const char *message)
{
    if (level == CLSP_LOG_WARNING && strstr(message, "cubics")) ++*(unsigned *)user;
}

/* Where there is no room for the cubics that a tolerance takes, results say so, and their bounds
   hold all the same. */
static void test_too_many(void **state)
{
    enum { NUM = 40 };
    unsigned warnings = 0;
    const clsp_context_opts opts = {
        .log = count_warning, .log_user = &warnings, .limits = "alloc=20480"};
    clsp_context *ctx;

    (void)state;
    assert_int_equal(clsp_context_create(&ctx, NULL, &opts), CLSP_OK);
    curves c = random_curves(CLSP_F32, 7, 40, 3, false, 4);
    double *const queries = make_queries(&c, NUM);
    projecting p = start(ctx, &c, NUM, queries);
    p.opts.tolerance = 1e-6;
    clsp_nearest_f64 *const results = project_range(&p, 0, NUM);
    for (size_t i = 0; i < NUM; i++) {
        const ref_nearest exact = exact_nearest(&c, queries + 3 * i, UINT32_MAX);
        check_itself(&c, queries + 3 * i, &results[i]);
        assert_int_equal(results[i].status, CLSP_NEAREST_CUT);
        assert_true(results[i].bound <= exact.distance);
        assert_true(results[i].distance <= exact.distance + 0.1);
    }
    assert_int_equal(warnings, 1);
    free(results);
    project_finish(&p);
    free(queries);
    curves_free(&c);
    clsp_context_destroy(&ctx);
}

/* ---- groups of items ---- */

/* Fewer points than keep a GPU busy, of which groups search one each, give the bits that many
   points in one call give. */
static void check_groups(projecting *p)
{
    enum { FEW = 7 };
    const size_t each = nearest_bytes(p->c->d.precision);
    unsigned char *const all = project_bytes(p, 0, p->num);

    for (size_t first = 0; first < p->num; first += FEW) {
        const size_t num = p->num - first < FEW ? p->num - first : FEW;
        unsigned char *const few = project_bytes(p, first, num);
        for (size_t i = 0; i < num; i++)
            if (memcmp(few + i * each, all + (first + i) * each, each) != 0) {
                const clsp_nearest_f64 a = nearest_at(p->c->d.precision, few, i);
                const clsp_nearest_f64 b = nearest_at(p->c->d.precision, all, first + i);
                fail_msg("query %zu: at %.17g of %u, distance %.17g, bound %.17g; by itself at "
                         "%.17g of %u, distance %.17g, bound %.17g",
                         first + i, a.param[0], a.patch, a.distance, a.bound, b.param[0], b.patch,
                         b.distance, b.bound);
            }
        free(few);
    }
    free(all);
}

static const char *const group_limits[] = {"class=integrated,local_is_real=1,work_group=8,fp64=0",
                                           "class=discrete,local_is_real=1"};

/* One curve of many cubics, and many curves; then each query by its curve, with hints, and what is
   near alone. Some queries are no points, others lie on joints. */
static void groups(clsp_context *ctx, clsp_type precision)
{
    const size_t num = tiny() ? 4 : 301;

    for (int many = 0; many < 2; many++) {
        if (!program_in_turn((size_t)many)) continue;
        curves c = random_curves(precision, many ? 5 : 6,
                                 many     ? 8
                                 : tiny() ? 12
                                          : 50,
                                 2 + (unsigned)many, false, many ? (tiny() ? 3 : 70) : 1);
        double *const queries = make_queries(&c, num), *const hints = malloc(num * sizeof *hints);
        uint32_t *const patches = malloc(num * sizeof *patches);
        assert_true(hints && patches);
        for (size_t i = 0; i < num; i++) {
            patches[i] = (uint32_t)(i == 3 ? c.num : (i * 7 + 3) % c.num);
            hints[i] = i % 3 ? 0.5 + 0.5 * random_real() : NAN;
        }
        queries[c.dim] = NAN;
        projecting p = start(ctx, &c, num, queries);
        check_groups(&p);
        p.patches = patches;
        check_groups(&p);
        p.hints = hints;
        check_groups(&p);
        p.opts.max_dist = 0.05;
        check_groups(&p);
        p.patches = NULL;
        p.hints = NULL;
        check_groups(&p);
        project_finish(&p);
        free(queries);
        free(hints);
        free(patches);
        curves_free(&c);
    }
}

static void test_groups(void **state)
{
    (void)state;
    each_turn(group_limits, COUNT(group_limits), 1, groups);
}

/* Fails unless queries, of which calls take a few, find the nearest of their curves within the
   tolerance. */
static void check_few(projecting *p)
{
    enum { FEW = 7 };

    for (size_t first = 0; first < p->num; first += FEW) {
        const size_t num = p->num - first < FEW ? p->num - first : FEW;
        clsp_nearest_f64 *const results = project_range(p, first, num);
        for (size_t i = 0; i < num; i++)
            check_within(p->c, p->queries + (first + i) * p->c->dim, p->patches[first + i],
                         &results[i], p->opts.tolerance);
        free(results);
    }
}

/* Moves the last control point of each curve near the origin, and the one two before it, relative
   to which cubics are taken, so that distances are known to many more digits than what is summed to
   a point of a cubic. Queries go on straight from the ends, by more and more. */
static void make_end_queries(curves *c, double *queries, uint32_t *patches, size_t num)
{
    const size_t controls = c->d.num_controls[0];
    const int least = c->d.precision == CLSP_F64 ? 50 : 22;

    for (size_t i = 0; i < c->num; i++)
        for (size_t k = 1; k <= 3; k += 2)
            for (unsigned d = 0; d < c->dim; d++) {
                double *const x = &c->controls[((i + 1) * controls - k) * c->dim + d];
                *x = rounded_to(c->d.precision, *x / 1000);
            }
    for (size_t i = 0; i < num; i++) {
        const double *const end = c->controls + ((i % c->num + 1) * controls - 1) * c->dim;
        const double by = ldexp(1.0, (int)(i * 12 / num) - least);
        patches[i] = (uint32_t)(i % c->num);
        for (unsigned d = 0; d < c->dim; d++) {
            const double step = end[d] - (end - c->dim)[d];
            queries[i * c->dim + d] = rounded_to(c->d.precision, end[d] + by * step);
        }
    }
}

/* Groups of more items than a curve has cubics, of which there are 1, 2, 3 and 5, search for points
   near its end. Nothing but that end bounds the search then, and the cubic that has it must not be
   left out by the rounding of its distance. */
static void few_cubics(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t cubics[] = {1, 2, 3, 5};
    enum { CURVES = 16, DIM = 2, NUM = 4 * CURVES };

    for (size_t k = 0; k < COUNT(cubics); k++) {
        curves c = random_curves(precision, 3, 3 + cubics[k], DIM, false, CURVES);
        double queries[NUM * DIM];
        uint32_t patches[NUM];
        make_end_queries(&c, queries, patches, NUM);
        projecting p = start(ctx, &c, NUM, queries);
        p.patches = patches;
        check_few(&p);
        project_finish(&p);
        curves_free(&c);
    }
}

static void test_few_cubics(void **state)
{
    static const char *const limits[] = {"class=integrated,local_is_real=1,work_group=8"};

    (void)state;
    each_turn(limits, COUNT(limits), 1, few_cubics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),        cmocka_unit_test(test_hard),
        cmocka_unit_test(test_degrees),      cmocka_unit_test(test_ends_and_joints),
        cmocka_unit_test(test_many_curves),  cmocka_unit_test(test_groups),
        cmocka_unit_test(test_few_cubics),   cmocka_unit_test(test_changes),
        cmocka_unit_test(test_max_dist),     cmocka_unit_test(test_extreme_tolerances),
        cmocka_unit_test(test_arguments),    cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_points_alone), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_too_many),
    };

    if (support_no_device() || !support_has_methods()) return 77;
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
