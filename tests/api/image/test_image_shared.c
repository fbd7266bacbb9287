/* Images that devices and the host's cores interpolate together: every schedule against the calls
   of the device alone, at maps, coordinates and displacements in every mode, order, type and
   layout; what the reports say, joined devices, devices that drop out, and wrong arguments. */
#include "image_fixture.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "schedule_fixture.h"

typedef enum places { MAP, FIELD, POINTS, PLACES } places;

typedef struct image_case {
    const char *name;
    clsp_image_desc d;
    uint32_t out[3]; /* the map's size */
    uint32_t attributes;
} image_case;

/* Images with what is asked of them, and what the device alone makes of it. */
typedef struct image_job {
    image_case c;
    images im;
    places at;
    clsp_image_map map;
    size_t points, size, bytes; /* points of an image; elements and bytes of the values */
    void *given;                /* displacements or coordinates */
    unsigned char *reference;
} image_job;

enum { NUM = 2 };

static double worst;

/* ---- calls ---- */

static clsp_image_map turned(const image_case *c)
{
    clsp_image_map map = clsp_image_identity();

    for (uint32_t d = 0; d < 3; d++) {
        map.matrix[d][0] = 0.11 + 0.7 * (d == 0);
        map.matrix[d][1] = -0.23 + 1.2 * (d == 1);
        map.matrix[d][2] = 0.31 + 0.6 * (d == 2);
        map.matrix[d][3] = -3.7003 * (d + 1); /* no point is where modes jump */
        map.size[d] = c->out[d];
    }
    map.attributes = c->attributes;
    return map;
}

static void *random_given(const image_job *j)
{
    const clsp_type type = j->im.d.precision;
    const size_t num = j->im.d.directions * j->points;
    void *const given = malloc(num * sizeof(double) + 1);
    uint64_t state = 77;

    assert_non_null(given);
    for (size_t k = 0; k < num; k++) {
        const uint32_t d = (uint32_t)(k / j->points);
        const double along = (double)(k % j->points) / (double)j->points;
        const double x = support_uniform(&state);
        set_element(given, type, k,
                    j->at == POINTS ? (1.2 * along - 0.1) * j->im.d.size[d] + 2.0 * x : 4.0 * x);
    }
    if (num > 9) set_element(given, type, 7, (double)NAN);
    return given;
}

/* Where the points of a job are, with what they are given in host memory. */
static clsp_image_map places_at(const image_job *j, const void *reals)
{
    const clsp_input given = host_in(j->im.d.precision, reals, j->im.d.directions * j->points);

    return j->at == POINTS  ? list_of(j->points, given, j->c.attributes)
           : j->at == FIELD ? displaced_by(j->map, given)
                            : j->map;
}

static clsp_image_map places_of(const image_job *j)
{
    return places_at(j, j->given);
}

static clsp_output values_of(const image_job *j, void *out)
{
    return host_out(j->im.d.values, out, j->size);
}

static clsp_status alone(const image_job *j, void *out)
{
    const clsp_image_map map = places_of(j);

    return eval_by(CLSP_SCHEDULE_DEVICE, &j->im, (clsp_range){0, j->im.num}, &map,
                   values_of(j, out), NULL);
}

static clsp_status together(void *work, void *out, const clsp_share *opts, clsp_report *report)
{
    static const clsp_share defaults;
    const image_job *const j = work;
    const clsp_image_map map = places_of(j);
    const clsp_run run = {.share = opts ? opts : &defaults, .report = report};

    return clsp_image_eval(j->im.plan, (clsp_range){0, j->im.num}, &map, values_of(j, out), &run);
}

/* ---- jobs ---- */

static void make_reference_values(image_job *j)
{
    support_poison(j->reference, j->bytes);
    assert_ok(j->im.ctx, alone(j, j->reference));
}

