/* Conversions of B-splines: control points over other knots against blossoms by the oracle, and the
   splines of both; what targets may be; memory of every kind. */
#include "support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "convert_fixture.h"
#include "memory_fixture.h"

/* ---- conversions ---- */

/* Converts all patches and one alone, which must give the same bits, and judges one. */
static void check_wish(clsp_context *ctx, clsp_patch_plan *plan, const spline *s,
                       const double *controls, wish_kind kind, clsp_bspline_convert_method method)
{
    enum { PATCHES = 3 };
    wish w;
    clsp_bspline_desc d;

    make_wish(&w, s, kind, method);
    set_target(ctx, plan, &w, &d);
    const size_t reals = target_reals(s, &d), bytes = reals * clsp_type_bytes(s->d.precision);
    store all = store_make(ctx, HOST, s->d.precision, 0, PATCHES * reals, NULL);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, PATCHES}, store_out(&all), NULL),
                     CLSP_OK);
    const unsigned char *const made = store_read(&all);
    judge(s, &w, &d, controls + s->l.controls, made + bytes);
    for (int memory = HOST; memory <= BUFFER; memory++) { /* others may make it than all */
        store one = store_make(ctx, (store_kind)memory, s->d.precision, 5, reals, NULL);
        assert_int_equal(clsp_bspline_convert(plan, (clsp_range){1, 1}, store_out(&one), NULL),
                         CLSP_OK);
        if (memory == HOST) assert_memory_equal(store_read(&one), made + bytes, bytes);
        judge(s, &w, &d, controls + s->l.controls, store_read(&one));
        store_free(&one);
    }
    if (kind == SAME)
        for (size_t i = 0; i < reals; i++)
            assert_true(real_at(s, made + bytes, i) == controls[s->l.controls + i]);
    store_free(&all);
}

static const struct {
    uint32_t directions, degree[3], controls[3], rational;
} cases[] = {
    {1, {3}, {14}, 0},       {2, {3, 2}, {10, 9}, 0},
    {1, {2}, {9}, 1},        {3, {2, 1, 3}, {5, 4, 6}, 0},
    {2, {2, 4}, {8, 11}, 1}, {1, {0}, {5}, 0},
    {1, {0}, {1}, 0},        {1, {5}, {6}, 0}, /* one span */
    {2, {1, 5}, {2, 6}, 0},  {2, {0, 1}, {3, 5}, 0},
    {1, {15}, {40}, 0},      {3, {1, 2, 1}, {3, 4, 5}, 1},
};

/* Whether a wish is made of a case and a kind of knots. In a thin run each wish is made of half of
   the cases, of one kind of knots each. */
static bool is_wished(size_t i, int kind, int w)
{
    return !is_thin() || (((int)i + w) % 2 == 0 && ((int)i + w / 2) % NUM_KINDS == kind);
}

/* Makes conversions of case i by one plan. */
static void check_wishes(clsp_context *ctx, spline *s, const double *controls, size_t i, int turn)
{
    clsp_patch_plan *plan = plan_of(ctx, s, controls, 3);

    for (int w = 0; w < NUM_WISHES; w++) {
        if (!is_wished(i, turn, w)) continue;
        check_wish(ctx, plan, s, controls, (wish_kind)w, CLSP_BSPLINE_CONVERT_DEFAULT);
        if ((w + turn) % 3 == 0 && !tiny() && support_has_methods())
            check_wish(ctx, plan, s, controls, (wish_kind)w, CLSP_BSPLINE_CONVERT_MATRIX);
    }
    clsp_patch_plan_destroy(&plan);
}

static void conversions(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!in_turn(i) || (tiny() && i > 3)) continue;
        for (int kind = 0; kind < NUM_KINDS; kind++) {
            spline s = make_spline(precision, cases[i].directions, cases[i].degree,
                                   cases[i].controls, (knot_kind)kind, cases[i].rational, P);
            if (tiny() && kind != (int)i % NUM_KINDS) continue;
            seed((unsigned)(10 * i) + (unsigned)kind);
            double *const controls = random_controls(&s.l, 3);
            check_wishes(ctx, &s, controls, i, kind);
            free(controls);
        }
    }
}

static void test_conversions(void **state)
{
    (void)state;
    with_limits(conversions);
    print_message("worst/bound %.2f\n", convert_worst());
}

/* Bezier pieces of surfaces, which have a kernel of their own. */
static void test_surface_pieces(void **state)
{
    clsp_context *const ctx = lent_context("");

    (void)state;
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        spline s = make_spline(CLSP_F32, cases[1].directions, cases[1].degree, cases[1].controls,
                               (knot_kind)kind, 0, P);
        seed((unsigned)kind);
        double *const controls = random_controls(&s.l, 3);
        clsp_patch_plan *plan = plan_of(ctx, &s, controls, 3);
        check_wish(ctx, plan, &s, controls, BEZIER, CLSP_BSPLINE_CONVERT_DEFAULT);
        clsp_patch_plan_destroy(&plan);
        free(controls);
    }
}

