/* Weights of control points over other knots against blossoms by the oracle, and the splines of
   both against each other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "../support.h"
#include "../worst.h"
#include "bspline_ref.h"
#include "convert_target.h"
#include "conversion.h"
#include "knot_change.h"

enum { MAX_ORDER = REF_MAX_DEGREE + 1 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Repeatable numbers below n. */
static uint32_t random_below(uint32_t n)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* Knots whose distances differ, repeated ones among them; clamped, or as many outside. */
static clspi_knots random_knots(uint32_t degree, uint32_t controls, bool clamped)
{
    const uint32_t num = controls + degree + 1;
    double *const u = malloc(num * sizeof *u), next = -2.0;
    uint32_t again = 0;
    clspi_knots knots;

    assert_non_null(u);
    for (uint32_t i = 0; i < num; i++) {
        const bool within = i > degree && i < controls;
        if (again > 0 && within)
            again--;
        else if (within || !clamped || i == controls)
            next += (1 + random_below(64)) / 16.0;
        u[i] = next;
        if (within && again == 0 && random_below(4) == 0) again = random_below(degree + 1);
    }
    for (uint32_t i = degree + 1; i < num; i++) /* not more often than that */
        if (u[i] == u[i - degree - 1])
            for (uint32_t k = i; k < num; k++)
                u[k] += 0.375;
    assert_null(clspi_knots_check(u, degree, controls).what);
    assert_true(clspi_knots_make(&knots, u, degree, controls));
    free(u);
    return knots;
}

/* A change of some kind, with room for what it inserts. */
typedef struct wish {
    clspi_knot_change change;
    double insert[8];
} wish;

static void make_wish(wish *w, const clspi_knots *from, uint32_t by, uint32_t elevate, int kind)
{
    const double begin = from->u[from->degree], end = from->u[from->controls];
    const double length = end - begin;

    *w = (wish){.change = {.by = by, .elevate = elevate, .pieces = kind == 2}};
    if (kind == 1) {
        w->change.restricted = true;
        w->change.begin = begin + 0.125 * length;
        w->change.end = end - 0.25 * length;
    }
    if (kind == 3) {
        w->change.insert = w->insert;
        w->change.num_insert = COUNT(w->insert);
        for (size_t k = 0; k < COUNT(w->insert); k++)
            w->insert[k] = begin + length * (1 + random_below(1000)) / 1024.0;
    }
}

/* Returns the number of the knot where the last piece begins that begins at `at` or before. */
static unsigned piece_at(const clspi_knots *knots, double at, double end)
{
    unsigned span = knots->controls - 1;

    while (span > knots->degree &&
           (knots->u[span] == knots->u[span + 1] || knots->u[span] > at || knots->u[span] >= end))
        span--;
    return span;
}

static double worst, worst_splines[3]; /* by the order of the derivative */

/* The largest factor of differences: what rounding of one is multiplied by. */
static double largest_factor(const clspi_knots *knots, uint32_t by)
{
    double largest = 0.0;

    for (uint32_t i = 0; i + by < knots->controls; i++)
        largest = fmax(largest, 2.0 * clspi_knots_factor(knots, by, i));
    return largest;
}

/* Compares every step-th row with blossoms; convex: no weight may be negative. */
static void check_rows(const clspi_conversion *c, uint32_t step, bool convex)
{
    const uint32_t q = c->from->degree - c->by;
    const double begin = c->to->u[c->to->degree], end = c->to->u[c->to->controls];
    double *const scratch = malloc(clspi_conversion_scratch(c) * sizeof *scratch);
    double weights[MAX_ORDER];
    long double exact[MAX_ORDER];

    assert_non_null(scratch);
    for (uint32_t row = 0; row < c->to->controls; row += step) {
        const uint32_t first = clspi_conversion_row(c, row, weights, scratch);
        const double at = fmin(fmax(c->to->u[row], begin), end);
        const unsigned span = piece_at(c->from, at, end);
        long double sum = -1.0L, scale = 1.0L;
        assert_int_equal(first, span - c->from->degree);
        ref_bspline_raised_blossom(c->from->u + c->by, q, span - c->by, c->to->degree,
                                   c->to->u + row + 1, exact);
        for (uint32_t j = 0; j <= q; j++)
            scale = fmaxl(scale, fabsl(exact[j]));
        for (uint32_t j = 0; j <= q; j++) {
            const double error = (double)(fabsl(weights[j] - exact[j]) / scale);
            worst = support_worse(worst, error / DBL_EPSILON);
            sum += weights[j];
            if (convex) assert_true(weights[j] >= 0.0);
        }
        assert_true(fabsl(sum) <= scale * DBL_EPSILON);
    }
    free(scratch);
}

