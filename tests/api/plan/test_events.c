/* What calls on host memory and on the device's wait for, and the events that they give. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tile_fixture.h"
#include "memory_fixture.h"
#include "support.h"

static cl_event complete_event(const clsp_context *ctx)
{
    cl_int code;
    const cl_event event = clCreateUserEvent(cl_context_of(ctx), &code);

    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
    return event;
}

/* Makes every call with a wait list that must be refused, on memory of a kind. */
static void check_wait_list(const memory_job *j, store_kind kind, clsp_run sync)
{
    float result[MEMORY_RESULT];
    cl_event done = NULL;

    sync.done = &done;
    memset(result, POISON, sizeof result);
    for (size_t i = 0; i < OUTPUT_CALLS; i++) {
        const output_call *const c = &output_calls[i];
        if (!c->takes_sync || !can(j, c->kinds, kind)) continue;
        store s = store_make(j->ctx, kind, c->type, 0, c->size, NULL);
        const clsp_status status = c->call(j, store_out(&s), &sync);
        if (status != CLSP_ERROR_ARGUMENT) fail_msg("%s: %s", c->name, clsp_status_str(status));
        assert_poison(store_read(&s), c->size * clsp_type_bytes(c->type));
        store_free(&s);
    }
    for (size_t i = 0; i < INPUT_CALLS; i++) {
        const input_call *const c = &input_calls[i];
        if (!c->takes_sync || !can(j, c->kinds, kind)) continue;
        store s = store_make(j->ctx, kind, c->type, 0, c->size, c->contents(j));
        const clsp_status status = c->call(j, store_in(&s), &sync, result);
        if (status != CLSP_ERROR_ARGUMENT) fail_msg("%s: %s", c->name, clsp_status_str(status));
        store_free(&s);
    }
    assert_poison(result, sizeof result);
    assert_null(done);
}

/* Events of another cl_context, or none, are refused whatever the memory. */
static void foreign_events(memory_job *j)
{
    clsp_context *other = context_apart("");
    const cl_event own = complete_event(j->ctx), foreign = complete_event(other);
    const cl_event lists[][2] = {{foreign, own}, {own, foreign}, {own, NULL}};

    for (int kind = 0; kind < STORE_KINDS; kind++)
        for (size_t i = 0; i < COUNT(lists); i++)
            check_wait_list(j, (store_kind)kind, (clsp_run){.num_wait = 2, .wait = lists[i]});
    clReleaseEvent(own);
    clReleaseEvent(foreign);
    clsp_context_destroy(&other);
}

static void test_foreign_events(void **state)
{
    (void)state;
    everywhere(foreign_events);
}

/* Completes a user event a little later. */
typedef struct late_event {
    pthread_t thread;
    cl_event event;
    atomic_bool complete;
} late_event;

static void *complete_late(void *argument)
{
    const struct timespec pause = {.tv_nsec = 30000000};
    late_event *const late = argument;

    nanosleep(&pause, NULL);
    atomic_store(&late->complete, true);
    clSetUserEventStatus(late->event, CL_COMPLETE);
    return NULL;
}

static void late_start(late_event *late, const clsp_context *ctx)
{
    cl_int code;

    late->event = clCreateUserEvent(cl_context_of(ctx), &code);
    assert_int_equal(code, CL_SUCCESS);
    atomic_init(&late->complete, false);
    assert_int_equal(pthread_create(&late->thread, NULL, complete_late, late), 0);
}

static void late_end(late_event *late)
{
    pthread_join(late->thread, NULL);
    assert_int_equal(clReleaseEvent(late->event), CL_SUCCESS);
}

static void assert_complete(cl_event event)
{
    cl_int status = -1;

    assert_non_null(event);
    assert_int_equal(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
        CL_SUCCESS);
    assert_int_equal(status, CL_COMPLETE);
    assert_int_equal(clReleaseEvent(event), CL_SUCCESS);
}

