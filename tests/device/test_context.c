/* Contexts: creation on queues and by choice, the caller's objects, messages, and machines without
   a device. */
#include "../support.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "context_internal.h"
#include "launch.h"

/* ---- arguments ---- */

static void test_nothing(void **state)
{
    clsp_context *ctx = NULL;
    clsp_device_info info;

    (void)state;
    clsp_context_destroy(NULL);
    clsp_context_destroy(&ctx);
    assert_status(NULL, clsp_context_create(NULL, NULL, NULL), CLSP_ERROR_ARGUMENT);
    assert_null(clsp_context_queue(NULL));
    assert_status(NULL, clsp_context_device(NULL, &info), CLSP_ERROR_ARGUMENT);
    assert_status(NULL, clsp_context_build_all(NULL, NULL, NULL), CLSP_ERROR_ARGUMENT);

    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    assert_status(ctx, clsp_context_device(ctx, NULL), CLSP_ERROR_ARGUMENT);
    assert_non_null(clsp_context_queue(ctx));
    clsp_context_destroy(&ctx);
    assert_null(ctx);
}

static void test_bad_options(void **state)
{
    static const clsp_context_opts bad_limits = {.limits = "fp64=0,tpu=1"},
                                   no_device = {.device = "no such thing"};
    clsp_context *ctx = (clsp_context *)&bad_limits;
    char text[1024];

    (void)state;
    assert_status(NULL, clsp_context_create(&ctx, NULL, &bad_limits), CLSP_ERROR_ARGUMENT);
    assert_null(ctx);
    clsp_context_last_error(NULL, text, sizeof text);
    assert_non_null(strstr(text, "'tpu=1'"));
    ctx = (clsp_context *)&bad_limits;
    assert_status(NULL, clsp_context_create(&ctx, NULL, &no_device), CLSP_ERROR_NO_DEVICE);
    assert_null(ctx);
    clsp_context_last_error(NULL, text, sizeof text);
    assert_non_null(strstr(text, "'no such thing'"));
}

/* ---- the caller's queue ---- */

typedef struct references {
    cl_uint queue, context;
} references;

static references count_references(cl_command_queue queue, cl_context context)
{
    references r;

    assert_int_equal(
        clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof r.queue, &r.queue, NULL), 0);
    assert_int_equal(
        clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof r.context, &r.context, NULL),
        0);
    return r;
}

static void test_adopted_queue(void **state)
{
    static const clsp_context_opts bad_limits = {.limits = "?"};
    cl_device_id device = support_device().id;
    cl_int code;
    clsp_context *ctx;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);

    (void)state;
    assert_int_equal(code, CL_SUCCESS);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    const references before = count_references(queue, context);
    assert_ok(NULL, clsp_context_create(&ctx, queue, NULL));
    assert_ptr_equal(clsp_context_queue(ctx), queue);
    assert_ptr_equal(ctx->context, context);
    assert_ptr_equal(ctx->device.id, device);
    assert_true(ctx->in_order);
    assert_true(count_references(queue, context).queue > before.queue);
    clsp_context_destroy(&ctx);
    references after = count_references(queue, context);
    assert_memory_equal(&before, &after, sizeof before);

    assert_status(NULL, clsp_context_create(&ctx, queue, &bad_limits), CLSP_ERROR_ARGUMENT);
    after = count_references(queue, context);
    assert_memory_equal(&before, &after, sizeof before);

    /* the context holds on to the queue when the caller lets go first */
    assert_ok(NULL, clsp_context_create(&ctx, queue, NULL));
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    assert_int_equal(clFinish(clsp_context_queue(ctx)), CL_SUCCESS);
    clsp_context_destroy(&ctx);
}

static void test_out_of_order_queue(void **state)
{
    cl_device_id device = support_device().id;
    cl_int code;
    clsp_context *ctx;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);

    (void)state;
    assert_int_equal(code, CL_SUCCESS);
    cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code != CL_SUCCESS) {
        clReleaseContext(context);
        skip_because("the device has no out-of-order queues");
    }
    assert_ok(NULL, clsp_context_create(&ctx, queue, NULL));
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    assert_false(ctx->in_order);
    clsp_context_destroy(&ctx);
}

/* ---- series ---- */

static cl_int status_of(cl_event event)
{
    cl_int status = -1;

    assert_int_equal(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), 0);
    return status;
}

