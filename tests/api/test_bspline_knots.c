/* Curves with knots of their own, in every call that evaluates, against the definition. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spline_fixture.h"

enum { CURVES = 5 };

/* A plan of curves, each of which is a spline by itself. */
typedef struct family {
    clsp_bspline_plan *plan;
    double *controls;
    spline curve[CURVES];
} family;

/* Domains lie apart, and are of different lengths. */
static spline curve_of(clsp_type precision, uint32_t degree, uint32_t controls, uint32_t rational,
                       uint32_t attributes, size_t number)
{
    const uint32_t degrees[3] = {degree}, nums[3] = {controls};
    const knot_kind kind = (knot_kind)(number % NUM_KINDS);
    spline s = make_spline(precision, 1, degrees, nums, kind, rational, attributes);

    for (uint32_t i = 0; i < controls + degree + 1; i++)
        s.knots[0][i] = s.knots[0][i] * (double)(1 + number) + 100.0 * (double)number - 64.0;
    return s;
}

static clsp_status set_knots(family *f)
{
    const spline *const s = f->curve;
    const size_t each = s->d.num_controls[0] + s->d.degree[0] + 1;
    double *const knots = malloc(CURVES * each * sizeof *knots);

    assert_non_null(knots);
    for (size_t c = 0; c < CURVES; c++)
        memcpy(knots + c * each, f->curve[c].knots[0], each * sizeof *knots);
    const clsp_status status =
        clsp_bspline_set_knots(f->plan, CURVES, clsp_in_f64(knots, CURVES * each));
    free(knots);
    return status;
}

/* num: samples of the grid. */
static family make_family(clsp_context *ctx, clsp_type precision, uint32_t degree,
                          uint32_t controls, uint32_t rational, uint32_t attributes, uint32_t num)
{
    family f;

    for (size_t c = 0; c < CURVES; c++)
        f.curve[c] = curve_of(precision, degree, controls, rational, attributes, c);
    f.curve[0].d.axis[0].num = num;
    f.controls = random_controls(&f.curve[0].l, CURVES);
    f.plan = plan_of(ctx, &f.curve[0], f.controls, CURVES);
    assert_int_equal(set_knots(&f), CLSP_OK);
    return f;
}

static void free_family(family *f)
{
    clsp_bspline_plan_destroy(&f->plan);
    free(f->controls);
}

static double worst;

/* lost: how far a parameter may be off, in eps of the domain's length. */
static void judge(const family *f, size_t c, long double t, const unsigned char *vertices, size_t k,
                  double lost)
{
    const spline *const s = &f->curve[c];
    const uint32_t p = s->d.degree[0], n = s->d.num_controls[0];
    const double *const u = s->knots[0], length = u[n] - u[p];
    const double first = gain(u, p, n, 1), second = gain(u, p, n, 2);
    const double steep = p > 1 && first > 0 ? fmax(first, second / first) : first;
    const double own = p > (s->d.precision == CLSP_F64 ? 15 : 31) ? 32.0 : 8.0;
    const long double at[3] = {t, 0.0L, 0.0L};

    worst = fmax(worst, spline_error(s, f->controls + c * s->l.controls, at, vertices, k,
                                     own + lost * length * steep));
}

static const struct {
    uint32_t degree, controls, rational, attributes;
} cases[] = {{3, 14, 0, P},  {2, 9, 1, P | W | DU | T}, {5, 17, 0, P | DU | DUU},
             {0, 4, 0, P},   {1, 2, 0, P | DU},         {3, 4, 0, P},
             {16, 40, 0, P}, {31, 64, 0, P | DU}};

/* ---- at parameters ---- */

