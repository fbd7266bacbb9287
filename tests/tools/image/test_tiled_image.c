/* Values of an image made tile by tile, from memory or from its file, are those of the whole. Needs
   a device: 77 without. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "image_file.h"
#include "image_stored.h"
#include "image_tiles.h"
#include "temporary.h"

static clsp_context *ctx;

static clsp_type type_of(image_type type)
{
    static const clsp_type types[] = {CLSP_U8, CLSP_U16, CLSP_S16, CLSP_F32, CLSP_F64};
    return types[type];
}

/* Noise. */
static image_array make_image(uint32_t directions, const size_t *size, uint32_t channels,
                              size_t frames, image_type type)
{
    image_array a = {
        .directions = directions, .channels = channels, .frames = frames, .type = type};
    memcpy(a.size, size, directions * sizeof(*size));
    assert_true(image_array_make(&a));
    for (size_t i = 0; i < image_array_count(&a); i++)
        image_array_set(&a, i, (uint32_t)(i + 1) * 2654435761u >> 24);
    return a;
}

/* A plan of the whole, and a map that turns and has a third more points. */
static clsp_image_plan *make_plan(const image_array *a, clsp_image_map *map)
{
    clsp_image_plan *plan;
    clsp_image_desc desc = {.directions = a->directions,
                            .channels = a->channels,
                            .samples = type_of(a->type),
                            .order = CLSP_IMAGE_CUBIC,
                            .prefilter = CLSP_IMAGE_LEAST_SQUARES};
    *map = clsp_image_identity();
    for (uint32_t i = 0; i < a->directions; i++) {
        desc.size[i] = (uint32_t)a->size[i];
        desc.mode[i] = CLSP_IMAGE_MIRROR;
        map->size[i] = (uint32_t)a->size[i] * 4 / 3;
        map->matrix[i][i] = 0.75;
    }
    map->matrix[0][1] = 0.1;
    map->matrix[1][0] = -0.1;
    assert_int_equal(clsp_image_plan_create(&plan, ctx, &desc), CLSP_OK);
    return plan;
}

static image_array room_for(const image_array *a, const clsp_image_map *map)
{
    image_array made = {
        .directions = a->directions, .channels = a->channels, .frames = a->frames, .type = a->type};
    for (uint32_t i = 0; i < a->directions; i++)
        made.size[i] = map->size[i];
    assert_true(image_array_make(&made));
    return made;
}

/* All frames, one after the other, as a whole each. */
static image_array make_whole(const image_array *a, clsp_image_plan *plan,
                              const clsp_image_map *map)
{
    image_array made = room_for(a, map);
    const size_t frames = a->frames > 1 ? a->frames : 1, each = image_type_bytes(a->type);
    const size_t samples = image_array_count(a) / frames;
    const size_t values = image_array_count(&made) / frames;
    for (size_t i = 0; i < frames; i++) {
        const clsp_input in = {.type = type_of(a->type),
                               .host = (const char *)a->values + i * samples * each,
                               .size = samples};
        const clsp_output out = {.type = type_of(a->type),
                                 .host = (char *)made.values + i * values * each,
                                 .size = values};
        assert_int_equal(clsp_image_set_samples(plan, 1, in, NULL), CLSP_OK);
        assert_int_equal(clsp_image_eval(plan, (clsp_range){0, 1}, map, out, NULL), CLSP_OK);
    }
    return made;
}

static void count_report(void *user, double fraction)
{
    double *last = user;
    assert_true(fraction >= *last && fraction <= 1);
    *last = fraction;
}

/* Asserts that some rows of the output, tile by tile, are those of the whole. */
static void check_rows(const image_array *from, const image_array *whole, clsp_image_plan *plan,
                       const clsp_image_map *map, uint32_t first)
{
    clsp_image_map some = *map;
    some.origin[0] = first;
    some.size[0] -= first + 5;
    image_array made = room_for(from, &some);
    double last = 0;
    const io_progress progress = {count_report, &last};
    const image_tiles tiles = {.ctx = ctx,
                               .plan = plan,
                               .from = from,
                               .to = &made,
                               .name = "a",
                               .progress = &progress,
                               .most_bytes = 1 << 16};
    clsp_status status;
    io_message message;
    assert_true(image_tiles_make(&tiles, &some, &status, &message));
    assert_true(last == 1);
    const size_t frames = from->frames > 1 ? from->frames : 1, each = image_type_bytes(from->type);
    const size_t all = image_array_count(whole) / frames * each;
    const size_t rows = image_array_count(&made) / frames * each;
    for (size_t i = 0; i < frames; i++)
        assert_memory_equal((const char *)made.values + i * rows,
                            (const char *)whole->values + i * all + all / map->size[0] * first,
                            rows);
    image_array_clear(&made);
}

