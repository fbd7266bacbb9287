/* Knots of splines over other knots: how often each stands there, and what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "conversion.h"
#include "knot_change.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static clspi_knots knots_of(const double *u, uint32_t num, uint32_t degree)
{
    clspi_knots knots;

    assert_null(clspi_knots_check(u, degree, num - degree - 1).what);
    assert_true(clspi_knots_make(&knots, u, degree, num - degree - 1));
    return knots;
}

/* Makes a change and compares; the result must be able to hold the spline. */
static void expect(const clspi_knots *from, const clspi_knot_change *change, uint32_t degree,
                   const double *u, uint32_t num)
{
    clspi_knots to;
    clspi_knot_defect defect;

    assert_true(clspi_knots_change(&to, from, change, &defect));
    assert_null(defect.what);
    assert_int_equal(to.degree, degree);
    assert_int_equal(to.controls + degree + 1, num);
    for (uint32_t i = 0; i < num; i++)
        assert_true(to.u[i] == u[i]);
    assert_null(clspi_knots_check(to.u, degree, to.controls).what);
    const clspi_conversion conversion = {from, &to, change->by};
    assert_null(clspi_conversion_check(&conversion).what);
    clspi_knots_release(&to);
}

#define EXPECT(from, degree, change, ...)                                                          \
    do {                                                                                           \
        const clspi_knot_change wanted = change;                                                   \
        const double expected[] = __VA_ARGS__;                                                     \
        expect(from, &wanted, degree, expected, COUNT(expected));                                  \
    } while (0)
#define CHANGE(...) ((clspi_knot_change){__VA_ARGS__})

static void test_clamped(void **state)
{
    static const double u[] = {0, 0, 0, 1, 2, 2, 4, 4, 4}, more[] = {3, 1, 0.5};
    clspi_knots k = knots_of(u, COUNT(u), 2);

    (void)state;
    EXPECT(&k, 2, CHANGE(0), {0, 0, 0, 1, 2, 2, 4, 4, 4});
    EXPECT(&k, 2, CHANGE(.insert = more, .num_insert = 3), {0, 0, 0, 0.5, 1, 1, 2, 2, 3, 4, 4, 4});
    EXPECT(&k, 3, CHANGE(.elevate = 1), {0, 0, 0, 0, 1, 1, 2, 2, 2, 4, 4, 4, 4});
    EXPECT(&k, 1, CHANGE(.by = 1), {0, 0, 1, 2, 2, 4, 4});
    EXPECT(&k, 0, CHANGE(.by = 2), {0, 1, 2, 4});
    EXPECT(&k, 2, CHANGE(.by = 1, .elevate = 1), {0, 0, 0, 1, 1, 2, 2, 2, 4, 4, 4});
    EXPECT(&k, 2, CHANGE(.restricted = true, .begin = 0.5, .end = 2), {0.5, 0.5, 0.5, 1, 2, 2, 2});
    EXPECT(&k, 2, CHANGE(.pieces = true), {0, 0, 0, 1, 1, 1, 2, 2, 2, 4, 4, 4});
    EXPECT(&k, 3, CHANGE(.pieces = true, .elevate = 1, .insert = more, .num_insert = 1),
           {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4});
    EXPECT(&k, 1, CHANGE(.pieces = true, .by = 1, .restricted = true, .begin = 1, .end = 4),
           {1, 1, 2, 2, 4, 4});
    clspi_knots_release(&k);
}