static void points(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 90 };

    for (size_t i = 0; i < COUNT(cases); i++) {
        double params[NUM];
        float narrow[NUM];
        uint32_t curves[NUM];
        if (!in_turn(i, 2) || (tiny() && i > 1)) continue;
        seed((unsigned)i);
        family f = make_family(ctx, precision, cases[i].degree, cases[i].controls,
                               cases[i].rational, cases[i].attributes, 0);
        const spline *const s = f.curve;
        unsigned char *const vertices = guarded(&s->l, NUM);
        for (size_t k = 0; k < NUM; k++) {
            const uint32_t c = curves[k] = (uint32_t)(k % CURVES);
            const double *const u = f.curve[c].knots[0] + s->d.degree[0];
            const double end = u[s->d.num_controls[0] - s->d.degree[0]];
            const double t = k % 3 == 0
                                 ? u[k / 3 % (s->d.num_controls[0] - s->d.degree[0] + 1)]
                                 : (double)domain_at(&f.curve[c], 0, 0.5 + random_real() / 2);
            params[k] = precision == CLSP_F64 ? t : (double)(float)t;
            params[k] = fmin(fmax(params[k], u[0]), end); /* knots are floats */
            narrow[k] = (float)params[k];
        }
        narrow[1] = (float)(params[1] = -1e6); /* outside: the end's */
        narrow[2] = (float)(params[2] = 1e6);
        assert_int_equal(clsp_bspline_eval_points(f.plan, NUM, clsp_in_u32(curves, NUM),
                                                  precision == CLSP_F64 ? clsp_in_f64(params, NUM)
                                                                        : clsp_in_f32(narrow, NUM),
                                                  host_out(s->l.type, vertices, NUM * s->l.stride),
                                                  NULL),
                         CLSP_OK);
        for (size_t k = 0; k < NUM; k++) {
            const double *const u = f.curve[curves[k]].knots[0];
            judge(&f, curves[k], fmin(fmax(params[k], u[s->d.degree[0]]), u[s->d.num_controls[0]]),
                  vertices, k, 0.0);
        }
        free_guarded(&s->l, NUM, vertices);
        free_family(&f);
    }
}

static void test_points(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(points);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- grids ---- */

static void eval(const family *f, size_t first, size_t count, size_t num, unsigned char *vertices)
{
    const spline *const s = f->curve;

    assert_int_equal(clsp_bspline_eval(f->plan, (clsp_range){first, count},
                                       host_out(s->l.type, vertices, num * s->l.stride), NULL),
                     CLSP_OK);
}

/* The whole of each domain, both ways round. */
static void grids(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 41 };

    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!in_turn(i, 2) || (tiny() && i > 1)) continue;
        seed((unsigned)i);
        family f = make_family(ctx, precision, cases[i].degree, cases[i].controls,
                               cases[i].rational, cases[i].attributes, NUM);
        const spline *const s = f.curve;
        unsigned char *const all = guarded(&s->l, CURVES * NUM), *const one = guarded(&s->l, NUM);
        for (int back = 0; back < 2; back++) {
            eval(&f, 0, CURVES, CURVES * NUM, all);
            for (size_t k = 0; k < CURVES * NUM; k++) {
                const long double ratio = (long double)(k % NUM) / (NUM - 1);
                judge(&f, k / NUM, domain_at(&f.curve[k / NUM], 0, back ? 1 - ratio : ratio), all,
                      k, 4.0);
            }
            eval(&f, 3, 1, NUM, one);
            const size_t bytes = NUM * s->l.stride * s->l.element;
            assert_memory_equal(one, all + 3 * bytes, bytes);
            const clsp_axis axis = {NUM, s->knots[0][s->d.num_controls[0]],
                                    s->knots[0][s->d.degree[0]]};
            assert_int_equal(clsp_bspline_set_grid(f.plan, &axis), CLSP_OK);
        }
        free_guarded(&s->l, CURVES * NUM, all);
        free_guarded(&s->l, NUM, one);
        free_family(&f);
    }
}

static void test_grids(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(grids);
    print_message("worst/bound %.2f\n", worst);
}

/* A part that all domains have, which the description's need not have; numbers of samples of their
   own; shared evaluation. */
