/* B-splines at their knots, where derivatives and curves may jump: at knots that the precision does
   not have, in spans of very different lengths, in every call that evaluates. */
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
#include "spline_fixture.h"

static double worst;

static void judge(const spline *s, const double *controls, const long double t[3],
                  const unsigned char *vertices, size_t k, double bound)
{
    worst = support_worse(worst, spline_error(s, controls, t, vertices, k, bound));
}

/* The shapes of kernels that test_bspline.c has, too. */
static const struct {
    uint32_t directions, degree[3], controls[3], attributes;
} shapes[] = {
    {1, {2}, {12}, P | DU | K},
    {2, {1, 3}, {9, 11}, P | DU | DV},
    {1, {5}, {21}, P | DU | K},
    {2, {2, 1}, {8, 13}, P | DU | DV},
};

/* Knots at random, of a kind; far: from 0, in spans' lengths. */
static void random_knots(spline *s, uint32_t k, knot_kind kind, double far)
{
    const uint32_t num = s->d.num_controls[k] + s->d.degree[k] + 1;
    double *const u = s->knots[k], length = 0.5 + 0.25 * random_real();

    make_knots(u, s->d.degree[k], s->d.num_controls[k], kind, 0.0);
    for (uint32_t i = 0; i < num; i++)
        u[i] = far + length * u[i];
}

static spline random_spline(size_t shape, clsp_type precision, knot_kind kind, double far)
{
    spline s = make_spline(precision, shapes[shape].directions, shapes[shape].degree,
                           shapes[shape].controls, kind, 0, shapes[shape].attributes);

    for (uint32_t k = 0; k < s.d.directions; k++)
        random_knots(&s, k, (knot_kind)((kind + k) % NUM_KINDS), far);
    s.rounding = precision == CLSP_F64 ? 64 : 32;
    return s;
}

/* ---- lists ---- */

/* A parameter as the precision has it: at a knot, next to it, or anywhere. */
static double parameter_of(const spline *s, uint32_t k, size_t number)
{
    const double *const u = s->knots[k] + s->d.degree[k];
    const uint32_t inner = s->d.num_controls[k] - s->d.degree[k];
    const double knot = u[number / 4 % (inner + 1)], low = u[0], high = u[inner];
    const double t =
        number % 4 < 3 ? knot : low + (high - low) * (double)(0.5 + 0.5 * random_real());
    const bool is_next = number % 4 == 1 || number % 4 == 2;
    const double to = number % 4 == 1 ? -DBL_MAX : DBL_MAX;

    if (s->d.precision == CLSP_F64) return fmin(fmax(is_next ? nextafter(t, to) : t, low), high);
    float x = is_next ? nextafterf((float)t, to < 0.0 ? -FLT_MAX : FLT_MAX) : (float)t;
    while (x < low)
        x = nextafterf(x, INFINITY);
    while (x > high)
        x = nextafterf(x, -INFINITY);
    return (double)x;
}

static clsp_status eval_list(clsp_patch_plan *plan, const spline *s, size_t num,
                             const double *params, unsigned char *vertices)
{
    const size_t all = num * s->d.directions;
    float *const narrow = malloc(all * sizeof *narrow);

    assert_non_null(narrow);
    for (size_t i = 0; i < all; i++)
        narrow[i] = (float)params[i];
    const clsp_points list = {.num = num,
                              .params = s->d.precision == CLSP_F64 ? clsp_in_f64(params, all)
                                                                   : clsp_in_f32(narrow, all)};
    const clsp_status status =
        eval_list_twice(plan, &list, host_out(s->l.type, vertices, num * s->l.stride));
    free(narrow);
    return status;
}

