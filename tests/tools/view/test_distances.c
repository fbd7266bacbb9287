/* Distances that surfaces are coloured by: to points against every point, and to curves. Those to
   curves need a device. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distance_set.h"
#include "point_tree.h"
#include "temporary.h"

enum { MOST = 3000, PLACES = 200 };

static uint64_t random_state = 1;

/* A number in [-1, 1), of so many steps. */
static double draw(uint64_t steps)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return 2 * (double)((random_state >> 33) % steps) / (double)steps - 1;
}

static double nearest(const double *points, size_t num, const double place[3])
{
    double best = HUGE_VAL;
    for (size_t i = 0; i < num; i++) {
        double sum = 0;
        for (size_t k = 0; k < 3; k++)
            sum += (points[3 * i + k] - place[k]) * (points[3 * i + k] - place[k]);
        best = fmin(best, sum);
    }
    return sqrt(best);
}

/* Points anywhere, on a coarse lattice, where many are equal, and in a plane; few and many. */
static void test_tree(void **state)
{
    static const size_t nums[] = {0, 1, 2, 3, 8, 9, 10, 17, 100, MOST};
    static const uint64_t steps[] = {1 << 30, 5, 1};
    static double points[3 * MOST], ordered[3 * MOST];
    static uint8_t axes[MOST];
    point_tree t;
    (void)state;
    for (size_t n = 0; n < sizeof(nums) / sizeof(nums[0]); n++)
        for (size_t kind = 0; kind < 4; kind++) {
            for (size_t i = 0; i < 3 * nums[n]; i++)
                points[i] = kind == 3 ? (i % 3 ? 0 : draw(1 << 30)) : draw(steps[kind]);
            memcpy(ordered, points, sizeof(ordered));
            point_tree_make(&t, ordered, axes, nums[n]);
            for (int i = 0; i < PLACES; i++) {
                const double size = i % 3 ? 1 : 10;
                const double place[3] = {size * draw(100), size * draw(100), draw(100)};
                assert_true(point_tree_distance(&t, place) == nearest(points, nums[n], place));
            }
            assert_true(isnan(point_tree_distance(&t, (const double[]){0, NAN, 0})));
        }
}

static void check_file(clsp_context *ctx, const char *name, const char *text)
{
    static const double places[] = {3, 4, 0, 0.5, 0, 2, NAN, 0, 0};
    double found[3];
    distance_set *d = distance_set_open(ctx, temporary_file(name, text, strlen(text)));
    assert_non_null(d);
    assert_true(distance_set_find(d, places, 3, found));
    assert_true(fabs(found[0] - hypot(2, 4)) < 1e-6);
    assert_true(fabs(found[1] - 2) < 1e-6);
    assert_true(isnan(found[2]));
    distance_set_close(d);
}

static void assert_refused(clsp_context *ctx, const char *name, const char *text)
{
    assert_null(distance_set_open(ctx, temporary_file(name, text, strlen(text))));
}

static void test_points(void **state)
{
    (void)state;
    check_file(NULL, "a.xyz", "# two\n1 0 0 9\n0.5 0 0 9\nnan 0 0 9\n");
    check_file(NULL, "a.csv", "x,y,z\n0.5,0,0\n1,0,0\n");
    assert_refused(NULL, "b.xyz", "");
    assert_refused(NULL, "c.xyz", "nan 0 0\n");
    assert_refused(NULL, "d.xyz", "1 2 what\n");
    assert_null(distance_set_open(NULL, "/nowhere/a.xyz"));
}

/* A line from the origin to (1, 0, 0), also in two curves of different degrees. */
static void test_curves(void **state)
{
    static const char line[] = "100 1 0 0\n3 0\n2 2\n0 0 1 1\n0 0 0\n1 0 0\n";
    static const char parts[] = "100 1 0 0\n3 0\n2 2\n0 0 1 1\n0 0 0\n0.25 0 0\n"
                                "100 1 0 0\n3 0\n3 3\n0 0 0 1 1 1\n0.25 0 0\n0.5 0 0\n1 0 0\n";
    static const char flat[] = "100 1 0 0\n2 0\n2 2\n0 0 1 1\n0 0\n1 0\n";
    clsp_context *ctx;
    (void)state;
    if (clsp_context_create(&ctx, NULL, NULL) != CLSP_OK) {
        print_message("skipped: no OpenCL device\n");
        skip();
    }
    check_file(ctx, "a.g2", line);
    check_file(ctx, "b.g2", parts);
    assert_refused(ctx, "c.g2", flat);
    assert_refused(ctx, "d.g2", "100 1 0 0\n3 0\n");
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_curves),
    };
    return cmocka_run_group_tests(tests, temporary_setup, temporary_teardown);
}
