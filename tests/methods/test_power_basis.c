/* The power basis: against the oracle's Bernstein values, and the amplification that the matrix
   method's bound stands on. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "../worst.h"
#include "bezier_ref.h"
#include "power_basis.h"

enum { ORDER_MAX = CLSPI_POWER_DEGREE_MAX + 1 };

static double r[ORDER_MAX * ORDER_MAX];

/* Sum of all |R_jk|: what an error of the control points may grow to at |s| = 1. */
static double amplification(uint32_t degree)
{
    double sum = 0.0;

    for (uint32_t i = 0; i < (degree + 1) * (degree + 1); i++)
        sum += fabs(r[i]);
    return sum;
}

static void amplification_is_bounded(void **state)
{
    double worst = 0.0;

    (void)state;
    for (uint32_t n = 0; n <= CLSPI_POWER_DEGREE_MAX; n++) {
        clspi_power_basis(r, n);
        worst = support_worse(worst, amplification(n) / exp2(0.5 * n));
    }
    print_message("worst/bound %.2f\n", worst / 2.0);
    assert_true(worst <= 2.0);
}

/* A coefficient is within three roundings, a power s^k within k (3 + 1); on [0, 1] the sample's s
   has one rounding. */
static void against_oracle(void **state)
{
    static const uint32_t degrees[] = {0, 1, 2, 3, 7, 11, 22, 32, 57, 64};
    double worst = 0.0;

    (void)state;
    for (size_t d = 0; d < sizeof degrees / sizeof degrees[0]; d++) {
        const uint32_t n = degrees[d];
        clspi_power_basis(r, n);
        const double bound = (2.0 + n) * amplification(n) * DBL_EPSILON;
        for (uint32_t a = 0; a <= 12; a++) {
            double powers[ORDER_MAX];
            long double exact[ORDER_MAX];
            clspi_powers(powers, n + 1, 0.0, 1.0, a, 13);
            ref_bernstein(exact, n, a / 12.0L);
            for (uint32_t k = 0; k <= n; k++) {
                long double value = 0.0L;
                for (uint32_t j = 0; j <= n; j++)
                    value += (long double)powers[j] * r[j * (n + 1) + k];
                worst = support_worse(worst, (double)fabsl(value - exact[k]) / bound);
            }
        }
    }
    print_message("worst/bound %.2f\n", worst);
    assert_true(worst <= 1.0);
}

/* s at the ends, the middle, of a part of the interval, and alone. */
static void powers(void **state)
{
    double values[4];

    (void)state;
    clspi_powers(values, 4, 0.0, 1.0, 0, 5);
    assert_true(values[0] == 1.0 && values[1] == -1.0 && values[2] == 1.0 && values[3] == -1.0);
    clspi_powers(values, 4, 0.0, 1.0, 2, 5);
    assert_true(values[0] == 1.0 && values[1] == 0.0 && values[3] == 0.0);
    clspi_powers(values, 4, 1.0, 0.5, 4, 5);
    assert_true(values[0] == 1.0 && values[1] == 0.0);
    clspi_powers(values, 4, 0.75, 1.0, 0, 1);
    assert_true(values[0] == 1.0 && values[1] == 0.5 && values[3] == 0.125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amplification_is_bounded),
        cmocka_unit_test(against_oracle),
        cmocka_unit_test(powers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
