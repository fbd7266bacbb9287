/* Bezier surfaces: accuracy against the oracle and the properties that hold exactly, in every
 * kernel shape. */
#include "support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_fixture.h"

/* The shapes of kernels, and the limits of small devices. Each test runs under all of them, with
   some of its cases where they are many. */
static const char *const limits[] = {
    "",
    "class=cpu",
    "class=discrete,local_is_real=1",
    "class=discrete,local_is_real=0",
    "class=integrated,fp64=0,work_group=64,local=16384,images=0,opencl=120,svm=0,alloc=134217728",
    "class=discrete,local_is_real=1,work_group=7",
    "class=discrete,local_is_real=1,vendor=NVIDIA",
};

static void everywhere(turn_fn check)
{
    each_turn(limits, COUNT(limits), 3, check);
}

/* ---- accuracy ---- */

/* The bounds that bezier.h states. Two sums of positive weights, each with a rounding per term that
   shrinks with its weight, and two tables: about 2 sqrt(degree) half units in all likelihood, far
   from the worst case of 2 degree. */
static const double bound_31 = 8, bound_1000 = 32;

static double worst_low, worst_high;

static double *slot(double bound)
{
    return bound > bound_31 ? &worst_high : &worst_low;
}

static void check_accuracy(clsp_context *ctx, clsp_bezier_desc desc, size_t num_patches,
                           size_t samples, double bound)
{
    job j;

    job_create(&j, ctx, desc, num_patches);
    job_eval(&j, 0, num_patches);
    const double error = job_error(&j, samples);
    if (error > *slot(bound)) *slot(bound) = error;
    if (!(error <= bound))
        fail_msg("degrees %u, %u, dim %u, grid %u x %u: %.2f eps", desc.degree[0], desc.degree[1],
                 j.dim, desc.axis[0].num, desc.axis[1].num, error);
    job_destroy(&j);
}

static void degrees(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t pairs[][2] = {{0, 0},  {1, 1},  {1, 0},  {0, 3},  {2, 3},  {3, 3},
                                        {3, 5},  {5, 2},  {7, 7},  {11, 3}, {3, 15}, {15, 15},
                                        {16, 1}, {17, 7}, {23, 5}, {31, 31}};

    for (size_t i = 0; i < COUNT(pairs); i++) {
        if (tiny() && (pairs[i][0] > 16 || pairs[i][1] > 7)) continue;
        for (uint32_t dim = 1; dim <= 4; dim++) {
            if ((tiny() || i % 3 != 0) && dim != 3) continue;
            if (!in_turn(i + dim)) continue;
            const clsp_bezier_desc desc =
                surface(precision, pairs[i][0], pairs[i][1], dim, tiny() ? 5 : 37, tiny() ? 6 : 21);
            check_accuracy(ctx, desc, 3, tiny() ? 12 : 100, bound_31);
        }
    }
}

static void test_degrees(void **state)
{
    (void)state;
    everywhere(degrees);
    print_message("worst/bound %.2f\n", worst_low / bound_31);
}

static void high_degrees(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t pairs[][2] = {{100, 100}, {1000, 2}, {3, 1000}, {255, 63}};

    for (size_t i = 0; i < COUNT(pairs); i++) {
        const clsp_bezier_desc desc = surface(precision, pairs[i][0], pairs[i][1], 3, 97, 75);
        if (in_turn(i)) check_accuracy(ctx, desc, 1, 40, bound_1000);
    }
}

static void test_high_degrees(void **state)
{
    (void)state;
    if (tiny()) skip();
    everywhere(high_degrees);
    print_message("worst/bound %.2f\n", worst_high / bound_1000);
}

/* Both directions at 1000, and tables large enough to be made on the device. */
static void degree_1000(clsp_context *ctx, clsp_type precision)
{
    const clsp_bezier_desc desc = surface(precision, 1000, 1000, 1, 67, 130);

    if (in_turn(0)) check_accuracy(ctx, desc, 1, 20, bound_1000);
}

