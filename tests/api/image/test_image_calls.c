/* The calls on images: memory of every kind, ranges, events and the order of calls; what is not
   finite and what is far away; wrong arguments. */
#include "image_fixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory_fixture.h"

static clsp_context *shared;

enum { ROWS = 13, COLUMNS = 17, PIXELS = ROWS * COLUMNS };

static const clsp_image_desc plain = {.size = {ROWS, COLUMNS},
                                      .mode = {CLSP_IMAGE_MIRROR, CLSP_IMAGE_MIRROR}};

static clsp_image_map tilted(void)
{
    clsp_image_map map = clsp_image_identity();

    map.matrix[0][1] = 0.125;
    map.matrix[1][0] = -0.25;
    map.matrix[0][3] = 0.5;
    return map;
}

static void *poisoned(size_t bytes)
{
    void *const memory = malloc(bytes + 1);

    assert_non_null(memory);
    support_poison(memory, bytes);
    return memory;
}

/* ---- memory ---- */

/* Values by way of each kind of memory are the same bits. */
static void test_memory_kinds(void **state)
{
    (void)state;
    support_needs_opencl(shared);
    images im = images_make(shared, &plain, 2, false, 1);
    const clsp_image_map map = tilted();
    const size_t size = 2 * PIXELS;
    float *const want = poisoned(size * sizeof *want);

    assert_ok(shared, eval_by(CLSP_SCHEDULE_DEVICE, &im, (clsp_range){0, 2}, &map,
                              clsp_out_f32(want, size), NULL));
    for (int kind = HOST; kind < STORE_KINDS; kind++) {
        if (!has_kind(shared, (store_kind)kind)) continue;
        store in = store_make(shared, (store_kind)kind, CLSP_F32, 5, size, im.memory);
        store out = store_make(shared, (store_kind)kind, CLSP_F32, 3, size, NULL);
        cl_event loaded, done;
        const clsp_run first = {.done = &loaded},
                       second = {.num_wait = 1, .wait = &loaded, .done = &done};
        assert_ok(shared, clsp_image_set_samples(im.plan, 2, store_in(&in), &first));
        assert_ok(shared, eval_by(CLSP_SCHEDULE_DEVICE, &im, (clsp_range){0, 2}, &map,
                                  store_out(&out), &second));
        assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
        assert_memory_equal(store_read(&out), want, size * sizeof *want);
        clReleaseEvent(loaded);
        clReleaseEvent(done);
        store_free(&in);
        store_free(&out);
    }
    free(want);
    images_free(&im);
}

/* Coordinates and displacements from each kind of memory, by the device. */
static void test_input_kinds(void **state)
{
    (void)state;
    support_needs_opencl(shared);
    images im = images_make(shared, &plain, 2, false, 2);
    const clsp_image_map map = tilted();
    float points[2 * PIXELS], *const want = poisoned(2 * PIXELS * sizeof *want),
                                     *const same = poisoned(2 * PIXELS * sizeof *want);
    uint64_t state_of = 3;

    for (size_t k = 0; k < 2 * PIXELS; k++)
        points[k] = (float)(8.0 * support_uniform(&state_of));
    for (int at = 0; at < 2; at++)
        for (int kind = HOST; kind < STORE_KINDS; kind++) {
            if (!has_kind(shared, (store_kind)kind)) continue;
            store in = store_make(shared, (store_kind)kind, CLSP_F32, 7, 2 * PIXELS, points);
            const clsp_image_map given =
                at ? list_of(PIXELS, store_in(&in), 0) : displaced_by(map, store_in(&in));
            float *const out = kind == HOST ? want : same;
            cl_event done;
            const clsp_run sync = {.done = &done};
            assert_ok(shared, eval_by(CLSP_SCHEDULE_DEVICE, &im, (clsp_range){0, 2}, &given,
                                      clsp_out_f32(out, 2 * PIXELS), &sync));
            assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
            clReleaseEvent(done);
            assert_memory_equal(out, want, 2 * PIXELS * sizeof *want);
            store_free(&in);
        }
    free(want);
    free(same);
    images_free(&im);
}

/* A range's results are the same bits as within all; the output may be the samples' own memory. */
static void test_ranges(void **state)
{
    (void)state;
    enum { NUM = 4 };
    clsp_image_desc d = plain;
    d.channels = 2;
    d.planar = 1;
    images im = images_make(shared, &d, NUM, false, 4);
    const clsp_image_map map = tilted();
    const size_t each = 2 * PIXELS;
    float *const all = poisoned(NUM * each * sizeof *all), *const one = im.memory;

    assert_ok(shared, clsp_image_eval(im.plan, (clsp_range){0, NUM}, &map,
                                      clsp_out_f32(all, NUM * each), NULL));
    for (size_t i = 0; i < NUM; i++) {
        assert_ok(shared, clsp_image_eval(im.plan, (clsp_range){i, 1}, &map,
                                          clsp_out_f32(one, each), NULL));
        assert_memory_equal(one, all + i * each, each * sizeof *one);
    }
    support_poison(one, each * sizeof *one);
    assert_ok(shared,
              clsp_image_eval(im.plan, (clsp_range){NUM, 0}, &map, clsp_out_f32(one, 0), NULL));
    assert_true(support_poisoned(one, each * sizeof *one));
    free(all);
    images_free(&im);
}

/* Images that are loaded together have the bits that each has alone, whatever steps filter them,
   and are clipped each by its own range. */
