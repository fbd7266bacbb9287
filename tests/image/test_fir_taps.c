/* Poles and taps of the prefilter of images: poles against the B-splines that they invert, taps
   against the exact spectrum. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "../worst.h"
#include "fir_taps.h"
#include "image_ref.h"
#include "spline_poles.h"

/* The exact prefilter at frequency w. */
static double exact(unsigned order, double w)
{
    long double sum = ref_bspline(order, 0.0L);

    for (unsigned k = 1; k <= order / 2; k++)
        sum += 2.0L * ref_bspline(order, (long double)k) * cosl((long double)(k * w));
    return (double)(1.0L / sum);
}

static double spectrum(const double *taps, uint32_t half, double w)
{
    double sum = taps[0];

    for (uint32_t k = 1; k <= half; k++)
        sum += 2.0 * taps[k] * cos(k * w);
    return sum;
}

static void test_poles(void **state)
{
    double poles[CLSPI_POLES_MAX];

    (void)state;
    for (unsigned order = 0; order <= CLSPI_POLES_ORDER_MAX; order++) {
        const uint32_t num = clspi_spline_poles(order, poles);
        assert_int_equal(num, order / 2);
        for (double w = 0.0; w < 3.2; w += 0.1) {
            double product = 1.0;
            for (uint32_t i = 0; i < num; i++)
                product *= (1.0 - poles[i]) * (1.0 - poles[i]) /
                           (1.0 - 2.0 * poles[i] * cos(w) + poles[i] * poles[i]);
            if (order > 1) assert_true(fabs(product / exact(order, w) - 1.0) < 1e-14);
        }
    }
    assert_int_equal(clspi_pole_halo(-0.5, 0x1p-20), 22);
}

/* The largest error of taps over all frequencies. */
static double worst_error(unsigned order, const double *taps, uint32_t half, double to)
{
    double worst = 0.0;

    for (double w = 0.0; w < to; w += 0.01)
        worst = support_worse(worst, fabs(spectrum(taps, half, w) - exact(order, w)));
    return worst;
}

static void test_taps(void **state)
{
    static const double errors[] = {1.0 / 255.0, 0x1p-10, 0x1p-23, 0x1p-40};
    double taps[64], best[64];

    (void)state;
    for (unsigned order = 2; order <= 5; order++)
        for (size_t e = 0; e < 4; e++) {
            const uint32_t half = clspi_fir_half_length(order, errors[e]);
            clspi_fir_truncated(order, half, taps);
            assert_true(clspi_fir_least_squares(order, half, best));
            assert_true(fabs(spectrum(taps, half, 0.0) - 1.0) < 1e-15);
            assert_true(fabs(spectrum(best, half, 0.0) - 1.0) < 1e-15);
            const double truncated = worst_error(order, taps, half, 3.14);
            /* making the sum 1 adds at most H(pi) (1 - |z|) / (1 + |z|) times the error: 3 times */
            assert_true(truncated < 4.0 * errors[e]);
            /* where images have their power */
            assert_true(worst_error(order, best, half, 1.0) <
                        worst_error(order, taps, half, 1.0) + 1e-14);
        }
    assert_int_equal(clspi_fir_half_length(3, 0x1p-23), 13);
    clspi_fir_least_squares(3, 7, best);
    assert_true(fabs(best[0] - 1.73204870141) < 1e-9 && fabs(best[7] + 0.000114933605) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_poles), cmocka_unit_test(test_taps)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
