/* Projection onto B-spline curves: the nearest point and its bound against the oracle, on tame and
   on hard curves, of one curve or of many; options, memory of every kind, bad input, events and
   shared calls. */
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
#include "memory_fixture.h"
#include "vertex_fixture.h"

/* Projects points and checks each; frees them, and the curves. */
static void check_points(clsp_context *ctx, curves *c, size_t num, double *queries)
{
    projecting p = project_start(ctx, c, num, queries);

    check_all_nearest(&p);
    project_finish(&p);
    free(queries);
    curves_free(c);
}

/* Projects random points of all kinds. */
static void check_curves(clsp_context *ctx, curves *c, size_t num)
{
    check_points(ctx, c, num, make_queries(c, num));
}

/* ---- the nearest point ---- */

static curves curves_of_case(size_t i, curve_kind kind, clsp_type precision)
{
    const curve_case *const k = &curve_cases[i];
    curves c = curves_make(precision, k->degree, k->controls, k->dim, false, 1);

    c.name = k->name;
    curve_case_controls(k, kind, c.controls);
    curves_finish(&c);
    return c;
}

/* Points that are made for curves of a case. */
typedef double *(*points_fn)(curves *c, size_t num);

/* In a full run a million points in all. */
static void check_cases(clsp_context *ctx, clsp_type precision, points_fn make_points)
{
    const size_t num = full() ? 5600 : tiny() ? 16 : 96;

    for (size_t i = 0; i < CURVE_CASES; i++)
        for (int kind = 0; kind < CURVE_KINDS; kind++) {
            if (!curves_in_turn(curve_cases[i].degree, curve_cases[i].dim)) continue;
            if (tiny() && i % 9 > 0) continue;
            curves c = curves_of_case(i, (curve_kind)kind, precision);
            check_points(ctx, &c, num, make_points(&c, num));
            assert_int_equal(project_cut(), 0);
        }
    print_message("f%d: ", precision == CLSP_F64 ? 64 : 32);
    project_say_worst();
}

static void projections(clsp_context *ctx, clsp_type precision)
{
    check_cases(ctx, precision, make_queries);
}

static void test_cases(void **state)
{
    (void)state;
    with_limits(projections);
}

static void inversions(clsp_context *ctx, clsp_type precision)
{
    check_cases(ctx, precision, make_curve_points);
}

static void test_inversions(void **state)
{
    (void)state;
    with_limits(inversions);
}

static void hard(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < HARD_CURVES; i++) {
        if (tiny() && i % 3 > 0) continue;
        curves c = hard_curves(i, precision);
        if (curves_in_turn(c.d.degree[0], c.dim))
            check_curves(ctx, &c, full() ? 5600 : tiny() ? 16 : 80);
        else
            curves_free(&c);
    }
}

static void test_hard(void **state)
{
    (void)state;
    with_limits(hard);
    project_say_worst();
}

/* In a thin run some degrees are tried, with weights or without. */
static void degrees(clsp_context *ctx, clsp_type precision)
{
    for (uint32_t degree = 1; degree <= CLSP_NEAREST_MAX_DEGREE;
         degree = degree < 16 ? degree + 1 : 2 * degree) {
        if (!curves_in_turn(degree, degree % 4 + 1) || (tiny() && degree > 3)) continue;
        if (is_thin() && degree > 5 && degree % 8 != 0) continue;
        for (int rational = 0; rational < 2; rational++) {
            if (is_thin() && rational != (degree % 3 == 1)) continue;
            if (rational && degree > 16 && loops_are_cut(ctx)) continue;
            const uint32_t controls = degree < 16 ? 2 * degree + 3 : degree + 2;
            curves c = random_curves(precision, degree, controls, degree % 4 + 1, rational, 1);
            check_curves(ctx, &c, full() ? 400 : tiny() ? 8 : 40);
        }
    }
}

static void test_degrees(void **state)
{
    (void)state;
    with_limits(degrees);
    project_say_worst();
}

/* ---- many curves ---- */

