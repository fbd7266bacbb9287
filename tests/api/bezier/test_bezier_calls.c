/* Bezier surfaces: wrong arguments for every parameter, the order of calls, events, queues and
 * threads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "bezier_fixture.h"
#include "support.h"

static const clsp_bezier_desc good = {
    .precision = CLSP_F32, .degree = {3, 2}, .dim = 3, .axis = {{.num = 9}, {.num = 8}}};

enum { CONTROLS = 4 * 3 * 3, POINTS = 9 * 8 * 3 }; /* reals of a patch of `good` */

/* ---- descriptions ---- */

static void expect_refusal(clsp_context *ctx, clsp_bezier_desc desc, clsp_status expected)
{
    clsp_patch_plan *plan = (clsp_patch_plan *)&desc; /* must become NULL */
    char text[256];

    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &desc), expected);
    assert_null(plan);
    assert_true(clsp_context_last_error(ctx, text, sizeof text) > 0);
}

static void test_descriptions(void **state)
{
    clsp_context *ctx = context_with(""), *single = context_with("fp64=0");
    clsp_bezier_desc d;
    clsp_patch_plan *plan;

    (void)state;
#define REFUSED(field, value, status) d = good, d.field = (value), expect_refusal(ctx, d, status)
    REFUSED(precision, CLSP_F16, CLSP_ERROR_ARGUMENT);
    REFUSED(precision, (clsp_type)77, CLSP_ERROR_ARGUMENT);
    REFUSED(degree[0], CLSP_BEZIER_MAX_DEGREE + 1, CLSP_ERROR_DEGREE);
    REFUSED(degree[1], 1000000000, CLSP_ERROR_DEGREE);
    REFUSED(degree[1], UINT32_MAX, CLSP_ERROR_DEGREE);
    REFUSED(dim, 5, CLSP_ERROR_ARGUMENT);
    REFUSED(dim, UINT32_MAX, CLSP_ERROR_ARGUMENT);
    REFUSED(axis[0].num, 0, CLSP_ERROR_ARGUMENT);
    REFUSED(axis[1].num, 0, CLSP_ERROR_ARGUMENT);
    REFUSED(axis[0].num, CLSP_PATCH_MAX_SAMPLES + 1, CLSP_ERROR_ARGUMENT);
    REFUSED(axis[1].num, UINT32_MAX, CLSP_ERROR_ARGUMENT);
#undef REFUSED
    d = good;
    d.precision = CLSP_F64;
    expect_refusal(single, d, CLSP_ERROR_NO_FP64);
    assert_int_equal(clsp_bezier_plan_create(NULL, ctx, &good), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_plan_create(&plan, NULL, &good), CLSP_ERROR_ARGUMENT);
    assert_null(plan);
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, NULL), CLSP_ERROR_ARGUMENT);
    assert_null(plan);
    clsp_patch_plan_destroy(&plan);
    clsp_patch_plan_destroy(NULL);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&single);
}

/* A normal has no dim but 3: the message says so. */
static void test_normals_of_other_dims(void **state)
{
    clsp_context *ctx = context_with("");

    (void)state;
    for (uint32_t dim = 1; dim <= 4; dim++) {
        clsp_bezier_desc d = good;
        char text[256], expected[16];
        if (dim == 3) continue;
        d.dim = dim;
        d.vertex.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL;
        expect_refusal(ctx, d, CLSP_ERROR_ARGUMENT);
        clsp_context_last_error(ctx, text, sizeof text);
        snprintf(expected, sizeof expected, "(here dim %u)", dim);
        assert_non_null(strstr(text, "normals are of surfaces, volumes and solids with dim 3"));
        assert_non_null(strstr(text, expected));
    }
    clsp_context_destroy(&ctx);
}

/* Grids and degrees that no memory of a device holds: an error of the plan where kernels make
   vertices, not a crash, and nothing large is allocated first. */