static void test_batches(void **state)
{
    enum { NUM = 7, MOST = 4000 };
    static const clsp_image_desc cases[] = {
        {.size = {19, 23}, .clip = 1},
        {.size = {5, 40}, .channels = 3, .planar = 1, .order = CLSP_IMAGE_QUINTIC},
        {.size = {11, 13}, .channels = 3, .clip = 1},
        {.size = {20, 30}, .prefilter = CLSP_IMAGE_TRUNCATED, .coefficients = CLSP_F16},
        {.size = {12, 9}, .prefilter = CLSP_IMAGE_NONE, .mode = {CLSP_IMAGE_NEAREST}, .clip = 1},
        {.directions = 1, .size = {70}, .channels = 2, .planar = 1, .clip = 1},
        {.directions = 3, .size = {4, 5, 6}, .clip = 1},
        {.size = {60, 64}, .part = {.whole = {190, 180}, .begin = {70, 60}}},
    };
    static float samples[NUM * MOST], all[NUM * MOST], one[MOST];

    (void)state;
    for (size_t k = 0; k < NUM * MOST; k++) /* each image in a range of its own */
        samples[k] = (float)(k * 2654435761U % 1000) / 1000 * (float)(1 + k / 100);
    for (size_t i = 0; i < COUNT(cases); i += support_full() ? 1 : 2) {
        clsp_image_plan *plan;
        clsp_image_desc d;
        assert_ok(shared, clsp_image_plan_create(&plan, shared, &cases[i]));
        assert_ok(shared, clsp_image_plan_desc(plan, &d));
        const size_t each = (size_t)d.size[0] * d.size[1] * d.size[2] * d.channels;
        assert_true(each <= MOST);
        assert_ok(shared,
                  clsp_image_set_samples(plan, NUM, clsp_in_f32(samples, NUM * each), NULL));
        assert_ok(shared, clsp_image_eval(plan, (clsp_range){0, NUM}, NULL,
                                          clsp_out_f32(all, NUM * each), NULL));
        for (size_t k = 0; k < NUM; k++) {
            const clsp_input alone = clsp_in_f32(samples + k * each, each);
            assert_ok(shared, clsp_image_set_samples(plan, 1, alone, NULL));
            assert_ok(shared, clsp_image_eval(plan, (clsp_range){0, 1}, NULL,
                                              clsp_out_f32(one, each), NULL));
            assert_memory_equal(one, all + k * each, each * sizeof *one);
        }
        clsp_image_plan_destroy(&plan);
    }
}

/* Rows larger than a part of a transfer, and many of them, give the same bits as from a buffer. */
static void test_large(void **state)
{
    (void)state;
    const uint32_t side = support_tiny() ? 130 : 1500; /* more than the host takes */
    clsp_image_desc d = {.size = {side, side + 1}, .samples = CLSP_U8, .values = CLSP_F32};
    images im = images_make(shared, &d, 1, false, 5);
    const size_t size = (size_t)side * (side + 1);
    store out = store_make(shared, BUFFER, CLSP_F32, 0, size, NULL);
    float *const host = poisoned(size * sizeof *host);
    const clsp_image_map map = tilted();

    assert_ok(shared, clsp_image_eval(im.plan, (clsp_range){0, 1}, &map, store_out(&out), NULL));
    assert_ok(shared,
              clsp_image_eval(im.plan, (clsp_range){0, 1}, &map, clsp_out_f32(host, size), NULL));
    const float *const got = (const float *)(const void *)store_read(&out);
    assert_memory_equal(host, got, size * sizeof *host);
    store_free(&out);
    free(host);
    images_free(&im);
}

/* Convolutions of many samples have the same bits by the kernels that the library chooses, on GPUs
   through local memory, as one coefficient an item. */
static void test_large_taps(void **state)
{
    (void)state;
    const uint32_t side = support_tiny() ? 130 : 2050;
    clsp_image_desc d = {
        .size = {side, side}, .prefilter = CLSP_IMAGE_TRUNCATED, .taps = 7, .samples = CLSP_U8};
    const size_t size = (size_t)side * side;
    float *const chosen = poisoned(size * sizeof *chosen), *const passes =
                                                               poisoned(size * sizeof *passes);

    for (int i = 0; i < 2; i++) {
        d.kernels = i == 0 ? CLSP_IMAGE_KERNELS_DEFAULT : CLSP_IMAGE_PASSES;
        images im = images_make(shared, &d, 1, false, 5);
        images_load_from_buffer(&im);
        assert_ok(shared,
                  clsp_image_coefficients(im.plan, (clsp_range){0, 1},
                                          clsp_out_f32(i == 0 ? chosen : passes, size), NULL));
        images_free(&im);
    }
    for (size_t i = 0; i < size; i++) /* by kernels to the bit; by the host to rounding */
        assert_true(fabsf(chosen[i] - passes[i]) <=
                    (support_is_own_cpu(shared) ? 16 * 255 * FLT_EPSILON : 0.0f));
    free(chosen);
    free(passes);
}

/* ---- what is not finite, and what is far away ---- */