/* Evaluates both splines of control points that are 0 and 1, where their pieces are. */
static void check_splines(const clspi_conversion *c)
{
    const clspi_knots *const from = c->from, *const to = c->to;
    double *const scratch = malloc(clspi_conversion_scratch(c) * sizeof *scratch);
    double *const controls = calloc(to->controls, sizeof *controls);
    double weights[MAX_ORDER];
    long double a[MAX_ORDER], b[MAX_ORDER];
    double *const most = &worst_splines[c->by];

    assert_true(scratch && controls);
    double scale = 1.0;
    for (uint32_t by = 1; by <= c->by; by++)
        scale *= largest_factor(from, by);
    for (uint32_t one = 0; one < from->controls; one += 1 + from->controls / 7) {
        for (uint32_t row = 0; row < to->controls; row++) {
            const uint32_t first = clspi_conversion_full_row(c, row, weights, scratch);
            controls[row] = one >= first && one <= first + from->degree ? weights[one - first] : 0;
        }
        for (uint32_t s = 0; s < to->num_spans; s++) {
            const double *const u = to->u + to->span[s];
            const long double t = u[0] + 0.3L * ((long double)u[1] - u[0]);
            const unsigned i =
                ref_bspline_weights(from->u, from->controls, from->degree, c->by, t, a);
            const unsigned k = ref_bspline_weights(to->u, to->controls, to->degree, 0, t, b);
            long double error = one >= i && one <= i + from->degree ? -a[one - i] : 0.0L;
            for (uint32_t j = 0; j <= to->degree; j++)
                error += b[j] * controls[k + j];
            *most = support_worse(*most, (double)fabsl(error) / (scale * DBL_EPSILON));
        }
    }
    free(scratch);
    free(controls);
}

static void check(const clspi_knots *from, uint32_t by, uint32_t elevate, int kind)
{
    wish w;
    clspi_knots to;
    clspi_knot_defect defect;

    make_wish(&w, from, by, elevate, kind);
    if (!clspi_knots_change(&to, from, &w.change, &defect)) {
        assert_string_equal(defect.what, "is inserted too often");
        return;
    }
    const clspi_conversion c = {from, &to, by};
    assert_null(clspi_conversion_check(&c).what);
    check_rows(&c, 1, true);
    check_splines(&c);
    clspi_knots_release(&to);
}

static const struct {
    uint32_t degree, controls, most;
} cases[] = {{0, 1, 3},  {0, 9, 3},   {1, 2, 4},   {1, 12, 4},  {2, 3, 5},  {2, 17, 5},
             {3, 4, 4},  {3, 30, 6},  {4, 20, 4},  {5, 6, 3},   {5, 33, 3}, {7, 40, 2},
             {9, 31, 2}, {15, 40, 1}, {24, 60, 1}, {31, 32, 1}, {31, 64, 1}};

static void test_rows(void **state)
{
    (void)state;
    worst = 0.0;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int round = 0; round < 6; round++) {
            const uint32_t p = cases[i].degree;
            clspi_knots from = random_knots(p, cases[i].controls, round % 2 == 0);
            for (uint32_t by = 0; by <= 2 && by <= p; by++)
                for (uint32_t elevate = 0; elevate <= cases[i].most; elevate++)
                    for (int kind = 0; kind < 4; kind++)
                        if (p < 10 || (uint32_t)(round + kind + (int)elevate) % 12 == by)
                            check(&from, by, elevate, kind);
            clspi_knots_release(&from);
        }
    print_message("worst error %.2f eps, of splines %.2f, of derivatives %.2f and %.2f eps\n",
                  worst, worst_splines[0], worst_splines[1], worst_splines[2]);
    assert_true(worst <= 4.0);
    for (int by = 0; by < 3; by++)
        assert_true(worst_splines[by] <= 4.0);
}

/* 10^5 control points: refined, raised, in pieces, cut, and derivatives of them. */
static void test_many(void **state)
{
    enum { CONTROLS = 100000, STEP = 499 };
    static const uint32_t degrees[] = {1, 3, 5, 31};

    (void)state;
    worst = 0.0;
    for (size_t i = 0; i < COUNT(degrees); i++) {
        clspi_knots from = random_knots(degrees[i], CONTROLS, i % 2 == 0);
        for (int kind = 0; kind < 4; kind++) {
            wish w;
            clspi_knots to;
            clspi_knot_defect defect;
            make_wish(&w, &from, kind == 0, i < 3 || kind == 3, kind);
            assert_true(clspi_knots_change(&to, &from, &w.change, &defect));
            const clspi_conversion c = {&from, &to, w.change.by};
            assert_null(clspi_conversion_check(&c).what);
            check_rows(&c, degrees[i] > 9 ? 64 * STEP : STEP, true);
            clspi_knots_release(&to);
        }
        clspi_knots_release(&from);
    }
    print_message("worst error %.2f eps\n", worst);
    assert_true(worst <= 4.0);
}