static void parts(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 17 };
    static const uint32_t nums[CURVES] = {3, 1, 9, 2, 5};
    const clsp_axis axis = {NUM, 0.25, 0.75};
    unsigned char *vertices;

    seed(3);
    family f = make_family(ctx, precision, 3, 9, 0, P | T, NUM);
    const spline *const s = f.curve;
    for (size_t c = 0; c < CURVES; c++) /* [0, 1] and more */
        for (uint32_t i = 0; i < 13; i++)
            f.curve[c].knots[0][i] = (i < 4   ? -(double)c / 8
                                      : i > 8 ? 1 + (double)c / 4
                                              : (i - 3 + (double)c / 16) / 8);
    f.curve[1].knots[0][0] = -3;
    assert_int_equal(set_knots(&f), CLSP_OK);
    assert_int_equal(clsp_bspline_set_grid(f.plan, &axis), CLSP_ERROR_ARGUMENT); /* [-64, ..] */
    clsp_bspline_plan_destroy(&f.plan);
    f.plan = plan_of(ctx, &f.curve[4], f.controls, CURVES); /* of a wide domain */
    assert_int_equal(set_knots(&f), CLSP_OK);
    assert_int_equal(clsp_bspline_set_grid(f.plan, &axis), CLSP_OK);
    vertices = guarded(&s->l, CURVES * NUM);
    eval(&f, 0, CURVES, CURVES * NUM, vertices);
    for (size_t k = 0; k < CURVES * NUM; k++)
        judge(&f, k / NUM, 0.25L + 0.5L * (k % NUM) / (NUM - 1), vertices, k, 4.0);
    clsp_cooperate_report report;
    assert_int_equal(clsp_bspline_cooperate(
                         f.plan, (clsp_range){0, CURVES},
                         host_out(s->l.type, vertices, CURVES * NUM * s->l.stride), NULL, &report),
                     CLSP_OK);
    judge(&f, 2, 0.25L + 0.5L * 5 / (NUM - 1), vertices, 2 * NUM + 5, 4.0);
    free_guarded(&s->l, CURVES * NUM, vertices);

    assert_int_equal(clsp_bspline_set_patch_grids(f.plan, CURVES, clsp_in_u32(nums, CURVES)),
                     CLSP_OK);
    vertices = guarded(&s->l, 20);
    eval(&f, 0, CURVES, 20, vertices);
    for (size_t c = 0, k = 0; c < CURVES; c++)
        for (uint32_t a = 0; a < nums[c]; a++, k++)
            judge(&f, c, 0.25L + 0.5L * a / (nums[c] > 1 ? nums[c] - 1 : 1), vertices, k, 4.0);
    free_guarded(&s->l, 20, vertices);
    free_family(&f);
}

static void test_parts(void **state)
{
    (void)state;
    with_limits(parts);
}

/* ---- calls ---- */

/* Other knots, and then the description's again. */
static void test_changes(void **state)
{
    enum { NUM = 33 };
    clsp_context *const ctx = lent_context("");

    (void)state;
    seed(4);
    family f = make_family(ctx, CLSP_F32, 3, 11, 0, P, NUM);
    const spline *const s = f.curve;
    unsigned char *const own = guarded(&s->l, CURVES * NUM), *const shared = guarded(&s->l, NUM);
    eval(&f, 0, CURVES, CURVES * NUM, own);
    for (size_t c = 0; c < CURVES; c++)
        for (uint32_t i = 0; i < 15; i++)
            f.curve[c].knots[0][i] *= 0.5;
    assert_int_equal(set_knots(&f), CLSP_OK);
    eval(&f, 0, CURVES, CURVES * NUM, own);
    for (size_t k = 0; k < CURVES * NUM; k++)
        judge(&f, k / NUM, domain_at(&f.curve[k / NUM], 0, (long double)(k % NUM) / (NUM - 1)), own,
              k, 4.0);
    assert_int_equal(clsp_bspline_set_knots(f.plan, 0, (clsp_input){0}), CLSP_OK);
    for (uint32_t i = 0; i < 15; i++)
        f.curve[0].knots[0][i] *= 2;
    f.curve[3] = f.curve[0]; /* all have the description's */
    eval(&f, 3, 1, NUM, shared);
    for (size_t k = 0; k < NUM; k++)
        judge(&f, 3, domain_at(&f.curve[0], 0, (long double)k / (NUM - 1)), shared, k, 0.0);
    free_guarded(&s->l, CURVES * NUM, own);
    free_guarded(&s->l, NUM, shared);
    free_family(&f);
}

static void refused(clsp_context *ctx, clsp_bspline_plan *plan, size_t num, clsp_input knots,
                    clsp_status expected, const char *words)
{
    char why[256];

    assert_int_equal(clsp_bspline_set_knots(plan, num, knots), expected);
    clsp_context_last_error(ctx, why, sizeof why);
    if (!strstr(why, words)) fail_msg("\"%s\" does not say \"%s\"", why, words);
}

