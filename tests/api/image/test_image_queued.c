/* Loads of images from buffers and SVM, which only enqueue: their order among other calls, and who
   waits for them. */
#include "image_fixture.h"

#include <stdlib.h>
#include <string.h>

static clsp_context *shared;

enum { FAILED = -9, ODD = 5 /* elements before samples */ };

/* Images that are loaded in turns, and what comes of each. */
typedef struct pair {
    images im; /* the first ones */
    void *second;
    store from[2];
    store to[2]; /* buffers that values of both go to */
    unsigned char *wanted[2];
    size_t size, bytes; /* of values */
} pair;

static clsp_status eval_into(clsp_image_plan *plan, size_t num, clsp_output out)
{
    return clsp_image_eval(plan, (clsp_range){0, num}, NULL, out, NULL);
}

/* Returns the values of images that were loaded from host memory, by a plan of their own. */
static unsigned char *values_of(const images *im, size_t num, const void *samples)
{
    const size_t size = num * im->samples * im->d.channels;
    unsigned char *const values = malloc(size * clsp_type_bytes(im->d.values));
    clsp_image_plan *plan;

    assert_non_null(values);
    assert_ok(im->ctx, clsp_image_plan_create(&plan, im->ctx, &im->d));
    assert_ok(im->ctx,
              clsp_image_set_samples(plan, num, host_in(im->d.samples, samples, size), NULL));
    assert_ok(im->ctx, eval_into(plan, num, host_out(im->d.values, values, size)));
    clsp_image_plan_destroy(&plan);
    return values;
}

static pair pair_make(clsp_context *ctx, const clsp_image_desc *d, store_kind kind)
{
    pair p = {.im = images_make(ctx, d, 2, false, 1)};
    images other = images_make(ctx, d, 2, false, 2);

    p.second = other.memory;
    other.memory = NULL;
    images_free(&other);
    p.size = 2 * p.im.samples * p.im.d.channels;
    p.bytes = p.size * clsp_type_bytes(p.im.d.values);
    for (int k = 0; k < 2; k++) {
        const void *const samples = k ? p.second : p.im.memory;
        p.from[k] = store_make(ctx, kind, p.im.d.samples, ODD, p.size, samples);
        p.to[k] = store_make(ctx, BUFFER, p.im.d.values, 3, p.size, NULL);
        p.wanted[k] = values_of(&p.im, 2, samples);
    }
    return p;
}

static void pair_free(pair *p)
{
    for (int k = 0; k < 2; k++) {
        store_free(&p->from[k]);
        store_free(&p->to[k]);
        free(p->wanted[k]);
    }
    free(p->second);
    images_free(&p->im);
}

static clsp_status load(const pair *p, int which, const clsp_run *run)
{
    return clsp_image_set_samples(p->im.plan, 2, store_in(&p->from[which]), run);
}

static cl_event new_gate(const clsp_context *ctx)
{
    cl_int code;
    const cl_event gate = clCreateUserEvent(cl_context_of(ctx), &code);

    assert_int_equal(code, CL_SUCCESS);
    return gate;
}

/* Loads behind a gate, which opens soon after; the load has returned before. */
static void load_behind(const pair *p, int which, support_gate *gate)
{
    const cl_event event = new_gate(p->im.ctx);
    cl_event done = NULL;
    cl_int status = -1;
    const clsp_run run = {.num_wait = 1, .wait = &event, .done = &done};

    if (support_waits(p->im.ctx)) {
        support_open_soon(gate, event);
        assert_ok(p->im.ctx, load(p, which, &run));
    } else {
        assert_ok(p->im.ctx, load(p, which, &run));
        assert_int_equal(
            clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
            CL_SUCCESS);
        assert_true(status > CL_COMPLETE);
        support_open_soon(gate, event);
    }
    clReleaseEvent(done);
}

/* ---- order ---- */

static void check_order(pair *p)
{
    clsp_context *const ctx = p->im.ctx;
    support_gate gate;

    load_behind(p, 0, &gate);
    assert_ok(ctx, eval_into(p->im.plan, 2, store_out(&p->to[0])));
    assert_ok(ctx, load(p, 1, NULL));
    assert_ok(ctx, eval_into(p->im.plan, 2, store_out(&p->to[1])));
    support_opened(&gate);
    for (int k = 0; k < 2; k++)
        assert_memory_equal(store_read(&p->to[k]), p->wanted[k], p->bytes);
}

