/* Bernstein values: against the oracle, and their exact properties. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "../worst.h"
#include "bernstein.h"
#include "bezier_ref.h"

enum { MAX_DEGREE = 2000 };

static const uint32_t degrees[] = {0, 1, 2, 3, 7, 15, 16, 31, 100, 255, 1000, MAX_DEGREE};
static const uint32_t lasts[] = {1, 2, 3, 7, 64, 299};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Each value is a product of ratios that start at the largest value; about sqrt(n) of them matter,
   each with three roundings of half an eps whose signs are unrelated, and the division by the sum
   adds as much again. */
static double bound(uint32_t degree)
{
    return (4.0 + 0.5 * sqrt((double)degree)) * DBL_EPSILON;
}

static double largest(const long double *values, uint32_t degree)
{
    long double most = 0.0L;

    for (uint32_t k = 0; k <= degree; k++)
        most = fmaxl(most, values[k]);
    return (double)most;
}

/* Whether a / last of all samples is exact for the oracle. Where long double is no wider than
   double (32-bit ARM), rounding that parameter alone would move high degrees by more than the
   bound. */
static int oracle_knows(uint32_t last)
{
    return LDBL_MANT_DIG > DBL_MANT_DIG || (last & (last - 1)) == 0;
}

static double error_of_column(uint32_t degree, uint32_t a, uint32_t last)
{
    static double values[MAX_DEGREE + 1];
    static long double exact[MAX_DEGREE + 1];
    double worst = 0.0;

    clspi_bernstein(values, degree, a, last - a);
    ref_bernstein(exact, degree, (long double)a / last);
    const double scale = largest(exact, degree);
    for (uint32_t k = 0; k <= degree; k++) {
        const double error = (double)fabsl(values[k] - exact[k]) / scale;
        assert_false(isnan(values[k]) || values[k] < 0.0);
        worst = support_worse(worst, error);
    }
    return worst;
}

static void against_oracle(void **state)
{
    double worst = 0.0;

    (void)state;
    for (size_t d = 0; d < COUNT(degrees); d++) {
        for (size_t l = 0; l < COUNT(lasts); l++) {
            if (!oracle_knows(lasts[l])) continue;
            const uint32_t step = degrees[d] > 300 ? lasts[l] / 8 + 1 : 1;
            for (uint32_t a = 0; a <= lasts[l]; a += step)
                worst = support_worse(worst,
                                      error_of_column(degrees[d], a, lasts[l]) / bound(degrees[d]));
        }
    }
    print_message("worst/bound %.2f\n", worst);
    assert_true(worst <= 1.0);
}

static void ends_are_unit_vectors(void **state)
{
    static double values[MAX_DEGREE + 1];

    (void)state;
    for (size_t d = 0; d < COUNT(degrees); d++) {
        for (size_t l = 0; l < COUNT(lasts); l++) {
            clspi_bernstein(values, degrees[d], 0, lasts[l]);
            for (uint32_t k = 0; k <= degrees[d]; k++)
                assert_true(values[k] == (k == 0 ? 1.0 : 0.0));
            clspi_bernstein(values, degrees[d], lasts[l], 0);
            for (uint32_t k = 0; k <= degrees[d]; k++)
                assert_true(values[k] == (k == degrees[d] ? 1.0 : 0.0));
        }
    }
}

/* sum_k B_k = 1 and sum_k (k / n) B_k = t: the division by the sum leaves the rounding of n
 * additions' last bits. */
static void unity_and_linear_precision(void **state)
{
    static double values[MAX_DEGREE + 1];
    double worst = 0.0;

    (void)state;
    for (size_t d = 1; d < COUNT(degrees); d++) {
        const uint32_t n = degrees[d];
        for (uint32_t a = 0; a <= 299; a += 13) {
            long double sum = 0.0L, first = 0.0L;
            clspi_bernstein(values, n, a, 299 - a);
            for (uint32_t k = 0; k <= n; k++) {
                sum += values[k];
                first += (long double)k / n * values[k];
            }
            worst = support_worse(worst, (double)fabsl(sum - 1.0L) / bound(n));
            worst = support_worse(worst, (double)fabsl(first - (long double)a / 299) / bound(n));
        }
    }
    print_message("worst/bound %.2f\n", worst);
    assert_true(worst <= 1.0);
}

/* The sum is 1 but for half a unit of the largest value's last place, whatever the degree: errors
   of a patch whose control points are all one point are not those of tables. */
static void sums(void **state)
{
    static double values[MAX_DEGREE + 1];
    double worst = 0.0;

    (void)state;
    for (uint32_t n = 1; n <= 100; n++) {
        for (uint32_t a = 1; a < 299; a++) {
            for (int narrow = 0; narrow < 2; narrow++) {
                long double sum = 0.0L;
                clspi_bernstein(values, n, a, 299 - a);
                if (narrow) clspi_round_f32(values, n + 1);
                for (uint32_t k = 0; k <= n; k++)
                    sum += values[k];
                worst =
                    support_worse(worst, (double)fabsl(sum - 1.0L) / (narrow ? 0x1p-24 : 0x1p-53));
            }
        }
    }
    print_message("worst/bound %.2f\n", worst);
    assert_true(worst <= 1.0);
}

/* The largest degree and sample count that the library takes neither overflow nor become NaN. */
static void extremes(void **state)
{
    static double values[65536];

    (void)state;
    for (uint32_t a = 1; a < 268435455; a += 67108863) {
        double sum = 0.0;
        clspi_bernstein(values, 65535, a, 268435455 - a);
        for (uint32_t k = 0; k <= 65535; k++) {
            assert_true(values[k] >= 0.0 && values[k] <= 1.0);
            sum += values[k];
        }
        assert_true(fabs(sum - 1.0) <= bound(65535));
    }
}

/* What sums of flat patches may be off by, (43) of docs/math.md, in eps: partial sums F_k are off
   by u F_k at most, and by no more than a term. */
static double flat_bound(const long double *values, unsigned degree, double eps)
{
    long double sum = 0.0L, off = 0.0L;

    for (unsigned k = 0; k <= degree; k++) {
        sum += values[k];
        off += fminl(sum * eps / 2.0L, values[k]);
    }
    return (double)(off / eps);
}

static void sums_of_flat_patches(void **state)
{
    static const unsigned more[] = {40, 64, 100, 300};
    long double values[301];

    (void)state;
    for (unsigned i = 1; i <= 31 + sizeof more / sizeof *more; i++) {
        const unsigned degree = i <= 31 ? i : more[i - 32];
        for (unsigned a = 1; a < 200; a++) {
            ref_bernstein(values, degree, (long double)a / 200.0L);
            assert_true(flat_bound(values, degree, 0x1p-23) <= 1.45 * sqrt(degree));
            assert_true(flat_bound(values, degree, 0x1p-52) <= 2.1 * sqrt(degree));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_oracle),
        cmocka_unit_test(ends_are_unit_vectors),
        cmocka_unit_test(unity_and_linear_precision),
        cmocka_unit_test(sums),
        cmocka_unit_test(extremes),
        cmocka_unit_test(sums_of_flat_patches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