static uint32_t *numbers_below(size_t num, size_t end)
{
    uint32_t *const numbers = malloc((num + 1) * sizeof *numbers);

    assert_non_null(numbers);
    for (size_t i = 0; i < num; i++)
        numbers[i] = (uint32_t)((i * 7 + 3) % end);
    return numbers;
}

/* Onto the nearest of all curves, and onto one that each point names. */
static void many_curves(clsp_context *ctx, clsp_type precision)
{
    const size_t num = tiny() ? 8 : 64;
    curves c = random_curves(precision, 3, 7, 2, precision == CLSP_F64, tiny() ? 4 : 40);
    double *const queries = make_queries(&c, num);
    uint32_t *const patches = numbers_below(num, c.num);
    projecting p = project_start(ctx, &c, num, queries);

    check_all_nearest(&p);
    p.patches = patches;
    check_all_nearest(&p);
    patches[num / 2] = (uint32_t)c.num;
    patches[num - 1] = UINT32_MAX;
    clsp_nearest_f64 *const results = project_range(&p, 0, num);
    for (size_t i = 0; i + 1 < num; i++)
        if (i != num / 2) check_nearest(&c, queries + 2 * i, patches[i], &results[i]);
    check_none(&results[num / 2], CLSP_NEAREST_INVALID, NAN);
    check_none(&results[num - 1], CLSP_NEAREST_INVALID, NAN);
    free(results);
    project_finish(&p);
    free(queries);
    free(patches);
    curves_free(&c);
}

static void test_many_curves(void **state)
{
    (void)state;
    with_limits(many_curves);
}