/* Evaluations between loads have the images that were loaded last, of any description. */
static void test_order(void **state)
{
    (void)state;
    static const clsp_image_desc all[] = {
        {.size = {13, 17}},
        {.size = {13, 17}, .samples = CLSP_U8, .channels = 3, .order = CLSP_IMAGE_LINEAR},
        {.size = {40, 50}, .samples = CLSP_U16, .channels = 2, .planar = 1, .clip = 1},
        {.size = {13, 17}, .samples = CLSP_F16, .coefficients = CLSP_F16},
        {.size = {210, 220}, .coefficients = CLSP_F16, .prefilter = CLSP_IMAGE_TRUNCATED},
        {.size = {220, 210}, .mode = {CLSP_IMAGE_NEAREST}, .order = CLSP_IMAGE_QUINTIC},
        {.directions = 3, .size = {9, 10, 11}, .coefficients = CLSP_F16},
        {.directions = 3, .size = {40, 41, 42}},
        {.directions = 1, .size = {5000}, .storage = CLSP_IMAGE_ON_HOST},
        {.size = {13, 17}, .precision = CLSP_F64}};

    for (size_t k = 0; k < sizeof all / sizeof *all; k += support_full() ? 1 : 2)
        for (int kind = BUFFER; kind < STORE_KINDS; kind++) {
            if (!has_kind(shared, (store_kind)kind)) continue;
            if (all[k].precision == CLSP_F64 && !has_fp64(shared)) continue;
            if (all[k].storage == CLSP_IMAGE_ON_HOST && !support_is_own_cpu(shared)) continue;
            pair p = pair_make(shared, &all[k], (store_kind)kind);
            check_order(&p);
            pair_free(&p);
        }
}

static void test_out_of_order(void **state)
{
    (void)state;
    static const clsp_image_desc d = {.size = {60, 70}};
    clsp_device_info info;
    clsp_context *ctx;
    cl_int code;

    assert_ok(shared, clsp_context_device(shared, &info));
    const cl_command_queue queue = clCreateCommandQueue(
        cl_context_of(shared), info.id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code != CL_SUCCESS) skip_because("no such queues");
    assert_ok(NULL, clsp_context_create(&ctx, queue, NULL));
    clReleaseCommandQueue(queue);
    pair p = pair_make(ctx, &d, BUFFER);
    check_order(&p);
    pair_free(&p);
    clsp_context_destroy(&ctx);
}

/* Many loads follow each other, some with evaluations between. */
static void test_rows(void **state)
{
    (void)state;
    enum { NUM = 60 };
    static const clsp_image_desc d = {.size = {60, 70}};
    pair p = pair_make(shared, &d, BUFFER);
    support_gate gate;

    load_behind(&p, 0, &gate);
    for (int i = 0; i < NUM; i++) {
        assert_ok(shared, load(&p, i % 2, NULL));
        if (i % 7 == 0) assert_ok(shared, eval_into(p.im.plan, 2, store_out(&p.to[i % 2])));
    }
    support_opened(&gate);
    assert_ok(shared, eval_into(p.im.plan, 2, store_out(&p.to[NUM % 2])));
    assert_memory_equal(store_read(&p.to[NUM % 2]), p.wanted[1], p.bytes);
    assert_memory_equal(store_read(&p.to[1]), p.wanted[1], p.bytes);
    pair_free(&p);
}

/* Other numbers of images wait for what works on the ones before. */
static void test_numbers(void **state)
{
    (void)state;
    static const clsp_image_desc d = {.size = {60, 70}};
    pair p = pair_make(shared, &d, BUFFER);
    support_gate gate;

    unsigned char *const one = values_of(&p.im, 1, p.second);
    load_behind(&p, 0, &gate);
    assert_ok(shared, eval_into(p.im.plan, 2, store_out(&p.to[0])));
    assert_ok(shared, clsp_image_set_samples(p.im.plan, 1, store_in(&p.from[1]), NULL));
    assert_ok(shared, eval_into(p.im.plan, 1, store_out(&p.to[1])));
    support_opened(&gate);
    assert_memory_equal(store_read(&p.to[0]), p.wanted[0], p.bytes);
    assert_memory_equal(store_read(&p.to[1]), one, p.bytes / 2);
    assert_ok(shared, clsp_image_set_samples(p.im.plan, 0, store_in(&p.from[1]), NULL));
    assert_ok(shared, eval_into(p.im.plan, 0, store_out(&p.to[1])));
    assert_ok(shared, load(&p, 1, NULL));
    assert_ok(shared, eval_into(p.im.plan, 2, store_out(&p.to[1])));
    assert_memory_equal(store_read(&p.to[1]), p.wanted[1], p.bytes);
    free(one);
    pair_free(&p);
}