static void test_absurd_sizes(void **state)
{
    clsp_context *ctx = context_with("class=discrete,alloc=1048576");
    const clsp_bezier_desc descs[] = {
        surface(CLSP_F32, CLSP_BEZIER_MAX_DEGREE, CLSP_BEZIER_MAX_DEGREE, 4, CLSP_PATCH_MAX_SAMPLES,
                CLSP_PATCH_MAX_SAMPLES),
        surface(CLSP_F32, CLSP_BEZIER_MAX_DEGREE, 1, 3, 2, CLSP_PATCH_MAX_SAMPLES),
        surface(CLSP_F32, 1, CLSP_BEZIER_MAX_DEGREE, 3, CLSP_PATCH_MAX_SAMPLES, 2),
    };

    (void)state;
    for (size_t i = 0; i < sizeof descs / sizeof descs[0]; i++) {
        clsp_patch_plan *plan;
        assert_true(clsp_bezier_plan_create(&plan, ctx, &descs[i]) < 0);
        assert_null(plan);
    }
    clsp_context_destroy(&ctx);
}

/* ---- arguments ---- */

/* Waits that are wrong. */
static const cl_event no_event = NULL;
static const clsp_run wrong_syncs[] = {
    {.num_wait = 1}, {.wait = &no_event}, {.reserved = {1}}, {.reserved = {0, UINT64_MAX}}};

static void test_set_arguments(void **state)
{
    clsp_context *ctx = context_with(""), *other = context_apart("");
    const cl_mem exact = buffer_of(ctx, (2 * CONTROLS + 5) * sizeof(float), NULL);
    const cl_mem foreign = buffer_of(other, 1 << 16, NULL);
    const float points[2 * CONTROLS] = {0};
    const double doubles[2 * CONTROLS] = {0};
    const clsp_input in = clsp_in_buffer(exact, CLSP_F32, 0);
    clsp_patch_plan *plan;

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &good), CLSP_OK);
#define SET(expected, plan, num, ...)                                                              \
    assert_int_equal(clsp_patch_set_control_points(plan, num, __VA_ARGS__), expected)
    SET(CLSP_ERROR_ARGUMENT, NULL, 2, in, NULL);
    SET(CLSP_ERROR_ARGUMENT, plan, 2, clsp_in_buffer(NULL, CLSP_F32, 0), NULL);
    SET(CLSP_ERROR_ARGUMENT, plan, 2, clsp_in_buffer(foreign, CLSP_F32, 0), NULL);
    SET(CLSP_ERROR_ARGUMENT, plan, 2, clsp_in_buffer(exact, CLSP_F64, 0), NULL);
    for (size_t i = 0; i < COUNT(wrong_syncs); i++)
        SET(CLSP_ERROR_ARGUMENT, plan, 2, in, &wrong_syncs[i]);
    SET(CLSP_ERROR_BUFFER_SIZE, plan, 3, in, NULL);
    SET(CLSP_ERROR_BUFFER_SIZE, plan, 2, clsp_in_buffer(exact, CLSP_F32, 6), NULL);
    SET(CLSP_ERROR_BUFFER_SIZE, plan, 2, clsp_in_buffer(exact, CLSP_F32, SIZE_MAX), NULL);
    SET(CLSP_ERROR_BUFFER_SIZE, plan, SIZE_MAX / CONTROLS, in, NULL);
    SET(CLSP_ERROR_NO_MEMORY, plan, SIZE_MAX, in, NULL);
    SET(CLSP_OK, plan, 2, clsp_in_buffer(exact, CLSP_F32, 5), NULL);
    SET(CLSP_OK, plan, 0, in, NULL);
    SET(CLSP_ERROR_ARGUMENT, NULL, 2, clsp_in_f32(points, 2 * CONTROLS), NULL);
    SET(CLSP_ERROR_ARGUMENT, plan, 2, clsp_in_f32(NULL, 2 * CONTROLS), NULL);
    SET(CLSP_ERROR_ARGUMENT, plan, 2, clsp_in_f64(doubles, 2 * CONTROLS), NULL);
    SET(CLSP_ERROR_NO_MEMORY, plan, SIZE_MAX, clsp_in_f32(points, SIZE_MAX), NULL);
    SET(CLSP_OK, plan, 2, clsp_in_f32(points, 2 * CONTROLS), NULL);
