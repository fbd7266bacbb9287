/* Images whose coefficients are in host memory, because they do not fit the device or by wish: all
   calls give the bits of those on the device. Prefilters that processors share. */
#include "image_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "schedule_fixture.h"

typedef struct part_case {
    const char *name;
    clsp_image_desc d;
    const char
        *limits; /* of the device that the image does not fit; "": it is put in host memory */
} part_case;

static const part_case cases[] = {
    {"cubic",
     {.size = {301, 517}, .mode = {CLSP_IMAGE_MIRROR, CLSP_IMAGE_REFLECT}},
     "alloc=400000"},
    {"grid-wrap",
     {.size = {301, 400}, .mode = {CLSP_IMAGE_GRID_WRAP, CLSP_IMAGE_GRID_WRAP}},
     "alloc=150000"},
    {"padded, channels, u8",
     {.size = {290, 177},
      .mode = {CLSP_IMAGE_NEAREST, CLSP_IMAGE_GRID_CONSTANT},
      .cval = 300.5,
      .channels = 3,
      .samples = CLSP_U8,
      .values = CLSP_F32,
      .clip = 1},
     "alloc=100000"},
    {"halves",
     {.size = {150, 300},
      .samples = CLSP_F16,
      .coefficients = CLSP_F16,
      .planar = 1,
      .channels = 2},
     "alloc=40000"},
    {"taps",
     {.size = {200, 333},
      .prefilter = CLSP_IMAGE_LEAST_SQUARES,
      .mode = {CLSP_IMAGE_GRID_WRAP, CLSP_IMAGE_MIRROR}},
     "alloc=30000"},
    {"strips of an image", {.size = {600, 440}}, "alloc=800000"},
    {"staged taps",
     {.size = {300, 280},
      .prefilter = CLSP_IMAGE_TRUNCATED,
      .taps = 15,
      .kernels = CLSP_IMAGE_STAGED},
     "alloc=50000"},
    {"taps down strips",
     {.size = {300, 280},
      .prefilter = CLSP_IMAGE_TRUNCATED,
      .taps = 15,
      .kernels = CLSP_IMAGE_TILES},
     "alloc=50000"},
    {"quintic",
     {.size = {310, 290},
      .order = CLSP_IMAGE_QUINTIC,
      .mode = {CLSP_IMAGE_WRAP, CLSP_IMAGE_MIRROR}},
     "alloc=200000"},
    {"septic",
     {.size = {330, 310},
      .order = CLSP_IMAGE_SEPTIC,
      .mode = {CLSP_IMAGE_REFLECT, CLSP_IMAGE_GRID_WRAP}},
     "alloc=200000"},
    {"linear", {.size = {222, 222}, .order = CLSP_IMAGE_LINEAR}, "alloc=10000"},
    {"a volume",
     {.directions = 3,
      .size = {40, 60, 70},
      .mode = {CLSP_IMAGE_REFLECT, CLSP_IMAGE_GRID_WRAP, CLSP_IMAGE_MIRROR}},
     "alloc=300000"},
    {"a line", {.directions = 1, .size = {200000}, .mode = {CLSP_IMAGE_GRID_WRAP}}, "alloc=30000"},
    {"tiny", {.size = {3, 2}, .mode = {CLSP_IMAGE_REFLECT, CLSP_IMAGE_GRID_WRAP}}, ""},
};

enum { CASES = sizeof cases / sizeof cases[0], NUM = 2 };

/* One context's plan and results. */
typedef struct results {
    images im;
    unsigned char *coefficients, *values[3];
    size_t bytes[4];
} results;

static clsp_image_map turned(const images *im)
{
    clsp_image_map map = clsp_image_identity();

    for (uint32_t d = 0; d < 3; d++) {
        map.matrix[d][0] = 0.11 + 0.7 * (d == 0);
        map.matrix[d][1] = -0.23 + 1.2 * (d == 1);
        map.matrix[d][2] = 0.31 + 0.6 * (d == 2);
        map.matrix[d][3] = -5.7 * (d + 1);
        map.size[d] = d < im->d.directions ? im->d.size[d] / (im->d.directions == 1 ? 9 : 3) : 0;
        map.size[d] += d < im->d.directions ? 9 : 0;
    }
    if (im->d.directions == 1) map.matrix[0][0] = 8.999;
    return map;
}