static image_job start_job(clsp_context *ctx, const image_case *c, places at)
{
    image_job j = {.c = *c, .im = images_make(ctx, &c->d, NUM, false, 5), .at = at, .points = 1};

    j.map = turned(c);
    for (uint32_t d = 0; d < j.im.d.directions; d++)
        j.points *= c->out[d] > 0 ? c->out[d] : j.im.d.size[d];
    j.given = random_given(&j);
    j.size = output_size(&j.im, j.points, c->attributes);
    j.bytes = j.size * clsp_type_bytes(j.im.d.values);
    j.reference = malloc(j.bytes + 1);
    assert_non_null(j.reference);
    make_reference_values(&j);
    return j;
}

static void finish_job(image_job *j)
{
    free(j->reference);
    free(j->given);
    images_free(&j->im);
}

/* How far two processors may be apart: by weights, sums and gains of the coefficients. */
static double bound_of(const image_job *j)
{
    const clsp_image_desc *const d = &j->im.d;
    const double whole = d->values == CLSP_U8 || d->values == CLSP_U16 || d->values == CLSP_S16;
    const double scale = d->samples == CLSP_U8                              ? 1020.0
                         : d->samples == CLSP_U16 || d->samples == CLSP_S16 ? 262140.0
                                                                            : 16.0;

    double reach = 1.0;
    for (uint32_t k = 0; k < 3; k++)
        reach += 2.0 * (j->map.size[k] > 0 ? j->map.size[k] : d->size[k]);
    /* coordinates are kept to 2^-28, or rounded, by which slopes count */
    const double shift = d->precision == CLSP_F32 ? 0x1p-26 : 0x1p-50 * reach;
    return (4.0 * unit_of(d->precision) + 2.0 * shift) * scale +
           (whole > 0 ? 1.0 : scale * unit_of(d->values));
}

static void check_values(void *work, const unsigned char *got, bool same_bits)
{
    const image_job *const j = work;
    const double bound = bound_of(j);

    if (memcmp(got, j->reference, j->bytes) == 0) return;
    if (same_bits) fail_msg("%s: other bits", j->c.name);
    for (size_t k = 0; k < j->size; k++) {
        const double x = element_of(got, j->im.d.values, k);
        const double y = element_of(j->reference, j->im.d.values, k);
        const double error = isnan(x) && isnan(y) ? 0.0 : x == y ? 0.0 : fabs(x - y);
        if (error / bound > worst) worst = error / bound;
        if (!(error <= bound))
            fail_msg("%s, place %d: %g instead of %g at %zu", j->c.name, (int)j->at, x, y, k);
    }
}

/* ---- every schedule ---- */

static shared_call call_of(image_job *j)
{
    return (shared_call){.name = j->c.name,
                         .ctx = j->im.ctx,
                         .bytes = j->bytes,
                         .element = clsp_type_bytes(j->im.d.values),
                         .host = true,
                         .work = j,
                         .call = together,
                         .check = check_values};
}

