/* Halves: every half comes back, and what lies between two rounds once to the nearer, ties to even:
   all doubles about halves and the middles between them, floats of every exponent, and arrays,
   which processors may have instructions for. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "half.h"

enum { INFINITE = 0x7c00, SIGN = 0x8000, RUN = 1001 };

/* Returns the number that a finite half stands for. */
static double number_of(uint16_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const double size = exponent > 0 ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);

    return half & SIGN ? -size : size;
}

/* Returns the half that is nearest to a number, as a whole multiple of the last bit there. */
static uint16_t nearest_half(double x)
{
    int exponent;

    if (isnan(x)) return INFINITE | 0x200;
    if (isinf(x)) return x < 0 ? INFINITE | SIGN : INFINITE;
    frexp(x, &exponent);
    exponent = exponent - 1 < -14 || x == 0.0 ? -14 : exponent - 1;
    const double half = (exponent + 14) * 1024.0 + rint(ldexp(fabs(x), 10 - exponent));
    return (uint16_t)((signbit(x) ? SIGN : 0) | (half < INFINITE ? (int)half : INFINITE));
}

static float float_of(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static void assert_nearest(uint16_t half, double x)
{
    if (isnan(x))
        assert_true((half & INFINITE) == INFINITE && (half & 1023) != 0);
    else
        assert_int_equal(half, nearest_half(x));
}

static void halves_come_back(void **state)
{
    (void)state;
    for (uint16_t half = 0; half < INFINITE; half++) {
        assert_int_equal(clspi_half(number_of(half)), half);
        assert_int_equal(clspi_half(-number_of(half)), half | SIGN);
        assert_true((double)clspi_half_value(half) == number_of(half));
        assert_true((double)clspi_half_value(half | SIGN) == -number_of(half));
    }
    assert_true(signbit(clspi_half_value(SIGN)));
    assert_true(clspi_half_value(INFINITE) == HUGE_VALF);
    assert_true(clspi_half_value(INFINITE | SIGN) == -HUGE_VALF);
    for (uint16_t half = INFINITE + 1; half < SIGN; half++)
        assert_true(isnan(clspi_half_value(half)) && isnan(clspi_half_value(half | SIGN)));
}

static void ties_go_to_even(void **state)
{
    (void)state;
    for (uint16_t half = 0; half + 1 < INFINITE; half++) {
        const double low = number_of(half), high = number_of((uint16_t)(half + 1));
        const double middle = (low + high) / 2;
        assert_int_equal(clspi_half(middle), half % 2 ? half + 1 : half);
        assert_int_equal(clspi_half(nextafter(middle, 0.0)), half);
        assert_int_equal(clspi_half(nextafter(middle, high)), half + 1);
        assert_int_equal(clspi_half(-nextafter(middle, high)), (half + 1) | SIGN);
    }
}

/* Compares an array of doubles about a half and about its middle to the next, at distances from a
   double's last bit to more than a float's. */
static void doubles_are_rounded_once(void **state)
{
    double x[4 * 53];
    uint16_t half[4 * 53];

    (void)state;
    for (uint16_t h = 0; h < INFINITE; h++) {
        const double low = number_of(h), high = h + 1 < INFINITE ? number_of(h + 1) : 65536.0;
        const double middle = (low + high) / 2;
        for (int bit = 0; bit < 53; bit++) {
            const double off = ldexp(high - low, -bit - 1);
            x[4 * bit] = middle + off;
            x[4 * bit + 1] = -(middle - off);
            x[4 * bit + 2] = -(low + off);
            x[4 * bit + 3] = low - off;
        }
        clspi_halves(half, x, sizeof x / sizeof *x);
        for (size_t k = 0; k < sizeof x / sizeof *x; k++) {
            assert_nearest(half[k], x[k]);
            assert_int_equal(half[k], clspi_half(x[k]));
        }
    }
}

/* Floats with every sign, exponent and first 10 bits, all that a half has, and about the ends of
   the 13 bits after them. */
static void floats_are_rounded(void **state)
{
    static const uint32_t rest[] = {0, 1, 0xfff, 0x1000, 0x1001, 0x1ffe, 0x1fff};
    enum { RESTS = sizeof rest / sizeof *rest };
    float x[RESTS];
    uint16_t half[RESTS];

    (void)state;
    for (uint32_t first = 0; first < 1U << 19; first++) {
        for (size_t k = 0; k < RESTS; k++)
            x[k] = float_of(first << 13 | rest[k]);
        clspi_halves(half, x, RESTS);
        for (size_t k = 0; k < RESTS; k++)
            assert_nearest(half[k], (double)x[k]);
    }
}

/* Arrays of any length give what numbers do one by one, NaN with the same bits. */
static void arrays_are_numbers(void **state)
{
    float x[RUN];
    double wide[RUN];
    uint16_t half[RUN + 1], of_wide[RUN + 1];
    uint32_t bits = 1;

    (void)state;
    for (size_t num = 0; num <= RUN; num += num < 40 ? 1 : 31) {
        for (size_t k = 0; k < num; k++) {
            bits = bits * 1664525 + 1013904223;
            x[k] = float_of(k % 5 ? 0x33000000 + bits % 0x15000000 : bits);
            wide[k] = (double)x[k];
        }
        half[num] = of_wide[num] = 0x5a5a;
        clspi_halves(half, x, num);
        clspi_halves(of_wide, wide, num);
        assert_int_equal(half[num], 0x5a5a);
        assert_int_equal(of_wide[num], 0x5a5a);
        for (size_t k = 0; k < num; k++) {
            assert_int_equal(half[k], clspi_half_of_float(x[k]));
            assert_int_equal(of_wide[k], half[k]);
            assert_nearest(half[k], wide[k]);
        }
    }
}

static void ends(void **state)
{
    static const double x[] = {65519.99, 65520.0, HUGE_VAL, -1e300,      0.0,
                               -0.0,     1e-300,  -5e-324,  (double)NAN, -(double)NAN};
    static const uint16_t half[] = {INFINITE - 1, INFINITE, INFINITE, INFINITE | SIGN, 0,
                                    SIGN,         0,        SIGN};
    uint16_t made[sizeof x / sizeof *x];

    (void)state;
    clspi_halves(made, x, sizeof x / sizeof *x);
    for (size_t k = 0; k < sizeof x / sizeof *x; k++) {
        assert_nearest(made[k], x[k]);
        assert_nearest(clspi_half(x[k]), x[k]);
        if (k < sizeof half / sizeof *half) assert_int_equal(made[k], half[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_come_back),         cmocka_unit_test(ties_go_to_even),
        cmocka_unit_test(doubles_are_rounded_once), cmocka_unit_test(floats_are_rounded),
        cmocka_unit_test(arrays_are_numbers),       cmocka_unit_test(ends),
    };

#if defined(__F16C__) && defined(__GNUC__)
    if (!__builtin_cpu_supports("avx2")) return 77; /* by which processors have F16C too */
#endif
    return cmocka_run_group_tests_name("half", tests, NULL, NULL);
}
