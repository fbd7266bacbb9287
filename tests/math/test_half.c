/* Halves: every half comes back, and what lies between two rounds to the nearer, ties to even. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "half.h"

enum { INFINITE = 0x7c00, SIGN = 0x8000 };

/* Returns the number that a finite half stands for. */
static double number_of(uint16_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const double size = exponent > 0 ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);

    return half & SIGN ? -size : size;
}

static void halves_come_back(void **state)
{
    (void)state;
    for (uint16_t half = 0; half < INFINITE; half++) {
        assert_int_equal(clspi_half(number_of(half)), half);
        assert_int_equal(clspi_half(-number_of(half)), half | SIGN);
    }
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

static void ends(void **state)
{
    const uint16_t nan = clspi_half(NAN);

    (void)state;
    assert_int_equal(clspi_half(65519.99), INFINITE - 1);
    assert_int_equal(clspi_half(65520.0), INFINITE);
    assert_int_equal(clspi_half(HUGE_VAL), INFINITE);
    assert_int_equal(clspi_half(-1e300), INFINITE | SIGN);
    assert_int_equal(clspi_half(0.0), 0);
    assert_int_equal(clspi_half(-0.0), SIGN);
    assert_int_equal(clspi_half(1e-300), 0);
    assert_int_equal(clspi_half(-5e-324), SIGN);
    assert_true((nan & INFINITE) == INFINITE && (nan & 1023) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_come_back),
        cmocka_unit_test(ties_go_to_even),
        cmocka_unit_test(ends),
    };

    return cmocka_run_group_tests_name("half", tests, NULL, NULL);
}
