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
    double poles[POLES_MAX];

    (void)state;
    for (unsigned order = 0; order <= ORDER_MAX; order++) {
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
    double taps[64], best[64], poles[POLES_MAX];

    (void)state;
    for (unsigned order = 2; order <= ORDER_MAX; order++)
        for (size_t e = 0; e < 4; e++) {
            const uint32_t half = clspi_fir_half_length(order, errors[e]);
            clspi_fir_truncated(order, half, taps);
            assert_true(clspi_fir_least_squares(order, half, best));
            assert_true(fabs(spectrum(taps, half, 0.0) - 1.0) < 1e-15);
            assert_true(fabs(spectrum(best, half, 0.0) - 1.0) < 1e-15);
            const double truncated = worst_error(order, taps, half, 3.14);
            /* making the sum 1 adds at most H(pi) (1 - |z|) / (1 + |z|) times the error */
            clspi_spline_poles(order, poles);
            const double z = fabs(poles[0]);
            const double more = exact(order, 3.14159265358979) * (1.0 - z) / (1.0 + z);
            assert_true(truncated < 1.01 * (1.0 + more) * errors[e] + 1e-14);
            /* where images have their power */
            assert_true(worst_error(order, best, half, 1.0) <
                        worst_error(order, taps, half, 1.0) + 1e-14);
        }
    assert_int_equal(clspi_fir_half_length(3, 0x1p-23), 13);
    clspi_fir_least_squares(3, 7, best);
    assert_true(fabs(best[0] - 1.73204870141) < 1e-9 && fabs(best[7] + 0.000114933605) < 1e-9);
}

enum { FAR = 120, FREQUENCIES = 1024 };

/* Fills the exact filter's taps, from its spectrum. */
static void fill_exact(unsigned order, double h[FAR + 1])
{
    for (unsigned k = 0; k <= FAR; k++) {
        h[k] = 0.0;
        for (unsigned i = 0; i < FREQUENCIES; i++) {
            const double w = 2.0 * 3.14159265358979323846 * i / FREQUENCIES;
            h[k] += exact(order, w) * cos(k * w) / FREQUENCIES;
        }
    }
}

/* The sum over all samples of what |each| is worth at place x. */
static double worth(unsigned order, const double h[FAR + 1], double x)
{
    double sum = 0.0;

    for (int n = 5 - FAR; n <= FAR - 5; n++) {
        long double value = 0.0L;
        for (int k = -4; k <= 4; k++)
            value += ref_bspline(order, (long double)x - k) * (long double)h[n > k ? n - k : k - n];
        sum += fabs((double)value);
    }
    return sum;
}

/* The most that the values of an image of samples within [-1, 1] are off, at any of some places. */
static double worst_value(unsigned order, unsigned directions, const double h[FAR + 1],
                          const double *taps, uint32_t half)
{
    double error[FAR + 1], worst = 0.0;

    for (unsigned k = 0; k <= FAR; k++)
        error[k] = (k <= half ? taps[k] : 0.0) - h[k];
    for (double x = 0.0; x < 0.51; x += 0.05) {
        const double most = worth(order, h, x), off = worth(order, error, x);
        worst = support_worse(worst, pow(most + off, directions) - pow(most, directions));
    }
    return worst;
}

/* Of 8 and 16 bits the taps by default keep values within half a unit, whatever the image; with two
   less they hardly would, save where the spectrum asks for more. (The choice takes the worst place
   of the values and that of their errors together, which is a little too much.) */
static void test_values(void **state)
{
    static const double errors[] = {1.0 / 255.0, 1.0 / 65535.0};
    double h[FAR + 1], taps[64], worst = 0.0;

    (void)state;
    for (unsigned order = 2; order <= ORDER_MAX; order++) {
        fill_exact(order, h);
        for (unsigned i = 0; i < 12; i++) {
            const double error = errors[i % 2];
            const unsigned directions = 1 + i / 2 % 3;
            const bool best = i >= 6;
            const uint32_t half = clspi_fir_half_length_of_values(order, directions, best, error);
            for (uint32_t less = 0; less < 2; less++) {
                if (best) assert_true(clspi_fir_least_squares(order, half - less, taps));
                if (!best) clspi_fir_truncated(order, half - less, taps);
                const double off = worst_value(order, directions, h, taps, half - less) / error;
                if (less == 0) worst = support_worse(worst, off);
                if (less == 0) assert_true(off <= 1.0);
                if (less == 1 && half > clspi_fir_half_length(order, error))
                    assert_true(off > 0.85);
            }
        }
    }
    print_message("values off by up to %.3f of half a unit\n", worst);
    assert_int_equal(clspi_fir_half_length_of_values(3, 2, true, errors[0]), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_poles), cmocka_unit_test(test_taps),
                                       cmocka_unit_test(test_values)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
