/* Interpolation of images against results of scipy.ndimage: all modes and orders, sides of 1 to 9
   samples, in 1 to 3 directions, inside and outside of the image, by maps and at coordinates.

   The bound is 4 eps of the largest coefficient there can be, 6 for orders 4 and 5: 2 of each of
   the recursions that the prefilter is made of, and 2 for weights and sums, whose roundings have
   unrelated signs.
   SciPy's own rounding is within it for CLSP_F64 too. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <clspline/clspline.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "image_fixture.h"
#include "image_golden.h"
#include "support.h"

static const char *const mode_names[] = {"mirror",   "reflect",       "grid-wrap", "nearest",
                                         "constant", "grid-constant", "wrap"};
static const char *const kind_names[] = {"affine_transform", "shift", "zoom", "map_coordinates"};

static clsp_image_mode mode_of(image_golden_mode mode)
{
    static const clsp_image_mode modes[] = {
        CLSP_IMAGE_MIRROR,   CLSP_IMAGE_REFLECT,       CLSP_IMAGE_GRID_WRAP, CLSP_IMAGE_NEAREST,
        CLSP_IMAGE_CONSTANT, CLSP_IMAGE_GRID_CONSTANT, CLSP_IMAGE_WRAP};
    return modes[mode];
}

static size_t product(const uint32_t size[3])
{
    return (size_t)size[0] * size[1] * size[2];
}

/* Makes the map of a case that is no array of coordinates. */
static clsp_image_map map_of(const image_golden_case *c)
{
    const double *numbers = image_golden_numbers + c->first_number;
    clsp_image_map map = clsp_image_identity();
    for (uint32_t d = 0; d < c->directions; d++) {
        map.size[d] = c->out_size[d];
        if (c->kind == IMAGE_GOLDEN_SHIFT) map.matrix[d][3] = -numbers[d];
        if (c->kind == IMAGE_GOLDEN_ZOOM && c->out_size[d] > 1)
            map.matrix[d][d] = (double)(c->size[d] - 1) / (c->out_size[d] - 1);
        if (c->kind != IMAGE_GOLDEN_AFFINE) continue;
        for (uint32_t k = 0; k < c->directions; k++)
            map.matrix[d][k] = numbers[d * (c->directions + 1) + k];
        map.matrix[d][3] = numbers[d * (c->directions + 1) + c->directions];
    }
    return map;
}

static clsp_image_plan *make_plan(clsp_context *ctx, const image_golden_case *c,
                                  clsp_type precision)
{
    const clsp_image_mode mode = mode_of(c->mode);
    const clsp_image_desc desc = {.directions = c->directions,
                                  .size = {c->size[0], c->size[1], c->size[2]},
                                  .precision = precision,
                                  .order = c->order == 0 ? CLSP_IMAGE_NEAREST_SAMPLE
                                                         : (clsp_image_order)c->order,
                                  .mode = {mode, mode, mode},
                                  .cval = IMAGE_GOLDEN_CVAL};
    clsp_image_plan *plan = NULL;
    assert_ok(ctx, clsp_image_plan_create(&plan, ctx, &desc));
    return plan;
}

static void load(clsp_context *ctx, clsp_image_plan *plan, size_t num, clsp_type precision)
{
    double *f64 = malloc(num * sizeof(*f64));
    float *f32 = malloc(num * sizeof(*f32));
    assert_true(f64 && f32);
    for (size_t k = 0; k < num; k++) {
        f64[k] = image_golden_sample(k);
        f32[k] = (float)f64[k];
    }
    const clsp_input in = precision == CLSP_F32 ? clsp_in_f32(f32, num) : clsp_in_f64(f64, num);
    assert_ok(ctx, clsp_image_set_samples(plan, 1, in, NULL));
    free(f64);
    free(f32);
}

/* Interpolates at the coordinates of a case, which all are exact in float. */
static void eval_at(clsp_context *ctx, clsp_image_plan *plan, const image_golden_case *c,
                    clsp_output out, const clsp_run *run)
{
    const size_t num = c->out_size[0], reals = num * c->directions;
    const double *from = image_golden_numbers + c->first_number;
    float *f32 = malloc(reals * sizeof(*f32));
    assert_non_null(f32);
    for (size_t i = 0; i < reals; i++)
        f32[i] = (float)from[i];
    const clsp_input in = out.type == CLSP_F32 ? clsp_in_f32(f32, reals) : clsp_in_f64(from, reals);
    const clsp_image_map points = {.at = {.num = num, .params = in, .planar = 1}};
    assert_ok(ctx, clsp_image_eval(plan, (clsp_range){0, 1}, &points, out, run));
    free(f32);
}

static double bound_of(const image_golden_case *c, clsp_type precision)
{
    /* 1 / sum_k (-1)^k B^p(k), by which the highest frequency grows */
    static const double gains[] = {1, 1, 2, 3, 4.8, 7.5};
    const double eps = precision == CLSP_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    return (c->order > 3 ? 6 : 4) * eps * 255 * pow(gains[c->order], c->directions);
}