/* A NaN among the samples spoils what is near it and nothing else. */
static void test_nan(void **state)
{
    (void)state;
    enum { SIDE = 700 };
    for (int fir = 0; fir <= 1; fir++) {
        clsp_image_desc d = {.directions = 1,
                             .size = {SIDE},
                             .prefilter = fir ? CLSP_IMAGE_LEAST_SQUARES : CLSP_IMAGE_RECURSIVE,
                             .taps = fir ? 15 : 0};
        const unsigned reach = fir ? 7 : CLSP_IMAGE_NAN_REACH;
        clsp_image_plan *plan;
        float samples[SIDE], got[SIDE], whole[SIDE];
        for (unsigned k = 0; k < SIDE; k++)
            samples[k] = (float)(k % 5);
        assert_ok(shared, clsp_image_plan_create(&plan, shared, &d));
        assert_ok(shared, clsp_image_set_samples(plan, 1, clsp_in_f32(samples, SIDE), NULL));
        assert_ok(shared, clsp_image_coefficients(plan, (clsp_range){0, 1},
                                                  clsp_out_f32(whole, SIDE), NULL));
        samples[350] = NAN;
        samples[351] = INFINITY;
        assert_ok(shared, clsp_image_set_samples(plan, 1, clsp_in_f32(samples, SIDE), NULL));
        assert_ok(shared,
                  clsp_image_coefficients(plan, (clsp_range){0, 1}, clsp_out_f32(got, SIDE), NULL));
        assert_true(isnan(got[350]));
        for (unsigned k = 0; k < SIDE; k++)
            if (k + reach < 350 || k > 351 + reach) assert_true(got[k] == whole[k]);
        clsp_image_plan_destroy(&plan);
    }
}

static void check_far(int mode, const float *x, const float *got, size_t num)
{
    for (size_t k = 0; k < num; k++) {
        if (!isfinite(x[k]))
            assert_true(got[k] == -5.0f);
        else if (mode == CLSP_IMAGE_CONSTANT || mode == CLSP_IMAGE_GRID_CONSTANT)
            assert_true(fabsf(got[k] + 5.0f) < 1e-5f);
        else
            assert_true(fabsf(got[k]) < 3.0f);
    }
}

/* Coordinates that are not finite give cval; such as are far away are within the image's range, or
   cval. */
static void test_far_coordinates(void **state)
{
    static const float far[] = {NAN, INFINITY, -INFINITY, 1e9f, -1e9f, 3e38f, -3e38f, 2.5e8f};
    enum { NUM = sizeof far / sizeof far[0] };
    float x[2 * NUM], got[NUM];

    (void)state;
    for (int mode = CLSP_IMAGE_MIRROR; mode <= CLSP_IMAGE_WRAP; mode++) {
        clsp_image_desc d = plain;
        d.cval = -5.0;
        d.mode[0] = d.mode[1] = (clsp_image_mode)mode;
        images im = images_make(shared, &d, 1, false, 6);
        for (size_t k = 0; k < NUM; k++) {
            x[k] = far[k];
            x[NUM + k] = 4.25f;
        }
        const clsp_image_map points = list_of(NUM, clsp_in_f32(x, 2 * NUM), 0);
        assert_ok(shared, eval_all(&im, &points, clsp_out_f32(got, NUM)));
        check_far(mode, x, got, NUM);
        if (mode == CLSP_IMAGE_NEAREST) /* those of either end alike */
            assert_true(got[3] == got[5] && got[3] == got[7] && got[4] == got[6] &&
                        got[3] != got[4]);
        clsp_image_map map = {.size = {NUM, 1}, .displacements = clsp_in_f32(x, 2 * NUM)};
        map.matrix[0][0] = 0x1p-60; /* as good as 0; all 0 would be the identity */
        assert_ok(shared, eval_all(&im, &map, clsp_out_f32(got, NUM)));
        check_far(mode, x, got, NUM);
        map.displacements = (clsp_input){.type = CLSP_TYPE_DEFAULT};
        map.matrix[0][0] = 1e30; /* only the first row is near */
        assert_ok(shared, eval_all(&im, &map, clsp_out_f32(got, NUM)));
        for (size_t k = 1; k < NUM; k++)
            check_far(mode, far + 3, got + k, 1);
        images_free(&im);
    }
}

/* What is just above -1/2 is nearest to sample 0, though 1 more is rounded to 1/2. */
static void test_above_half(void **state)
{
    const float x[] = {nextafterf(-0.5f, 0), 0, 4, 4};
    clsp_image_desc d = plain;
    float got[2];

    (void)state;
    d.order = CLSP_IMAGE_NEAREST_SAMPLE;
    d.mode[0] = d.mode[1] = CLSP_IMAGE_MIRROR;
    images im = images_make(shared, &d, 1, false, 6);
    const clsp_image_map points = list_of(2, clsp_in_f32(x, 4), 0);
    assert_ok(shared, eval_all(&im, &points, clsp_out_f32(got, 2)));
    assert_true(got[0] == got[1]);
    images_free(&im);
}

/* Points of a list, by 16: within, near the edges, beyond them by less than a length and by more,
   and one among them that is not finite. */
enum { LIST = 80 };

static void draw_list(float x[2 * LIST])
{
    static const float margins[] = {-3, 1.5f, ROWS - 2, 3 * ROWS, 2};

    for (unsigned k = 0; k < LIST; k++) {
        const float margin = margins[k / 16], u = fmodf(0.618034f * (float)(k + 1), 1);
        const float v = fmodf(0.754878f * (float)(k + 1), 1);
        x[k] = -margin + u * (ROWS - 1 + 2 * margin);
        x[LIST + k] = -margin + v * (COLUMNS - 1 + 2 * margin);
    }
    x[LIST - 7] = NAN;
}

/* Values of points in a list are the bits that each has alone, wherever they are, in every mode. */
static void check_alone(const clsp_image_desc *desc, uint32_t attributes)
{
    const clsp_type type = desc->samples;
    const size_t num = attributes & CLSP_IMAGE_GRADIENT ? 3 : 1;
    const size_t bytes = num * clsp_type_bytes(type);
    float x[2 * LIST], all[3 * LIST], alone[3];
    images im = images_make(shared, desc, 1, false, 7);

    draw_list(x);
    const clsp_image_map list = list_of(LIST, clsp_in_f32(x, 2 * LIST), attributes);
    const clsp_output to = {.type = type, .host = all, .size = num * LIST};
    assert_ok(shared, eval_all(&im, &list, to));
    for (size_t k = 0; k < LIST; k++) {
        const float at[2] = {x[k], x[LIST + k]};
        const clsp_image_map one = list_of(1, clsp_in_f32(at, 2), attributes);
        const clsp_output to_one = {.type = type, .host = alone, .size = num};
        assert_ok(shared, eval_all(&im, &one, to_one));
        assert_memory_equal(alone, (const char *)all + k * bytes, bytes);
    }
    images_free(&im);
}