/* own: the knots are the curve's own. */
static void check_list(clsp_context *ctx, spline *s, size_t num, bool own)
{
    const uint32_t directions = s->d.directions;
    double *const controls = random_controls(&s->l, 1);
    double *const params = malloc(num * directions * sizeof *params);
    clsp_patch_plan *plan = plan_of(ctx, s, controls, 1);
    unsigned char *const vertices = guarded(&s->l, num);

    assert_non_null(params);
    const size_t knots = s->d.num_controls[0] + s->d.degree[0] + 1;
    if (own)
        assert_int_equal(clsp_bspline_set_knots(plan, 1, clsp_in_f64(s->knots[0], knots)), CLSP_OK);
    for (size_t i = 0; i < num * directions; i++)
        params[i] = parameter_of(s, (uint32_t)(i % directions), i / directions);
    assert_int_equal(eval_list(plan, s, num, params, vertices), CLSP_OK);
    for (size_t i = 0; i < num; i++) {
        long double t[3] = {0};
        for (uint32_t k = 0; k < directions; k++)
            t[k] = params[i * directions + k];
        judge(s, controls, t, vertices, i, 8.0);
    }
    free_guarded(&s->l, num, vertices);
    clsp_patch_plan_destroy(&plan);
    free(params);
    free(controls);
}

/* CLSPLINE_TEST_SIZE=full: a million parameters in all. */
static void lists(clsp_context *ctx, clsp_type precision)
{
    static const double fars[] = {0.0, 0.3, -1.1, 100.7};
    const size_t num = support_full() ? 10000 : 120;

    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t k = 0; k < (support_full() ? COUNT(fars) * NUM_KINDS : 4); k++) {
            if (!in_turn(i) || (tiny() && k % 3 != 0)) continue;
            seed((unsigned)(100 * i + k));
            spline s = random_spline(i, precision, (knot_kind)(k % NUM_KINDS),
                                     fars[(k + k / NUM_KINDS) % COUNT(fars)]);
            check_list(ctx, &s, num, false);
            if (i == 0) check_list(ctx, &s, num, true);
        }
}

static void test_lists(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(lists);
    print_message("worst/bound %.2f\n", worst);
}

/* Points and derivatives of surfaces in every run by the device as it is: on CPUs the host makes
   them. */
static void test_host_lists(void **state)
{
    clsp_context *const ctx = lent_context("");

    (void)state;
    worst = 0.0;
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
        for (size_t k = 0; k < 2 * NUM_KINDS; k++) {
            if ((p == CLSP_F64 && !has_fp64(ctx)) || (tiny() && k > 1)) continue;
            seed((unsigned)(1000 + k));
            spline s = random_spline(k < NUM_KINDS ? 1 : 3, p, (knot_kind)(k % NUM_KINDS), 0.3);
            check_list(ctx, &s, 120, false);
        }
    print_message("worst/bound %.2f\n", worst);
}

/* A curve with a span of 1e-9 between ones of 1e9, along which it goes as far. */
static spline short_span(clsp_type precision)
{
    static const double knots[] = {-1e9, -1e9, -1e9, 0.0, 0.0, 1e-9, 1e-9, 1e9, 1e9, 1e9};
    static const uint32_t degree[3] = {2}, controls[3] = {7};
    spline s = make_spline(precision, 1, degree, controls, CLAMPED, 0, P);

    memcpy(s.knots[0], knots, sizeof knots);
    s.rounding = precision == CLSP_F64 ? 64 : 32;
    return s;
}

enum { SHORT = 24 /* parameters */ };

static double short_parameter(int k)
{
    return k < 12 ? 1e-9 * k / 11 : k < 18 ? -1e9 * (k - 12) / 5 : 1e9 * (k - 18) / 5;
}

static void judge_short(const spline *s, const double *points, const double *params,
                        const unsigned char *vertices, int num)
{
    for (int k = 0; k < num; k++)
        judge(s, points, (long double[3]){params[k], 0, 0}, vertices, (size_t)k, 8.0);
}

/* In a list, on an axis of these parameters in any order, and on the grid of one patch that is over
   the span alone. */