/* Interpolates as a case says. */
static void eval(clsp_context *ctx, clsp_image_plan *plan, const image_golden_case *c,
                 clsp_output out, const clsp_run *run)
{
    if (c->kind == IMAGE_GOLDEN_COORDINATES) {
        eval_at(ctx, plan, c, out, run);
        return;
    }
    const clsp_image_map map = map_of(c);
    assert_ok(ctx, clsp_image_eval(plan, (clsp_range){0, 1}, &map, out, run));
}

/* Compares the values of a case and returns the worst error over the bound. */
static double compare(const image_golden_case *c, clsp_type precision, const void *got)
{
    const double *expected = image_golden_values + c->first_value;
    double worst = 0;
    for (size_t i = 0; i < product(c->out_size); i++) {
        const double value =
            precision == CLSP_F32 ? (double)((const float *)got)[i] : ((const double *)got)[i];
        const double error = fabs(value - expected[i]) / bound_of(c, precision);
        if (!(error <= 1))
            fail_msg("%s, mode %s, order %u, size %u %u %u, value %lu: %.17g instead of %.17g",
                     kind_names[c->kind], mode_names[c->mode], c->order, c->size[0], c->size[1],
                     c->size[2], (unsigned long)i, value, expected[i]);
        worst = support_worse(worst, error);
    }
    return worst;
}

/* Checks a case, of order 0 by the host too, and returns its error over the bound. */
static double check_case(clsp_context *ctx, const image_golden_case *c, clsp_type precision)
{
    const size_t num = product(c->out_size);
    const clsp_share host = {.schedule = CLSP_SCHEDULE_HOST};
    const clsp_run by_host = {.share = &host};
    double *got = malloc(num * sizeof(*got)), worst = 0;
    assert_non_null(got);
    clsp_image_plan *plan = make_plan(ctx, c, precision);
    const clsp_output out =
        precision == CLSP_F32 ? clsp_out_f32((float *)got, num) : clsp_out_f64(got, num);
    load(ctx, plan, product(c->size), precision);
    for (int i = 0; i < (c->order == 0 ? 2 : 1); i++) {
        support_poison(got, num * sizeof(*got));
        eval(ctx, plan, c, out, i == 0 ? NULL : &by_host);
        worst = support_worse(worst, compare(c, precision, got));
    }
    clsp_image_plan_destroy(&plan);
    free(got);
    return worst;
}

/* Checks the cases of one mode in both precisions; in a thin run each order is in one precision for
   images and in the other for lines and volumes. All modes share a context, for the programs of one
   are those of others. */
static void check_mode(clsp_context *ctx, image_golden_mode mode)
{
    const clsp_device_info device = support_device();
    for (int p = 0; p < (device.fp64 ? 2 : 1); p++) {
        double worst = 0;
        for (size_t i = 0; i < image_golden_num_cases; i++) {
            const image_golden_case *c = &image_golden_cases[i];
            if (c->mode != mode || (support_tiny() && (c->order == 2 || c->order > 3))) continue;
            if (!support_full() && !support_tiny() && device.fp64 &&
                (c->order + c->directions) % 2 != (unsigned)p)
                continue;
            worst = support_worse(worst, check_case(ctx, c, p == 0 ? CLSP_F32 : CLSP_F64));
        }
        print_message("%s, %s: worst error / bound %.3f\n", mode_names[mode],
                      p == 0 ? "f32" : "f64", worst);
    }
}

static void test_mirror(void **state)
{
    check_mode(*state, IMAGE_GOLDEN_MIRROR);
}

static void test_reflect(void **state)
{
    check_mode(*state, IMAGE_GOLDEN_REFLECT);
}

static void test_grid_wrap(void **state)
{
    check_mode(*state, IMAGE_GOLDEN_GRID_WRAP);
}

static void test_nearest(void **state)
{
    check_mode(*state, IMAGE_GOLDEN_NEAREST);
}

static void test_constant(void **state)
{
    check_mode(*state, IMAGE_GOLDEN_CONSTANT);
}

static void test_grid_constant(void **state)
{
    check_mode(*state, IMAGE_GOLDEN_GRID_CONSTANT);
}

static void test_wrap(void **state)
{
    check_mode(*state, IMAGE_GOLDEN_WRAP);
}

static int create_context(void **state)
{
    *state = shape_context();
    return 0;
}

static int destroy_context(void **state)
{
    clsp_context_destroy((clsp_context **)state);
    return 0;
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mirror),    cmocka_unit_test(test_reflect),
        cmocka_unit_test(test_grid_wrap), cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_constant),  cmocka_unit_test(test_grid_constant),
        cmocka_unit_test(test_wrap),
    };

    return cmocka_run_group_tests_name("image_scipy", tests, create_context, destroy_context);
}

int main(void)
{
    support_begin();
    return run_in_shapes(run);
}