/* Checks values of an order and a type. */
static void check_lists(clsp_image_order order, int mode, clsp_type type, uint32_t attributes)
{
    clsp_image_desc d = plain;

    d.order = order;
    d.samples = type;
    d.cval = 0.375;
    d.clip = type == CLSP_F32;
    d.mode[0] = d.mode[1] = (clsp_image_mode)mode;
    check_alone(&d, attributes);
}

static void test_points_alone(void **state)
{
    const uint32_t both = CLSP_IMAGE_VALUE | CLSP_IMAGE_GRADIENT;

    (void)state;
    for (int mode = CLSP_IMAGE_MIRROR; mode <= CLSP_IMAGE_WRAP; mode++) {
        check_lists(CLSP_IMAGE_CUBIC, mode, CLSP_F32, CLSP_IMAGE_VALUE);
        check_lists(CLSP_IMAGE_LINEAR, mode, CLSP_F32, both);
        check_lists(CLSP_IMAGE_CUBIC, mode, mode % 2 == 0 ? CLSP_U8 : CLSP_S16, CLSP_IMAGE_VALUE);
        for (unsigned order = 0; support_full() && order < ORDERS; order++) {
            check_lists(order_of(order), mode, CLSP_F32, both);
            check_lists(order_of(order), mode, CLSP_U16, CLSP_IMAGE_VALUE);
        }
    }
}

/* A map that sends all to one place, and single precision far from the origin. */
static void test_maps(void **state)
{
    (void)state;
    enum { LONG = 100000, FEW = 9 };
    const clsp_image_desc d = {.directions = 1, .size = {LONG}, .order = CLSP_IMAGE_LINEAR};
    float *const ramp = poisoned(LONG * sizeof *ramp), got[FEW];
    const clsp_run by_host = {.share = &(clsp_share){.schedule = CLSP_SCHEDULE_HOST}};
    clsp_image_plan *plan;
    clsp_image_map map = {.size = {FEW}, .matrix = {{0.0, 0.0, 0.0, 77.0}}};

    for (size_t k = 0; k < LONG; k++)
        ramp[k] = (float)(k % 2);
    assert_ok(shared, clsp_image_plan_create(&plan, shared, &d));
    assert_ok(shared, clsp_image_set_samples(plan, 1, clsp_in_f32(ramp, LONG), NULL));
    assert_ok(shared,
              clsp_image_eval(plan, (clsp_range){0, 1}, &map, clsp_out_f32(got, FEW), NULL));
    for (size_t k = 0; k < FEW; k++)
        assert_true(got[k] == 1.0f);
    map.matrix[0][0] = 0.1;
    map.matrix[0][3] = 99000.0;
    assert_ok(shared,
              clsp_image_eval(plan, (clsp_range){0, 1}, &map, clsp_out_f32(got, FEW), NULL));
    for (size_t k = 0; k < FEW; k++)
        assert_true(fabs((double)got[k] - 0.1 * (double)k) < 1e-6);
    map.matrix[0][0] = 0x1p28; /* beyond 2^29; point 4 is at sample 5 */
    map.matrix[0][3] = 5 - 0x1p30;
    assert_ok(shared,
              clsp_image_eval(plan, (clsp_range){0, 1}, &map, clsp_out_f32(got, FEW), &by_host));
    assert_true(got[4] == 1.0f);
    for (size_t k = 0; k < FEW; k++)
        assert_true(got[k] == 0.0f || got[k] == 1.0f);
    clsp_image_plan_destroy(&plan);
    free(ramp);
}

/* Halves of integer values go to even, or as SciPy's (1.10.1) away from 0, by the device and by the
   host. */
static void test_rounding(void **state)
{
    (void)state;
    enum { NUM = 9, HALVES = NUM - 1 };
    static const int low[] = {-4, 0};
    static const int want[2][2][HALVES] = {
        {{-4, -2, -2, 0, 0, 2, 2, 4}, {-4, -3, -2, -1, 1, 2, 3, 4}},
        {{0, 2, 2, 4, 4, 6, 6, 8}, {1, 2, 3, 4, 5, 6, 7, 8}}};
    const clsp_share host = {.schedule = CLSP_SCHEDULE_HOST};
    const clsp_run by_host = {.share = &host};
    clsp_image_map map = {.size = {HALVES}, .matrix = {{1.0, 0.0, 0.0, 0.5}}};

    for (int k = 0; k < 8; k++) {
        const int type = k / 4, up = k / 2 % 2;
        const clsp_image_desc d = {.directions = 1,
                                   .size = {NUM},
                                   .samples = CLSP_F32,
                                   .values = type == 0 ? CLSP_S16 : CLSP_U8,
                                   .order = CLSP_IMAGE_LINEAR,
                                   .rounding = up ? CLSP_IMAGE_ROUND_UP : CLSP_IMAGE_ROUND_EVEN};
        float samples[NUM];
        int16_t got[HALVES];
        clsp_image_plan *plan;
        for (int i = 0; i < NUM; i++)
            samples[i] = (float)(low[type] + i);
        assert_ok(shared, clsp_image_plan_create(&plan, shared, &d));
        assert_ok(shared, clsp_image_set_samples(plan, 1, clsp_in_f32(samples, NUM), NULL));
        assert_ok(shared,
                  clsp_image_eval(plan, (clsp_range){0, 1}, &map, host_out(d.values, got, HALVES),
                                  k % 2 ? &by_host : NULL));
        for (size_t i = 0; i < HALVES; i++)
            assert_int_equal((int)element_of(got, d.values, i), want[type][up][i]);
        clsp_image_plan_destroy(&plan);
    }
}