/* Calls on host memory wait for the list, and their event is complete. */
static void host_events(memory_job *j)
{
    for (size_t i = 0; i < OUTPUT_CALLS + INPUT_CALLS; i++) {
        const bool writes = i < OUTPUT_CALLS;
        const output_call *const o = &output_calls[writes ? i : 0];
        const input_call *const c = &input_calls[writes ? 0 : i - OUTPUT_CALLS];
        float result[MEMORY_RESULT];
        cl_event done = NULL;
        late_event late;
        if (!(writes ? o->takes_sync : c->takes_sync)) continue;
        late_start(&late, j->ctx);
        const clsp_run sync = {.num_wait = 1, .wait = &late.event, .done = &done};
        const clsp_output out = host_out(o->type, result, o->size);
        const clsp_input in = host_in(c->type, c->contents(j), c->size);
        assert_int_equal(writes ? o->call(j, out, &sync) : c->call(j, in, &sync, result), CLSP_OK);
        assert_true(atomic_load(&late.complete));
        assert_complete(done);
        late_end(&late);
        done = NULL; /* an event without a list */
        const clsp_run alone = {.done = &done};
        assert_int_equal(writes ? o->call(j, out, &alone) : c->call(j, in, &alone, result),
                         CLSP_OK);
        assert_complete(done);
    }
}

static void test_host_events(void **state)
{
    (void)state;
    if (tiny()) skip(); /* Oclgrind's checks end the process when a second thread takes part */
    everywhere(host_events);
}

static const clsp_share by_device = {.schedule = CLSP_SCHEDULE_DEVICE};

/* A call on host memory for nothing at all. result: [MEMORY_RESULT]. */
static clsp_status call_for_nothing(const memory_job *j, int which, float *result,
                                    const clsp_run *sync)
{
    const clsp_output out = clsp_out_f32(result, MEMORY_RESULT);
    const clsp_input in = clsp_in_f32(result, MEMORY_RESULT);
    uint32_t words[] = {0};

    switch (which) {
    case 0:
        return clsp_patch_eval(j->plan, (clsp_range){1, 0}, out, sync);
    case 1:
        return clsp_patch_eval(j->plan, (clsp_range){2, 0}, out,
                               &(clsp_run){.num_wait = sync->num_wait,
                                           .wait = sync->wait,
                                           .done = sync->done,
                                           .share = &by_device});
    case 2:
        return clsp_patch_indices(j->plan, CLSP_FACES_QUADS, (clsp_range){1, 0},
                                  clsp_out_u32(words, 1), sync);
    case 3:
        return clsp_patch_eval_points(
            j->plan, &(clsp_points){.num = 0, .item = clsp_in_u32(words, 1), .params = in}, out,
            sync);
    default:
        return clsp_patch_set_control_points(j->plan, 0, in, sync);
    }
}

/* It waits and gives an event as others do. */
static void events_for_nothing(memory_job *j)
{
    float result[MEMORY_RESULT];

    memset(result, POISON, sizeof result);
    for (int which = 0; which < 5; which++) {
        cl_event done = NULL;
        late_event late;
        late_start(&late, j->ctx);
        const clsp_run sync = {.num_wait = 1, .wait = &late.event, .done = &done};
        assert_int_equal(call_for_nothing(j, which, result, &sync), CLSP_OK);
        assert_true(atomic_load(&late.complete));
        assert_complete(done);
        late_end(&late);
    }
    assert_poison(result, sizeof result);
}

static void test_events_for_nothing(void **state)
{
    (void)state;
    if (tiny()) skip(); /* Oclgrind's checks end the process when a second thread takes part */
    everywhere(events_for_nothing);
}

/* A call is one on host memory as soon as one of its memories is. */
static void check_mixed_events(const memory_job *j, const store_kind kinds[3],
                               const unsigned char *expected)
{
    const output_call *const c = &output_calls[2]; /* eval_points */
    store patches = store_make(j->ctx, kinds[0], CLSP_U32, 0, MEMORY_POINTS, j->patches);
    store params = store_make(j->ctx, kinds[1], CLSP_F32, 0, (size_t)2 * MEMORY_POINTS, j->params);
    store vertices = store_make(j->ctx, kinds[2], CLSP_F32, 0, c->size, NULL);
    cl_event done = NULL;
    late_event late;

    late_start(&late, j->ctx);
    const clsp_run sync = {.num_wait = 1, .wait = &late.event, .done = &done};
    assert_int_equal(clsp_patch_eval_points(j->plan,
                                            &(clsp_points){.num = MEMORY_POINTS,
                                                           .item = store_in(&patches),
                                                           .params = store_in(&params)},
                                            store_out(&vertices), &sync),
                     CLSP_OK);
    assert_true(atomic_load(&late.complete));
    assert_complete(done);
    late_end(&late);
    assert_memory_equal(store_read(&vertices), expected, c->size * sizeof(float));
    store_free(&patches);
    store_free(&params);
    store_free(&vertices);
}