/* Bezier pieces are what clspi_knots_extraction says. */
static void test_extraction(void **state)
{
    static double matrix[MAX_ORDER * MAX_ORDER], scratch[MAX_ORDER * MAX_ORDER];
    double most = 0.0;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const uint32_t p = cases[i].degree, order = p + 1;
        clspi_knots from = random_knots(p, cases[i].controls, i % 2 == 0), to;
        const clspi_knot_change change = {.pieces = true};
        clspi_knot_defect defect;
        double weights[MAX_ORDER];
        assert_true(clspi_knots_change(&to, &from, &change, &defect));
        assert_int_equal(to.controls, from.num_spans * order);
        const clspi_conversion c = {&from, &to, 0};
        for (uint32_t s = 0; s < from.num_spans; s++) {
            clspi_knots_extraction(&from, s, 0, matrix);
            for (uint32_t k = 0; k < order; k++) {
                const uint32_t first = clspi_conversion_row(&c, s * order + k, weights, scratch);
                assert_int_equal(first, from.span[s] - p);
                for (uint32_t j = 0; j < order; j++)
                    most =
                        support_worse(most, fabs(weights[j] - matrix[j * order + k]) / DBL_EPSILON);
            }
            assert_true(to.u[s * order] == from.u[from.span[s]]);
        }
        clspi_knots_release(&from);
        clspi_knots_release(&to);
    }
    print_message("largest difference %.2f eps\n", most);
    assert_true(most <= 4.0);
}

/* Knots outside of the domain that the spline does not have: weights may be negative, and are
   right all the same. */
static void test_other_ends(void **state)
{
    (void)state;
    worst = 0.0;
    for (uint32_t p = 1; p <= 7; p++)
        for (int round = 0; round < 4; round++) {
            clspi_knots from = random_knots(p, p + 9, round % 2 == 0), to;
            const clspi_knot_change change = {.elevate = round > 1};
            clspi_knot_defect defect;
            assert_true(clspi_knots_change(&to, &from, &change, &defect));
            for (uint32_t i = 0; i <= to.degree; i++) {
                to.u[i] = to.u[to.degree] - 0.25 * (to.degree - i);
                to.u[to.controls + i] = to.u[to.controls] + 0.375 * i;
            }
            const clspi_conversion c = {&from, &to, 0};
            assert_null(clspi_conversion_check(&c).what);
            check_rows(&c, 1, false);
            clspi_knots_release(&to);
            clspi_knots_release(&from);
        }
    print_message("worst error %.2f eps\n", worst);
    assert_true(worst <= 64.0);
}

/* Control points that a change leaves alone are the same. */
static void test_kept(void **state)
{
    double weights[MAX_ORDER];
    clspi_knot_defect defect;
    size_t kept = 0;

    (void)state;
    for (uint32_t p = 1; p <= 31; p += 5) {
        clspi_knots from = random_knots(p, 3 * p + 40, p % 2 == 0), to;
        const double inserted[] = {from.u[from.controls - 1] + 0x1p-9};
        const clspi_knot_change change = {.insert = inserted, .num_insert = 1};
        assert_true(clspi_knots_change(&to, &from, &change, &defect));
        const clspi_conversion c = {&from, &to, 0};
        double *const scratch = malloc(clspi_conversion_scratch(&c) * sizeof *scratch);
        assert_non_null(scratch);
        for (uint32_t row = 0; row < to.controls; row++) {
            const uint32_t first = clspi_conversion_row(&c, row, weights, scratch);
            if (to.u[row + p] >= inserted[0]) continue;
            for (uint32_t j = 0; j <= p; j++)
                assert_true(weights[j] == (first + j == row ? 1.0 : 0.0));
            kept++;
        }
        free(scratch);
        clspi_knots_release(&to);
        clspi_knots_release(&from);
    }
    assert_true(kept > 100);
}

/* Kernels get what they need with a target, or where the host converts, when a call needs them. */
static void test_kernels_when_needed(void **state)
{
    static const char *const limits[] = {NULL, "class=integrated"};
    const clsp_bspline_desc desc = {
        .directions = 2, .dim = 3, .degree = {3, 2}, .num_controls = {8, 7}};
    const clsp_bspline_target targets[] = {{.bezier = 1}, {.along = {{.elevate = 1}}}};

    (void)state;
    if (support_no_device()) skip();
    for (size_t i = 0; i < COUNT(limits) * COUNT(targets); i++) {
        const clsp_context_opts opts = {.limits = limits[i / 2]};
        clsp_context *ctx = NULL;
        clsp_patch_plan *plan = NULL;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        assert_ok(ctx, clsp_bspline_plan_create(&plan, ctx, &desc));
        assert_ok(ctx, clsp_bspline_set_target(plan, &targets[i % 2]));
        assert_int_equal(((clspi_bspline_plan *)plan)->target->is_ready, !clspi_is_own_cpu(ctx));
        clsp_patch_plan_destroy(&plan);
        clsp_context_destroy(&ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),       cmocka_unit_test(test_many),
        cmocka_unit_test(test_extraction), cmocka_unit_test(test_other_ends),
        cmocka_unit_test(test_kept),       cmocka_unit_test(test_kernels_when_needed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