/* Splines of every order through a ramp are the ramp, by the device and by the host. */
static void test_ramps(void **state)
{
    (void)state;
    enum { NUM = 64, FIRST = 24, POINTS = 16 };
    const clsp_share host = {.schedule = CLSP_SCHEDULE_HOST};
    const clsp_run by_host = {.share = &host};
    const clsp_image_map map = {.size = {POINTS}, .matrix = {{1.03, 0.0, 0.0, FIRST}}};
    float samples[NUM], got[POINTS];

    for (int i = 0; i < NUM; i++)
        samples[i] = (float)i;
    for (unsigned order = 1; order < ORDERS; order++)
        for (int k = 0; k < 2; k++) {
            const clsp_image_desc d = {.directions = 1,
                                       .size = {NUM},
                                       .samples = CLSP_F32,
                                       .order = (clsp_image_order)order};
            clsp_image_plan *plan;
            assert_ok(shared, clsp_image_plan_create(&plan, shared, &d));
            assert_ok(shared, clsp_image_set_samples(plan, 1, clsp_in_f32(samples, NUM), NULL));
            assert_ok(shared, clsp_image_eval(plan, (clsp_range){0, 1}, &map,
                                              clsp_out_f32(got, POINTS), k ? &by_host : NULL));
            for (int i = 0; i < POINTS; i++)
                assert_true(fabs(got[i] - (FIRST + 1.03 * i)) < 2e-5);
            clsp_image_plan_destroy(&plan);
        }
}

/* Values beyond what integers hold are the nearest ones, by the device and by the host. */
static void test_saturation(void **state)
{
    (void)state;
    enum { NUM = 6 };
    static const float samples[NUM] = {-1e9f, -40000.0f, -3.0f, 7.0f, 70000.0f, 1e9f};
    static const struct {
        clsp_type type;
        int want[NUM];
    } cases[] = {{CLSP_U8, {0, 0, 0, 7, 255, 255}},
                 {CLSP_U16, {0, 0, 0, 7, 65535, 65535}},
                 {CLSP_S16, {-32768, -32768, -3, 7, 32767, 32767}}};
    const clsp_share host = {.schedule = CLSP_SCHEDULE_HOST};
    const clsp_run by_host = {.share = &host};
    const clsp_image_map map = {.size = {NUM}, .matrix = {{1.0}}};

    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        const clsp_image_desc d = {.directions = 1,
                                   .size = {NUM},
                                   .samples = CLSP_F32,
                                   .values = cases[k / 2].type,
                                   .order = CLSP_IMAGE_LINEAR};
        int16_t got[NUM];
        clsp_image_plan *plan;
        assert_ok(shared, clsp_image_plan_create(&plan, shared, &d));
        assert_ok(shared, clsp_image_set_samples(plan, 1, clsp_in_f32(samples, NUM), NULL));
        assert_ok(shared, clsp_image_eval(plan, (clsp_range){0, 1}, &map,
                                          host_out(d.values, got, NUM), k % 2 ? &by_host : NULL));
        for (size_t i = 0; i < NUM; i++)
            assert_int_equal((int)element_of(got, d.values, i), cases[k / 2].want[i]);
        clsp_image_plan_destroy(&plan);
    }
}

/* ---- wrong arguments ---- */

static void test_wrong_descriptions(void **state)
{
    (void)state;
    clsp_image_plan *plan;
    clsp_image_desc d[22];
    size_t n = 0;

    for (size_t k = 0; k < sizeof d / sizeof d[0]; k++)
        d[k] = plain;
    d[n++].directions = 4;
    d[n++].size[1] = 0;
    d[n++].size[0] = CLSP_IMAGE_MAX_SIZE + 1u;
    d[n++].channels = 17;
    d[n++].planar = 2;
    d[n++].precision = CLSP_F16;
    d[n++].samples = CLSP_F64;
    d[n++].values = CLSP_U32;
    d[n++].coefficients = CLSP_U8;
    d[n++].order = (clsp_image_order)ORDERS;
    d[n++].order = (clsp_image_order)(CLSP_IMAGE_NEAREST_SAMPLE + 1);
    d[n++].mode[0] = (clsp_image_mode)8;
    d[n++].prefilter = (clsp_image_prefilter)5;
    d[n++].taps = 15;
    d[n].prefilter = CLSP_IMAGE_TRUNCATED;
    d[n++].taps = 8;
    d[n++].kernels = (clsp_image_kernels)5;
    d[n++].kernels = CLSP_IMAGE_STAGED;
    d[n++].kernels = CLSP_IMAGE_TILES; /* it is too small */
    d[n++].clip = 2;
    d[n++].rounding = (clsp_image_rounding)3;
    d[n++].reserved[0] = 1;
    d[n].samples = CLSP_U16;
    d[n++].coefficients = CLSP_F16;
    for (size_t k = 0; k < n; k++) {
        plan = (clsp_image_plan *)d;
        assert_status(shared, clsp_image_plan_create(&plan, shared, &d[k]), CLSP_ERROR_ARGUMENT);
        assert_null(plan);
    }
    const clsp_image_desc vast = {.directions = 3, .size = {1u << 28, 1u << 28, 1u << 28}};
    assert_status(shared, clsp_image_plan_create(&plan, shared, &vast), CLSP_ERROR_NO_MEMORY);
    assert_status(shared, clsp_image_plan_create(NULL, shared, &plain), CLSP_ERROR_ARGUMENT);
    assert_status(NULL, clsp_image_plan_create(&plan, NULL, &plain), CLSP_ERROR_ARGUMENT);
    assert_status(shared, clsp_image_plan_create(&plan, shared, NULL), CLSP_ERROR_ARGUMENT);
    clsp_image_plan_destroy(&plan);
    clsp_image_plan_destroy(NULL);
}

