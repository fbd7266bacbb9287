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

/* Counts the samples between which a coordinate passes a value, or its steps change their sign. */
static size_t count_samples(const double *controls, uint32_t degree, int axis, double value,
                            bool of_turns)
{
    const double step = 1.0 / SAMPLES;
    double before = 0;
    size_t num = 0;

    for (int i = 0; i <= SAMPLES - of_turns; i++) {
        const double x = at(controls, degree, i * step, axis);
        const double now = of_turns ? at(controls, degree, (i + 1) * step, axis) - x : x - value;
        num += i > 0 && now * before < 0;
        before = now;
    }
    return num;
}

static void test_crossings(void **state)
{
    double controls[CLSPI_TRIM_REALS], room[ROOM];
    size_t many = 0;

    (void)state;
    for (uint32_t c = 0; c < CURVES; c++)
        for (int axis = 0; axis < 2; axis++) {
            const uint32_t degree = 2 + c % 5;
            clspi_trim_roots roots = {.at = room, .room = ROOM};
            make_curve(controls, degree);
            clspi_trim_crossings(controls, degree, axis, 0.1, &roots);
            assert_int_equal(roots.num, count_samples(controls, degree, axis, 0.1, false));
            for (size_t i = 0; i < roots.num; i++)
                assert_true(fabs(at(controls, degree, room[i], axis) - 0.1) < 1e-14);
            many += roots.num > 1;
        }
    assert_true(many > 10);
}

static void test_turns(void **state)
{
    double controls[CLSPI_TRIM_REALS], room[ROOM];
    size_t many = 0;

    (void)state;
    for (uint32_t c = 0; c < CURVES; c++)
        for (int axis = 0; axis < 2; axis++) {
            const double by = 0x1p-18;
            const uint32_t degree = 2 + c % 5;
            clspi_trim_roots roots = {.at = room, .room = ROOM};
            make_curve(controls, degree);
            clspi_trim_turns(controls, degree, axis, &roots);
            assert_int_equal(roots.num, count_samples(controls, degree, axis, 0, true));
            for (size_t i = 0; i < roots.num; i++) /* the slope there is none */
                assert_true(fabs(at(controls, degree, room[i] + by, axis) -
                                 at(controls, degree, room[i] - by, axis)) < 1e-12);
            many += roots.num > 1;
        }
    assert_true(many > 10);
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