static size_t points_of(const clsp_image_map *map, uint32_t directions)
{
    size_t points = 1;

    for (uint32_t d = 0; d < directions; d++)
        points *= map->size[d];
    return points;
}

/* Displacements by a few samples, and coordinates that go through the image. */
static void *given(const images *im, size_t points, bool displaced)
{
    const size_t num = im->d.directions * points;
    void *const reals = malloc(num * sizeof(double) + 1);
    uint64_t state = 5;

    assert_non_null(reals);
    for (size_t k = 0; k < num; k++) {
        const double x = 3.0 * support_uniform(&state), along = (double)(k % points);
        const double at = along * im->d.size[k / points] / (double)points;
        set_element(reals, im->d.precision, k, displaced ? x : at + x);
    }
    return reals;
}

static void evaluate(results *r)
{
    const images *const im = &r->im;
    const clsp_image_map map = turned(im);
    const size_t points = points_of(&map, im->d.directions);
    const size_t size = output_size(im, points, 0);
    const clsp_range all = {0, im->num};
    void *const field = given(im, points, true), *const at = given(im, points, false);
    const size_t reals = im->d.directions * points;
    const clsp_image_map maps[3] = {map, displaced_by(map, host_in(im->d.precision, field, reals)),
                                    list_of(points, host_in(im->d.precision, at, reals), 0)};

    for (int k = 0; k < 3; k++) {
        r->bytes[k] = size * clsp_type_bytes(im->d.values);
        r->values[k] = malloc(r->bytes[k] + 1);
        assert_non_null(r->values[k]);
        support_poison(r->values[k], r->bytes[k]);
        const clsp_output out = host_out(im->d.values, r->values[k], size);
        assert_ok(im->ctx, eval_by(CLSP_SCHEDULE_DEVICE, im, all, &maps[k], out, NULL));
    }
    free(field);
    free(at);
}

static void read_coefficients(results *r)
{
    const images *const im = &r->im;
    size_t num = im->num * im->d.channels;

    for (uint32_t d = 0; d < im->d.directions; d++) {
        const bool padded =
            (im->d.mode[d] == CLSP_IMAGE_NEAREST || im->d.mode[d] == CLSP_IMAGE_GRID_CONSTANT) &&
            im->d.prefilter != CLSP_IMAGE_NONE;
        num *= im->d.size[d] + (padded ? 2 * CLSP_IMAGE_PAD : 0);
    }
    r->bytes[3] = num * clsp_type_bytes(im->d.coefficients);
    r->coefficients = malloc(r->bytes[3] + 1);
    assert_non_null(r->coefficients);
    support_poison(r->coefficients, r->bytes[3]);
    assert_ok(im->ctx,
              clsp_image_coefficients(im->plan, (clsp_range){0, im->num},
                                      host_out(im->d.coefficients, r->coefficients, num), NULL));
}

static results make_results(clsp_context *ctx, const clsp_image_desc *d)
{
    results r = {.im = images_make(ctx, d, NUM, false, 9)};

    images_load_from_buffer(&r.im);
    read_coefficients(&r);
    evaluate(&r);
    return r;
}

static void free_results(results *r)
{
    free(r->coefficients);
    for (int k = 0; k < 3; k++)
        free(r->values[k]);
    images_free(&r->im);
}

static void check_same(const char *name, const results *a, const results *b)
{
    static const char *const calls[] = {"affine", "displace", "at"};

    if (memcmp(a->coefficients, b->coefficients, a->bytes[3]) != 0)
        fail_msg("%s: other coefficients", name);
    for (int k = 0; k < 3; k++)
        if (memcmp(a->values[k], b->values[k], a->bytes[k]) != 0)
            fail_msg("%s: other values of %s", name, calls[k]);
}

/* The shapes of kernels in a precision. */
#define TILES  "class=discrete,local_is_real=1"
#define PASSES "class=integrated"

static const char *shape_of(clsp_type precision)
{
    return precision == CLSP_F32 ? TILES : PASSES;
}

/* A context of a shape with limits, whose bytes are multiplied. */
static clsp_context *limited(const char *shape, const char *limits, unsigned factor)
{
    const char *const number = strchr(limits, '=');
    char all[80];

    snprintf(all, sizeof all, number ? "%s,alloc=%lu" : "%s", shape,
             number ? factor * strtoul(number + 1, NULL, 10) : 0);
    return context_with(all);
}