/* Defects by the curve's number; other memory, other plans, other numbers of curves. */
static void test_defects(void **state)
{
    double knots[] = {0, 0, 0, 1, 2, 2, 2, 5, 5, 5, 6, 7, 7, 7};
    const float points[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc curves = {
        .directions = 1, .degree = {2}, .num_controls = {4}, .dim = 1, .axis = {{5, 0, 0}}};
    const clsp_bspline_desc surfaces = {.degree = {2, 2}, .num_controls = {4, 4}};
    const clsp_input all = clsp_in_f64(knots, COUNT(knots)), in = clsp_in_f32(points, 8);
    clsp_bspline_plan *plan;
    float made[10];

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &surfaces), CLSP_OK);
    refused(ctx, plan, 1, all, CLSP_ERROR_ARGUMENT, "are of curves");
    clsp_bspline_plan_destroy(&plan);
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &curves), CLSP_OK);
    refused(ctx, plan, 3, all, CLSP_ERROR_BUFFER_SIZE, "knots");
    refused(ctx, plan, 2, clsp_in_f32(points, 14), CLSP_ERROR_ARGUMENT, "type");
    refused(ctx, plan, SIZE_MAX / 4, all, CLSP_ERROR_NO_MEMORY, "curves");
    refused(ctx, plan, 2, clsp_in_f64(NULL, 14), CLSP_ERROR_ARGUMENT, "none of");
    knots[10] = 4;
    refused(ctx, plan, 2, all, CLSP_ERROR_ARGUMENT, "knot 3 of curve 1, 4, is less than");
    knots[10] = NAN;
    refused(ctx, plan, 2, all, CLSP_ERROR_ARGUMENT, "knot 3 of curve 1, nan, is not finite");
    knots[10] = 6;
    assert_int_equal(clsp_bspline_set_knots(plan, 2, all), CLSP_OK);
    assert_int_equal(clsp_bspline_set_control_points(plan, 3, clsp_in_f32(points, 12), NULL),
                     CLSP_OK);
    assert_int_equal(clsp_bspline_eval(plan, (clsp_range){0, 1}, clsp_out_f32(made, 5), NULL),
                     CLSP_ERROR_STATE);
    assert_int_equal(clsp_bspline_set_control_points(plan, 2, in, NULL), CLSP_OK);
    assert_int_equal(clsp_bspline_eval(plan, (clsp_range){1, 1}, clsp_out_f32(made, 5), NULL),
                     CLSP_OK);
    assert_true(made[0] == 5 && made[4] == 8);
    assert_int_equal(
        clsp_bspline_eval_rows(plan, 0, (clsp_range){0, 5}, clsp_out_f32(made, 5), NULL),
        CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_host_rows(plan, 0, 0, (clsp_range){0, 5}, clsp_out_f32(made, 5)),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_tune(plan, (clsp_range){0, 2}, NULL), CLSP_ERROR_ARGUMENT);
    const clsp_axis part = {5, 0.25, 0.5};
    assert_int_equal(clsp_bspline_set_grid(plan, &part), CLSP_ERROR_ARGUMENT); /* curve 1: [5, 7] */
    assert_int_equal(clsp_bspline_eval(plan, (clsp_range){1, 1}, clsp_out_f32(made, 5), NULL),
                     CLSP_OK);
    assert_int_equal(clsp_bspline_set_knots(plan, 0, (clsp_input){0}), CLSP_OK);
    assert_int_equal(clsp_bspline_set_grid(plan, &part), CLSP_OK);
    refused(ctx, plan, 2, all, CLSP_ERROR_ARGUMENT, "the domain of curve 1");
    assert_int_equal(clsp_bspline_eval(plan, (clsp_range){1, 1}, clsp_out_f32(made, 5), NULL),
                     CLSP_OK);
    clsp_bspline_plan_destroy(&plan);
    assert_int_equal(clsp_bspline_set_knots(NULL, 2, all), CLSP_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),  cmocka_unit_test(test_grids),
        cmocka_unit_test(test_parts),   cmocka_unit_test(test_changes),
        cmocka_unit_test(test_defects),
    };

    if (no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