/* ---- degrees and sizes ---- */

/* Curves of every degree to 31, and some above. */
static void degrees(clsp_context *ctx, clsp_type precision)
{
    for (uint32_t p = 0; p <= 63; p += p < 31 ? 1 : 32) {
        const uint32_t degree[3] = {p}, controls[3] = {p + 1 + p % 5 * 3};
        if (!in_turn(p) || (tiny() && p % 10 != 3)) continue;
        spline s =
            make_spline(precision, 1, degree, controls, (knot_kind)(p / 4 % NUM_KINDS), 0, P);
        seed(p);
        double *const points = random_controls(&s.l, 3);
        for (int w = 0; w < NUM_WISHES; w++) { /* the oracle takes 2^p for more than one degree */
            if ((w == GIVEN && p >= 8) || (tiny() && w != (int)p % NUM_WISHES)) continue;
            if (is_thin() && (w + (int)p) % 4 != 0) continue;
            clsp_patch_plan *plan = plan_of(ctx, &s, points, 3);
            check_wish(ctx, plan, &s, points, (wish_kind)w, CLSP_BSPLINE_CONVERT_DEFAULT);
            clsp_patch_plan_destroy(&plan);
        }
        free(points);
    }
}

static void test_degrees(void **state)
{
    (void)state;
    with_limits(degrees);
    print_message("worst/bound %.2f\n", convert_worst());
}

/* A curve of 10^5 control points, some of whose new ones are judged. */
static void check_many(clsp_context *ctx, clsp_type precision, const clsp_bspline_target *target)
{
    enum { STEP = 997 };
    const uint32_t num = tiny() ? 3000 : 100000;
    const uint32_t degree[3] = {3}, few[3] = {4};
    spline s = make_spline(precision, 1, degree, few, UNIFORM, 0, P);
    const double eps = precision == CLSP_F64 ? DBL_EPSILON : FLT_EPSILON;
    clsp_bspline_desc d;

    s.d.num_controls[0] = num;
    s.l.controls = (size_t)num * s.l.coords;
    double *const controls = random_controls(&s.l, 1);
    float *const narrow = malloc(s.l.controls * sizeof *narrow);
    clsp_patch_plan *plan;
    assert_non_null(narrow);
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &s.d), CLSP_OK);
    assert_int_equal(
        clsp_patch_set_control_points(plan, 1, controls_in(&s, controls, 1, narrow), NULL),
        CLSP_OK);
    assert_int_equal(clsp_bspline_set_target(plan, target), CLSP_OK);
    assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, NULL), CLSP_OK);
    clsp_bspline_desc own;
    own = support_bspline_desc(plan);
    const size_t reals = (size_t)d.num_controls[0] * s.l.coords;
    store out = store_make(ctx, BUFFER, precision, 0, reals, NULL);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, store_out(&out), NULL),
                     CLSP_OK);
    const unsigned char *const made = store_read(&out);
    const ref_knots from = {own.knots[0], 3, num};
    const ref_knots to = {d.knots[0], d.degree[0], d.num_controls[0]};
    for (uint32_t i = 0; i < d.num_controls[0]; i += STEP) {
        long double weights[4];
        const unsigned first = ref_bspline_conversion(from, 0, to, i, weights);
        for (uint32_t c = 0; c < s.l.coords; c++) {
            long double sum = 0.0L;
            for (uint32_t j = 0; j < 4; j++)
                sum += weights[j] * controls[(first + j) * s.l.coords + c];
            assert_true(fabsl(real_at(&s, made, i * s.l.coords + c) - sum) <= 8 * eps);
        }
    }
    store_free(&out);
    clsp_patch_plan_destroy(&plan);
    free(narrow);
    free(controls);
}

static void many(clsp_context *ctx, clsp_type precision)
{
    static const double inserted[] = {0.5, 0.25, 0.7, 0.7};
    static const clsp_bspline_target targets[] = {
        {.bezier = 1},
        {.along[0] = {.elevate = 1}},
        {.along[0] = {.insert = inserted, .num_insert = 4}},
        {.along[0] = {.begin = 0.3, .end = 0.9, .elevate = 2}},
    };

    for (size_t i = 0; i < COUNT(targets); i++)
        if (in_turn(i) && (!tiny() || i == 0)) check_many(ctx, precision, &targets[i]);
}

static void test_many(void **state)
{
    (void)state;
    seed(7);
    with_limits(many);
}

/* Far from the origin a control point loses nothing but its own rounding, and a derivative nothing
   that the distance between control points has not lost. */