/* A device that the image does not fit. */
static void check_small_device(clsp_type precision)
{
    clsp_context *whole = context_with(shape_of(precision));

    for (size_t i = 0; i < CASES; i++) {
        clsp_image_desc d = cases[i].d;
        if (precision == CLSP_F64 && (!device_of(whole).fp64 || i % (is_thin() ? 12 : 6))) continue;
        if (support_tiny() ? i % 4 : is_thin() && i % 3) continue;
        clsp_context *small =
            limited(shape_of(precision), cases[i].limits, precision == CLSP_F64 ? 4 : 1);
        d.precision = precision;
        results a = make_results(whole, &d);
        if (!*cases[i].limits) d.storage = CLSP_IMAGE_ON_HOST;
        results b = make_results(small, &d);
        check_same(cases[i].name, &a, &b);
        free_results(&a);
        free_results(&b);
        clsp_context_destroy(&small);
    }
    clsp_context_destroy(&whole);
}

static void test_small_device(void **state)
{
    (void)state;
    check_small_device(CLSP_F32);
    check_small_device(CLSP_F64);
}

/* Loads samples of a kind of memory, and interpolates along displacements and at coordinates in
   such; wanted: what host memory gives. */
static void check_kind(const results *wanted, store_kind kind)
{
    const images *const im = &wanted->im;
    const clsp_image_map map = turned(im);
    const size_t points = points_of(&map, im->d.directions), size = output_size(im, points, 0);
    const size_t samples = im->num * im->samples * im->d.channels;
    store from = store_make(im->ctx, kind, im->d.samples, 3, samples, im->memory);
    results again = {.im = *im};
    cl_event done;
    const clsp_run run = {.done = &done};

    assert_ok(im->ctx, clsp_image_set_samples(im->plan, im->num, store_in(&from), &run));
    read_coefficients(&again);
    assert_memory_equal(again.coefficients, wanted->coefficients, wanted->bytes[3]);
    free(again.coefficients);
    clReleaseEvent(done);
    for (int k = 1; k < 3; k++) {
        void *const reals = given(im, points, k == 1);
        store in = store_make(im->ctx, kind, im->d.precision, 5, im->d.directions * points, reals);
        store out = store_make(im->ctx, kind, im->d.values, 1, size, NULL);
        const clsp_image_map places =
            k == 1 ? displaced_by(map, store_in(&in)) : list_of(points, store_in(&in), 0);
        assert_ok(im->ctx, eval_by(CLSP_SCHEDULE_DEVICE, im, (clsp_range){0, im->num}, &places,
                                   store_out(&out), NULL));
        assert_memory_equal(store_read(&out), wanted->values[k], wanted->bytes[k]);
        store_free(&in);
        store_free(&out);
        free(reals);
    }
    store_free(&from);
}

/* Memory of any kind goes with coefficients in host memory. */
static void test_memory_kinds(void **state)
{
    static const char *const shapes[] = {"", TILES};
    clsp_image_desc d = cases[0].d;

    (void)state;
    d.storage = CLSP_IMAGE_ON_HOST;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        clsp_context *ctx = context_with(shapes[i]);
        results r = make_results(ctx, &d);
        for (int kind = HOST; kind < STORE_KINDS; kind++)
            if (has_kind(ctx, (store_kind)kind)) check_kind(&r, (store_kind)kind);
        free_results(&r);
        clsp_context_destroy(&ctx);
    }
}

/* Loads an image into host memory by way of a GPU with such buffers; returns how large one must be,
   by the message, 0 where they are large enough. */
static unsigned long missing_bytes(clsp_image_kernels kernels, unsigned long alloc)
{
    enum { ROWS = 301, COLUMNS = 517 };
    static const double samples[ROWS * COLUMNS];
    const clsp_image_desc d = {.size = {ROWS, COLUMNS},
                               .precision = CLSP_F64,
                               .storage = CLSP_IMAGE_ON_HOST,
                               .kernels = kernels};
    const clsp_input in = clsp_in_f64(samples, ROWS * COLUMNS);
    char limits[80], why[256];
    unsigned long needed = 0, most = 0;
    clsp_image_plan *plan;

    snprintf(limits, sizeof limits, TILES ",alloc=%lu", alloc);
    clsp_context *ctx = context_with(limits);
    assert_ok(ctx, clsp_image_plan_create(&plan, ctx, &d));
    const clsp_status status = clsp_image_set_samples(plan, 1, in, NULL);
    if (status != CLSP_OK) {
        assert_int_equal(status, CLSP_ERROR_NO_MEMORY);
        clsp_context_last_error(ctx, why, sizeof why);
        const int read = sscanf(why,
                                "image: a part of the prefilter that is not to be cut has %lu "
                                "bytes with the samples around it, and a buffer %lu",
                                &needed, &most);
        assert_true(read == 2 && most == alloc && needed > alloc);
    }
    clsp_image_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return needed;
}