static const image_case cases[] = {
    {"cubic", {.size = {61, 83}, .mode = {CLSP_IMAGE_MIRROR, CLSP_IMAGE_MIRROR}}, {70, 90, 0}, 0},
    {"grid-wrap",
     {.size = {37, 300}, .mode = {CLSP_IMAGE_GRID_WRAP, CLSP_IMAGE_GRID_WRAP}},
     {0},
     3},
    {"constant, far", {.size = {50, 33}, .cval = 0.5}, {120, 111, 0}, 0},
    {"nearest and grid-constant",
     {.size = {40, 44},
      .mode = {CLSP_IMAGE_NEAREST, CLSP_IMAGE_GRID_CONSTANT},
      .cval = -1.5,
      .channels = 3},
     {0},
     0},
    {"wrap",
     {.size = {31, 47}, .mode = {CLSP_IMAGE_WRAP, CLSP_IMAGE_REFLECT}, .channels = 2, .planar = 1},
     {64, 64, 0},
     0},
    {"u8", {.size = {64, 70}, .samples = CLSP_U8, .clip = 1, .channels = 3}, {0}, 0},
    {"s16 to f32",
     {.size = {30, 70}, .samples = CLSP_S16, .values = CLSP_F32, .order = CLSP_IMAGE_LINEAR},
     {0},
     0},
    {"halves",
     {.size = {45, 51},
      .samples = CLSP_F16,
      .coefficients = CLSP_F16,
      .order = CLSP_IMAGE_QUADRATIC},
     {0},
     1},
    {"quintic, gradient",
     {.size = {33, 41},
      .order = CLSP_IMAGE_QUINTIC,
      .mode = {CLSP_IMAGE_MIRROR, CLSP_IMAGE_NEAREST}},
     {0},
     2},
    {"quartic", {.size = {33, 41}, .order = CLSP_IMAGE_QUARTIC}, {0}, 1},
    {"a volume",
     {.directions = 3,
      .size = {17, 20, 23},
      .mode = {CLSP_IMAGE_REFLECT, CLSP_IMAGE_GRID_WRAP, CLSP_IMAGE_CONSTANT}},
     {15, 30, 21},
     3},
    {"a line", {.directions = 1, .size = {5000}, .mode = {CLSP_IMAGE_WRAP}}, {9000, 0, 0}, 3},
    {"a sample", {.size = {1, 1}}, {3, 3, 0}, 0},
    {"a long row", {.size = {2, 9001}, .mode = {CLSP_IMAGE_MIRROR, CLSP_IMAGE_MIRROR}}, {0}, 0},
};

static void check_cases(clsp_context *ctx, clsp_type precision)
{
    assert_ok(ctx, clsp_context_set_speeds(ctx, ""));
    for (size_t i = 0; i < COUNT(cases); i++) {
        image_case c = cases[i];
        if (!in_turn(i) || (support_tiny() && i % 4 != (precision == CLSP_F64))) continue;
        c.d.precision = precision;
        for (int at = 0; at < PLACES; at++) {
            if (!support_full() && at != MAP && (i + (size_t)at) % 2) continue;
            image_job j = start_job(ctx, &c, (places)at);
            const shared_call call = call_of(&j);
            for (size_t k = 0; k < SHARED_WAYS; k++)
                if (support_full() || at == MAP || (i + k) % 3 == 0)
                    shared_check_way(&call, (memory_kind)((i + k) % KINDS), &shared_ways[k]);
            finish_job(&j);
        }
    }
}

