/* Basis functions and Bezier extraction against the definition. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../support.h"
#include "bezier_ref.h"
#include "bspline_ref.h"
#include "knots.h"

enum { MAX_ORDER = REF_MAX_DEGREE + 1 };

/* Knots whose distances differ, with repeated ones among them, far from 0 or not. */
static clspi_knots make(uint32_t degree, uint32_t controls, double begin, double unit)
{
    double *const u = malloc((controls + degree + 1) * sizeof *u);
    clspi_knots knots;

    assert_non_null(u);
    for (uint32_t i = 0; i < controls + degree + 1; i++) {
        const double at = i <= degree ? 0 : i >= controls ? controls - degree : i - degree;
        u[i] = begin + unit * (degree > 1 && i < controls && fmod(at, 5) == 2 ? at + 1
                                                                              : at * (1 + at / 64));
    }
    for (uint32_t i = 1; i < controls + degree + 1; i++)
        u[i] = fmax(u[i], u[i - 1]);
    assert_null(clspi_knots_check(u, degree, controls).what);
    assert_true(clspi_knots_make(&knots, u, degree, controls));
    free(u);
    return knots;
}

static const struct {
    uint32_t degree, controls;
    double begin, unit;
} cases[] = {{0, 5, 0, 1},     {1, 9, 0, 0.3}, {2, 12, -1, 1}, {3, 40, 1e3, 1}, {4, 5, 0, 1},
             {5, 30, 0, 1e-3}, {9, 33, 0, 1},  {16, 40, 0, 1}, {31, 64, 0, 1},  {64, 130, 0, 1}};

/* At samples of a grid; none of the functions' sum is off. */
static void test_values(void **state)
{
    double worst = 0.0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t p = cases[i].degree, n = cases[i].controls;
        clspi_knots k = make(p, n, cases[i].begin, cases[i].unit);
        const double begin = k.u[p], end = k.u[n];
        for (unsigned a = 0; a <= 210; a++) {
            const clspi_knot_parameter at = clspi_knots_sample(&k, begin, end, a, 210);
            const uint32_t span = clspi_knots_span(&k, at);
            const long double t = ((long double)begin * (210 - a) + (long double)end * a) / 210;
            long double exact[MAX_ORDER], sum = -1.0L;
            double values[MAX_ORDER];
            const unsigned first = ref_bspline_weights(k.u, n, p, 0, t, exact);
            clspi_knots_values(&k, span, 0, at, values);
            assert_int_equal(first, k.span[span] - p);
            for (uint32_t j = 0; j <= p; j++) {
                const double error = (double)fabsl(values[j] - exact[j]);
                assert_true(values[j] >= 0.0);
                worst = support_worse(worst, error / (DBL_EPSILON * (1.0 + 0.5 * p)));
                sum += values[j];
            }
            assert_true(fabsl(sum) <= DBL_EPSILON);
        }
        clspi_knots_release(&k);
    }
    print_message("worst error %.2f eps (1 + degree / 2)\n", worst);
    assert_true(worst <= 1.0);
}

/* The values of one span next to its begin, relative to themselves: the same two distances are in
   every level. What the sum lacks is within the largest, the first. */
static void test_small_values(void **state)
{
    enum { DEGREE = 31, NUM = 100 };
    clspi_knots k;
    double u[2 * DEGREE + 2], values[DEGREE + 1], worst = 0.0;
    long double exact[DEGREE + 1];

    (void)state;
    for (int i = 0; i < 2 * DEGREE + 2; i++)
        u[i] = i <= DEGREE ? 0.1 : 0.7;
    assert_true(clspi_knots_make(&k, u, DEGREE, DEGREE + 1));
    for (int a = 1; a < NUM; a++) {
        const clspi_knot_parameter at = {0.1 + 0.02 * a / NUM, 0.0};
        ref_bspline_weights(u, DEGREE + 1, DEGREE, 0, at.t, exact);
        clspi_knots_values(&k, 0, 0, at, values);
        for (int i = 1; i <= DEGREE; i++)
            worst = support_worse(worst, (double)fabsl(values[i] / exact[i] - 1.0L));
    }
    clspi_knots_release(&k);
    print_message("worst error %.2f eps\n", worst / DBL_EPSILON);
    assert_true(worst <= 10.0 * DBL_EPSILON);
}

/* Bernstein coefficients of a span give the functions, also those of lower degrees. */
static void test_extraction(void **state)
{
    static double matrix[MAX_ORDER * MAX_ORDER];
    double worst = 0.0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clspi_knots k = make(cases[i].degree, cases[i].controls, cases[i].begin, cases[i].unit);
        for (uint32_t by = 0; by <= 2 && by <= k.degree; by++) {
            const uint32_t p = k.degree - by;
            for (uint32_t s = 0; s < k.num_spans; s += 1 + k.num_spans / 4) {
                const double *const u = k.u + k.span[s];
                long double bernstein[MAX_ORDER], exact[MAX_ORDER];
                const long double t = u[0] + ((long double)u[1] - u[0]) * 0.3L;
                clspi_knots_extraction(&k, s, by, matrix);
                ref_bernstein(bernstein, p, 0.3L);
                ref_bspline_weights(k.u + by, k.controls - by, p, 0, t, exact);
                for (uint32_t j = 0; j <= p; j++) {
                    long double value = 0.0L;
                    for (uint32_t c = 0; c <= p; c++) {
                        const double e = matrix[j * (p + 1) + c];
                        assert_true(e >= 0.0 && e <= 1.0);
                        value += e * bernstein[c];
                    }
                    worst = support_worse(worst, (double)fabsl(value - exact[j]) / DBL_EPSILON);
                }
            }
        }
        clspi_knots_release(&k);
    }
    print_message("worst error %.2f eps\n", worst);
    assert_true(worst <= 8.0);
}