/* Where buffers are too small for a part of the prefilter the message says by how much: with those
   that it asks for the part is made, and those at the ends of lines, which have more samples around
   them, are asked for then, once for each direction and its last strips. Passes along one direction
   at a time need less. */
static void test_uncut_part(void **state)
{
    enum { SMALL = 200000 };

    (void)state;
    if (!support_device().fp64) skip_because("no double precision");
    assert_int_equal(missing_bytes(CLSP_IMAGE_PASSES, SMALL), 0);
    unsigned long alloc = SMALL;
    for (int asked = 0; asked < 6 && alloc > 0; asked++)
        alloc = missing_bytes(CLSP_IMAGE_KERNELS_DEFAULT, alloc);
    assert_int_equal(alloc, 0);
}

enum { BEYOND = 64 };

/* Interpolates at coordinates that run from within an image to where all is constant. */
static void run_beyond(clsp_context *ctx, clsp_image_storage storage, float values[BEYOND])
{
    enum { ROWS = 50, COLUMNS = 33 };
    static const clsp_share by_device = {.schedule = CLSP_SCHEDULE_DEVICE};
    const clsp_image_desc d = {.size = {ROWS, COLUMNS}, .cval = 0.5, .storage = storage};
    const clsp_run run = {.share = &by_device};
    float samples[ROWS * COLUMNS], at[2][BEYOND];
    clsp_image_plan *plan;

    for (size_t k = 0; k < ROWS * COLUMNS; k++)
        samples[k] = (float)(k * k % 97);
    for (size_t k = 0; k < BEYOND; k++) {
        at[0][k] = 48.4F + 8.0F * (float)k / BEYOND;
        at[1][k] = 31.4F + 6.0F * (float)((5 * k) % BEYOND) / BEYOND;
    }
    const clsp_image_map map = list_of(BEYOND, clsp_in_f32(at[0], (size_t)2 * BEYOND), 0);
    assert_ok(ctx, clsp_image_plan_create(&plan, ctx, &d));
    assert_ok(ctx, clsp_image_set_samples(plan, 1, clsp_in_f32(samples, ROWS * COLUMNS), NULL));
    assert_ok(ctx,
              clsp_image_eval(plan, (clsp_range){0, 1}, &map, clsp_out_f32(values, BEYOND), &run));
    clsp_image_plan_destroy(&plan);
}

/* Of coefficients in host memory the device gets what points read: not what is near those that have
   the constant. */
static void test_beyond_the_edge(void **state)
{
    clsp_context *ctx = context_with(TILES);
    float whole[BEYOND], parts[BEYOND];

    (void)state;
    run_beyond(ctx, CLSP_IMAGE_ON_DEVICE, whole);
    run_beyond(ctx, CLSP_IMAGE_ON_HOST, parts);
    assert_memory_equal(parts, whole, sizeof whole);
    assert_true(whole[0] != 0.5F && whole[BEYOND - 1] == 0.5F);
    clsp_context_destroy(&ctx);
}

/* ---- shared prefilters ---- */

static const clsp_share ways[] = {
    {.schedule = CLSP_SCHEDULE_DEFAULT},
    {.schedule = CLSP_SCHEDULE_SVM},
    {.schedule = CLSP_SCHEDULE_DYNAMIC},
    {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = 0.4},
    {.schedule = CLSP_SCHEDULE_DEVICE},
    {.schedule = CLSP_SCHEDULE_HOST},
    {.schedule = CLSP_SCHEDULE_DYNAMIC, .bit_equal = 1},
};

static double worst;