#undef SET
    clsp_patch_plan_destroy(&plan);
    clReleaseMemObject(exact);
    clReleaseMemObject(foreign);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

#define EVAL(expected, plan, first, count, ...)                                                    \
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){first, count}, __VA_ARGS__), expected)

static void check_host_arguments(clsp_patch_plan *plan)
{
    float points[3 * POINTS];
    double doubles[3 * POINTS];
    const clsp_output out = clsp_out_f32(points, 3 * POINTS);

    EVAL(CLSP_ERROR_ARGUMENT, NULL, 0, 1, out, NULL);
    EVAL(CLSP_ERROR_ARGUMENT, plan, 0, 1, clsp_out_f32(NULL, POINTS), NULL);
    EVAL(CLSP_ERROR_ARGUMENT, plan, 0, 1, clsp_out_f64(doubles, POINTS), NULL);
    EVAL(CLSP_ERROR_ARGUMENT, plan, 3, 1, out, NULL);
    EVAL(CLSP_OK, plan, 3, 0, clsp_out_f32(NULL, 0), NULL);
}

static void test_eval_arguments(void **state)
{
    clsp_context *ctx = context_with(""), *other = context_apart("");
    const cl_mem exact = buffer_of(ctx, (2 * POINTS + 5) * sizeof(float), NULL);
    const cl_mem foreign = buffer_of(other, 1 << 16, NULL);
    const float controls[3 * CONTROLS] = {0};
    float points[POINTS];
    const clsp_output out = clsp_out_buffer(exact, CLSP_F32, 0);
    clsp_patch_plan *plan;

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &good), CLSP_OK);
    EVAL(CLSP_ERROR_STATE, plan, 0, 1, out, NULL);
    EVAL(CLSP_ERROR_STATE, plan, 0, 1, clsp_out_f32(points, POINTS), NULL);
    assert_int_equal(
        clsp_patch_set_control_points(plan, 3, clsp_in_f32(controls, 3 * CONTROLS), NULL), CLSP_OK);
    EVAL(CLSP_ERROR_ARGUMENT, NULL, 0, 1, out, NULL);
    EVAL(CLSP_ERROR_ARGUMENT, plan, 0, 1, clsp_out_buffer(NULL, CLSP_F32, 0), NULL);
    EVAL(CLSP_ERROR_ARGUMENT, plan, 0, 1, clsp_out_buffer(foreign, CLSP_F32, 0), NULL);
    EVAL(CLSP_ERROR_ARGUMENT, plan, 0, 1, clsp_out_buffer(exact, CLSP_F16, 0), NULL);
    for (size_t i = 0; i < COUNT(wrong_syncs); i++)
        EVAL(CLSP_ERROR_ARGUMENT, plan, 0, 1, out, &wrong_syncs[i]);
    EVAL(CLSP_ERROR_ARGUMENT, plan, 4, 0, out, NULL);
    EVAL(CLSP_ERROR_ARGUMENT, plan, 2, 2, out, NULL);
    EVAL(CLSP_ERROR_ARGUMENT, plan, 1, SIZE_MAX, out, NULL);
    EVAL(CLSP_ERROR_ARGUMENT, plan, SIZE_MAX, 1, out, NULL);
    EVAL(CLSP_ERROR_BUFFER_SIZE, plan, 0, 3, out, NULL);
    EVAL(CLSP_ERROR_BUFFER_SIZE, plan, 0, 2, clsp_out_buffer(exact, CLSP_F32, 6), NULL);
    EVAL(CLSP_ERROR_BUFFER_SIZE, plan, 0, 2, clsp_out_buffer(exact, CLSP_F32, SIZE_MAX - 1), NULL);
    EVAL(CLSP_OK, plan, 1, 2, clsp_out_buffer(exact, CLSP_F32, 5), NULL);
    EVAL(CLSP_OK, plan, 3, 0, out, NULL);
    check_host_arguments(plan);
    clsp_patch_plan_destroy(&plan);
    clReleaseMemObject(exact);
    clReleaseMemObject(foreign);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}