static void mixed_events(memory_job *j)
{
    unsigned char *const expected = written_by(j, &output_calls[2]);

    for (unsigned i = 0; i < 7; i++) { /* the eighth has no host memory */
        const store_kind kinds[3] = {i & 1 ? BUFFER : HOST, i & 2 ? BUFFER : HOST,
                                     i & 4 ? BUFFER : HOST};
        check_mixed_events(j, kinds, expected);
    }
    free(expected);
}

static void test_mixed_events(void **state)
{
    (void)state;
    if (tiny()) skip(); /* Oclgrind's checks end the process when a second thread takes part */
    everywhere(mixed_events);
}

/* What is computed on the host is not begun when what it waits for has failed. */
static void failed_event(memory_job *j)
{
    enum { FAILED = -1 };
    const output_call *const c = &output_calls[3]; /* indices */
    store s = store_make(j->ctx, HOST, c->type, 2, c->size, NULL);
    cl_event done = NULL;
    cl_int code;
    const cl_event failed = clCreateUserEvent(cl_context_of(j->ctx), &code);
    const clsp_run sync = {.num_wait = 1, .wait = &failed, .done = &done};

    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clSetUserEventStatus(failed, FAILED), CL_SUCCESS);
    const clsp_status status = c->call(j, store_out(&s), &sync);
    assert_true(status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ||
                status == FAILED); /* the standard's, or NVIDIA's */
    assert_null(done);
    assert_poison(store_read(&s), c->size * clsp_type_bytes(c->type));
    assert_int_equal(clReleaseEvent(failed), CL_SUCCESS);
    store_free(&s);
}

static void test_failed_event(void **state)
{
    (void)state;
    everywhere(failed_event);
}

/* Calls on the device's memory return although what they wait for is not complete, and write when
   it is. */
static void check_enqueued(const memory_job *j, const output_call *c, store_kind kind)
{
    const size_t bytes = c->size * clsp_type_bytes(c->type);
    unsigned char *const wanted = written_by(j, c);
    store s = store_make(j->ctx, kind, c->type, 1, c->size, NULL);
    cl_event done = NULL;
    cl_int code;
    const cl_event start = clCreateUserEvent(cl_context_of(j->ctx), &code);
    const clsp_run sync = {.num_wait = 1, .wait = &start, .done = &done};

    assert_int_equal(code, CL_SUCCESS);
    support_open_before(j->ctx, start);
    assert_int_equal(c->call(j, store_out(&s), &sync), CLSP_OK);
    assert_non_null(done);
    if (kind == SVM_FINE) assert_poison(store_elements(&s), bytes);
    support_open_behind(j->ctx, start);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    assert_complete(done);
    assert_memory_equal(store_read(&s), wanted, bytes);
    assert_int_equal(clReleaseEvent(start), CL_SUCCESS);
    store_free(&s);
    free(wanted);
}

/* eval_points takes the device's memory alone here: otherwise it is a call on host memory. */
static void enqueued_points(memory_job *j, store_kind kind)
{
    const output_call *const c = &output_calls[2];
    unsigned char *const wanted = written_by(j, c);
    store patches = store_make(j->ctx, kind, CLSP_U32, 0, MEMORY_POINTS, j->patches);
    store params = store_make(j->ctx, kind, CLSP_F32, 0, (size_t)2 * MEMORY_POINTS, j->params);
    store vertices = store_make(j->ctx, kind, CLSP_F32, 0, c->size, NULL);
    cl_event done = NULL;
    cl_int code;
    const cl_event start = clCreateUserEvent(cl_context_of(j->ctx), &code);
    const clsp_run sync = {.num_wait = 1, .wait = &start, .done = &done};

    assert_int_equal(code, CL_SUCCESS);
    support_open_before(j->ctx, start);
    assert_int_equal(clsp_patch_eval_points(j->plan,
                                            &(clsp_points){.num = MEMORY_POINTS,
                                                           .item = store_in(&patches),
                                                           .params = store_in(&params)},
                                            store_out(&vertices), &sync),
                     CLSP_OK);
    support_open_behind(j->ctx, start);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    assert_complete(done);
    assert_memory_equal(store_read(&vertices), wanted, c->size * sizeof(float));
    assert_int_equal(clReleaseEvent(start), CL_SUCCESS);
    store_free(&patches);
    store_free(&params);
    store_free(&vertices);
    free(wanted);
}

