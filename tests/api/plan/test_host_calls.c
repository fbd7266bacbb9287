/* Calls without a share into host memory, which the host's threads make where the device is the
   host's own CPU: the same bits however a batch is split, in memory at any address, and from
   several threads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "shared_fixture.h"
#include "support.h"
#include "tile_fixture.h"

enum { MANY = 200, MANY_SAMPLES = 64 };

static clsp_status eval_alone(const shared *j, size_t first, size_t count, void *out)
{
    const size_t elements = j->bytes / j->l.element / j->s.count * count;

    return clsp_patch_eval(j->plan, (clsp_range){first, count}, host_out(j->l.type, out, elements),
                           NULL);
}

/* ---- bits ---- */

/* Makes a batch whole and patch by patch, in memory of a kind. */
static void check_parts(shared *j, memory_kind kind)
{
    const size_t patch = j->bytes / j->s.count;
    memory whole = take_memory(j->ctx, kind, j->bytes, j->l.element);
    memory parts = take_memory(j->ctx, kind, j->bytes, j->l.element);

    assert_int_equal(eval_alone(j, j->s.first, j->s.count, whole.out), CLSP_OK);
    for (size_t i = 0; i < j->s.count; i++)
        assert_int_equal(eval_alone(j, j->s.first + i, 1, parts.out + i * patch), CLSP_OK);
    assert_memory_equal(whole.out, parts.out, j->bytes);
    check_oracle(j, whole.out);
    check_all(j, whole.out);
    free_memory(&whole);
    free_memory(&parts);
}

/* Tells whether a call has the bits of the device's, or those of the calling thread's tiles. */
static bool is_of_either(shared *j)
{
    const clsp_range patches = {j->s.first, j->s.count};
    unsigned char *const got = malloc(j->bytes), *const by_host = malloc(j->bytes);
    bool same;

    assert_true(got && by_host);
    memset(got, POISON, j->bytes);
    memset(by_host, POISON, j->bytes);
    assert_int_equal(eval_alone(j, j->s.first, j->s.count, got), CLSP_OK);
    same = memcmp(got, j->reference, j->bytes) == 0;
    if (!same && device_of(j->ctx).device_class == CLSP_CLASS_CPU && host_can(j)) {
        const clsp_output out = host_out(j->l.type, by_host, j->bytes / j->l.element);
        assert_int_equal(eval_by_caller(j->plan, patches, out), CLSP_OK);
        same = memcmp(got, by_host, j->bytes) == 0;
    }
    free(got);
    free(by_host);
    return same;
}

static void check_bits_of(clsp_type precision)
{
    clsp_context *ctx = context_with("");

    if (precision == CLSP_F64 && !device_of(ctx).fp64) precision = CLSP_F32;
    for (size_t i = 0; i < SHARED_SHAPES; i++) {
        const shape s = reduced(&shared_shapes[i]);
        if (!shape_in_turn(i, precision) || s.count == 0 || (tiny() && i % 4 != 1)) continue;
        shared j = shared_start(ctx, &s, precision);
        check_parts(&j, i % 2 ? PLAIN : UNALIGNED);
        if (!is_of_either(&j)) fail_msg("%s: bits of nobody's", s.name);
        reload(&j);
        make_reference(&j);
        check_parts(&j, SHARED);
        shared_finish(&j);
    }
    clsp_context_destroy(&ctx);
}

static void test_bits_f32(void **state)
{
    (void)state;
    check_bits_of(CLSP_F32);
}

static void test_bits_f64(void **state)
{
    (void)state;
    check_bits_of(CLSP_F64);
}