static void check_short_span(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t num[] = {SHORT};
    double params[SHORT], within[SHORT];
    spline s = short_span(precision);

    for (int k = 0; k < SHORT; k++) {
        const double t = short_parameter(k * 7 % SHORT);
        params[k] = precision == CLSP_F64 ? t : (double)(float)t;
        within[k] = 1e-9 * k / (SHORT - 1);
    }
    seed(7);
    double *const points = random_controls(&s.l, 1);
    s.d.axis[0] = (clsp_axis){.num = SHORT, .params = params};
    clsp_patch_plan *plan = plan_of(ctx, &s, points, 1);
    unsigned char *const vertices = guarded(&s.l, SHORT);
    const clsp_output out = host_out(s.l.type, vertices, SHORT * s.l.stride);
    assert_int_equal(eval_list(plan, &s, SHORT, params, vertices), CLSP_OK);
    judge_short(&s, points, params, vertices, SHORT);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1}, out, NULL), CLSP_OK);
    judge_short(&s, points, params, vertices, SHORT);
    const clsp_axis axis = {.num = 2, .begin = 0.0, .end = 1e-9};
    assert_int_equal(clsp_patch_set_grids(plan, &axis, 0, (clsp_input){0}), CLSP_OK);
    assert_int_equal(clsp_patch_set_grids(plan, NULL, 1, clsp_in_u32(num, 1)), CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1}, out, NULL), CLSP_OK);
    judge_short(&s, points, within, vertices, SHORT);
    free_guarded(&s.l, SHORT, vertices);
    clsp_patch_plan_destroy(&plan);
    free(points);
}

static void test_short_span(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(check_short_span);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- grids ---- */

enum { TENTHS = 11 };

/* Curves over tenths, which neither precision has, with jumps at some. */
static spline tenths(clsp_type precision, uint32_t attributes)
{
    static const uint32_t degree[3] = {2}, controls[3] = {18};
    static const unsigned tenth[] = {0, 0, 0, 1, 1, 1, 2, 3,  3,  3, 4,
                                     6, 6, 6, 7, 7, 9, 9, 10, 10, 10};
    spline s = make_spline(precision, 1, degree, controls, CLAMPED, 0, attributes);

    for (size_t i = 0; i < COUNT(tenth); i++)
        s.knots[0][i] = tenth[i] / 10.0;
    s.d.axis[0].num = TENTHS;
    s.rounding = 64;
    return s;
}

/* Samples at all tenths, of a grid that says so or not. */
static void check_tenths(clsp_context *ctx, const spline *from, bool own, bool of_patches)
{
    static const uint32_t nums[] = {TENTHS};
    double params[TENTHS];
    spline s = *from;

    for (int a = 0; a < TENTHS; a++)
        params[a] = a / 10.0;
    if (own) s.d.axis[0].params = params;
    seed(11);
    double *const controls = random_controls(&s.l, 1);
    clsp_patch_plan *plan = plan_of(ctx, &s, controls, 1);
    unsigned char *const vertices = guarded(&s.l, TENTHS);
    if (of_patches)
        assert_int_equal(clsp_patch_set_grids(plan, NULL, 1, clsp_in_u32(nums, 1)), CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1},
                                     host_out(s.l.type, vertices, TENTHS * s.l.stride), NULL),
                     CLSP_OK);
    for (int a = 0; a < TENTHS; a++)
        judge(&s, controls, (long double[3]){params[a], 0, 0}, vertices, (size_t)a, 8.0);
    free_guarded(&s.l, TENTHS, vertices);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

static void grids(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t attributes[] = {P | DU | K, P | DUU};

    for (size_t i = 0; i < COUNT(attributes); i++) {
        const spline s = tenths(precision, attributes[i]);
        if (!in_turn(i)) continue;
        check_tenths(ctx, &s, false, false);
        check_tenths(ctx, &s, true, false);
        check_tenths(ctx, &s, false, true);
    }
}

static void test_grids(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(grids);
    print_message("worst/bound %.2f\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_host_lists),
        cmocka_unit_test(test_short_span),
        cmocka_unit_test(test_grids),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