/* Other curves in the same plan, fewer and more of them, and none. */
static void test_reload(void **state)
{
    enum { NUM = 24 };
    clsp_context *const ctx = lent_context("");
    curves c = random_curves(CLSP_F32, 3, 7, 2, false, 9);
    double *const queries = make_queries(&c, NUM);
    projecting p = project_start(ctx, &c, NUM, queries);
    float controls[9 * 7 * 2];

    (void)state;
    check_all_nearest(&p);
    for (size_t num = 9; num > 0; num /= 2) {
        for (size_t i = 0; i < num * 14; i++) {
            controls[i] = (float)random_real();
            c.controls[i] = controls[i];
        }
        for (size_t i = 0; i < c.num; i++) {
            ref_project_free(c.oracle[i]);
            c.oracle[i] = NULL;
        }
        c.num = num;
        assert_int_equal(
            clsp_patch_set_control_points(p.plan, num, clsp_in_f32(controls, num * 14), NULL),
            CLSP_OK);
        check_all_nearest(&p);
    }
    assert_int_equal(clsp_patch_set_control_points(p.plan, 0, clsp_in_f32(controls, 0), NULL),
                     CLSP_OK);
    clsp_nearest_f64 *const results = project_range(&p, 0, NUM);
    for (size_t i = 0; i < NUM; i++)
        check_none(&results[i], CLSP_NEAREST_NONE, INFINITY);
    free(results);
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

/* Points whose squares are no numbers, up to the largest number, on the device and on the host. */
static void far_away(clsp_context *ctx, clsp_type precision)
{
    static const double shares[] = {1e-18, 1e-9, 0.2, 0.3, 0.4, -0.4, -0.3};
    enum { NUM = sizeof shares / sizeof *shares };
    const double most = precision == CLSP_F64 ? DBL_MAX : (double)FLT_MAX;
    curves c = random_curves(precision, 3, 7, 2, precision == CLSP_F64, support_tiny() ? 10 : 40);
    double queries[2 * NUM];
    projecting p = project_start(ctx, &c, NUM, queries);

    for (size_t i = 0; i < NUM; i++) {
        queries[2 * i + i % 2] = rounded_to(precision, shares[i] * most);
        queries[2 * i + 1 - i % 2] = 0.5;
    }
    check_all_nearest(&p);
    p.share = &(clsp_share){.schedule = CLSP_SCHEDULE_HOST};
    check_all_nearest(&p);
    project_finish(&p);
    curves_free(&c);
}

static void test_far_away(void **state)
{
    (void)state;
    with_limits(far_away);
}

/* ---- options ---- */

/* Hints of all kinds change nothing: good ones, wrong ones, none, and such as are no parameters. */
static void hinted(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 60 };
    curves c = random_curves(precision, 4, 11, 3, false, 1);
    double *const queries = make_queries(&c, NUM), hints[NUM];
    projecting p = project_start(ctx, &c, NUM, queries);
    clsp_nearest_f64 *const free_ones = project_range(&p, 0, NUM);

    for (size_t i = 0; i < NUM; i++) {
        const double kinds[] = {
            free_ones[i].param[0], 0.5 + 0.5 * random_real(), NAN, -7.0, INFINITY, 0.25};
        hints[i] = kinds[i % COUNT(kinds)];
    }
    p.hints = hints;
    clsp_nearest_f64 *const results = project_range(&p, 0, NUM);
    for (size_t i = 0; i < NUM; i++) {
        check_nearest(&c, queries + 3 * i, 0, &results[i]);
        assert_true(fabs(results[i].distance - free_ones[i].distance) <=
                    allowed(&c, results[i].distance) / 2);
        assert_int_equal(results[i].status, free_ones[i].status);
    }
    free(results);
    free(free_ones);
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

static void test_hints(void **state)
{
    (void)state;
    with_limits(hinted);
}

/* With patches hints are allowed of any number of curves. */
static void test_hints_of_patches(void **state)
{
    enum { NUM = 40 };
    clsp_context *const ctx = lent_context("");
    curves c = random_curves(CLSP_F32, 3, 8, 2, false, 6);
    double *const queries = make_queries(&c, NUM), hints[NUM];
    uint32_t *const patches = numbers_below(NUM, c.num);
    projecting p = project_start(ctx, &c, NUM, queries);

    (void)state;
    for (size_t i = 0; i < NUM; i++)
        hints[i] = i % 5 ? 0.5 + 0.5 * random_real() : NAN;
    p.patches = patches;
    p.hints = hints;
    check_all_nearest(&p);
    project_finish(&p);
    free(patches);
    free(queries);
    curves_free(&c);
}

/* What is farther than max_dist is not found, all else is. */
static void within_a_distance(clsp_context *ctx, clsp_type precision)
{
    static const double distances[] = {0.125, 1e-3, 1e30};
    const size_t num = tiny() ? 8 : 80;
    curves c = random_curves(precision, 3, 9, 2, precision == CLSP_F32, 3);
    double *const queries = make_queries(&c, num);
    projecting p = project_start(ctx, &c, num, queries);
    clsp_nearest_f64 *const all = project_range(&p, 0, num);

    for (size_t k = 0; k < COUNT(distances); k++) {
        const double most = rounded_to(precision, distances[k]);
        p.opts.max_dist = distances[k];
        clsp_nearest_f64 *const results = project_range(&p, 0, num);
        for (size_t i = 0; i < num; i++) {
            const double margin = allowed(&c, all[i].distance);
            if (results[i].status == CLSP_NEAREST_NONE) {
                check_none(&results[i], CLSP_NEAREST_NONE, most);
                assert_true(all[i].distance >= most - margin);
            } else {
                check_nearest(&c, queries + 2 * i, UINT32_MAX, &results[i]);
                assert_true(results[i].distance <= most + margin);
            }
        }
        free(results);
    }
    free(all);
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

static void test_max_dist(void **state)
{
    (void)state;
    with_limits(within_a_distance);
}

/* ---- several minima ---- */

/* Whether the distance is no less a little beside a result. */
static bool is_minimum(curves *c, const double *query, const clsp_nearest_f64 *r)
{
    const double begin = c->knots[c->d.degree[0]], end = c->knots[c->d.num_controls[0]];
    const double step = 1e-4 * (end - begin) / c->d.num_controls[0];

    for (int sign = -1; sign <= 1; sign += 2) {
        long double point[4], square = 0.0L;
        ref_project_point(oracle_of(c, r->patch), r->param[0] + sign * step, 0, point);
        for (unsigned k = 0; k < c->dim; k++)
            square += (point[k] - query[k]) * (point[k] - query[k]);
        if (!(sqrtl(square) >= r->distance - allowed(c, r->distance))) return false;
    }
    return true;
}

/* Whether a minimum of the oracle's is among the results. */
static bool is_among(const curves *c, const ref_nearest *m, const clsp_nearest_f64 *results,
                     size_t num)
{
    const double range = c->knots[c->d.num_controls[0]] - c->knots[c->d.degree[0]];

    for (size_t k = 0; k < num; k++)
        if (results[k].status <= CLSP_NEAREST_CUT &&
            fabsl(results[k].distance - m->distance) <= allowed(c, results[k].distance) &&
            fabsl(results[k].param[0] - m->t) <= 1e-2 * range)
            return true;
    return false;
}

/* The results for one point are different minima, in order, and none that is clear is missing. */
static void check_minima(curves *c, const double *query, uint32_t patch,
                         const clsp_nearest_f64 *results, size_t num)
{
    enum { ROOM = 256 };
    ref_nearest minima[ROOM];
    size_t found = 0;

    while (found < num && results[found].status <= CLSP_NEAREST_CUT)
        found++;
    assert_true(found > 0);
    check_nearest(c, query, patch, &results[0]);
    for (size_t k = 0; k < found; k++) {
        check_itself(c, query, &results[k]);
        assert_int_equal(results[k].status, results[0].status); /* of one search */
        if (k > 0 && !(results[k].distance >= results[k - 1].distance))
            fail_msg("%s: %.17g after %.17g", c->name, results[k].distance,
                     results[k - 1].distance);
        if (!is_minimum(c, query, &results[k]))
            fail_msg("result %zu at %.17g is no minimum", k, results[k].param[0]);
        for (size_t i = 0; i < k; i++)
            assert_true(results[i].patch != results[k].patch ||
                        fabs(results[i].param[0] - results[k].param[0]) > 1e-6);
    }
    for (size_t k = found; k < num; k++)
        check_none(&results[k], CLSP_NEAREST_NONE, INFINITY);
    for (size_t i = patch == UINT32_MAX ? 0 : patch; i < c->num; i++) {
        const size_t there = ref_project_minima(oracle_of(c, i), query, minima, ROOM);
        assert_true(there <= ROOM);
        for (size_t k = 0; k < there; k++) {
            const ref_nearest *const m = &minima[k];
            const double most = allowed(c, (double)m->distance);
            const bool clear = m->bound - m->distance > 1e-3 * c->scale;
            const bool nearer = found < num || m->distance < results[num - 1].distance - most;
            if (clear && nearer && !is_among(c, m, results, found))
                fail_msg("%s, query %.17g %.17g: no result at %.17Lg, whose distance is %.17Lg",
                         c->name, query[0], query[1], m->t, m->distance);
        }
        if (patch != UINT32_MAX) break;
    }
}

static void check_several(clsp_context *ctx, curves *c, uint32_t num_nearest, bool by_patches)
{
    const size_t num = tiny() ? 8 : 48;
    double *const queries = make_queries(c, num);
    uint32_t *const patches = numbers_below(num, c->num);
    projecting p = project_start(ctx, c, num, queries);

    p.opts.num_nearest = num_nearest;
    if (by_patches) p.patches = patches;
    clsp_nearest_f64 *const results = project_range(&p, 0, num);
    for (size_t i = 0; i < num; i++)
        check_minima(c, queries + i * c->dim, by_patches ? patches[i] : UINT32_MAX,
                     results + i * num_nearest, num_nearest);
    free(results);
    project_finish(&p);
    free(queries);
    free(patches);
    curves_free(c);
}

static void several_minima(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t nums[] = {2, 5, CLSP_NEAREST_MAX_RESULTS};

    for (size_t i = 0; i < COUNT(nums); i++) {
        if (!program_in_turn(i)) continue;
        curves one = curves_of_case(5, (curve_kind)(i % CURVE_KINDS), precision);
        check_several(ctx, &one, nums[i], false);
        curves some = random_curves(precision, 3, 8, 2, i == 1, 4);
        check_several(ctx, &some, nums[i], i == 2);
    }
}

static void test_num_nearest(void **state)
{
    (void)state;
    with_limits(several_minima);
}

/* From the centre of a square all of its sides are equally near, from its corners' outside the
   kinks are minima. */
static void test_square(void **state)
{
    static const float square[] = {1, -1, 1, 1, -1, 1, -1, -1, 1, -1};
    static const float points[] = {0, 0, 0.5F, 0, 2, 2};
    enum { NUM = 3, NEAREST = 5 };
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc d = {
        .directions = 1, .degree = {1}, .num_controls = {5}, .dim = 2, .precision = CLSP_F32};
    const clsp_nearest_queries queries = {.num = NUM, .points = clsp_in_f32(points, 2 * NUM)};
    const clsp_nearest_opts opts = {.num_nearest = NEAREST};
    clsp_nearest_f32 r[NUM][NEAREST];
    clsp_patch_plan *plan;

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(clsp_patch_set_control_points(plan, 1, clsp_in_f32(square, 10), NULL),
                     CLSP_OK);
    assert_int_equal(clsp_nearest_project(plan, &queries, &opts,
                                          clsp_out_nearest_f32(r[0], NUM * NEAREST), NULL),
                     CLSP_OK);
    for (size_t k = 0; k < 4; k++)
        assert_true(fabsf(r[0][k].distance - 1) <= 1e-6F);
    assert_int_equal(r[0][4].status, CLSP_NEAREST_NONE);
    assert_true(fabsf(r[1][0].distance - 0.5F) <= 1e-6F &&
                fabsf(r[1][0].param[0] - 0.125F) < 1e-5F);
    assert_true(fabsf(r[2][0].distance - sqrtf(2)) <= 1e-6F);
    assert_true(r[2][0].point[0] == 1 && r[2][0].point[1] == 1);
    clsp_patch_plan_destroy(&plan);
}

/* ---- through cubics ---- */

/* Of the default tolerance and of a wide one: distances and bounds keep it. */
static void through_cubics(clsp_context *ctx, clsp_type precision)
{
    static const double tolerances[] = {0, 1e-2};
    const size_t num = tiny() ? 16 : 64;

    support_needs_opencl(ctx); /* the method is of kernels */
    support_needs_methods();
    for (size_t i = 0; i < CURVE_CASES; i += 4) {
        if (!curves_in_turn(curve_cases[i].degree, curve_cases[i].dim)) continue;
        curves c = curves_of_case(i, CURVE_TAME, precision);
        double *const queries = make_queries(&c, num);
        projecting p = project_start(ctx, &c, num, queries);
        p.opts.method = CLSP_NEAREST_MREP;
        for (size_t k = 0; k < COUNT(tolerances); k++) {
            const double within = tolerances[k] > 0 ? tolerances[k] : 2e-4;
            p.opts.tolerance = tolerances[k];
            clsp_nearest_f64 *const results = project_range(&p, 0, num);
            for (size_t j = 0; j < num; j++) {
                ref_nearest exact;
                const clsp_nearest_f64 *const r = &results[j];
                ref_project_nearest(oracle_of(&c, 0), queries + j * c.dim, 1e-14L, &exact);
                const double most = within + allowed(&c, r->distance);
                assert_int_equal(r->status, CLSP_NEAREST_FOUND);
                assert_true(fabsl(r->distance - exact.distance) <= most);
                assert_true(r->bound <= exact.distance && r->distance - r->bound <= 2 * most);
            }
            free(results);
        }
        project_finish(&p);
        free(queries);
        curves_free(&c);
    }
}

static void test_mrep(void **state)
{
    (void)state;
    with_limits(through_cubics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),       cmocka_unit_test(test_inversions),
        cmocka_unit_test(test_hard),        cmocka_unit_test(test_degrees),
        cmocka_unit_test(test_many_curves), cmocka_unit_test(test_reload),
        cmocka_unit_test(test_hints),       cmocka_unit_test(test_hints_of_patches),
        cmocka_unit_test(test_max_dist),    cmocka_unit_test(test_num_nearest),
        cmocka_unit_test(test_far_away),    cmocka_unit_test(test_square),
        cmocka_unit_test(test_mrep),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