/* Small patches one by one and all at once, which others make where that is faster. */
static void check_small(clsp_type precision, uint32_t degree)
{
    enum { NUM = 600 };
    const size_t num = tiny() ? 3 : NUM;
    const shape s = {
        "small", {.degree = {degree, 3}, .axis = {{.num = 8}, {.num = 7}}}, num, 0, num, 0};
    clsp_context *ctx = context_with("");

    if (precision == CLSP_F64 && !device_of(ctx).fp64) precision = CLSP_F32;
    shared j = shared_start(ctx, &s, precision);
    check_parts(&j, PLAIN);
    assert_true(is_of_either(&j));
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

static void test_small(void **state)
{
    (void)state;
    for (uint32_t degree = 1; degree < 40; degree += 6) {
        check_small(CLSP_F32, degree);
        check_small(CLSP_F64, degree);
    }
}

/* ---- threads ---- */

/* A batch that is large enough for several threads, or a part of it. */
typedef struct caller {
    shared j;
    unsigned char *out;
    clsp_status status;
} caller;

static void *call_often(void *argument)
{
    caller *const c = argument;

    for (int i = 0; i < 5 && c->status == CLSP_OK; i++) {
        memset(c->out, POISON, c->j.bytes);
        c->status = eval_alone(&c->j, 0, c->j.s.count, c->out);
    }
    return NULL;
}

static caller caller_of(clsp_context *ctx)
{
    const size_t num = tiny() ? 3 : MANY;
    const shape s = {
        "many", {.degree = {3, 2}, .axis = {{.num = MANY_SAMPLES}, {.num = MANY_SAMPLES}}},
        num,    0,
        num,    0};
    caller c = {.j = shared_start(ctx, &s, CLSP_F32)};

    c.out = malloc(c.j.bytes);
    assert_non_null(c.out);
    return c;
}

/* Two plans of one context at once: one of them gets no workers. */
static void test_two_plans(void **state)
{
    clsp_context *ctx = context_with("");
    caller callers[2];
    pthread_t thread;

    (void)state;
    shared_skip_on_oclgrind();
    assert_int_equal(clsp_context_set_workers(ctx, 2), CLSP_OK);
    for (int i = 0; i < 2; i++)
        callers[i] = caller_of(ctx);
    assert_int_equal(pthread_create(&thread, NULL, call_often, &callers[0]), 0);
    call_often(&callers[1]);
    pthread_join(thread, NULL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(callers[i].status, CLSP_OK);
        check_oracle(&callers[i].j, callers[i].out);
        check_all(&callers[i].j, callers[i].out);
        free(callers[i].out);
        shared_finish(&callers[i].j);
    }
    clsp_context_destroy(&ctx);
}

/* ---- what is refused ---- */

/* Nothing is written where a check fails, and events are not made. */
static void test_refused(void **state)
{
    const shape s = {"refused", {.degree = {3, 3}, .axis = {{.num = 8}, {.num = 8}}}, 2, 0, 2, 0};
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);
    unsigned char *const out = guarded(&j.l, j.num);
    const size_t size = j.bytes / j.l.element;
    cl_event done = NULL;
    const clsp_run run = {.done = &done}, reserved = {.done = &done, .reserved = {1}};

    support_needs_opencl(ctx);
    (void)state;
    assert_int_equal(clsp_patch_eval(j.plan, (clsp_range){0, 2},
                                     clsp_out_f32((float *)(void *)out, size - 1), &run),
                     CLSP_ERROR_BUFFER_SIZE);
    assert_int_equal(
        clsp_patch_eval(j.plan, (clsp_range){1, 2}, clsp_out_f32((float *)(void *)out, size), &run),
        CLSP_ERROR_ARGUMENT);
    assert_int_equal(
        clsp_patch_eval(j.plan, (clsp_range){0, 2}, host_out(CLSP_F16, out, size), &run),
        CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_eval(j.plan, (clsp_range){0, 2},
                                     clsp_out_f32((float *)(void *)out, size), &reserved),
                     CLSP_ERROR_ARGUMENT);
    assert_null(done);
    assert_poison(out, j.bytes);
    free_guarded(&j.l, j.num, out);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

/* ---- queues ---- */

/* What an in-order queue holds is over before host memory is written: here a copy of it. */
static void test_queue(void **state)
{
    const shape s = {"queue", {.degree = {3, 3}, .axis = {{.num = 8}, {.num = 8}}}, 2, 0, 2, 0};
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);
    unsigned char *const out = malloc(j.bytes), *const copy = malloc(j.bytes);

    (void)state;
    assert_true(out && copy);
    memset(copy, 0, j.bytes);
    cl_mem buffer = buffer_of(ctx, j.bytes, copy);
    for (int i = 0; i < 20; i++) {
        memset(out, POISON, j.bytes);
        assert_int_equal(clEnqueueWriteBuffer(clsp_context_queue(ctx), buffer, CL_FALSE, 0, j.bytes,
                                              out, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_int_equal(eval_alone(&j, 0, 2, out), CLSP_OK);
        read_buffer(ctx, buffer, j.bytes, copy);
        assert_poison(copy, j.bytes);
    }
    clReleaseMemObject(buffer);
    free(out);
    free(copy);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits_f32), cmocka_unit_test(test_bits_f64),
        cmocka_unit_test(test_small),    cmocka_unit_test(test_two_plans),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_queue)};

    support_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