static void test_degree_1000(void **state)
{
    (void)state;
    if (tiny()) skip();
    everywhere(degree_1000);
    print_message("worst/bound %.2f\n", worst_high / bound_1000);
}

static void sizes(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t counts[] = {1, 2, 3, 15, 16, 17, 31, 61, 64, 127, 129, 257};

    for (size_t i = 0; i < COUNT(counts); i++) {
        if (tiny() && counts[i] > 17) break;
        if (!in_turn(i)) continue;
        const uint32_t other = counts[COUNT(counts) - 1 - i];
        const clsp_bezier_desc desc =
            surface(precision, 3, 2, i % 2 ? 3 : 2, counts[i], tiny() ? counts[i] % 5 + 1 : other);
        check_accuracy(ctx, desc, i % 3 + 1, tiny() ? 10 : 60, bound_31);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    everywhere(sizes);
}

/* Rows that fill the tiles of several columns an item, and begin at odd places. */
static void tiles(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t pairs[][2] = {{3, 3}, {8, 6}, {13, 2}};

    for (size_t i = 0; i < COUNT(pairs); i++) {
        const clsp_bezier_desc odd = surface(precision, pairs[i][0], pairs[i][1], 3, 6, 37);
        const clsp_bezier_desc longer = surface(precision, pairs[i][0], pairs[i][1], 3, 45, 251);
        if (in_turn(i)) check_accuracy(ctx, odd, 2, tiny() ? 20 : 100, bound_31);
        if (!tiny() && in_turn(i + 1)) check_accuracy(ctx, longer, 2, 300, bound_31);
    }
}

static void test_tiles(void **state)
{
    (void)state;
    everywhere(tiles);
}

static void batch(clsp_context *ctx, clsp_type precision)
{
    const clsp_bezier_desc desc = surface(precision, 3, 3, 3, 9, 11);

    check_accuracy(ctx, desc, tiny() ? 7 : 1009, tiny() ? 20 : 500, bound_31);
}

static void test_batch(void **state)
{
    (void)state;
    everywhere(batch);
}

/* ---- exact properties ---- */

static const double *point(const job *j, size_t patch, uint32_t a, uint32_t b)
{
    return j->points + ((patch * j->desc.axis[0].num + a) * j->desc.axis[1].num + b) * j->dim;
}

static const double *control(const job *j, size_t patch, uint32_t i, uint32_t k)
{
    return j->controls +
           ((patch * (j->desc.degree[0] + 1) + i) * (j->desc.degree[1] + 1) + k) * j->dim;
}

static void corners(clsp_context *ctx, clsp_type precision)
{
    const clsp_bezier_desc d = surface(precision, in_turn(0) ? 6 : 3, 9, 3, 13, 5);
    job j;

    job_create(&j, ctx, d, 2);
    job_eval(&j, 0, 2);
    for (size_t p = 0; p < 2; p++) {
        for (unsigned corner = 0; corner < 4; corner++) {
            const uint32_t u = corner & 1, v = corner >> 1;
            const double *const got =
                point(&j, p, u * (d.axis[0].num - 1), v * (d.axis[1].num - 1));
            assert_memory_equal(got, control(&j, p, u * d.degree[0], v * d.degree[1]),
                                3 * sizeof(double));
        }
    }
    job_destroy(&j);
}

static void test_corners_are_control_points(void **state)
{
    (void)state;
    everywhere(corners);
}

/* Equal control points give that point: the weights are a partition of unity. Linear ones give the
 * plane. */
static void planes(clsp_context *ctx, clsp_type precision)
{
    const clsp_bezier_desc d = surface(precision, 5, 4, 2, 17, 9);
    const double eps = precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
    job j;

    job_create(&j, ctx, d, 1);
    for (uint32_t i = 0; i <= d.degree[0]; i++) {
        for (uint32_t k = 0; k <= d.degree[1]; k++) {
            double *const p = j.controls + (i * (d.degree[1] + 1) + k) * 2;
            p[0] = 0.75;
            p[1] =
                (double)(i * d.degree[1] + k * d.degree[0]) / 64.0; /* exact in both precisions */
        }
    }
    job_load(&j);
    job_eval(&j, 0, 1);
    for (uint32_t a = 0; a < d.axis[0].num; a++) {
        for (uint32_t b = 0; b < d.axis[1].num; b++) {
            const double plane = (a / 16.0 + b / 8.0) * d.degree[0] * d.degree[1] / 64.0;
            assert_true(fabs(point(&j, 0, a, b)[0] - 0.75) <= bound_31 * eps * 0.75);
            assert_true(fabs(point(&j, 0, a, b)[1] - plane) <= bound_31 * eps * 0.625);
        }
    }
    job_destroy(&j);
}

static void test_planes(void **state)
{
    (void)state;
    everywhere(planes);
}

/* NaN stays in its patch and coordinate. */
static void not_a_number(clsp_context *ctx, clsp_type precision)
{
    const clsp_bezier_desc d = surface(precision, 3, 3, 3, 10, 7);
    job j;

    job_create(&j, ctx, d, 3);
    j.controls[(16 + 5) * 3 + 1] = NAN;
    job_load(&j);
    job_eval(&j, 0, 3);
    for (size_t i = 0; i < j.num_points; i++) {
        const bool struck = i / (10 * 7 * 3) == 1 && i % 3 == 1;
        if (!struck) assert_true(j.points[i] == j.points[i]);
    }
    assert_false(point(&j, 1, 4, 3)[1] == point(&j, 1, 4, 3)[1]);
    job_destroy(&j);
}

static void test_nan_stays_in_its_patch(void **state)
{
    (void)state;
    everywhere(not_a_number);
}

/* ---- splitting ---- */

static void assert_same_bits(const job *a, const double *b)
{
    assert_memory_equal(a->points, b, a->num_points * sizeof(double));
}

/* Evaluates a range into host memory or, from an offset on, into a buffer. */
static void eval_range(job *j, bool in_buffer, clsp_range patches, size_t offset)
{
    if (in_buffer)
        job_eval_buffer(j, patches.first, patches.count, offset);
    else
        job_eval(j, patches.first, patches.count);
}

/* Any range gives the same bits as the whole, in host memory and in buffers. Between the two bits
   may differ: host memory may be the host's to write (plan.h, small calls). */
static void ranges(clsp_context *ctx, clsp_type precision)
{
    const clsp_bezier_desc d = surface(precision, 3, 6, 3, tiny() ? 5 : 34, tiny() ? 4 : 29);
    job j;

    job_create(&j, ctx, d, 11);
    double *const whole = malloc(j.num_points * sizeof(double));
    for (int in_buffer = 0; in_buffer < 2; in_buffer++) {
        eval_range(&j, in_buffer, (clsp_range){0, 11}, 0);
        memcpy(whole, j.points, j.num_points * sizeof(double));
        memset(j.points, 0, j.num_points * sizeof(double));
        eval_range(&j, in_buffer, (clsp_range){0, 4}, 0);
        eval_range(&j, in_buffer, (clsp_range){4, 1}, 5);
        eval_range(&j, in_buffer, (clsp_range){5, 0}, 3);
        eval_range(&j, in_buffer, (clsp_range){5, 6}, 0);
        assert_same_bits(&j, whole);
    }
    free(whole);
    job_destroy(&j);
}

static void test_ranges(void **state)
{
    (void)state;
    everywhere(ranges);
}

/* Points and derivatives of few patches have the bits that the same processor makes of all. */
static void check_derivatives(clsp_context *ctx, clsp_type precision, uint32_t degree,
                              const clsp_run *run)
{
    enum { N = 33, PATCHES = 40, ELEMENTS = N * N * 9 };
    const bool is_double = precision == CLSP_F64;
    const size_t bytes = is_double ? sizeof(double) : sizeof(float);
    clsp_bezier_desc d = surface(precision, degree, degree, 3, N, N);
    d.vertex.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV;
    char *const all = malloc(PATCHES * ELEMENTS * bytes), *const one = malloc(ELEMENTS * bytes);
    const clsp_output whole = is_double ? clsp_out_f64((double *)all, PATCHES * ELEMENTS)
                                        : clsp_out_f32((float *)all, PATCHES * ELEMENTS);
    const clsp_output part =
        is_double ? clsp_out_f64((double *)one, ELEMENTS) : clsp_out_f32((float *)one, ELEMENTS);
    job j;

    assert_true(all && one);
    job_create(&j, ctx, d, PATCHES);
    assert_int_equal(clsp_patch_eval(j.plan, (clsp_range){0, PATCHES}, whole, run), CLSP_OK);
    for (size_t p = 0; p < PATCHES; p += 13) {
        assert_int_equal(clsp_patch_eval(j.plan, (clsp_range){p, 1}, part, run), CLSP_OK);
        assert_memory_equal(one, all + p * ELEMENTS * bytes, ELEMENTS * bytes);
    }
    job_destroy(&j);
    free(all);
    free(one);
}

static void derivatives(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t degrees_of[] = {3, 1, 20, 8};
    const clsp_share share = {.schedule = CLSP_SCHEDULE_DEVICE};
    const clsp_run by_device = {.share = &share};

    for (size_t k = 0; k < COUNT(degrees_of); k += full() ? 1 : 2) {
        check_derivatives(ctx, precision, degrees_of[k], NULL);
        check_derivatives(ctx, precision, degrees_of[k], &by_device);
    }
}

static void test_derivatives_of_few(void **state)
{
    (void)state;
    everywhere(derivatives);
}

/* Rows that begin at every place in a line of a cache, in buffers whose offset is at any too, of
   one patch and of several: accurate, and the same bits by rows of a patch, few or many at a time.
 */
typedef struct odd_grid {
    uint32_t degree_u, degree_v, dim, num_u, num_v;
} odd_grid;

static void check_lines(clsp_context *ctx, clsp_type precision, const odd_grid *g,
                        size_t num_patches)
{
    const clsp_bezier_desc d =
        surface(precision, g->degree_u, g->degree_v, g->dim, g->num_u, g->num_v);
    job j;

    job_create(&j, ctx, d, num_patches);
    job_eval_buffer(&j, 0, num_patches, 0);
    const double error = job_error(&j, tiny() ? 20 : 200);
    if (!(error <= bound_31))
        fail_msg("degrees %u, %u, dim %u, grid %u x %u: %.2f eps", d.degree[0], d.degree[1], j.dim,
                 d.axis[0].num, d.axis[1].num, error);
    double *const whole = malloc(j.num_points * sizeof(double));
    memcpy(whole, j.points, j.num_points * sizeof(double));
    for (size_t offset = 1; offset <= 43; offset += 14) {
        memset(j.points, 0, j.num_points * sizeof(double));
        job_eval_buffer(&j, 0, num_patches, offset);
        assert_same_bits(&j, whole);
        if (tiny()) break;
    }
    memset(j.points, 0, j.num_points * sizeof(double));
    job_eval_tiles(&j, num_patches, 1 + num_patches % 3);
    assert_same_bits(&j, whole);
    free(whole);
    job_destroy(&j);
}

static void lines(clsp_context *ctx, clsp_type precision)
{
    static const odd_grid grids[] = {
        {3, 3, 3, 9, 48},    {3, 2, 1, 65, 130},   {3, 3, 3, 301, 67},   {3, 7, 3, 290, 300},
        {7, 5, 2, 700, 125}, {4, 4, 4, 163, 101},  {12, 3, 1, 450, 513}, {15, 2, 3, 144, 72},
        {9, 9, 3, 333, 251}, {24, 1, 2, 213, 156}, {2, 2, 1, 2500, 131}, {5, 4, 3, 40, 47},
        {1, 0, 3, 257, 43},  {15, 3, 3, 160, 300}, {28, 2, 3, 150, 96},  {15, 1, 1, 4200, 134},
    };

    for (size_t i = 0; i < COUNT(grids) && !(tiny() && i == 2); i++)
        if (in_turn(i)) check_lines(ctx, precision, &grids[i], i % 3 + 1);
}

static void test_lines(void **state)
{
    (void)state;
    everywhere(lines);
}

/* A plan's table of rows in lines comes and goes with the grid. */
static void grids(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t nums[][2] = {{9, 96}, {65, 130}, {9, 48}, {65, 128}, {33, 132}};
    job j;

    job_create(&j, ctx, surface(precision, 3, 2, 1, 65, 132), 2);
    for (size_t i = 0; i < COUNT(nums); i++) {
        j.desc.axis[0].num = nums[i][0];
        j.desc.axis[1].num = nums[i][1];
        j.num_points = (size_t)2 * nums[i][0] * nums[i][1];
        assert_int_equal(clsp_patch_set_grids(j.plan, j.desc.axis, 0, (clsp_input){0}), CLSP_OK);
        job_eval_buffer(&j, 0, 2, i);
        assert_true(job_error(&j, tiny() ? 20 : 200) <= bound_31);
    }
    job_destroy(&j);
}

static void test_grids(void **state)
{
    (void)state;
    everywhere(grids);
}

/* With a small largest buffer the calls into host memory cut the job, even inside a patch: same
 * bits again. */
static void test_small_buffers(void **state)
{
    static const char *const pairs[][2] = {
        {"class=cpu", "class=cpu,alloc=65536"},
        {"class=discrete", "class=discrete,alloc=65536"},
        {"class=discrete,vendor=NVIDIA", "class=discrete,vendor=NVIDIA,alloc=262144"}};
    const clsp_bezier_desc d = surface(CLSP_F32, 3, 4, 3, tiny() ? 100 : 301, 83);

    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        clsp_context *const wide = lent_context(pairs[i][0]);
        clsp_context *const narrow = lent_context(pairs[i][1]);
        job a, b;
        seed(5);
        job_create(&a, wide, d, 2);
        seed(5);
        job_create(&b, narrow, d, 2);
        job_eval(&a, 0, 2);
        job_eval(&b, 0, 2);
        assert_same_bits(&a, b.points);
        job_destroy(&a);
        job_destroy(&b);
    }
}

