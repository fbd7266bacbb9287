/* Values at maps through image objects: a fetch for each coefficient gives those of buffers, and
   linear interpolation what the device's units are good for. */
#include "image_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static clsp_context *shared;

static const clsp_image_desc cases[] = {
    {.size = {61, 83}, .mode = {CLSP_IMAGE_MIRROR, CLSP_IMAGE_REFLECT}},
    {.size = {90, 44},
     .mode = {CLSP_IMAGE_NEAREST, CLSP_IMAGE_GRID_WRAP},
     .channels = 3,
     .planar = 1,
     .samples = CLSP_U8,
     .values = CLSP_F32,
     .clip = 1},
    {.size = {33, 70}, .values = CLSP_F32, .cval = 0.5},
    {.directions = 3, .size = {20, 31, 26}, .mode = {CLSP_IMAGE_MIRROR, CLSP_IMAGE_WRAP}},
};

static clsp_image_map turned(const clsp_image_desc *d)
{
    clsp_image_map map = clsp_image_identity();

    map.matrix[0][0] = map.matrix[1][1] = 0.8;
    map.matrix[0][1] = 0.6;
    map.matrix[1][0] = -0.6;
    map.matrix[0][3] = -7.3;
    map.matrix[1][3] = 11.1;
    map.matrix[2][1] = 0.17;
    for (uint32_t k = 0; k < 3; k++)
        map.size[k] = d->size[k] > 0 ? d->size[k] + 5 : 0;
    return map;
}

/* Evaluates all images; returns the number of values. */
static size_t evaluate(const clsp_image_desc *d, clsp_image_fetch fetch, float **values)
{
    clsp_image_desc own = *d;

    own.fetch = fetch;
    images im = images_make(shared, &own, 2, false, 3);
    const clsp_image_map map = turned(&im.d);
    size_t points = 1;
    for (uint32_t k = 0; k < im.d.directions; k++)
        points *= map.size[k];
    const size_t size = output_size(&im, points, 0);
    *values = malloc(size * sizeof **values);
    assert_non_null(*values);
    support_poison(*values, size * sizeof **values);
    assert_ok(shared, clsp_image_eval(im.plan, (clsp_range){0, 2}, &map,
                                      clsp_out_f32(*values, size), NULL));
    images_free(&im);
    return size;
}

static void check_fetch(clsp_image_fetch fetch, double bound)
{
    double worst = 0.0;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float *wanted, *got;
        const double scale = cases[i].samples == CLSP_U8 ? 255.0 : 1.0;
        const size_t size = evaluate(&cases[i], CLSP_IMAGE_BUFFERS, &wanted);
        assert_int_equal(evaluate(&cases[i], fetch, &got), size);
        for (size_t k = 0; k < size; k++) {
            const double error = fabs((double)got[k] - (double)wanted[k]) / scale;
            if (error > worst) worst = error;
            if (!(error <= bound)) fail_msg("case %zu: off by %g at %zu", i, error, k);
        }
        free(wanted);
        free(got);
    }
    print_message("fetch %d: off by %.2g of the range\n", (int)fetch, worst);
}

static void test_texels(void **state)
{
    (void)state;
    if (!support_has_texels(shared)) skip_because("no image objects of one channel");
    check_fetch(CLSP_IMAGE_TEXELS, 0x1p-19);
}

/* Differences of neighbouring coefficients of random samples are at most some 12 times the range,
   and fractions have 8 bits, rounded, in each direction of each fetch. */
static void test_lerps(void **state)
{
    (void)state;
    if (!support_has_texels(shared)) skip_because("no image objects of one channel");
    check_fetch(CLSP_IMAGE_LERPS, 3.0 * 12.0 * 0x1p-9);
}

static void test_wrong(void **state)
{
    clsp_image_desc d[8] = {{.fetch = (clsp_image_fetch)4},
                            {.fetch = CLSP_IMAGE_LERPS, .order = CLSP_IMAGE_LINEAR},
                            {.fetch = CLSP_IMAGE_TEXELS, .directions = 1},
                            {.fetch = CLSP_IMAGE_TEXELS, .channels = 2},
                            {.fetch = CLSP_IMAGE_TEXELS, .storage = CLSP_IMAGE_ON_HOST},
                            {.fetch = CLSP_IMAGE_TEXELS},
                            {.storage = (clsp_image_storage)3},
                            {.fetch = CLSP_IMAGE_TEXELS, .coefficients = CLSP_F16}};
    clsp_image_plan *plan;

    (void)state;
    for (size_t i = 0; i < 8; i++) {
        d[i].size[0] = d[i].size[1] = 10;
        if (i == 5) d[i].size[1] = CLSP_IMAGE_MAX_SIZE; /* no device's objects are as wide */
        assert_status(shared, clsp_image_plan_create(&plan, shared, &d[i]), CLSP_ERROR_ARGUMENT);
        assert_null(plan);
    }
}

static int begin(void **state)
{
    (void)state;
    return clsp_context_create(&shared, NULL, NULL) == CLSP_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    clsp_context_destroy(&shared);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texels), cmocka_unit_test(test_lerps),
                                       cmocka_unit_test(test_wrong)};

    support_begin();
    return cmocka_run_group_tests(tests, begin, end);
}