#undef EVAL

/* A refused call leaves the output alone. */
static void test_refusal_leaves_output(void **state)
{
    clsp_context *ctx = context_with("");
    const float controls[CONTROLS] = {0};
    float points[POINTS];
    clsp_patch_plan *plan;

    (void)state;
    memset(points, 0xfe, sizeof points);
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &good), CLSP_OK);
    assert_int_equal(clsp_patch_set_control_points(plan, 1, clsp_in_f32(controls, CONTROLS), NULL),
                     CLSP_OK);
    assert_int_equal(
        clsp_patch_eval(plan, (clsp_range){0, 2}, clsp_out_f32(points, 2 * POINTS), NULL),
        CLSP_ERROR_ARGUMENT);
    for (size_t i = 0; i < sizeof points; i++)
        assert_int_equal(((unsigned char *)points)[i], 0xfe);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

/* ---- events and queues ---- */

/* Everything enqueued behind an event of the user's: nothing may run before it. */
static void run_behind_user_event(clsp_context *ctx, const float *expected, const float *controls)
{
    const cl_command_queue queue = clsp_context_queue(ctx);
    const cl_mem in = buffer_of(ctx, CONTROLS * sizeof(float), NULL);
    const cl_mem out = buffer_of(ctx, POINTS * sizeof(float), NULL);
    float points[POINTS];
    cl_int code;
    cl_event written, loaded, evaluated, read;
    clsp_patch_plan *plan;
    const cl_event start = clCreateUserEvent(cl_context_of(ctx), &code);
    support_gate gate;

    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &good), CLSP_OK);
    code = clEnqueueWriteBuffer(queue, in, CL_FALSE, 0, CONTROLS * sizeof(float), controls, 1,
                                &start, &written);
    assert_int_equal(code, CL_SUCCESS);
    const cl_event both[] = {start, written};
    support_open_soon(&gate, start);
    assert_int_equal(
        clsp_patch_set_control_points(plan, 1, clsp_in_buffer(in, CLSP_F32, 0),
                                      &(clsp_run){.num_wait = 2, .wait = both, .done = &loaded}),
        CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_buffer(out, CLSP_F32, 0),
                                     &(clsp_run){.num_wait = 2, .wait = both, .done = &evaluated}),
                     CLSP_OK);
    code =
        clEnqueueReadBuffer(queue, out, CL_FALSE, 0, sizeof points, points, 1, &evaluated, &read);
    assert_int_equal(code, CL_SUCCESS);
    support_opened(&gate);
    assert_int_equal(clWaitForEvents(1, &read), CL_SUCCESS);
    assert_memory_equal(points, expected, sizeof points);
    clsp_patch_plan_destroy(&plan);
    const cl_event events[] = {written, loaded, evaluated, read};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(clReleaseEvent(events[i]), CL_SUCCESS);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* Makes controls, and their points as such a call does. */
static void expected_points(clsp_context *ctx, const clsp_run *run, float *controls, float *points)
{
    clsp_patch_plan *plan;

    seed(3);
    for (size_t i = 0; i < CONTROLS; i++)
        controls[i] = (float)random_real();
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &good), CLSP_OK);
    assert_int_equal(clsp_patch_set_control_points(plan, 1, clsp_in_f32(controls, CONTROLS), NULL),
                     CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_f32(points, POINTS), run),
                     CLSP_OK);
    clsp_patch_plan_destroy(&plan);
}

/* The order of commands is kept on in-order and out-of-order queues of the caller's, of a CPU and
   of a GPU. */
