/* Calls that write buffers of graphics, on any device (fake_graphics.h): each writes the bytes that
   it writes to a buffer, or to host memory where the buffer is staged, and hands the buffer over as
   the extensions want it, whatever the order of the queue and whatever fails. */
#include "graphics_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check_call(const scene *s, size_t c, clsp_graphics_way way)
{
    unsigned char *const wanted = plain_result(s, c, way == CLSP_GRAPHICS_STAGED);
    const size_t num = BEFORE + elements_of(s, c) + BEHIND;
    target t = make_target(s->ctx, way, num * clsp_type_bytes(calls[c].type));
    const clsp_output out = clsp_out_graphics(t.graphics, calls[c].type, BEFORE);
    const unsigned before = fake->acquired;
    cl_event done = NULL;

    assert_ok(s->ctx, calls[c].call(s, out, &(clsp_run){.done = &done}));
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    if (memcmp(t.bytes, wanted, t.size) != 0) fail_msg("%s, way %d", calls[c].name, (int)way);
    assert_int_equal(fake->acquired - before, way == CLSP_GRAPHICS_STAGED ? 0 : 1);

    /* once more, without an event */
    memset(t.bytes, UNTOUCHED, t.size);
    assert_ok(s->ctx, calls[c].call(s, out, NULL));
    clsp_context_finish(s->ctx);
    assert_memory_equal(t.bytes, wanted, t.size);
    free_target(&t);
    free(wanted);
}

static void check_calls(const scene *s)
{
    for (size_t c = 0; c < num_calls; c++)
        for (int way = CLSP_GRAPHICS_GL; way < CLSP_NUM_GRAPHICS_WAYS; way++)
            check_call(s, c, (clsp_graphics_way)way);
    clsp_context_finish(s->ctx);
    assert_int_equal(fake->alive, 0);
    no_complaints();
}

static void test_every_call(void **state)
{
    (void)state;
    set_words("gl external");
    check_calls(&lent);
}

static void test_out_of_order(void **state)
{
    clsp_context *ctx;

    (void)state;
    set_words("gl external");
    const cl_command_queue queue = queue_with(true);
    assert_ok(NULL, clsp_context_create(&ctx, queue, NULL));
    scene s = make_scene(ctx, true);
    check_calls(&s);
    free_scene(&s);
    clsp_context_destroy(&ctx);
    free_queue(queue);
}

/* Calls of two plans write one buffer one after the other, whatever the queue lets overlap. */
static void check_two_plans(clsp_context *ctx)
{
    scene s[2] = {make_scene(ctx, false), make_scene(ctx, false)};
    const size_t num = elements_of(&s[0], SURFACE), bytes = num * sizeof(float);
    unsigned char *const wanted = plain_result(&s[0], SURFACE, false);
    target t = make_target(ctx, CLSP_GRAPHICS_GL, 2 * bytes);

    for (size_t i = 0; i < 2; i++)
        assert_ok(ctx, bspline_eval(&s[i], clsp_out_graphics(t.graphics, CLSP_F32, i * num), NULL));
    clsp_context_finish(ctx);
    for (size_t i = 0; i < 2; i++)
        assert_memory_equal(t.bytes + i * bytes, wanted + BEFORE * sizeof(float), bytes);
    free_target(&t);
    free(wanted);
    free_scene(&s[0]);
    free_scene(&s[1]);
    no_complaints();
}

static void test_two_plans(void **state)
{
    clsp_context *ctx;

    (void)state;
    set_words("gl");
    const cl_command_queue queue = queue_with(true);
    assert_ok(NULL, clsp_context_create(&ctx, queue, NULL));
    check_two_plans(ctx);
    clsp_context_destroy(&ctx);
    free_queue(queue);
}

/* ---- events ---- */

/* A buffer is acquired behind the wait list, and the call's event is complete behind the release:
   what OpenGL has written until then around the result is still there. */