/* Outside of the domain there are as many knots as the degree needs. */
static void test_unclamped(void **state)
{
    static const double uniform[] = {-3, -2, -1, 0, 1, 2, 3, 4, 5}, half[] = {0.5, 1.5};
    static const double ends[] = {2, 0, 1, 0};
    static const double jumping[] = {-1, 0, 0, 0, 2, 2, 2, 3};
    clspi_knots k = knots_of(uniform, COUNT(uniform), 3);

    (void)state;
    EXPECT(&k, 3, CHANGE(.insert = half, .num_insert = 2),
           {-3, -2, -1, 0, 0.5, 1, 1.5, 2, 3, 4, 5});
    EXPECT(&k, 3, CHANGE(.insert = ends, .num_insert = 4),
           {-3, -2, -1, 0, 0, 0, 1, 1, 2, 2, 3, 4, 5});
    EXPECT(&k, 4, CHANGE(.elevate = 1, .insert = ends, .num_insert = 4),
           {-2, -1, -1, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4});
    EXPECT(&k, 3, CHANGE(.pieces = true, .insert = ends, .num_insert = 1),
           {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
    EXPECT(&k, 4, CHANGE(.elevate = 1), {-2, -1, -1, 0, 0, 1, 1, 2, 2, 3, 3, 4});
    EXPECT(&k, 2, CHANGE(.by = 1), {-2, -1, 0, 1, 2, 3, 4});
    EXPECT(&k, 3, CHANGE(.restricted = true, .begin = 0, .end = 2), {0, 0, 0, 0, 1, 2, 2, 2, 2});
    EXPECT(&k, 0, CHANGE(.by = 3), {0, 1, 2});
    clspi_knots_release(&k);
    k = knots_of(jumping, COUNT(jumping), 2);
    EXPECT(&k, 2, CHANGE(0), {-1, 0, 0, 0, 2, 2, 2, 3});
    EXPECT(&k, 3, CHANGE(.elevate = 1), {0, 0, 0, 0, 2, 2, 2, 2});
    EXPECT(&k, 1, CHANGE(.by = 1), {0, 0, 2, 2});
    clspi_knots_release(&k);
}

static void refuse(const clspi_knots *from, clspi_knot_change change, const char *what)
{
    clspi_knots to;
    clspi_knot_defect defect;

    assert_false(clspi_knots_change(&to, from, &change, &defect));
    assert_string_equal(defect.what, what);
    clspi_knots_release(&to);
}

static void test_defects(void **state)
{
    static const double u[] = {0, 0, 0, 1, 2, 2, 2};
    static const double thrice[] = {1, 1, 1}, at_end[] = {0}, twice[] = {1, 2}, beyond[] = {3};
    const double no_number[] = {NAN};
    const char *const outside = "is not within the domain", *const often = "is inserted too often";
    const char *const empty = "ends an interval that is empty or outside of the domain";
    clspi_knots k = knots_of(u, COUNT(u), 2);

    (void)state;
    refuse(&k, CHANGE(.insert = thrice, .num_insert = 3), often);
    refuse(&k, CHANGE(.insert = at_end, .num_insert = 1), often);
    refuse(&k, CHANGE(.insert = twice, .num_insert = 2), often);
    refuse(&k, CHANGE(.insert = beyond, .num_insert = 1), outside);
    refuse(&k, CHANGE(.insert = no_number, .num_insert = 1), outside);
    refuse(&k, CHANGE(.restricted = true, .begin = 0, .end = 1, .insert = thrice, .num_insert = 1),
           often);
    refuse(&k, CHANGE(.restricted = true, .begin = -1, .end = 1),
           "begins an interval outside of the domain");
    refuse(&k, CHANGE(.restricted = true, .begin = NAN, .end = 1),
           "begins an interval outside of the domain");
    refuse(&k, CHANGE(.restricted = true, .begin = 1, .end = 1), empty);
    refuse(&k, CHANGE(.restricted = true, .begin = 1, .end = 3), empty);
    refuse(&k, CHANGE(.restricted = true, .begin = 1, .end = NAN), empty);
    clspi_knots_release(&k);
}

/* What knots that are given lack for a spline. */
static void test_checks(void **state)
{
    static const double u[] = {0, 0, 0, 1, 2, 2, 3, 3, 3};
    static const struct {
        double u[16];
        uint32_t num, degree, by;
        const char *what;
    } cases[] = {
        {{0, 0, 0, 1, 2, 2, 3, 3, 3}, 9, 2, 0, NULL},
        {{0, 0, 0, 2, 2, 3, 3, 3}, 8, 2, 0, "is not there often enough for the spline"},
        {{0, 0, 0, 1, 2, 3, 3, 3}, 8, 2, 0, "is not there often enough for the spline"},
        {{0, 0, 0, 0, 1, 2, 2, 3, 3, 3, 3}, 11, 3, 0, "is not there often enough for the spline"},
        {{0, 0, 1, 2, 2, 3, 3}, 7, 1, 0, "belongs to a degree that is too low for the spline"},
        {{0, 0, 1, 2, 2, 3, 3}, 7, 1, 1, NULL},
        {{0, 0, 1, 1.5, 2, 2, 3, 3}, 8, 1, 1, NULL},
        {{-1, -1, -1, 1, 2, 2, 3, 3, 3},
         9,
         2,
         0,
         "begins a domain that is not within the spline's"},
        {{0, 0, 0, 1, 2, 2, 4, 4, 4}, 9, 2, 0, "ends a domain that is not within the spline's"},
        {{1.5, 1.5, 1.5, 2, 2, 2.5, 2.5, 2.5}, 8, 2, 0, NULL},
        {{-1, 0, 0, 1, 2, 2, 3, 4, 5}, 9, 2, 0, NULL},
    };
    clspi_knots from = knots_of(u, COUNT(u), 2);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        clspi_knots to = knots_of(cases[i].u, cases[i].num, cases[i].degree);
        const clspi_conversion conversion = {&from, &to, cases[i].by};
        const char *const what = clspi_conversion_check(&conversion).what;
        if (cases[i].what)
            assert_string_equal(what, cases[i].what);
        else
            assert_null(what);
        clspi_knots_release(&to);
    }
    clspi_knots_release(&from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clamped),
        cmocka_unit_test(test_unclamped),
        cmocka_unit_test(test_defects),
        cmocka_unit_test(test_checks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