/* What is wrong with a call leaves its output alone. */
static void test_wrong_calls(void **state)
{
    (void)state;
    images im = images_make(shared, &plain, 1, false, 7);
    float *const out = poisoned(3 * PIXELS * sizeof *out);
    const clsp_output whole = clsp_out_f32(out, PIXELS);
    const clsp_range one = {0, 1}, beyond = {1, 1};
    clsp_image_map maps[9], points = list_of(2, clsp_in_f32(im.memory, 3), 0);
    const clsp_input field = clsp_in_f32(im.memory, PIXELS);
    const clsp_image_map displaced = {.displacements = field};

    for (size_t k = 0; k < 9; k++)
        maps[k] = clsp_image_identity();
    maps[0].matrix[1][0] = NAN;
    maps[1].matrix[0][3] = INFINITY;
    maps[2].size[0] = CLSP_IMAGE_MAX_SIZE + 1u;
    maps[3].attributes = 4;
    maps[4].reserved[0] = 1;
    maps[5].origin[0] = CLSP_IMAGE_MAX_SIZE;
    maps[6].origin[1] = UINT64_MAX;
    maps[8].areas = 2;
    for (size_t k = 0; k < 9; k += k == 6 ? 2 : 1)
        assert_status(shared, clsp_image_eval(im.plan, one, &maps[k], whole, NULL),
                      CLSP_ERROR_ARGUMENT);
    assert_status(shared, clsp_image_eval(im.plan, beyond, NULL, whole, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(shared, clsp_image_eval(im.plan, one, NULL, clsp_out_f32(out, PIXELS - 1), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    maps[7].attributes = 3;
    assert_status(shared, clsp_image_eval(im.plan, one, &maps[7], whole, NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(shared, clsp_image_eval(NULL, one, NULL, whole, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(shared, clsp_image_eval(im.plan, one, &points, whole, NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    points.reserved[0] = 1;
    assert_status(shared, clsp_image_eval(im.plan, one, &points, whole, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(shared, clsp_image_eval(im.plan, one, &displaced, whole, NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(shared, clsp_image_eval(NULL, one, &displaced, whole, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(shared, clsp_image_coefficients(im.plan, beyond, whole, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(shared, clsp_image_coefficients(NULL, one, whole, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(shared, clsp_image_set_samples(NULL, 1, field, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(shared, clsp_image_set_samples(im.plan, 2, field, NULL), CLSP_ERROR_BUFFER_SIZE);
    assert_status(shared, clsp_image_set_samples(im.plan, SIZE_MAX / 8, field, NULL),
                  CLSP_ERROR_NO_MEMORY);
    assert_status(shared, clsp_image_plan_desc(im.plan, NULL), CLSP_ERROR_ARGUMENT);
    assert_true(support_poisoned(out, 3 * PIXELS * sizeof *out));
    assert_ok(shared, clsp_image_eval(im.plan, one, NULL, whole, NULL));
    free(out);
    images_free(&im);
}

/* Lists of coordinates stand alone in a map. */
static void test_wrong_lists(void **state)
{
    (void)state;
    images im = images_make(shared, &plain, 1, false, 7);
    float *const out = poisoned(PIXELS * sizeof *out);
    const clsp_input in = clsp_in_f32(im.memory, 2 * PIXELS);
    const uint32_t item[2] = {0, 0};
    clsp_image_map maps[12];
    size_t n = 0;

    for (size_t k = 0; k < sizeof maps / sizeof maps[0]; k++)
        maps[k] = list_of(2, in, 0);
    maps[n++].at.planar = 2;
    maps[n++].at.reserved[1] = 1;
    maps[n++].at.item = clsp_in_u32(item, 2);
    maps[n++].displacements = in;
    maps[n++].size[2] = 1;
    maps[n++].origin[1] = 1;
    maps[n++].areas = 1;
    maps[n++].matrix[0][0] = 1.0;
    maps[n++].matrix[1][3] = NAN;
    maps[n++].at.params = (clsp_input){.type = CLSP_F32};
    maps[n++] = (clsp_image_map){.at = {.planar = 1}};
    maps[n++] = (clsp_image_map){.at = {.item = clsp_in_u32(item, 2)}};
    for (size_t k = 0; k < n; k++)
        assert_status(
            shared,
            clsp_image_eval(im.plan, (clsp_range){0, 1}, &maps[k], clsp_out_f32(out, PIXELS), NULL),
            CLSP_ERROR_ARGUMENT);
    const clsp_image_map vast = list_of(SIZE_MAX / 2, in, 0);
    assert_status(
        shared,
        clsp_image_eval(im.plan, (clsp_range){0, 1}, &vast, clsp_out_f32(out, PIXELS), NULL),
        CLSP_ERROR_NO_MEMORY);
    assert_true(support_poisoned(out, PIXELS * sizeof *out));
    free(out);
    images_free(&im);
}

/* Values must not overwrite the displacements or coordinates that they are made from. */
static void test_overlap(void **state)
{
    (void)state;
    images im = images_make(shared, &plain, 1, false, 7);
    float *const memory = poisoned(4 * PIXELS * sizeof *memory);
    const clsp_range one = {0, 1};
    const clsp_share host = {.schedule = CLSP_SCHEDULE_HOST};
    const clsp_run by_host = {.share = &host};

    for (size_t k = 0; k < 4 * PIXELS; k++)
        memory[k] = 0.25f * (float)(k % 7);
    const clsp_input in = {.host = memory, .size = 3 * PIXELS, .offset = PIXELS};
    const clsp_image_map maps[] = {{.displacements = in}, list_of(PIXELS, in, 0)};
    for (int k = 0; k < 4; k++) {
        const clsp_run *const run = k < 2 ? NULL : &by_host;
        const clsp_output last = clsp_out_f32(memory + 3 * PIXELS - 1, PIXELS);
        const clsp_output first = clsp_out_f32(memory + 1, PIXELS);
        assert_status(shared, clsp_image_eval(im.plan, one, &maps[k % 2], last, run),
                      CLSP_ERROR_ARGUMENT);
        assert_status(shared, clsp_image_eval(im.plan, one, &maps[k % 2], first, run),
                      CLSP_ERROR_ARGUMENT);
        assert_true(memory[1] == 0.25f);
    }
    for (int k = 0; k < 2; k++) {
        assert_ok(shared, clsp_image_eval(im.plan, one, &maps[k],
                                          clsp_out_f32(memory + 3 * PIXELS, PIXELS), NULL));
        assert_ok(shared,
                  clsp_image_eval(im.plan, one, &maps[k], clsp_out_f32(memory, PIXELS), NULL));
    }
    free(memory);
    images_free(&im);
}

/* A map of zeros, be some of them negative, is the identity. */
static void test_zero_map(void **state)
{
    (void)state;
    images im = images_make(shared, &plain, 1, false, 7);
    clsp_image_map zeros = {.attributes = 0}, negative = {.attributes = 0};
    float want[PIXELS], got[PIXELS];

    for (size_t k = 0; k < 12; k++)
        negative.matrix[k / 4][k % 4] = -0.0;
    const clsp_image_map *const maps[] = {&zeros, &negative};
    assert_ok(shared,
              clsp_image_eval(im.plan, (clsp_range){0, 1}, NULL, clsp_out_f32(want, PIXELS), NULL));
    for (int k = 0; k < 2; k++) {
        assert_ok(shared, clsp_image_eval(im.plan, (clsp_range){0, 1}, maps[k],
                                          clsp_out_f32(got, PIXELS), NULL));
        assert_memory_equal(got, want, sizeof want);
    }
    images_free(&im);
}

/* Messages name types. */
static void test_type_names(void **state)
{
    (void)state;
    static const struct {
        clsp_image_desc d;
        const char *part;
    } wrong[] = {{{.samples = CLSP_F64}, "can have: CLSP_F64"},
                 {{.values = CLSP_U32}, "can have: CLSP_U32"},
                 {{.samples = CLSP_U16, .coefficients = CLSP_F16}, "samples of: CLSP_U16"},
                 {{.coefficients = CLSP_U8}, "CLSP_F16: CLSP_U8"},
                 {{.precision = CLSP_F16}, "CLSP_F64: CLSP_F16"},
                 {{.samples = (clsp_type)99}, "no clsp_type"}};
    char message[256];

    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        clsp_image_desc d = wrong[k].d;
        clsp_image_plan *plan;
        d.size[0] = d.size[1] = 8;
        assert_status(shared, clsp_image_plan_create(&plan, shared, &d), CLSP_ERROR_ARGUMENT);
        clsp_context_last_error(shared, message, sizeof message);
        if (!strstr(message, wrong[k].part)) fail_msg("%s: not %s", message, wrong[k].part);
    }
    images im = images_make(shared, &plain, 1, false, 7);
    const clsp_input u8 = {.type = CLSP_U8, .host = message, .size = PIXELS};
    assert_status(shared, clsp_image_set_samples(im.plan, 1, u8, NULL), CLSP_ERROR_ARGUMENT);
    clsp_context_last_error(shared, message, sizeof message);
    assert_non_null(strstr(message, "its type is CLSP_U8, and the call takes CLSP_F32"));
    images_free(&im);
}

static void test_order_of_calls(void **state)
{
    (void)state;
    clsp_image_desc d = plain;
    clsp_image_plan *plan;
    float out[PIXELS];
    const clsp_range none = {0, 0};

    d.values = CLSP_U8;
    assert_ok(shared, clsp_image_plan_create(&plan, shared, &d));
    assert_status(shared, clsp_image_eval(plan, none, NULL, clsp_out_f32(out, 0), NULL),
                  CLSP_ERROR_STATE);
    assert_ok(shared, clsp_image_set_samples(plan, 0, (clsp_input){.type = CLSP_F32}, NULL));
    assert_ok(shared, clsp_image_eval(plan, none, NULL, (clsp_output){.type = CLSP_U8}, NULL));
    clsp_image_map map = clsp_image_identity();
    map.attributes = CLSP_IMAGE_GRADIENT; /* of integers */
    assert_status(shared, clsp_image_eval(plan, none, &map, (clsp_output){.type = CLSP_U8}, NULL),
                  CLSP_ERROR_ARGUMENT);
    clsp_image_plan_destroy(&plan);
}

/* A description of zeros is cubic, and numbers are the orders themselves. */
static void test_orders(void **state)
{
    (void)state;
    for (unsigned order = 0; order < ORDERS; order++) {
        const clsp_image_desc d = {.size = {8, 9}, .order = (clsp_image_order)order};
        clsp_image_desc got;
        clsp_image_plan *plan;
        assert_ok(shared, clsp_image_plan_create(&plan, shared, &d));
        assert_ok(shared, clsp_image_plan_desc(plan, &got));
        assert_int_equal(got.order, order == 0 ? 3 : order);
        clsp_image_plan_destroy(&plan);
    }
}

/* Defaults stand in the description that a plan gives back. */
static void test_desc(void **state)
{
    (void)state;
    const clsp_image_desc d = {
        .size = {8, 9}, .samples = CLSP_U8, .prefilter = CLSP_IMAGE_TRUNCATED};
    clsp_image_desc got;
    clsp_image_plan *plan;

    assert_ok(shared, clsp_image_plan_create(&plan, shared, &d));
    assert_ok(shared, clsp_image_plan_desc(plan, &got));
    assert_true(got.directions == 2 && got.size[2] == 1 && got.channels == 1);
    assert_true(got.precision == CLSP_F32 && got.values == CLSP_U8);
    assert_true(got.coefficients == CLSP_F32 && got.order == CLSP_IMAGE_CUBIC);
    assert_true(got.mode[0] == CLSP_IMAGE_CONSTANT && got.mode[1] == CLSP_IMAGE_CONSTANT);
    assert_true(got.taps == 13 && got.rounding == CLSP_IMAGE_ROUND_EVEN);
    clsp_image_plan_destroy(&plan);
}

/* ---- convolutions of two directions at once ---- */

/* Returns the coefficients that kernels make of images, in the description's type. */
static unsigned char *coefficients_by(clsp_image_desc d, clsp_image_kernels kernels, size_t bytes)
{
    unsigned char *const got = poisoned(bytes);

    d.kernels = kernels;
    images im = images_make(shared, &d, 2, false, 5);
    assert_ok(shared, clsp_image_coefficients(im.plan, (clsp_range){0, 2},
                                              host_out(im.d.coefficients, got,
                                                       bytes / clsp_type_bytes(im.d.coefficients)),
                                              NULL));
    images_free(&im);
    return got;
}

/* Both directions in one pass give the bits of a pass for each: of every mode, few and many taps,
   images of one strip and of several, and volumes. */
static void test_fir_strips(void **state)
{
    (void)state;
    static const struct {
        clsp_image_desc d;
        clsp_type precision;
    } cases[] = {
        {{.size = {200, 500}, .taps = 15, .mode = {CLSP_IMAGE_GRID_WRAP, CLSP_IMAGE_MIRROR}},
         CLSP_F32},
        {{.size = {77, 49}, .taps = 3, .mode = {CLSP_IMAGE_REFLECT, CLSP_IMAGE_GRID_CONSTANT}},
         CLSP_F64},
        {{.size = {50, 260}, .taps = 33, .mode = {CLSP_IMAGE_GRID_CONSTANT, CLSP_IMAGE_WRAP}},
         CLSP_F32},
        {{.size = {64, 241},
          .taps = 17,
          .channels = 3,
          .samples = CLSP_U8,
          .values = CLSP_F32,
          .coefficients = CLSP_F16},
         CLSP_F32},
        {{.directions = 3, .size = {3, 60, 70}, .taps = 9, .channels = 2, .planar = 1}, CLSP_F32}};

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        clsp_image_desc d = cases[k].d;
        d.precision = cases[k].precision;
        d.prefilter = k % 2 ? CLSP_IMAGE_TRUNCATED : CLSP_IMAGE_LEAST_SQUARES;
        d.kernels = CLSP_IMAGE_TILES;
        if (d.precision == CLSP_F64 && !has_doubles(shared)) continue;
        if (kernels_are_refused(shared, &d)) continue;
        size_t bytes = 2 * clsp_type_bytes(d.coefficients ? d.coefficients : d.precision);
        for (int a = 0; a < (d.directions == 3 ? 3 : 2); a++)
            bytes *= d.size[a] + (d.mode[a] == CLSP_IMAGE_GRID_CONSTANT ? 2 * CLSP_IMAGE_PAD : 0);
        bytes *= d.channels ? d.channels : 1;
        unsigned char *const want = coefficients_by(d, CLSP_IMAGE_PASSES, bytes);
        unsigned char *const got = coefficients_by(d, CLSP_IMAGE_TILES, bytes);
        assert_memory_equal(got, want, bytes);
        free(want);
        free(got);
    }
}

static int start(void **state)
{
    (void)state;
    shared = shape_context();
    return 0;
}

static int finish(void **state)
{
    (void)state;
    clsp_context_destroy(&shared);
    return 0;
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_kinds),    cmocka_unit_test(test_input_kinds),
        cmocka_unit_test(test_ranges),          cmocka_unit_test(test_large),
        cmocka_unit_test(test_large_taps),      cmocka_unit_test(test_nan),
        cmocka_unit_test(test_far_coordinates), cmocka_unit_test(test_above_half),
        cmocka_unit_test(test_points_alone),    cmocka_unit_test(test_maps),
        cmocka_unit_test(test_rounding),        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_ramps),           cmocka_unit_test(test_wrong_descriptions),
        cmocka_unit_test(test_wrong_calls),     cmocka_unit_test(test_wrong_lists),
        cmocka_unit_test(test_overlap),         cmocka_unit_test(test_zero_map),
        cmocka_unit_test(test_type_names),      cmocka_unit_test(test_order_of_calls),
        cmocka_unit_test(test_orders),          cmocka_unit_test(test_desc),
        cmocka_unit_test(test_batches),         cmocka_unit_test(test_fir_strips)};

    return cmocka_run_group_tests(tests, start, finish);
}

int main(void)
{
    support_begin();
    return run_in_shapes(run);
}