static void test_events(void **state)
{
    clsp_context *const ctx = lent.ctx;
    cl_event event, done;
    cl_context context;
    cl_int code;
    support_gate gate;

    (void)state;
    if (support_waits(ctx)) skip_because("calls wait");
    set_words("gl");
    const size_t num = elements_of(&lent, SURFACE);
    unsigned char *const wanted = plain_result(&lent, SURFACE, false);
    target t = make_target(ctx, CLSP_GRAPHICS_GL, (num + 1) * sizeof(float));
    clGetCommandQueueInfo(clsp_context_queue(ctx), CL_QUEUE_CONTEXT, sizeof context,
                          (void *)&context, NULL);
    event = clCreateUserEvent(context, &code);
    assert_int_equal(code, CL_SUCCESS);
    const clsp_run run = {.num_wait = 1, .wait = &event, .done = &done};
    assert_ok(ctx, bspline_eval(&lent, clsp_out_graphics(t.graphics, CLSP_F32, 0), &run));
    memset(t.bytes, 0x11, t.size);
    support_open_soon(&gate, event);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    assert_memory_equal(t.bytes, wanted + BEFORE * sizeof(float), num * sizeof(float));
    assert_true(t.bytes[num * sizeof(float)] == 0x11);
    support_opened(&gate);
    clReleaseEvent(done);
    free_target(&t);
    free(wanted);
    no_complaints();
}

/* Nothing is handed over by a call that writes nothing, or is only asked, or is refused. */
static void test_nothing(void **state)
{
    clsp_tiling tiling;

    (void)state;
    set_words("gl");
    clsp_context *const ctx = lent.ctx;
    target t = make_target(ctx, CLSP_GRAPHICS_GL, 64);
    const clsp_output out = clsp_out_graphics(t.graphics, CLSP_F32, 0);
    const unsigned before = fake->acquired;
    assert_ok(ctx, clsp_patch_eval(lent.bezier, (clsp_range){0, 0}, out, NULL));
    assert_ok(ctx, clsp_patch_eval(lent.bezier, one, out, &(clsp_run){.tiling = &tiling}));
    assert_status(ctx, clsp_patch_eval(lent.bezier, one, out, NULL), CLSP_ERROR_BUFFER_SIZE);
    assert_int_equal(fake->acquired, before);
    free_target(&t);
    no_complaints();
}

/* A call whose acquire fails leaves all as it was, and says so; one whose kernels fail gives the
   buffer back; the next one works. */
static void test_failing_calls(void **state)
{
    (void)state;
    set_words("gl");
    clsp_context *const ctx = lent.ctx;
    for (size_t c = 0; c < num_calls; c++) {
        const size_t bytes = elements_of(&lent, c) * clsp_type_bytes(calls[c].type);
        target t = make_target(ctx, CLSP_GRAPHICS_GL, bytes);
        const clsp_output out = clsp_out_graphics(t.graphics, calls[c].type, 0);
        set_words("gl fail-acquire");
        assert_status(ctx, calls[c].call(&lent, out, NULL), CL_INVALID_GL_OBJECT);
        clsp_context_finish(ctx);
        assert_true(support_poisoned(t.bytes, bytes));
        set_words("gl fail-launch");
        calls[c].call(&lent, out, NULL); /* one that launches nothing succeeds */
        clsp_context_finish(ctx);
        assert_int_equal(fake->acquired, fake->released);
        set_words("gl fail-release");
        assert_status(ctx, calls[c].call(&lent, out, NULL), CL_INVALID_GL_OBJECT);
        set_words("gl");
        assert_ok(ctx, calls[c].call(&lent, out, NULL));
        clsp_context_finish(ctx);
        assert_false(support_poisoned(t.bytes, bytes));
        free_target(&t);
        fake->released = fake->acquired;
    }
    no_complaints();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call), cmocka_unit_test(test_out_of_order),
        cmocka_unit_test(test_two_plans),  cmocka_unit_test(test_events),
        cmocka_unit_test(test_nothing),    cmocka_unit_test(test_failing_calls),
    };
    const int status = graphics_start(argv);

    (void)argc;
    return status ? status : cmocka_run_group_tests(tests, open_lent, close_lent);
}