static void test_events(void **state)
{
    static const char *const shapes[] = {"class=cpu", "class=discrete"};
    static const cl_command_queue_properties kinds[] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
    const clsp_share device = {.schedule = CLSP_SCHEDULE_DEVICE};
    const clsp_run as_buffer = {.share = &device}; /* which the device alone writes */

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        clsp_context *ctx = context_with(shapes[i / 2]), *adopted;
        const clsp_context_opts opts = {.limits = shapes[i / 2]};
        float controls[CONTROLS], expected[POINTS];
        clsp_device_info info;
        cl_int code;

        expected_points(ctx, &as_buffer, controls, expected);
        assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
        const cl_command_queue queue =
            clCreateCommandQueue(cl_context_of(ctx), info.id, kinds[i % 2], &code);
        if (code == CL_INVALID_QUEUE_PROPERTIES) { /* no out-of-order queues here */
            clsp_context_destroy(&ctx);
            continue;
        }
        assert_int_equal(code, CL_SUCCESS);
        assert_int_equal(clsp_context_create(&adopted, queue, &opts), CLSP_OK);
        assert_ptr_equal(clsp_context_queue(adopted), queue);
        run_behind_user_event(adopted, expected, controls);
        clsp_context_destroy(&adopted);
        clFinish(queue); /* Intel's runtime may hang where its last command drops its queue */
        clReleaseCommandQueue(queue);
        clsp_context_destroy(&ctx);
    }
}

/* ---- threads ---- */

typedef struct worker {
    pthread_t thread;
    clsp_context *ctx;
    const float *controls, *expected;
    bool same;
} worker;

static void *work(void *argument)
{
    worker *const w = argument;
    float points[POINTS];

    w->same = true;
    for (int round = 0; round < 20 && w->same; round++) {
        clsp_patch_plan *plan = NULL;
        w->same = clsp_bezier_plan_create(&plan, w->ctx, &good) == CLSP_OK &&
                  clsp_patch_set_control_points(plan, 1, clsp_in_f32(w->controls, CONTROLS),
                                                NULL) == CLSP_OK &&
                  clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_f32(points, POINTS), NULL) ==
                      CLSP_OK &&
                  memcmp(points, w->expected, sizeof points) == 0;
        clsp_patch_plan_destroy(&plan);
    }
    return NULL;
}

/* Plans of one context in several threads give the bits of one thread. */
static void test_threads(void **state)
{
    enum { THREADS = 8 };
    clsp_context *ctx;
    float controls[CONTROLS], expected[POINTS];
    worker workers[THREADS];

    (void)state;
    if (tiny()) skip(); /* Oclgrind's checks end the process when a second thread enqueues */
    ctx = context_with("");
    expected_points(ctx, NULL, controls, expected);
    clsp_context_destroy(&ctx);
    ctx = context_with("");
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.ctx = ctx, .controls = controls, .expected = expected};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_true(workers[i].same);
    }
    clsp_context_destroy(&ctx);
}

/* ---- processes ---- */

/* ---- building ahead ---- */

static void count_kernel(void *user, const clsp_kernel_info *info)
{
    assert_true(info->program && info->kernel && info->options);
    assert_true(info->work_group_limit > 0);
    ++*(size_t *)user;
}

static void test_build_all(void **state)
{
    size_t kernels = 0;
    clsp_context *ctx = context_with("");

    (void)state;
    assert_int_equal(clsp_context_build_all(NULL, NULL, NULL), CLSP_ERROR_ARGUMENT);
    if (!full()) {
        clsp_context_destroy(&ctx);
        print_message("skipped: compiles every program\n");
        skip();
    }
    assert_int_equal(clsp_context_build_all(ctx, count_kernel, &kernels), CLSP_OK);
    assert_true(kernels >= 3);
    assert_int_equal(clsp_context_build_all(ctx, NULL, NULL), CLSP_OK);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descriptions),   cmocka_unit_test(test_normals_of_other_dims),
        cmocka_unit_test(test_absurd_sizes),   cmocka_unit_test(test_set_arguments),
        cmocka_unit_test(test_eval_arguments), cmocka_unit_test(test_refusal_leaves_output),
        cmocka_unit_test(test_events),         cmocka_unit_test(test_threads),
        cmocka_unit_test(test_build_all),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