/* ---- who waits ---- */

typedef clsp_status (*read_fn)(const images *im, clsp_output out);

static clsp_status read_values(const images *im, clsp_output out)
{
    return eval_into(im->plan, 2, out);
}

static clsp_status read_coefficients(const images *im, clsp_output out)
{
    return clsp_image_coefficients(im->plan, (clsp_range){0, 2}, out, NULL);
}

static clsp_status read_tiles(const images *im, clsp_output out)
{
    return eval_by(CLSP_SCHEDULE_HOST, im, (clsp_range){0, 2}, NULL, out, NULL);
}

static clsp_status read_by_device(const images *im, clsp_output out)
{
    return eval_by(CLSP_SCHEDULE_DEVICE, im, (clsp_range){0, 2}, NULL, out, NULL);
}

static clsp_status read_shared(const images *im, clsp_output out)
{
    const clsp_share share = {.schedule = CLSP_SCHEDULE_HOST};

    return clsp_image_eval(im->plan, (clsp_range){0, 2}, NULL, out, &(clsp_run){.share = &share});
}

/* A call behind loads that have not begun gives what it gives behind those of host memory. */
static void check_reader(const clsp_image_desc *d, read_fn read, store_kind kind)
{
    pair p = pair_make(shared, d, BUFFER);
    store got = store_make(shared, kind, CLSP_F32, 3, p.size, NULL);
    store wanted = store_make(shared, kind, CLSP_F32, 3, p.size, NULL);
    const clsp_input second = host_in(p.im.d.samples, p.second, p.size);
    support_gate gate;

    assert_ok(shared, clsp_image_set_samples(p.im.plan, 2, second, NULL));
    assert_ok(shared, read(&p.im, store_out(&wanted)));
    assert_ok(shared, load(&p, 0, NULL));
    assert_ok(shared, read(&p.im, store_out(&got)));
    load_behind(&p, 1, &gate);
    assert_ok(shared, read(&p.im, store_out(&got)));
    support_opened(&gate);
    unsigned char *const right = malloc(p.bytes);
    assert_non_null(right);
    memcpy(right, store_read(&wanted), p.bytes);
    assert_memory_equal(store_read(&got), right, p.bytes);
    free(right);
    store_free(&got);
    store_free(&wanted);
    pair_free(&p);
}

static void test_readers(void **state)
{
    (void)state;
    static const read_fn readers[] = {read_values, read_coefficients, read_tiles, read_by_device,
                                      read_shared};
    static const clsp_image_desc all[] = {
        {.size = {60, 70}},
        {.size = {210, 220}},
        {.size = {60, 70}, .kernels = CLSP_IMAGE_PASSES},
        {.size = {60, 70}, .fetch = CLSP_IMAGE_TEXELS},
    };

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (all[k].fetch != CLSP_IMAGE_FETCH_DEFAULT && !support_has_texels(shared)) continue;
        for (size_t r = 0; r < sizeof readers / sizeof *readers; r++)
            check_reader(&all[k], readers[r], HOST);
        check_reader(&all[k], read_values, BUFFER);
        check_reader(&all[k], read_coefficients, BUFFER);
    }
}