static void device_events(memory_job *j)
{
    for (int kind = BUFFER; kind < STORE_KINDS; kind++) {
        if (!has_kind(j->ctx, (store_kind)kind)) continue;
        for (size_t i = 0; i < OUTPUT_CALLS; i++)
            if (output_calls[i].takes_sync && i != 2)
                check_enqueued(j, &output_calls[i], (store_kind)kind);
        enqueued_points(j, (store_kind)kind);
    }
}

static void test_device_events(void **state)
{
    (void)state;
    everywhere(device_events);
}

/* Control points are read when the command runs: those that memory holds when the event is
   complete. */
static void late_controls(memory_job *j)
{
    unsigned char *const wanted = written_by(j, &output_calls[0]);

    for (int kind = BUFFER; kind < STORE_KINDS; kind++) {
        cl_event done = NULL;
        cl_int code;
        if (!has_kind(j->ctx, (store_kind)kind)) continue;
        forget(j);
        store s = store_make(j->ctx, (store_kind)kind, CLSP_F32, 3, j->num_controls, j->controls);
        const cl_event start = clCreateUserEvent(cl_context_of(j->ctx), &code);
        const clsp_run sync = {.num_wait = 1, .wait = &start, .done = &done};
        assert_int_equal(code, CL_SUCCESS);
        support_open_before(j->ctx, start);
        assert_int_equal(
            clsp_patch_set_control_points(j->plan, MEMORY_PATCHES, store_in(&s), &sync), CLSP_OK);
        support_open_behind(j->ctx, start);
        assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
        assert_complete(done);
        unsigned char *const got = written_by(j, &output_calls[0]);
        assert_memory_equal(got, wanted, output_calls[0].size * sizeof(float));
        free(got);
        assert_int_equal(clReleaseEvent(start), CL_SUCCESS);
        store_free(&s);
    }
    free(wanted);
}

static void test_late_controls(void **state)
{
    (void)state;
    everywhere(late_controls);
}

/* Sync that is wrong is refused by every call, whatever the memory. */
static void wrong_syncs(memory_job *j)
{
    static const cl_event no_event = NULL;
    cl_event done = NULL;
    const clsp_run wrong[] = {{.num_wait = 1},
                              {.wait = &no_event},
                              {.done = &done, .reserved = {1}},
                              {.done = &done, .reserved = {0, UINT64_MAX}}};
    float result[MEMORY_RESULT];

    memset(result, POISON, sizeof result);
    for (size_t k = 0; k < COUNT(wrong); k++) {
        for (size_t i = 0; i < OUTPUT_CALLS; i++) {
            const output_call *const c = &output_calls[i];
            if (c->takes_sync)
                assert_int_equal(c->call(j, host_out(c->type, result, c->size), &wrong[k]),
                                 CLSP_ERROR_ARGUMENT);
        }
        for (size_t i = 0; i < INPUT_CALLS; i++) {
            const input_call *const c = &input_calls[i];
            if (c->takes_sync)
                assert_int_equal(
                    c->call(j, host_in(c->type, c->contents(j), c->size), &wrong[k], result),
                    CLSP_ERROR_ARGUMENT);
        }
    }
    assert_null(done);
    assert_poison(result, sizeof result);
}

static void test_wrong_syncs(void **state)
{
    (void)state;
    everywhere(wrong_syncs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_foreign_events),     cmocka_unit_test(test_host_events),
        cmocka_unit_test(test_events_for_nothing), cmocka_unit_test(test_mixed_events),
        cmocka_unit_test(test_failed_event),       cmocka_unit_test(test_device_events),
        cmocka_unit_test(test_late_controls),      cmocka_unit_test(test_wrong_syncs),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