static void check_image(image_array *a, image_format format, const char *name)
{
    clsp_image_map map;
    io_message message;
    clsp_image_plan *plan = make_plan(a, &map);
    image_array whole = make_whole(a, plan, &map);
    check_rows(a, &whole, plan, &map, 3);
    if (image_format_is_built(format, "", &message)) {
        image_array stored;
        const char *path = temporary_path(name);
        const uint32_t directions = format == IMAGE_NPY ? a->directions : 0;
        assert_true(image_file_write(a, path, format, &message));
        assert_true(image_file_open(&stored, path, directions, &message));
        assert_true(stored.is_stored && !stored.values);
        check_rows(&stored, &whole, plan, &map, 0);
        assert_true(image_stored_load(&stored, "a", &message));
        assert_memory_equal(stored.values, a->values,
                            image_array_count(a) * image_type_bytes(a->type));
        image_array_clear(&stored);
    }
    clsp_image_plan_destroy(&plan);
    image_array_clear(&whole);
    image_array_clear(a);
}

static void test_images(void **state)
{
    image_array a = make_image(2, (const size_t[]){300, 410}, 1, 1, IMAGE_U8);
    image_array b = make_image(2, (const size_t[]){260, 200}, 3, 1, IMAGE_F32);
    (void)state;
    check_image(&a, IMAGE_NPY, "a.npy");
    check_image(&b, IMAGE_NPY, "b.npy");
}

static void test_volumes(void **state)
{
    image_array a = make_image(3, (const size_t[]){70, 90, 80}, 1, 1, IMAGE_S16);
    image_array b = make_image(3, (const size_t[]){40, 70, 66}, 1, 2, IMAGE_U8);
    (void)state;
    check_image(&a, IMAGE_NPY, "a.npy");
    check_image(&b, IMAGE_NIFTI, "b.nii");
}

/* A file that has become shorter, and one that is in another byte order and does not stay. */
static void test_files(void **state)
{
    image_array a = make_image(2, (const size_t[]){300, 410}, 1, 1, IMAGE_U16), stored;
    const char *path = temporary_path("a.npy");
    clsp_image_map map;
    io_message message;
    clsp_status status;
    (void)state;
    assert_true(image_file_write(&a, path, IMAGE_NPY, &message));
    assert_true(image_file_open(&stored, path, 2, &message));
    assert_int_equal(truncate(path, 200000), 0);
    clsp_image_plan *plan = make_plan(&a, &map);
    image_array made = room_for(&a, &map);
    const image_tiles tiles = {
        .ctx = ctx, .plan = plan, .from = &stored, .to = &made, .name = "a.npy"};
    assert_false(image_tiles_make(&tiles, &map, &status, &message));
    assert_int_equal(status, CLSP_OK);
    assert_string_equal(message.text, "a.npy: cannot read its values again");
    assert_false(image_stored_load(&stored, "a", &message));
    image_array_clear(&stored);
    assert_false(image_file_open(&stored, path, 2, &message));
    assert_non_null(strstr(message.text, ": the file ends before its array"));
    static const char big[] = "\x93NUMPY\x01\0\x49\0{'descr': '>u2', 'fortran_order': False, "
                              "'shape': (2,), }               \n\x01\0\0\x02";
    path = temporary_file("b.npy", big, sizeof(big) - 1);
    assert_true(image_file_open(&stored, path, 1, &message));
    assert_false(stored.is_stored);
    assert_true(image_array_get(&stored, 0) == 256 && image_array_get(&stored, 1) == 2);
    image_array_clear(&stored);
    image_array_clear(&made);
    clsp_image_plan_destroy(&plan);
    image_array_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_images),
                                       cmocka_unit_test(test_volumes),
                                       cmocka_unit_test(test_files)};
    if (clsp_context_create(&ctx, NULL, NULL) != CLSP_OK) return 77;
    const int failed = cmocka_run_group_tests(tests, temporary_setup, temporary_teardown);
    clsp_context_destroy(&ctx);
    return failed;
}