/* Loads of host memory, and of a part of a buffer, have their turn behind others. */
static void test_other_loads(void **state)
{
    (void)state;
    static const clsp_image_desc d = {.size = {60, 70}};
    pair p = pair_make(shared, &d, BUFFER);
    support_gate gate;
    cl_int code;
    const size_t element = sizeof(float), begin = 4096;
    char *const memory = malloc(begin + p.bytes);

    assert_non_null(memory);
    memcpy(memory + begin, p.second, p.bytes);
    cl_mem whole = clCreateBuffer(cl_context_of(shared), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                  begin + p.bytes, memory, &code);
    assert_int_equal(code, CL_SUCCESS);
    const cl_buffer_region region = {begin, p.size * element};
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    assert_int_equal(code, CL_SUCCESS);
    const clsp_input inputs[] = {host_in(CLSP_F32, p.second, p.size),
                                 clsp_in_buffer(part, CLSP_F32, 0)};
    for (int k = 0; k < 2; k++) {
        load_behind(&p, 0, &gate);
        assert_ok(shared, eval_into(p.im.plan, 2, store_out(&p.to[0])));
        assert_ok(shared, clsp_image_set_samples(p.im.plan, 2, inputs[k], NULL));
        assert_ok(shared, eval_into(p.im.plan, 2, store_out(&p.to[1])));
        support_opened(&gate);
        for (int i = 0; i < 2; i++)
            assert_memory_equal(store_read(&p.to[i]), p.wanted[i], p.bytes);
    }
    clReleaseMemObject(part);
    clReleaseMemObject(whole);
    free(memory);
    pair_free(&p);
}

/* What cannot be loaded leaves the images as they are. */
static void test_refused(void **state)
{
    (void)state;
    static const clsp_image_desc d = {.size = {13, 17}};
    pair p = pair_make(shared, &d, BUFFER);
    clsp_input wrong = store_in(&p.from[1]);

    assert_ok(shared, load(&p, 0, NULL));
    assert_status(shared, clsp_image_set_samples(p.im.plan, 3, wrong, NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    wrong.type = CLSP_U8;
    assert_status(shared, clsp_image_set_samples(p.im.plan, 1, wrong, NULL), CLSP_ERROR_ARGUMENT);
    assert_ok(shared, eval_into(p.im.plan, 2, store_out(&p.to[0])));
    assert_memory_equal(store_read(&p.to[0]), p.wanted[0], p.bytes);
    pair_free(&p);
}

/* ---- ends ---- */

/* The plan and the samples end behind a load that has not begun. */
static void test_ends(void **state)
{
    (void)state;
    static const clsp_image_desc d = {.size = {60, 70}};

    for (int k = 0; k < 2; k++) {
        pair p = pair_make(shared, &d, BUFFER);
        support_gate gate;
        load_behind(&p, 0, &gate);
        if (k) assert_ok(shared, eval_into(p.im.plan, 2, store_out(&p.to[0])));
        store_free(&p.from[0]);
        p.from[0] = store_make(shared, HOST, CLSP_F32, 0, 1, NULL);
        clsp_image_plan_destroy(&p.im.plan);
        support_opened(&gate);
        if (k) assert_memory_equal(store_read(&p.to[0]), p.wanted[0], p.bytes);
        pair_free(&p);
    }
}

/* A load whose list fails is made good by the next one. Commands that follow each other behind such
   a list may end the process on PoCL, and one that is enqueued behind may never end. */
static void test_failed_list(void **state)
{
    (void)state;
    static const clsp_image_desc d = {.size = {60, 70}};
    cl_event done = NULL;

    if (!support_is_own_cpu(shared) || !support_events_may_fail(shared))
        skip_because("a failed event may end the process");
    pair p = pair_make(shared, &d, BUFFER);
    const cl_event failed = new_gate(shared);
    const clsp_run run = {.num_wait = 1, .wait = &failed, .done = &done};
    const bool waits = support_waits(shared);
    if (waits) assert_int_equal(clSetUserEventStatus(failed, FAILED), CL_SUCCESS);
    const clsp_status status = load(&p, 0, &run);
    assert_true(waits == (status != CLSP_OK));
    if (!waits) assert_int_equal(clSetUserEventStatus(failed, FAILED), CL_SUCCESS);
    if (!waits) assert_int_not_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    if (done) clReleaseEvent(done);
    clReleaseEvent(failed);
    assert_ok(shared, load(&p, 1, NULL));
    assert_ok(shared, eval_into(p.im.plan, 2, store_out(&p.to[1])));
    assert_memory_equal(store_read(&p.to[1]), p.wanted[1], p.bytes);
    pair_free(&p);
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
        cmocka_unit_test(test_order),       cmocka_unit_test(test_out_of_order),
        cmocka_unit_test(test_rows),        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_readers),     cmocka_unit_test(test_other_loads),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_ends),
        cmocka_unit_test(test_failed_list),
    };

    return cmocka_run_group_tests(tests, start, finish);
}

int main(void)
{
    const int none = support_no_device();

    return none ? none : run_in_shapes(run);
}