static void far_away(clsp_context *ctx, clsp_type precision)
{
    const uint32_t degree[3] = {3}, controls[3] = {20};
    const double away = 0x1p20, eps = precision == CLSP_F64 ? DBL_EPSILON : FLT_EPSILON;
    spline s = make_spline(precision, 1, degree, controls, UNIFORM, 0, P);
    wish w;
    clsp_bspline_desc d;

    seed(8);
    double *const points = random_controls(&s.l, 1), *const moved = random_controls(&s.l, 1);
    for (size_t i = 0; i < s.l.controls; i++) {
        points[i] = rint(points[i] * 64) / 8;
        moved[i] = points[i] + away; /* exact */
    }
    for (int kind = 0; kind < NUM_WISHES; kind++) {
        if (!in_turn((size_t)kind) || kind == GIVEN || (tiny() && kind != DERIVED)) continue;
        make_wish(&w, &s, (wish_kind)kind, CLSP_BSPLINE_CONVERT_DEFAULT);
        clsp_patch_plan *plan = plan_of(ctx, &s, moved, 1);
        set_target(ctx, plan, &w, &d);
        const size_t reals = target_reals(&s, &d);
        store out = store_make(ctx, HOST, precision, 0, reals, NULL);
        assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, store_out(&out), NULL),
                         CLSP_OK);
        const unsigned char *const made = store_read(&out);
        const bool differs = w.target.along[0].derivative > 0;
        direction x[3] = {direction_of(&s, &w, &d, 0), direction_of(&s, &w, &d, 1),
                          direction_of(&s, &w, &d, 2)};
        /* of a difference no coordinate is larger than 8 */
        const double bound = 8 * eps * (differs ? 8.0 * x[0].scale : away);
        for (uint32_t i = 0; i < x[0].rows; i++)
            for (uint32_t c = 0; c < s.l.coords; c++) {
                const uint32_t at[3] = {i, 0, 0};
                const long double exact =
                    exact_control(&s, x, points, at, c) + (differs ? 0 : away);
                assert_true(fabsl(real_at(&s, made, i * s.l.coords + c) - exact) <= bound);
            }
        for (uint32_t k = 0; k < 3; k++)
            free_direction(&x[k]);
        store_free(&out);
        clsp_patch_plan_destroy(&plan);
    }
    free(points);
    free(moved);
}

static void test_far_away(void **state)
{
    (void)state;
    with_limits(far_away);
}

/* ---- both splines ---- */

/* A plan of the target's description, with what a conversion has made, evaluates to the same. */
static void same_splines(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 33 };
    const uint32_t degree[3] = {3, 2}, num[3] = {9, 7};

    for (uint32_t rational = tiny(); rational < 2; rational++) {
        if (!program_in_turn(rational)) continue;
        spline s = make_spline(precision, 2, degree, num, CLAMPED, rational, P);
        seed(9 + rational);
        s.d.axis[0].num = s.d.axis[1].num = NUM;
        double *const controls = random_controls(&s.l, 2);
        clsp_patch_plan *plan = plan_of(ctx, &s, controls, 2), *other;
        wish w;
        clsp_bspline_desc d;
        make_wish(&w, &s, INSERTED, CLSP_BSPLINE_CONVERT_DEFAULT);
        w.target.along[0].elevate = 2;
        set_target(ctx, plan, &w, &d);
        d.axis[0].num = d.axis[1].num = NUM;
        store made = store_make(ctx, BUFFER, precision, 3, 2 * target_reals(&s, &d), NULL);
        store a = store_make(ctx, HOST, precision, 0, NUM * NUM * s.l.dim, NULL);
        store b = store_make(ctx, HOST, precision, 0, NUM * NUM * s.l.dim, NULL);
        assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 2}, store_out(&made), NULL),
                         CLSP_OK);
        d.check_weights = 1;
        assert_int_equal(clsp_bspline_plan_create(&other, ctx, &d), CLSP_OK);
        assert_int_equal(clsp_patch_set_control_points(other, 2, store_in(&made), NULL), CLSP_OK);
        assert_int_equal(clsp_patch_eval(plan, (clsp_range){1, 1}, store_out(&a), NULL), CLSP_OK);
        assert_int_equal(clsp_patch_eval(other, (clsp_range){1, 1}, store_out(&b), NULL), CLSP_OK);
        const unsigned char *const x = store_read(&a), *const y = store_read(&b);
        const double eps = precision == CLSP_F64 ? DBL_EPSILON : FLT_EPSILON;
        for (size_t i = 0; i < (size_t)NUM * NUM * s.l.dim; i++) /* weights: 0.5 to 2 */
            assert_true(fabs(real_at(&s, x, i) - real_at(&s, y, i)) <=
                        (rational ? 24 * 2 * 4 * 5 : 24) * eps);
        clsp_patch_plan_destroy(&other);
        clsp_patch_plan_destroy(&plan);
        store_free(&made);
        store_free(&a);
        store_free(&b);
        free(controls);
    }
}

static void test_same_splines(void **state)
{
    (void)state;
    with_limits(same_splines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions), cmocka_unit_test(test_surface_pieces),
        cmocka_unit_test(test_degrees),     cmocka_unit_test(test_many),
        cmocka_unit_test(test_far_away),    cmocka_unit_test(test_same_splines),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