/* A series without commands still waits, for the caller's list and for what it was joined to. */
static void test_empty_series(void **state)
{
    clsp_context *ctx;
    clspi_series series;
    cl_event events[2], done = NULL;
    cl_int code;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    clspi_series_begin(&series, ctx, 0, NULL, NULL);
    assert_ok(ctx, clspi_series_end(&series, NULL));
    for (size_t i = 0; i < 2; i++) {
        events[i] = clCreateUserEvent(ctx->context, &code);
        if (code != CL_SUCCESS) skip_because("the device has no user events");
    }
    clspi_series_begin(&series, ctx, 1, &events[0], &done);
    assert_ok(ctx, clspi_series_join(&series, events[1]));
    assert_ok(ctx, clspi_series_end(&series, &done));
    assert_non_null(done);
    assert_int_equal(clSetUserEventStatus(events[1], CL_COMPLETE), CL_SUCCESS);
    assert_int_not_equal(status_of(done), CL_COMPLETE);
    assert_int_equal(clSetUserEventStatus(events[0], CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    assert_int_equal(status_of(done), CL_COMPLETE);
    clReleaseEvent(done);
    clReleaseEvent(events[0]);
    clReleaseEvent(events[1]);
    clsp_context_destroy(&ctx);
}

/* After a failure that leaves the queue unusable every call says so. */
static void test_lost_device(void **state)
{
    clsp_context *ctx;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    assert_ok(ctx, clspi_context_usable(ctx));
    assert_status(ctx, clspi_waited(ctx, CL_INVALID_VALUE, "a call"), CL_INVALID_VALUE);
    assert_ok(ctx, clspi_context_usable(ctx));
    assert_status(ctx, clspi_waited(ctx, CL_OUT_OF_RESOURCES, "a call"), CL_OUT_OF_RESOURCES);
    assert_status(ctx, clspi_context_usable(ctx), CLSP_ERROR_DEVICE_LOST);
    assert_status(ctx, clsp_context_build_all(ctx, NULL, NULL), CLSP_ERROR_DEVICE_LOST);
    clsp_context_destroy(&ctx);
    char text[200];
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    assert_status(ctx, clspi_waited(ctx, -9999, "a call"), CLSP_ERROR_DEVICE_LOST);
    clsp_context_last_error(ctx, text, sizeof text);
    assert_non_null(strstr(text, "a call: OpenCL status -9999"));
    assert_status(ctx, clspi_context_usable(ctx), CLSP_ERROR_DEVICE_LOST);
    clsp_context_destroy(&ctx);
}

/* ---- messages ---- */

typedef struct heard {
    unsigned count[4];
    char last[4][256];
} heard;

static void hear(void *user, clsp_log_level level, const char *message)
{
    heard *const h = user;

    assert_true(level >= CLSP_LOG_ERROR && level <= CLSP_LOG_INFO);
    h->count[level]++;
    snprintf(h->last[level], sizeof h->last[level], "%s", message);
    assert_true(strlen(message) == 0 || message[strlen(message) - 1] != '\n');
}

static void test_log(void **state)
{
    heard h = {0};
    const clsp_context_opts opts = {.log = hear, .log_user = &h, .cache_dir = "/dev/null/below"};
    clsp_context *ctx;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    assert_int_equal(h.count[CLSP_LOG_ERROR], 0);
    assert_int_equal(h.count[CLSP_LOG_WARNING], 1);
    assert_true(h.count[CLSP_LOG_INFO] >= 1);
    assert_non_null(strstr(h.last[CLSP_LOG_INFO], ctx->device.name));
    assert_int_equal(clsp_context_last_error(ctx, NULL, 0), 0); /* warnings are no errors */
    assert_status(ctx, clspi_fail(&ctx->log, CLSP_ERROR_STATE, "number %d", 7), CLSP_ERROR_STATE);
    assert_int_equal(h.count[CLSP_LOG_ERROR], 1);
    assert_string_equal(h.last[CLSP_LOG_ERROR], "number 7");
    clsp_context_destroy(&ctx);

    const clsp_context_opts bad = {.log = hear, .log_user = &h, .device = "nowhere"};
    assert_status(NULL, clsp_context_create(&ctx, NULL, &bad), CLSP_ERROR_NO_DEVICE);
    assert_int_equal(h.count[CLSP_LOG_ERROR], 2);
    assert_non_null(strstr(h.last[CLSP_LOG_ERROR], "'nowhere'"));
}

static void test_last_error(void **state)
{
    static char longer[2 * CLSPI_MESSAGE_MAX];
    clsp_context *ctx;
    char text[8];

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    strcpy(text, "before");
    assert_int_equal(clsp_context_last_error(ctx, text, sizeof text), 0);
    assert_string_equal(text, "");
    clspi_fail(&ctx->log, CLSP_ERROR_STATE, "1234567890");
    assert_int_equal(clsp_context_last_error(ctx, text, sizeof text), 10);
    assert_string_equal(text, "1234567");
    assert_int_equal(clsp_context_last_error(ctx, text, 1), 10);
    assert_string_equal(text, "");
    text[0] = 'x';
    assert_int_equal(clsp_context_last_error(ctx, text, 0), 10);
    assert_int_equal(text[0], 'x');
    assert_int_equal(clsp_context_last_error(ctx, NULL, 5), 10);
    memset(longer, 'a', sizeof longer - 1);
    clspi_fail(&ctx->log, CLSP_ERROR_STATE, "%s", longer);
    assert_int_equal(clsp_context_last_error(ctx, longer, sizeof longer), CLSPI_MESSAGE_MAX - 1);
    clspi_fail(NULL, CLSP_ERROR_STATE, "of this thread");
    assert_int_equal(clsp_context_last_error(NULL, longer, sizeof longer), 14);
    assert_string_equal(longer, "of this thread");
    clsp_context_destroy(&ctx);
}

static void test_status_str(void **state)
{
    static const struct {
        clsp_status status;
        const char *name;
    } own[] = {
        {CLSP_OK, "CLSP_OK"},
        {CLSP_ERROR_ARGUMENT, "CLSP_ERROR_ARGUMENT"},
        {CLSP_ERROR_DEGREE, "CLSP_ERROR_DEGREE"},
        {CLSP_ERROR_BUFFER_SIZE, "CLSP_ERROR_BUFFER_SIZE"},
        {CLSP_ERROR_NO_DEVICE, "CLSP_ERROR_NO_DEVICE"},
        {CLSP_ERROR_NO_FP64, "CLSP_ERROR_NO_FP64"},
        {CLSP_ERROR_NO_MEMORY, "CLSP_ERROR_NO_MEMORY"},
        {CLSP_ERROR_DEVICE_LOST, "CLSP_ERROR_DEVICE_LOST"},
        {CLSP_ERROR_STATE, "CLSP_ERROR_STATE"},
        {CLSP_ERROR_WEIGHTS, "CLSP_ERROR_WEIGHTS"},
        {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
        {CL_INVALID_PROPERTY, "CL_INVALID_PROPERTY"},
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };
    const char *const unknown = clsp_status_str(12345);

    (void)state;
    for (size_t i = 0; i < CLSPI_COUNT(own); i++)
        assert_memory_equal(clsp_status_str(own[i].status), own[i].name, strlen(own[i].name));
    /* OpenCL's codes up to 3.0: -1 to -19 and -30 to -72, no gaps */
    for (clsp_status status = -1; status >= -72; status--) {
        if (status < -19 && status > -30) continue;
        assert_string_not_equal(clsp_status_str(status), unknown);
        assert_memory_equal(clsp_status_str(status), "CL_", 3);
    }
    for (clsp_status status = -2200; status <= 100; status++)
        assert_true(strlen(clsp_status_str(status)) > 0);
}

/* ---- machines without a device ---- */

/* Prints nothing; 0: a context was made, 1: there is no device and the message holds the words, 2:
   anything else. */
static int child(const char *words)
{
    clsp_context *ctx;
    char text[2048];
    const clsp_status status = clsp_context_create(&ctx, NULL, NULL);

    if (status == CLSP_OK) {
        clsp_context_destroy(&ctx);
        return 0;
    }
    clsp_context_last_error(NULL, text, sizeof text);
    if (status != CLSP_ERROR_NO_DEVICE || ctx) return 2;
    return strstr(text, words) ? 1 : 2;
}

static void test_no_implementation(void **state)
{
    char folder[SUPPORT_PATH_MAX], vendors[SUPPORT_PATH_MAX + 20];
    const char *const args[] = {"child", "install an OpenCL driver", NULL};

    (void)state;
    if (strcmp(support_device().platform, "Oclgrind") == 0)
        skip_because("Oclgrind is loaded without the ICD loader");
    support_make_folder(folder);
    snprintf(vendors, sizeof vendors, "OCL_ICD_VENDORS=%s", folder);
    const char *const variables[] = {vendors, "OCL_ICD_FILENAMES", "CLSPLINE_DEVICE=cpu", NULL};
    assert_int_equal(support_wait(support_start(args, variables)), 1);
    const char *const by_default[] = {vendors, "OCL_ICD_FILENAMES", "CLSPLINE_DEVICE",
                                      "CLSPLINE_LIMITS", NULL};
    assert_int_equal(support_wait(support_start(args, by_default)), 0); /* the host */
    support_remove_folder(folder);
}

/* PoCL 3.1 would end the process here. */
static void test_empty_home(void **state)
{
    const char *const args[] = {"child", "HOME", NULL};
    const char *const variables[] = {"HOME=", "XDG_CACHE_HOME", "POCL_CACHE_DIR",
                                     "CLSPLINE_DEVICE=:", NULL};

    (void)state;
    const int status = support_wait(support_start(args, variables));
    assert_true(status == 0 || status == 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),       cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_adopted_queue), cmocka_unit_test(test_out_of_order_queue),
        cmocka_unit_test(test_empty_series),  cmocka_unit_test(test_lost_device),
        cmocka_unit_test(test_log),           cmocka_unit_test(test_last_error),
        cmocka_unit_test(test_status_str),    cmocka_unit_test(test_no_implementation),
        cmocka_unit_test(test_empty_home),
    };

    if (argc == 3 && strcmp(argv[1], "child") == 0) return child(argv[2]);
    support_remember_self(argv[0]);
    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
