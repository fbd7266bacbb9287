/* Values by taps in local memory, as GPUs make them: the bits of images in host memory, whose taps
   stay in global memory. */
#include "image_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUM = 2, ROWS = 45, COLUMNS = 83, POINTS = ROWS * COLUMNS };

/* Turns by an angle and scales; the first two just fill a block, or are just too large for one. */
static const struct {
    double degrees, scale;
} turns[] = {{0.0, 1.677},  {0.0, 1.678}, {90.0, 1.0}, {10.0, 1.0},
             {-135.0, 1.1}, {200.0, 0.1}, {77.0, 3.0}};

static clsp_image_map turned(size_t k, const clsp_image_desc *d, uint32_t attributes)
{
    const double angle = turns[k].degrees * acos(-1.0) / 180.0, c = turns[k].scale * cos(angle),
                 s = turns[k].scale * sin(angle);
    clsp_image_map map = clsp_image_identity();

    map.matrix[0][0] = map.matrix[1][1] = c;
    map.matrix[0][1] = -s;
    map.matrix[1][0] = s;
    map.matrix[0][3] = (d->size[0] - 1) / 2.0 - c * ROWS / 2 + s * COLUMNS / 2;
    map.matrix[1][3] = (d->size[1] - 1) / 2.0 - c * COLUMNS / 2 - s * ROWS / 2;
    map.size[0] = ROWS;
    map.size[1] = COLUMNS;
    map.attributes = attributes;
    return map;
}

/* Returns the values of all images at a map. */
static unsigned char *values_at(const images *im, size_t turn, uint32_t attributes, size_t *bytes)
{
    const clsp_image_map map = turned(turn, &im->d, attributes);
    const size_t size = output_size(im, POINTS, attributes);
    const clsp_range all = {0, im->num};

    *bytes = size * clsp_type_bytes(im->d.values);
    unsigned char *const values = malloc(*bytes);
    assert_non_null(values);
    support_poison(values, *bytes);
    assert_ok(im->ctx,
              clsp_image_eval(im->plan, all, &map, host_out(im->d.values, values, size), NULL));
    return values;
}

/* Compares images in device memory and in host memory. */
static void check_plan(clsp_context *ctx, clsp_image_desc d, uint32_t attributes)
{
    const images device = images_make(ctx, &d, NUM, false, 3);
    d.storage = CLSP_IMAGE_ON_HOST;
    const images host = images_make(ctx, &d, NUM, false, 3);

    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
        size_t bytes, same;
        unsigned char *const a = values_at(&device, k, attributes, &bytes), *const b = values_at(
                                                                                &host, k,
                                                                                attributes, &same);
        assert_int_equal(bytes, same);
        if (memcmp(a, b, bytes) != 0)
            fail_msg("order %d, modes %d %d, turn %zu: other values", (int)d.order, (int)d.mode[0],
                     (int)d.mode[1], k);
        free(a);
        free(b);
    }
    images_free((images *)&device);
    images_free((images *)&host);
}

static clsp_context *gpu_context(void)
{
    return context_with("class=discrete,local_is_real=1");
}

static void test_modes(void **state)
{
    clsp_context *ctx = gpu_context();

    (void)state;
    for (int mode = CLSP_IMAGE_MIRROR; mode <= CLSP_IMAGE_WRAP; mode++) {
        const clsp_image_mode other = (clsp_image_mode)(mode % 6 + 1);
        if (!support_full() && mode % 2 == 0) continue;
        check_plan(ctx,
                   (clsp_image_desc){.size = {60, 97},
                                     .order = CLSP_IMAGE_CUBIC,
                                     .cval = -3.5,
                                     .mode = {(clsp_image_mode)mode, other}},
                   CLSP_IMAGE_VALUE);
    }
    clsp_context_destroy(&ctx);
}

static void test_kinds(void **state)
{
    const clsp_image_desc quadratic = {.size = {5, 200}, .order = CLSP_IMAGE_QUADRATIC};
    const clsp_image_desc halves = {
        .size = {130, 70}, .coefficients = CLSP_F16, .channels = 3, .values = CLSP_U8, .clip = 1};
    const clsp_image_desc planar = {
        .size = {40, 40}, .order = CLSP_IMAGE_QUINTIC, .channels = 2, .planar = 1};
    clsp_context *ctx = gpu_context();

    (void)state;
    check_plan(ctx, quadratic, CLSP_IMAGE_VALUE);
    check_plan(ctx, halves, CLSP_IMAGE_VALUE);
    if (!support_tiny()) check_plan(ctx, planar, CLSP_IMAGE_VALUE | CLSP_IMAGE_GRADIENT);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_modes), cmocka_unit_test(test_kinds)};

    support_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