static void test_schedules(void **state)
{
    (void)state;
    each_turn(shared_limits, SHARED_LIMITS, 1, check_cases);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- calls without a share ---- */

/* Makes images one by one in memory that is not aligned, from such; returns where they begin. */
static unsigned char *make_one_by_one(const image_job *j, unsigned char *before)
{
    const size_t reals = j->im.d.directions * j->points * clsp_type_bytes(j->im.d.precision);
    const size_t each = j->size / NUM, bytes = j->bytes / NUM;
    unsigned char *const given = malloc(reals + 1), *const out = before + 1;

    assert_non_null(given);
    memcpy(given + 1, j->given, reals);
    const clsp_image_map map = places_at(j, given + 1);
    for (size_t i = 0; i < NUM; i++)
        assert_ok(j->im.ctx,
                  clsp_image_eval(j->im.plan, (clsp_range){i, 1}, &map,
                                  host_out(j->im.d.values, out + i * bytes, each), NULL));
    free(given);
    return out;
}

/* Makes all in memory that is not aligned, from such, by shares. */
static void check_unaligned_shares(const image_job *j)
{
    static const clsp_schedule schedules[] = {CLSP_SCHEDULE_HOST, CLSP_SCHEDULE_DYNAMIC};
    const size_t reals = j->im.d.directions * j->points * clsp_type_bytes(j->im.d.precision);
    unsigned char *const given = malloc(reals + 1), *const out = malloc(j->bytes + 1);

    assert_true(given && out);
    memcpy(given + 1, j->given, reals);
    const clsp_image_map map = places_at(j, given + 1);
    for (size_t k = 0; k < COUNT(schedules); k++) {
        const clsp_share share = {.schedule = schedules[k]};
        support_poison(out, j->bytes);
        assert_ok(j->im.ctx, clsp_image_eval(j->im.plan, (clsp_range){0, NUM}, &map,
                                             values_of(j, out + 1), &(clsp_run){.share = &share}));
        check_values((void *)j, out + 1, false);
    }
    free(given);
    free(out);
}

/* A call without a share has the bits of the device, or on CPUs of tiles that the calling thread
   makes; and it has these image by image. */
static void check_unshared(const image_job *j)
{
    const bool is_cpu = device_of(j->im.ctx).device_class == CLSP_CLASS_CPU;
    const clsp_range all = {0, NUM};
    const clsp_image_map map = places_of(j);
    unsigned char *const whole = malloc(j->bytes + 1), *const other = malloc(j->bytes + 2);

    assert_true(whole && other);
    support_poison(whole, j->bytes);
    assert_ok(j->im.ctx, clsp_image_eval(j->im.plan, all, &map, values_of(j, whole), NULL));
    check_values((void *)j, whole, true);
    check_unaligned_shares(j);
    assert_memory_equal(make_one_by_one(j, other), whole, j->bytes);
    assert_ok(j->im.ctx, eval_by(CLSP_SCHEDULE_HOST, &j->im, all, &map, values_of(j, other), NULL));
    check_values((void *)j, other, is_cpu);
    free(whole);
    free(other);
}

static void check_all_unshared(const char *limits, clsp_type precision)
{
    clsp_context *ctx = context_with(limits);

    if (precision == CLSP_F64 && !device_of(ctx).fp64) precision = CLSP_F32;
    for (size_t i = 0; i < COUNT(cases); i++) {
        image_case c = cases[i];
        c.d.precision = precision;
        for (int at = 0; at < PLACES; at++) {
            if (support_tiny() && (i + (size_t)at) % 5) continue;
            if (*limits && !support_full() && (i + (size_t)at + precision) % 3) continue;
            image_job j = start_job(ctx, &c, (places)at);
            check_unshared(&j);
            finish_job(&j);
        }
    }
    clsp_context_destroy(&ctx);
}

static void test_unshared(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARED_LIMITS; i++) {
        check_all_unshared(shared_limits[i], CLSP_F32);
        check_all_unshared(shared_limits[i], CLSP_F64);
    }
    print_message("worst/bound %.2f\n", worst);
}

