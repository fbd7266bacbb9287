/* Decimal numbers against strtod and printf: the same bits and ends, and the same characters. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"

static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Compares one number, with another character behind it. */
static void check(const char *number, char behind)
{
    char text[400], *end;
    double value = 0;

    snprintf(text, sizeof text, "%s%c1", number, behind);
    const double exact = strtod(text, &end);
    if (decimal_read(text, &value) != (size_t)(end - text) || end != text + strlen(number) ||
        memcmp(&value, &exact, sizeof value) != 0)
        fail_msg("%s: %.17g instead of %.17g", text, value, exact);
}

static const char separators[] = ",; \t\n#d";

/* Numbers of 1 to 21 digits, most of them as files have them, others of any size. */
static void test_random(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 300000; i++) {
        const uint64_t bits = random_bits(&seed), how = random_bits(&seed);
        const int digits = 1 + (int)(how >> 8) % 21;
        double x = ldexp((double)(int64_t)bits, (int)(how >> 16) % 40 - 60);
        char number[400];
        if (how % 8 == 0) memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        if (how % 4 == 1)
            snprintf(number, sizeof number, "%.*f", digits, fmod(x, 1e9));
        else
            snprintf(number, sizeof number, how % 4 == 2 ? "%.*e" : "%.*g", digits, x);
        check(number, separators[(how >> 32) % (sizeof separators - 1)]);
    }
}

/* The middles between doubles, in 16 to 19 digits, and their neighbours, with points anywhere. */
static void test_middles(void **state)
{
    uint64_t seed = 2;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        const int shift = 1 + (int)(random_bits(&seed) % 10);
        const uint64_t half = UINT64_C(1) << (shift - 1);
        const uint64_t whole = (random_bits(&seed) >> 11 | UINT64_C(1) << 52) << shift;
        const uint64_t number = whole + half + random_bits(&seed) % 3 - 1;
        char text[64], moved[80];
        snprintf(text, sizeof text, "%llu", (unsigned long long)number);
        check(text, ',');
        const size_t point = random_bits(&seed) % strlen(text);
        snprintf(moved, sizeof moved, "-%.*s.%s", (int)point, text, text + point);
        check(moved, ';');
        snprintf(moved, sizeof moved, "%se%d", text, (int)(random_bits(&seed) % 61) - 30);
        check(moved, ' ');
    }
}

static void test_forms(void **state)
{
    static const char *const good[] = {"0",
                                       "-0",
                                       "+7",
                                       ".5",
                                       "5.",
                                       "-.25",
                                       "1e5",
                                       "1E+05",
                                       "1.e-3",
                                       "00012",
                                       "0.000",
                                       "0e999999999999",
                                       "1e-400",
                                       "1e400",
                                       "9007199254740993",
                                       "18446744073709551616",
                                       "99999999999999999999e-5",
                                       "0.00000000000000000000000001",
                                       "123456789012345678901234567890",
                                       "4.9e-324",
                                       "1e23",
                                       "1.7976931348623157e308",
                                       "8.5e22",
                                       "3.5e-23"};
    static const char *const none[] = {"",    "-",   ".",    "+.",   "e5", "1e",  "1e+", "x",
                                       "nan", "inf", "-inf", "0x10", "0x", "--1", ",1",  " 1"};
    char many[600];
    double value;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        for (size_t k = 0; k + 1 < sizeof separators; k++)
            check(good[i], separators[k]);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_true(decimal_read(none[i], &value) == 0);
    memset(many, '3', sizeof many);
    many[255] = 0;
    check(many, ',');
    many[255] = '3';
    many[256] = 0;
    assert_true(decimal_read(many, &value) == 0);
}

/* ---- writing ---- */

static void check_written(double x)
{
    for (int digits = 1; digits <= DECIMAL_MAX_DIGITS; digits += 8) {
        char text[DECIMAL_ROOM], exact[DECIMAL_ROOM];
        const size_t length = decimal_write(text, digits, x);
        snprintf(exact, sizeof exact, "%.*g", digits, isnan(x) ? (double)NAN : x);
        if (strcmp(text, exact) != 0 || length != strlen(exact))
            fail_msg("%.17g in %d digits: %s instead of %s", x, digits, text, exact);
    }
}

/* Numbers of any size, most of them as coordinates are, floats, and what has few binary digits, so
   that it is half way between two decimal ones. */
static void test_written(void **state)
{
    static const double special[] = {0,
                                     -0.0,
                                     1,
                                     -1,
                                     0.1,
                                     1e-4,
                                     9.9999e-5,
                                     1e9,
                                     1e17,
                                     1e16,
                                     1e22,
                                     1e300,
                                     5e-324,
                                     0.5,
                                     999999999.5,
                                     99999999.95,
                                     0.99999999949999,
                                     0.9999999995,
                                     (double)NAN,
                                     -(double)NAN,
                                     (double)INFINITY,
                                     (double)-INFINITY};
    uint64_t seed = 2;

    (void)state;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        check_written(special[i]);
    for (int i = -20; i < 40; i++)
        for (int k = -2; k <= 2; k++) {
            double x = pow(10, i);
            for (int n = 0; n < abs(k); n++)
                x = nextafter(x, k < 0 ? 0 : INFINITY);
            check_written(x);
        }
    for (int i = 0; i < 300000; i++) {
        const uint64_t bits = random_bits(&seed), how = random_bits(&seed);
        double x = ldexp((double)(int64_t)bits, (int)(how >> 16) % 70 - 80);
        if (how % 4 == 0) x = (double)(float)x;
        if (how % 4 == 1) x = ldexp((double)(int64_t)(bits >> 40), -(int)(how >> 8) % 40);
        if (how % 16 == 2) memcpy(&x, &bits, sizeof x);
        check_written(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_middles), cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