/* At n = 100000 the coefficients of a cubic are as exact as those of a few knots: 1/6, 2/3, .. */
static void test_many(void **state)
{
    enum { CONTROLS = 100000 };
    clspi_knots k;
    double matrix[16];

    (void)state;
    assert_true(clspi_knots_make(&k, NULL, 3, CONTROLS));
    assert_int_equal(k.num_spans, CONTROLS - 3);
    for (uint32_t s = 3; s < k.num_spans - 3; s += 997) {
        clspi_knots_extraction(&k, s, 0, matrix);
        /* the knots themselves are rounded: by eps of what is up to 10^5 of their distances */
        assert_true(fabs(matrix[0] - 1.0 / 6.0) <= CONTROLS * DBL_EPSILON);
        assert_true(fabs(matrix[4] - 2.0 / 3.0) <= CONTROLS * DBL_EPSILON);
    }
    clspi_knots_release(&k);
}

/* ---- flat nets ---- */

static uint64_t state_of_numbers;

/* Uniform in [0, 1). */
static double random_number(void)
{
    return 0.5 + 0.5 * support_uniform(&state_of_numbers);
}

/* Knots of one kind: one span, uniform, clamped at random distances, at distances of 1e-4 to 1e4,
   and repeated. */
enum { ONE_SPAN, EVEN, CLAMPED, UNEQUAL, REPEATED, KINDS };

static clspi_knots random_knots(uint32_t degree, int kind)
{
    const uint32_t more = (uint32_t)(random_number() * (degree + 3));
    const uint32_t controls = degree + 1 + (kind == ONE_SPAN ? 0 : more);
    double *const u = malloc((controls + degree + 1) * sizeof *u), at = 0.0;
    uint32_t times = 0;
    clspi_knots knots;

    assert_non_null(u);
    for (uint32_t i = 0; i < controls + degree + 1; i++) {
        const bool stays = (kind == CLAMPED || kind == ONE_SPAN) && (i <= degree || i > controls);
        const double step = kind == EVEN       ? 1.0
                            : kind == UNEQUAL  ? pow(10.0, 8.0 * random_number() - 4.0)
                            : kind == REPEATED ? (random_number() < 0.4 || times == degree)
                                               : 0.1 + random_number();
        times = stays || step == 0.0 ? times + 1 : 0;
        u[i] = at += stays ? 0.0 : step;
    }
    assert_true(clspi_knots_make(&knots, u, degree, controls));
    free(u);
    return knots;
}

/* What a sum of flat control points may be off by, (43) of docs/math.md, in eps: partial sums are
   off by half an eps of theirs at most, and by no more than a term. */
static double flat_bound(const double *values, uint32_t degree, double eps)
{
    double sum = 0.0, off = 0.0;

    for (uint32_t k = 0; k <= degree; k++) {
        sum += values[k];
        off += fmin(sum * eps / 2.0, values[k]);
    }
    return off / eps;
}

/* No knots have functions whose sums are off by more than those of one span, Bernstein's. */
static void test_flat_sums(void **state)
{
    static const uint32_t degrees[] = {1, 2, 3, 4, 5, 7, 8, 11, 15, 16, 23, 31, 40, 64, 127, 255};
    double values[256];
    double worst = 0.0;

    (void)state;
    for (size_t i = 0; i < 40 * sizeof degrees / sizeof *degrees; i++) {
        const uint32_t p = degrees[i / 40];
        clspi_knots k = random_knots(p, (int)(i % KINDS));
        const double low = k.u[p], high = k.u[k.controls];
        for (int a = 0; low < high && a < 40; a++) {
            const clspi_knot_parameter at = {low + (high - low) * random_number(), 0.0};
            clspi_knots_values(&k, clspi_knots_span(&k, at), 0, at, values);
            worst = fmax(worst, flat_bound(values, p, 0x1p-23) / (1.45 * sqrt(p)));
            worst = fmax(worst, flat_bound(values, p, 0x1p-52) / (2.1 * sqrt(p)));
        }
        clspi_knots_release(&k);
    }
    print_message("worst error / (43) %.2f\n", worst);
    assert_true(worst <= 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),     cmocka_unit_test(test_small_values),
        cmocka_unit_test(test_extraction), cmocka_unit_test(test_many),
        cmocka_unit_test(test_flat_sums),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