/* What an in-order queue holds is over before host memory is written: here a copy of it. */
static void test_queue(void **state)
{
    clsp_context *ctx = context_with("");
    image_job j = start_job(ctx, &cases[0], MAP);
    const clsp_image_map map = places_of(&j);
    unsigned char *const out = malloc(j.bytes), *const copy = calloc(1, j.bytes);

    (void)state;
    assert_true(out && copy);
    cl_mem buffer = buffer_of(ctx, j.bytes, copy);
    for (int i = 0; i < 20; i++) {
        support_poison(out, j.bytes);
        assert_int_equal(clEnqueueWriteBuffer(clsp_context_queue(ctx), buffer, CL_FALSE, 0, j.bytes,
                                              out, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_ok(ctx,
                  clsp_image_eval(j.im.plan, (clsp_range){0, NUM}, &map, values_of(&j, out), NULL));
        read_buffer(ctx, buffer, j.bytes, copy);
        assert_true(support_poisoned(copy, j.bytes));
    }
    clReleaseMemObject(buffer);
    free(out);
    free(copy);
    finish_job(&j);
    clsp_context_destroy(&ctx);
}

/* A plan that loads and interpolates again and again, each time with the same result. */
typedef struct caller {
    image_job j;
    unsigned char *wanted, *got;
    clsp_status status;
    bool is_same;
} caller;

static void *call_often(void *argument)
{
    caller *const c = argument;
    const images *const im = &c->j.im;
    const clsp_image_map map = places_of(&c->j);
    const size_t num = im->num * im->samples * im->d.channels;

    for (int i = 0; i < 20 && c->status == CLSP_OK; i++) {
        support_poison(c->got, c->j.bytes);
        c->status = clsp_image_set_samples(im->plan, im->num,
                                           host_in(im->d.samples, im->memory, num), NULL);
        if (c->status == CLSP_OK)
            c->status = clsp_image_eval(im->plan, (clsp_range){0, NUM}, &map,
                                        values_of(&c->j, c->got), NULL);
        c->is_same = c->is_same && memcmp(c->got, c->wanted, c->j.bytes) == 0;
    }
    return NULL;
}

static caller caller_of(clsp_context *ctx, size_t number)
{
    caller c = {.j = start_job(ctx, &cases[number], MAP), .is_same = true};
    const clsp_image_map map = places_of(&c.j);

    c.wanted = malloc(c.j.bytes);
    c.got = malloc(c.j.bytes);
    assert_true(c.wanted && c.got);
    assert_ok(ctx, clsp_image_eval(c.j.im.plan, (clsp_range){0, NUM}, &map,
                                   values_of(&c.j, c.wanted), NULL));
    return c;
}

/* Two plans of one context at once, by two threads: one of them may get no workers. */
static void test_two_plans(void **state)
{
    clsp_context *ctx = context_with("");
    caller callers[2];
    pthread_t thread;

    (void)state;
    shared_skip_on_oclgrind();
    assert_ok(ctx, clsp_context_set_workers(ctx, 2));
    for (size_t i = 0; i < 2; i++)
        callers[i] = caller_of(ctx, i == 0 ? 0 : 5);
    assert_int_equal(pthread_create(&thread, NULL, call_often, &callers[0]), 0);
    call_often(&callers[1]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (int i = 0; i < 2; i++) {
        assert_ok(ctx, callers[i].status);
        assert_true(callers[i].is_same);
        free(callers[i].wanted);
        free(callers[i].got);
        finish_job(&callers[i].j);
    }
    clsp_context_destroy(&ctx);
}

/* Samples that an in-order queue is still to write are read after that. */
static void test_queue_of_samples(void **state)
{
    clsp_context *ctx = context_with("");
    image_job j = start_job(ctx, &cases[0], MAP);
    const size_t num = j.im.num * j.im.samples, bytes = num * clsp_type_bytes(j.im.d.samples);
    unsigned char *const wanted = malloc(j.bytes), *const got = malloc(j.bytes);
    cl_mem buffer = buffer_of(ctx, bytes, j.im.memory);

    (void)state;
    assert_true(wanted && got);
    assert_ok(ctx, alone(&j, wanted));
    for (int i = 0; i < 20; i++) {
        memset(j.im.memory, 0, bytes);
        assert_int_equal(clEnqueueReadBuffer(clsp_context_queue(ctx), buffer, CL_FALSE, 0, bytes,
                                             j.im.memory, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_ok(ctx, clsp_image_set_samples(j.im.plan, j.im.num,
                                              host_in(j.im.d.samples, j.im.memory, num), NULL));
        assert_ok(ctx, alone(&j, got));
        assert_memory_equal(got, wanted, j.bytes);
    }
    clReleaseMemObject(buffer);
    free(wanted);
    free(got);
    finish_job(&j);
    clsp_context_destroy(&ctx);
}

/* ---- several devices, images that change ---- */

static void load_others(image_job *j)
{
    const size_t all = j->im.num * j->im.samples * j->im.d.channels;
    unsigned char *const bytes = j->im.memory;
    const size_t element = clsp_type_bytes(j->im.d.samples);

    for (size_t k = 0; k + element < all * element; k += element) { /* exchange neighbours */
        unsigned char kept[8];
        memcpy(kept, bytes + k, element);
        memmove(bytes + k, bytes + k + element, element);
        memcpy(bytes + k + element, kept, element);
        k += element;
    }
    assert_ok(j->im.ctx, clsp_image_set_samples(j->im.plan, j->im.num,
                                                host_in(j->im.d.samples, j->im.memory, all), NULL));
    make_reference_values(j);
}

/* Two contexts of one device: the joined one gets windows, and its bits are the same. limits: of
   the joined one. */
static void check_joined(const char *limits)
{
    static const clsp_share devices[] = {
        {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = -1},
        {.schedule = CLSP_SCHEDULE_DYNAMIC, .num_workers = CLSP_NO_WORKERS},
        {.schedule = CLSP_SCHEDULE_DYNAMIC}};
    clsp_context *ctx = context_with(shared_limits[1]), *other = context_apart(limits);
    uint64_t tiles = 0;
    clsp_report r;

    assert_ok(ctx, clsp_context_set_speeds(ctx, ""));
    assert_ok(ctx, clsp_context_join(ctx, other));
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int at = 0; at < PLACES; at++) {
            if (support_tiny() && (i + (size_t)at) % 5) continue;
            if (!support_full() && (i % 4 || (i / 4 + (size_t)at) % 3)) continue;
            image_job j = start_job(ctx, &cases[i], (places)at);
            const shared_call call = call_of(&j);
            for (size_t k = 0; k < 2 * COUNT(devices); k++) {
                if (k == COUNT(devices)) load_others(&j);
                shared_check_call(&call, (memory_kind)(k % 2), &devices[k % 3], 3, true, &r);
                tiles += r.processors[1].tiles;
            }
            finish_job(&j);
        }
    assert_true(tiles > 0);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

static void test_same_device_twice(void **state)
{
    (void)state;
    shared_skip_on_oclgrind();
    check_joined(shared_limits[1]);
    check_joined("class=discrete,local_is_real=1,vendor=NVIDIA,alloc=20000");
}

/* A joined device gets all coefficients with the second call, again after each load. */
static void test_all_coefficients(void **state)
{
    static const clsp_share bits = {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = -1};
    clsp_context *ctx = context_with(shared_limits[1]), *other = context_apart(shared_limits[1]);
    image_case c = cases[0];
    clsp_report r;

    (void)state;
    shared_skip_on_oclgrind();
    c.d.channels = 4;
    c.d.planar = 1; /* a window is of one channel */
    assert_ok(ctx, clsp_context_set_speeds(ctx, ""));
    assert_ok(ctx, clsp_context_join(ctx, other));
    image_job j = start_job(ctx, &c, MAP);
    const shared_call call = call_of(&j);
    for (int load = 0; load < 3; load++) {
        uint64_t tiles = 0;
        if (load > 0) load_others(&j);
        for (int k = 0; k < 5; k++) {
            shared_check_call(&call, PLAIN, &bits, 3, true, &r);
            tiles += r.processors[1].tiles;
        }
        assert_true(tiles > 0);
    }
    finish_job(&j);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

/* Where no host takes part a discrete device filters by itself; the bits are those of any load. */
static void test_lone_load(void **state)
{
    static const clsp_share defaults = {.bit_equal = 1},
                            device = {.schedule = CLSP_SCHEDULE_DEVICE};
    clsp_context *ctx = context_with("class=discrete"), *other = context_apart("class=discrete");

    (void)state;
    shared_skip_on_oclgrind();
    assert_ok(ctx, clsp_context_set_speeds(ctx, ""));
    assert_ok(ctx, clsp_context_join(ctx, other));
    image_job j = start_job(ctx, &cases[0], MAP);
    unsigned char *const got = malloc(j.bytes);
    assert_non_null(got);
    for (int k = 0; k < 2; k++) {
        const size_t all = j.im.num * j.im.samples * j.im.d.channels;
        clsp_report r;
        const clsp_run run = {.share = k == 0 ? &defaults : &device, .report = &r};
        assert_ok(ctx, clsp_image_set_samples(j.im.plan, j.im.num,
                                              host_in(j.im.d.samples, j.im.memory, all), &run));
        check_report(&r, 3);
        assert_int_equal(r.schedule, CLSP_SCHEDULE_DEVICE);
        assert_ok(ctx, alone(&j, got));
        assert_memory_equal(got, j.reference, j.bytes);
    }
    free(got);
    finish_job(&j);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

static void check_dropping(clsp_context *ctx)
{
    image_case c = cases[0];
    c.d.precision = CLSP_F64;
    image_job j = start_job(ctx, &c, MAP);
    const shared_call call = call_of(&j);

    shared_check_drop_out(&call, PLAIN);
    finish_job(&j);
}

/* A joined device without doubles drops out, and the others make its tiles. */
static void test_drops_out(void **state)
{
    (void)state;
    shared_with_drop_out(check_dropping);
}

/* ---- the call ---- */

static void test_auto(void **state)
{
    clsp_context *ctx = context_with("");
    image_job j = start_job(ctx, &cases[0], MAP);
    const shared_call call = call_of(&j);

    (void)state;
    shared_check_auto(&call, PLAIN);
    finish_job(&j);
    clsp_context_destroy(&ctx);
}

/* Shares a job with the defaults. */
static clsp_status share(clsp_image_plan *plan, clsp_range range, const clsp_image_map *map,
                         clsp_output values)
{
    static const clsp_share defaults;
    const clsp_run run = {.share = &defaults};

    return clsp_image_eval(plan, range, map, values, &run);
}

static void check_wrong_shares(const image_job *j, clsp_output good)
{
    const clsp_share wrong[] = {{.schedule = (clsp_schedule)CLSP_NUM_SCHEDULES},
                                {.static_ratio = 1.5},
                                {.bit_equal = 2},
                                {.tiles = {1000000, 1}},
                                {.tiles = {0, SIZE_MAX}},
                                {.measure = 1, .tiles = {0, 1}},
                                {.measure = 1, .schedule = CLSP_SCHEDULE_HOST},
                                {.reserved = {0, 1}}};
    const clsp_share defaults = {.schedule = CLSP_SCHEDULE_DEFAULT};
    const clsp_range all = {0, NUM};
    clsp_run run = {.report = &(clsp_report){.num_tiles = 0}};

    assert_int_equal(clsp_image_eval(j->im.plan, all, &j->map, good, &run), CLSP_ERROR_ARGUMENT);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        run.share = &wrong[i];
        assert_int_equal(clsp_image_eval(j->im.plan, all, &j->map, good, &run),
                         CLSP_ERROR_ARGUMENT);
    }
    run = (clsp_run){.share = &defaults, .reserved = {1}};
    assert_int_equal(clsp_image_eval(j->im.plan, all, &j->map, good, &run), CLSP_ERROR_ARGUMENT);
}

static void check_wrong(const image_job *j, clsp_output good, cl_mem buffer)
{
    const clsp_status bad = CLSP_ERROR_ARGUMENT;
    const clsp_range all = {0, NUM};
    const clsp_input given = places_of(j).displacements;
    const size_t num = j->im.d.directions * j->points;
    clsp_image_map map = displaced_by(j->map, given);
    clsp_image_plan *const plan = j->im.plan;

    check_wrong_shares(j, good);
    assert_int_equal(share(NULL, all, NULL, good), bad);
    assert_int_equal(share(plan, (clsp_range){1, NUM}, NULL, good), bad);
    assert_int_equal(share(plan, all, &j->map, clsp_out_buffer(buffer, CLSP_F32, 0)), bad);
    good.size--;
    assert_int_equal(share(plan, all, &j->map, good), CLSP_ERROR_BUFFER_SIZE);
    good.size++;
    map.displacements = clsp_in_buffer(buffer, CLSP_F32, 0);
    assert_int_equal(share(plan, all, &map, good), bad);
    map.displacements = given;
    map.reserved[0] = 1;
    assert_int_equal(share(plan, all, &map, good), bad);
    map.reserved[0] = 0;
    map.displacements.size = num - 1;
    assert_int_equal(share(plan, all, &map, good), CLSP_ERROR_BUFFER_SIZE);
    map = list_of(j->points, given, 4);
    assert_int_equal(share(plan, all, &map, good), bad);
    map = list_of(SIZE_MAX - 1, given, 0);
    assert_int_equal(share(plan, all, &map, good), CLSP_ERROR_NO_MEMORY);
    map = list_of(0, given, 0); /* is nothing to do */
    assert_ok(j->im.ctx, share(plan, all, &map, good));
}

/* Loading samples can be shared as a whole alone, and reading coefficients not at all. */
static void check_wrong_loading(const image_job *j, clsp_output good)
{
    const clsp_share wrong[] = {{.tiles = {0, 1}}, {.measure = 1}},
                     defaults = {.schedule = CLSP_SCHEDULE_DEFAULT};
    const size_t all = j->im.num * j->im.samples * j->im.d.channels;
    const clsp_input samples = host_in(j->im.d.samples, j->im.memory, all);
    clsp_tiling tiling;
    clsp_run run = {.tiling = &tiling};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        const clsp_run one = {.share = &wrong[i]};
        assert_int_equal(clsp_image_set_samples(j->im.plan, j->im.num, samples, &one),
                         CLSP_ERROR_ARGUMENT);
    }
    assert_int_equal(clsp_image_set_samples(j->im.plan, j->im.num, samples, &run),
                     CLSP_ERROR_ARGUMENT);
    run.share = &defaults;
    assert_int_equal(clsp_image_set_samples(j->im.plan, j->im.num, samples, &run),
                     CLSP_ERROR_ARGUMENT);
    run.tiling = NULL;
    assert_int_equal(clsp_image_coefficients(j->im.plan, (clsp_range){0, 1}, good, &run),
                     CLSP_ERROR_ARGUMENT);
}

static void test_wrong_arguments(void **state)
{
    clsp_context *ctx = context_with("");
    image_job j = start_job(ctx, &cases[0], FIELD);
    memory m = take_memory(ctx, PLAIN, j.bytes, 4);
    cl_mem buffer = buffer_of(ctx, j.bytes, NULL);
    clsp_image_plan *plan;

    (void)state;
    check_wrong(&j, values_of(&j, m.out), buffer);
    check_wrong_loading(&j, values_of(&j, m.out));
    assert_ok(ctx, clsp_image_plan_create(&plan, ctx, &cases[0].d));
    assert_int_equal(share(plan, (clsp_range){0, 1}, NULL, values_of(&j, m.out)), CLSP_ERROR_STATE);
    clsp_image_plan_destroy(&plan);
    assert_poison(m.out, m.bytes);
    clReleaseMemObject(buffer);
    free_memory(&m);
    finish_job(&j);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedules),       cmocka_unit_test(test_unshared),
        cmocka_unit_test(test_queue),           cmocka_unit_test(test_queue_of_samples),
        cmocka_unit_test(test_two_plans),       cmocka_unit_test(test_same_device_twice),
        cmocka_unit_test(test_drops_out),       cmocka_unit_test(test_auto),
        cmocka_unit_test(test_wrong_arguments), cmocka_unit_test(test_all_coefficients),
        cmocka_unit_test(test_lone_load),
    };

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
