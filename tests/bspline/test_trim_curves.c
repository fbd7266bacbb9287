/* Where curves in a plane meet lines of constant parameter, and turn back: rational ones of degrees
   2 to 6, against samples of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "trim_curves.h"
#include "../support.h"

#define VALUE 0.1 /* of a coordinate, where lines are */

enum { COORDS = CLSPI_PLANE_COORDS, CURVES = 60, SAMPLES = 4096, ROOM = 64 };

static uint64_t state_of_cases = 7;

static void make_curve(double *controls, uint32_t degree)
{
    for (uint32_t i = 0; i <= degree; i++) {
        const double w = 1.5 + support_uniform(&state_of_cases);
        for (int k = 0; k < 2; k++)
            controls[i * COORDS + (uint32_t)k] = w * support_uniform(&state_of_cases);
        controls[i * COORDS + 2] = w;
    }
}

static double at(const double *controls, uint32_t degree, double t, int axis)
{
    double point[2];

    clspi_trim_point(controls, degree, t, point);
    return point[axis];
}

/* Counts the samples between which a coordinate passes VALUE, or its steps change their sign. */
static size_t count_samples(const double *controls, uint32_t degree, int axis, bool of_turns)
{
    const double step = 1.0 / SAMPLES;
    double before = 0;
    size_t num = 0;

    for (int i = 0; i <= SAMPLES - of_turns; i++) {
        const double x = at(controls, degree, i * step, axis);
        const double now = of_turns ? at(controls, degree, (i + 1) * step, axis) - x : x - VALUE;
        num += i > 0 && now * before < 0;
        before = now;
    }
    return num;
}

/* Returns how far a parameter is from being one that is looked for: by the value there, or by the
   steps to both sides, which are the same where there is no slope. */
static double miss_of(const double *controls, uint32_t degree, double t, int axis, bool of_turns)
{
    const double by = 0x1p-18;

    return of_turns ? at(controls, degree, t + by, axis) - at(controls, degree, t - by, axis)
                    : at(controls, degree, t, axis) - VALUE;
}

static void check_roots(bool of_turns, double most)
{
    double controls[CLSPI_TRIM_REALS], room[ROOM];
    size_t many = 0;

    for (uint32_t c = 0; c < 2 * CURVES; c++) {
        const uint32_t degree = 2 + c / 2 % 5;
        const int axis = c % 2;
        clspi_trim_roots roots = {.at = room, .room = ROOM};
        make_curve(controls, degree);
        if (of_turns)
            clspi_trim_turns(controls, degree, axis, &roots);
        else
            clspi_trim_crossings(controls, degree, axis, VALUE, &roots);
        assert_int_equal(roots.num, count_samples(controls, degree, axis, of_turns));
        for (size_t i = 0; i < roots.num; i++)
            assert_true(fabs(miss_of(controls, degree, room[i], axis, of_turns)) < most);
        many += roots.num > 1;
    }
    assert_true(many > 10);
}

static void test_crossings(void **state)
{
    (void)state;
    check_roots(false, 1e-14);
}

static void test_turns(void **state)
{
    (void)state;
    check_roots(true, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crossings),
        cmocka_unit_test(test_turns),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