static void check_near(const part_case *c, const results *got, const results *wanted)
{
    const clsp_image_desc *const d = &got->im.d;
    const size_t num = got->bytes[3] / clsp_type_bytes(d->coefficients);
    const double eps = unit_of(d->coefficients);
    double scale = 0.0;

    for (size_t k = 0; k < num; k++)
        scale = fmax(scale, fabs(element_of(wanted->coefficients, d->coefficients, k)));
    for (size_t k = 0; k < num; k++) {
        const double x = element_of(got->coefficients, d->coefficients, k);
        const double y = element_of(wanted->coefficients, d->coefficients, k);
        const double bound = (order_number(d) > 3 ? 32.0 : 8.0) * eps * scale;
        worst = support_worse(worst, fabs(x - y) / bound);
        if (!(fabs(x - y) <= bound)) fail_msg("%s: %g instead of %g at %zu", c->name, x, y, k);
    }
}

/* Loads by one way, and looks at the coefficients and at values made from them. alike: all devices
   have the same kernels. */
static uint64_t check_way(const part_case *c, results *r, const clsp_share *opts,
                          uint32_t processors, bool alike)
{
    images *const im = &r->im;
    const size_t all = im->num * im->samples * im->d.channels;
    clsp_report report;
    const clsp_run run = {.share = opts, .report = &report};
    const results *const wanted = r;
    results again = {.im = *im};

    memset(&report, 0xa5, sizeof report);
    assert_ok(im->ctx, clsp_image_set_samples(im->plan, im->num,
                                              host_in(im->d.samples, im->memory, all), &run));
    const uint64_t by_host = host_of(&report)->tiles;
    const bool is_mixed = by_host > 0 && by_host < report.num_tiles;
    if (opts->schedule == CLSP_SCHEDULE_DEFAULT && is_mixed) /* each step takes its own schedule */
        assert_int_equal(report.num_processors, processors);
    else
        check_report(&report, processors);
    read_coefficients(&again);
    evaluate(&again);
    if (opts->bit_equal || (alike && host_of(&report)->tiles == 0))
        check_same(c->name, &again, wanted);
    else
        check_near(c, &again, wanted);
    free(again.coefficients);
    for (int k = 0; k < 3; k++)
        free(again.values[k]);
    return report.processors[1].tiles;
}

static void check_shared(clsp_context *ctx, clsp_context *small, uint32_t processors, bool alike)
{
    uint64_t tiles = 0;

    assert_ok(ctx, clsp_context_set_speeds(ctx, ""));
    for (size_t i = 0; i < CASES; i++) {
        clsp_image_desc d = cases[i].d;
        if (support_tiny() ? i % 4 : is_thin() && i % 3) continue;
        d.precision = i % 4 == 3 && device_of(ctx).fp64 ? CLSP_F64 : CLSP_F32;
        results r = make_results(ctx, &d);
        for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++)
            tiles += check_way(&cases[i], &r, &ways[k], processors, alike);
        free_results(&r);
    }
    assert_true(processors == 2 || small == NULL || tiles > 0);
}

static void test_shared(void **state)
{
    static const char *const shapes[] = {"", TILES};

    (void)state;
    for (size_t i = 0; i < (support_tiny() ? 1 : COUNT(shapes)); i++) {
        clsp_context *ctx = context_with(shapes[i]);
        check_shared(ctx, NULL, 2, true);
        clsp_context_destroy(&ctx);
    }
    print_message("worst/bound %.2f\n", worst);
}

static void test_joined(void **state)
{
    (void)state;
    shared_skip_on_oclgrind();
    clsp_context *ctx = context_with(TILES), *other = context_with(TILES ",alloc=600000");
    assert_ok(ctx, clsp_context_join(ctx, other));
    check_shared(ctx, other, 3, true);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

/* A device whose kernels take other steps has no part in the prefilter, nor has one that leaves it
   to the host, and all is well. */
static void test_unlike(void **state)
{
    static const char *const others[] = {PASSES ",local_is_real=0", ""};

    (void)state;
    shared_skip_on_oclgrind();
    for (size_t i = 0; i < COUNT(others); i++) {
        clsp_context *ctx = context_with(TILES), *other = context_with(others[i]);
        assert_ok(ctx, clsp_context_join(ctx, other));
        check_shared(ctx, NULL, 3, false);
        clsp_context_destroy(&ctx);
        clsp_context_destroy(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_device), cmocka_unit_test(test_memory_kinds),
        cmocka_unit_test(test_uncut_part),   cmocka_unit_test(test_beyond_the_edge),
        cmocka_unit_test(test_shared),       cmocka_unit_test(test_joined),
        cmocka_unit_test(test_unlike),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