/* A plan holds no more than it needs: control points may grow, shrink and vanish. */
static void test_reloading(void **state)
{
    const clsp_bezier_desc d = surface(CLSP_F32, 2, 2, 3, 6, 6);
    clsp_context *ctx = context_with("");

    (void)state;
    for (size_t n = 0; n < 5; n++) {
        static const size_t counts[] = {3, 1, 0, 5, 2};
        job j;
        job_create(&j, ctx, d, 3);
        job_eval(&j, 0, 3);
        float points[5 * 27] = {0};
        const clsp_input in = clsp_in_f32(counts[n] ? points : NULL, counts[n] * 27);
        assert_int_equal(clsp_patch_set_control_points(j.plan, counts[n], in, NULL), CLSP_OK);
        float memory[6 * 108];
        const clsp_output out = clsp_out_f32(memory, COUNT(memory));
        assert_int_equal(clsp_patch_eval(j.plan, (clsp_range){0, counts[n]}, out, NULL), CLSP_OK);
        for (size_t i = 0; i < counts[n] * 108; i++)
            assert_true(memory[i] == 0.0f);
        assert_int_equal(clsp_patch_eval(j.plan, (clsp_range){0, counts[n] + 1}, out, NULL),
                         CLSP_ERROR_ARGUMENT);
        job_destroy(&j);
    }
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_degrees),
        cmocka_unit_test(test_high_degrees),
        cmocka_unit_test(test_degree_1000),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_corners_are_control_points),
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_nan_stays_in_its_patch),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_derivatives_of_few),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_small_buffers),
        cmocka_unit_test(test_reloading),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
