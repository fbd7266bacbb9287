/* Points that lie on others, beside a search through all pairs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "near_points.h"

enum { NUM = 200 };

/* A number from 0 on, below 1. */
static double random_real(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static double distance(const double *p, const double *q)
{
    return hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
}

/* Checks each point's first one that is near. Returns how many have another. */
static size_t compare(const double *points, double tolerance)
{
    uint32_t to[NUM], wanted[NUM];
    size_t others, num = 0;
    assert_true(near_points_find(points, NUM, tolerance, to, &others));
    for (uint32_t i = 0; i < NUM; i++) {
        wanted[i] = i;
        for (uint32_t j = 0; j < i && wanted[i] == i; j++)
            if (wanted[j] == j && distance(points + 3 * i, points + 3 * j) <= tolerance)
                wanted[i] = j;
        num += wanted[i] != i;
        assert_int_equal(to[i], wanted[i]);
    }
    assert_int_equal(others, num);
    return num;
}

/* Points on a lattice of so many places each way, off by a part of a step, times a scale. */
static void test_lattices(void **state)
{
    static const double scales[] = {1, 1e-320, 1e-300, 1e-9, 1e9, 1e150, 1e300};
    static const double tolerances[] = {0, 1e-9, 1e-5, 0.3, 1, 1.5, 100};
    uint64_t seed = 1;
    double points[3 * NUM];
    (void)state;
    for (int places = 1; places <= 8; places += 1 + (places > 1))
        for (int offset = 0; offset < 3; offset++)
            for (size_t s = 0; s < sizeof(scales) / sizeof(scales[0]); s++) {
                for (size_t i = 0; i < 3 * NUM; i++)
                    points[i] = scales[s] * (floor(places * random_real(&seed)) - 2 * offset +
                                             (i % 2 ? 2e-6 * random_real(&seed) : 0));
                size_t least = 0;
                for (size_t t = 0; t < sizeof(tolerances) / sizeof(tolerances[0]); t++) {
                    const size_t num = compare(points, scales[s] * tolerances[t]);
                    assert_true(num >= least);
                    if (t < 3) least = num;
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lattices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
