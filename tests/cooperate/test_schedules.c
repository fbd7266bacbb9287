/* Every schedule on a ledger: each tile once, whoever made it. */
#include "ledger_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "kernel_arguments.h"

enum { TILES = 200003, ROUNDS = 10, MAX_PLATFORMS = 8 };

static const clsp_schedule all_schedules[] = {CLSP_SCHEDULE_DEFAULT, CLSP_SCHEDULE_SVM,
                                              CLSP_SCHEDULE_DYNAMIC, CLSP_SCHEDULE_STATIC,
                                              CLSP_SCHEDULE_DEVICE,  CLSP_SCHEDULE_HOST};

static bool has_svm_atomics(const clsp_device_info *info)
{
    const uint32_t both = CLSP_SVM_FINE_BUFFER | CLSP_SVM_ATOMICS;

    return (info->svm & both) == both && info->device_class != CLSP_CLASS_DISCRETE;
}

/* Whether the device lists the scope of OpenCL C 3.0 that takes in the host. */
static bool lists_all_devices(const clsp_device_info *info)
{
    cl_name_version list[128];
    size_t size = 0;
    bool found = false;

    if (clGetDeviceInfo(info->id, CL_DEVICE_OPENCL_C_FEATURES, sizeof list, list, &size) !=
        CL_SUCCESS)
        return false;
    for (size_t i = 0; i < size / sizeof *list; i++)
        found = found || strcmp(list[i].name, "__opencl_c_atomic_scope_all_devices") == 0;
    return found;
}

/* Whether the SVM schedule runs there: CPUs do with the older atomics. */
static bool runs_svm(const clsp_device_info *info)
{
    return has_svm_atomics(info) && (info->device_class == CLSP_CLASS_CPU ||
                                     info->opencl_version == 200 || lists_all_devices(info));
}

static clsp_context *open_context(const char *device)
{
    const clsp_context_opts opts = {.device = device};
    clsp_context *ctx;

    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    assert_ok(ctx, clsp_context_set_speeds(ctx, ""));
    return ctx;
}

/* A ledger of num_tiles in shared memory. */
static void open_ledger(ledger *l, clsp_context *ctx, size_t num_tiles, bool filled)
{
    void *out;

    assert_ok(ctx, clsp_shared_alloc(ctx, (num_tiles + 1) * sizeof(cl_int), &out));
    ledger_init(l, ctx, num_tiles, out, filled);
}

static void close_ledger(ledger *l)
{
    ledger_release(l);
    clsp_shared_free(l->ctx, l->job.out);
}

/* All schedules, in turns. */
static void run_all(clsp_context *ctx, size_t num_tiles, size_t rounds, bool filled)
{
    ledger l;

    open_ledger(&l, ctx, num_tiles, filled);
    for (size_t i = 0; i < rounds; i++)
        for (size_t s = 0; s < CLSPI_COUNT(all_schedules); s++) {
            const clsp_share opts = {.schedule = all_schedules[s]};
            ledger_check(&l, &opts, NULL);
        }
    close_ledger(&l);
}

/* 10 million tiles or more of next to nothing. */
static void test_ledger(void **state)
{
    clsp_context *ctx = open_context(NULL);

    (void)state;
    run_all(ctx, TILES / ledger_scale(), ROUNDS, false);
    run_all(ctx, TILES / ledger_scale(), 1, true);
    clsp_context_destroy(&ctx);
}

static void test_more_workers_than_cores(void **state)
{
    clsp_context *ctx = open_context(NULL);

    (void)state;
    assert_ok(ctx, clsp_context_set_workers(ctx, 7));
    run_all(ctx, TILES / ledger_scale(), 2, false);
    assert_ok(ctx, clsp_context_set_workers(ctx, 3));
    run_all(ctx, TILES / ledger_scale(), 2, false);
    assert_ok(ctx, clsp_context_set_workers(ctx, CLSP_NO_WORKERS));
    run_all(ctx, TILES / ledger_scale(), 1, false);
    clsp_context_destroy(&ctx);
}

static void test_sizes(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 3, 7, 64, 127, 1009};
    clsp_context *ctx = open_context(NULL);

    (void)state;
    for (size_t i = 0; i < CLSPI_COUNT(sizes); i++)
        run_all(ctx, sizes[i], 2, i % 2);
    clsp_context_destroy(&ctx);
}

/* A result in memory of the caller's, at no alignment but its own. */
static void test_plain_memory(void **state)
{
    enum { NUM = 5003 };
    clsp_context *ctx = open_context(NULL);
    cl_int *const memory = malloc((NUM + 2) * sizeof *memory);
    clsp_report report;
    ledger l;

    (void)state;
    assert_non_null(memory);
    memory[0] = memory[NUM + 1] = 77;
    ledger_init(&l, ctx, NUM, memory + 1, false);
    for (size_t s = 0; s < CLSPI_COUNT(all_schedules); s++) {
        const clsp_share opts = {.schedule = all_schedules[s]};
        ledger_check(&l, &opts, &report);
        assert_int_not_equal(report.schedule, CLSP_SCHEDULE_SVM);
        if (all_schedules[s] == CLSP_SCHEDULE_SVM) {
            assert_int_equal(report.schedule, CLSP_SCHEDULE_DYNAMIC);
            assert_true(report.reason[CLSP_SCHEDULE_SVM][0] != '\0');
        }
    }
    assert_int_equal(memory[0], 77);
    assert_int_equal(memory[NUM + 1], 77);
    ledger_release(&l);
    free(memory);
    clsp_context_destroy(&ctx);
}

/* ---- what was asked for ---- */

static void test_forced(void **state)
{
    clsp_context *ctx = open_context(NULL);
    clsp_device_info info;
    clsp_report report;
    ledger l;

    (void)state;
    assert_ok(ctx, clsp_context_device(ctx, &info));
    open_ledger(&l, ctx, 1009, false);
    for (size_t s = 1; s < CLSPI_COUNT(all_schedules); s++) {
        const clsp_share opts = {.schedule = all_schedules[s]};
        const bool falls = all_schedules[s] == CLSP_SCHEDULE_SVM && !runs_svm(&info);
        ledger_check(&l, &opts, &report);
        assert_int_equal(report.schedule, falls ? CLSP_SCHEDULE_DYNAMIC : all_schedules[s]);
        if (report.schedule == CLSP_SCHEDULE_DEVICE)
            assert_int_equal(report.processors[0].tiles, 1009);
        if (report.schedule == CLSP_SCHEDULE_HOST)
            assert_int_equal(report.processors[1].tiles, 1009);
    }
    close_ledger(&l);
    clsp_context_destroy(&ctx);
}

static void test_static_ratios(void **state)
{
    static const double ratios[] = {-1, 0, 0.05, 0.5, 1};
    static const double bad[] = {1.01, NAN};
    clsp_context *ctx = open_context(NULL);
    clsp_report report;
    clsp_status status;
    ledger l;

    (void)state;
    open_ledger(&l, ctx, 1000, false);
    for (size_t i = 0; i < CLSPI_COUNT(ratios); i++) {
        const clsp_share opts = {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = ratios[i]};
        ledger_check(&l, &opts, &report);
        assert_int_equal(report.schedule, CLSP_SCHEDULE_STATIC);
        if (ratios[i] != 0)
            assert_int_equal(report.processors[1].tiles, (int)(1000 * fmax(ratios[i], 0)));
    }
    for (size_t i = 0; i < CLSPI_COUNT(bad); i++) {
        const clsp_share opts = {.static_ratio = bad[i]};
        ledger_run(&l, &opts, NULL, &status);
        assert_int_equal(status, CLSP_ERROR_ARGUMENT);
    }
    const clsp_share no_schedule = {.schedule = (clsp_schedule)CLSP_NUM_SCHEDULES};
    ledger_run(&l, &no_schedule, NULL, &status);
    assert_int_equal(status, CLSP_ERROR_ARGUMENT);
    close_ledger(&l);
    clsp_context_destroy(&ctx);
}

/* Fields of later versions must be 0, and the message says which one is not. */
static void test_reserved(void **state)
{
    clsp_context *ctx = open_context(NULL);
    char message[128];
    clsp_status status;
    ledger l;

    (void)state;
    open_ledger(&l, ctx, 10, false);
    for (size_t i = 0; i < 4; i++) {
        clsp_share opts = {.schedule = CLSP_SCHEDULE_HOST};
        opts.reserved[i] = 1;
        ledger_run(&l, &opts, NULL, &status);
        assert_int_equal(status, CLSP_ERROR_ARGUMENT);
        clsp_context_last_error(ctx, message, sizeof message);
        assert_non_null(strstr(message, "reserved"));
    }
    close_ledger(&l);
    clsp_context_destroy(&ctx);
}

/* What processors cannot do is for others, and the report says why. */
static void test_reasons(void **state)
{
    clsp_context *ctx = open_context(NULL);
    clsp_report report;
    ledger l;

    (void)state;
    open_ledger(&l, ctx, 1000, false);
    const clsp_share svm = {.schedule = CLSP_SCHEDULE_SVM}, host = {.schedule = CLSP_SCHEDULE_HOST};
    const clsp_share bits = {.bit_equal = 1};
    const clsp_share bits_host = {.schedule = CLSP_SCHEDULE_HOST, .bit_equal = 1};
    l.job.persistent = NULL;
    l.job.why_not_persistent = "words of svm";
    ledger_check(&l, &svm, &report);
    assert_int_equal(report.schedule, CLSP_SCHEDULE_DYNAMIC);
    assert_string_equal(report.reason[CLSP_SCHEDULE_SVM], "words of svm");
    l.job.host = NULL;
    l.job.why_no_host = "words of the host";
    ledger_check(&l, &host, &report);
    assert_int_equal(report.schedule, CLSP_SCHEDULE_DEVICE);
    assert_string_equal(report.reason[CLSP_SCHEDULE_HOST], "words of the host");
    ledger_check(&l, &svm, &report);
    assert_int_equal(report.schedule, CLSP_SCHEDULE_DEVICE);
    assert_string_equal(report.reason[CLSP_SCHEDULE_DYNAMIC], "words of the host");
    ledger_release(&l);
    ledger_init(&l, ctx, 1000, l.job.out, false);
    ledger_check(&l, &bits, &report);
    assert_int_equal(report.schedule, CLSP_SCHEDULE_DEVICE);
    ledger_check(&l, &bits_host, &report);
    assert_int_equal(report.schedule, CLSP_SCHEDULE_DEVICE);
    close_ledger(&l);
    clsp_context_destroy(&ctx);
}

/* Speeds are measured apart from the job once at most, and what is learned is used. */
static void test_auto(void **state)
{
    clsp_context *ctx = open_context(NULL);
    clsp_report report;
    ledger l;

    (void)state;
    open_ledger(&l, ctx, 20011 / ledger_scale() + 1, false);
    for (int i = 0; i < 100; i++) {
        ledger_check(&l, NULL, &report);
        assert_true(i == 0 || report.probe_ms == 0);
        assert_true(report.schedule != CLSP_SCHEDULE_STATIC);
    }
    close_ledger(&l);
    clsp_context_destroy(&ctx);
}

/* ---- several devices ---- */

/* The context's own device a second time, with a context of OpenCL of its own. */
static void test_same_device_twice(void **state)
{
    clsp_context *ctx, *other;
    clsp_report report;
    ledger l;

    (void)state;
    if (!ledger_joins_run_here()) skip_because("Oclgrind is not made for several threads");
    ctx = open_context(NULL);
    other = open_context(NULL);
    assert_ok(ctx, clsp_context_join(ctx, other));
    run_all(ctx, TILES / ledger_scale(), 2, false);
    open_ledger(&l, ctx, 1000, false);
    const clsp_share bits = {.schedule = CLSP_SCHEDULE_DYNAMIC, .bit_equal = 1};
    ledger_check(&l, &bits, &report);
    assert_int_equal(report.schedule, CLSP_SCHEDULE_DYNAMIC);
    assert_int_equal(report.processors[2].tiles, 0);
    close_ledger(&l);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

/* Two queues of one context of OpenCL: both devices take tiles from the same counter. */
static void test_one_opencl_context(void **state)
{
    clsp_context *first, *ctx, *other;
    cl_context context;
    cl_command_queue queues[2];
    clsp_device_info info;
    cl_int code;

    (void)state;
    if (!ledger_joins_run_here()) skip_because("Oclgrind is not made for several threads");
    first = open_context(NULL);
    assert_ok(first, clsp_context_device(first, &info));
    assert_int_equal(clGetCommandQueueInfo(clsp_context_queue(first), CL_QUEUE_CONTEXT,
                                           sizeof context, &context, NULL),
                     CL_SUCCESS);
    for (int i = 0; i < 2; i++) { /* the second one runs its commands in any order */
        const cl_command_queue_properties how = i ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
        queues[i] = clCreateCommandQueue(context, info.id, how, &code);
        if (code != CL_SUCCESS) queues[i] = clCreateCommandQueue(context, info.id, 0, &code);
        assert_int_equal(code, CL_SUCCESS);
    }
    assert_ok(NULL, clsp_context_create(&ctx, queues[0], NULL));
    assert_ok(NULL, clsp_context_create(&other, queues[1], NULL));
    assert_ok(ctx, clsp_context_join(ctx, other));
    run_all(ctx, TILES / ledger_scale(), 2, false);
    clsp_context_destroy(&other); /* in either order */
    clsp_context_destroy(&ctx);
    for (int i = 0; i < 2; i++)
        clReleaseCommandQueue(queues[i]);
    clsp_context_destroy(&first);
}

/* One device of each platform of OpenCL that there is. */
static size_t one_of_each_platform(size_t indices[MAX_PLATFORMS])
{
    clsp_device_info infos[32];
    size_t count, found = 0;

    assert_ok(NULL, clsp_device_list(infos, CLSPI_COUNT(infos), &count));
    count = clspi_min(count - 1, CLSPI_COUNT(infos)); /* the host is the last one */
    for (size_t i = 0; i < count && found < MAX_PLATFORMS; i++) {
        size_t k = 0;
        while (k < found && strcmp(infos[indices[k]].platform, infos[i].platform) != 0)
            k++;
        if (k == found) indices[found++] = i;
    }
    return found;
}

static void test_platforms_together(void **state)
{
    size_t indices[MAX_PLATFORMS];
    clsp_context *contexts[MAX_PLATFORMS];
    char index[16];
    size_t num;

    (void)state;
    if (!ledger_joins_run_here()) skip_because("Oclgrind is not made for several threads");
    num = one_of_each_platform(indices);
    if (num < 2) skip_because("there is one platform");
    for (size_t first = 0; first < num; first++) {
        for (size_t i = 0; i < num; i++) {
            snprintf(index, sizeof index, "%zu", indices[(first + i) % num]);
            contexts[i] = open_context(index);
            if (i > 0) assert_ok(contexts[0], clsp_context_join(contexts[0], contexts[i]));
        }
        run_all(contexts[0], TILES / ledger_scale(), 2, false);
        for (size_t i = 0; i < num; i++)
            clsp_context_destroy(&contexts[i]);
    }
    print_message("%zu platforms\n", num);
}

/* All devices of the platform: POCL_DEVICES="pthread pthread", say. */
static void test_devices_of_platform(void **state)
{
    clsp_device_info infos[32];
    clsp_context *contexts[32];
    char index[16];
    size_t count, num = 0;

    (void)state;
    if (!ledger_joins_run_here()) skip_because("Oclgrind is not made for several threads");
    const clsp_device_info mine = support_device();
    assert_ok(NULL, clsp_device_list(infos, CLSPI_COUNT(infos), &count));
    for (size_t i = 0; i < count && i < CLSPI_COUNT(infos) && num < 4; i++) {
        if (strcmp(infos[i].platform, mine.platform) != 0) continue;
        snprintf(index, sizeof index, "%zu", i);
        contexts[num] = open_context(index);
        if (num > 0) assert_ok(contexts[0], clsp_context_join(contexts[0], contexts[num]));
        num++;
    }
    if (num > 1) run_all(contexts[0], TILES / ledger_scale(), 2, false);
    for (size_t i = 0; i < num; i++)
        clsp_context_destroy(&contexts[i]);
    if (num < 2) skip_because("the platform has one device");
}

/* ---- the tile queue ---- */

/* The kernel's signature with buffers in the place of shared virtual memory, for tools that know
   none. */
static clspi_signature signature_of_buffers(clspi_parameter *parameters)
{
    clspi_signature signature = clspi_take_ledger_signature;

    memcpy(parameters, signature.parameters, signature.num * sizeof *parameters);
    for (size_t i = 0; i < signature.num; i++)
        if (parameters[i].kind == CLSPI_SVM) parameters[i].kind = CLSPI_MEMORY;
    signature.parameters = parameters;
    return signature;
}

/* The kernel alone, on plain buffers. */
static void test_persistent_kernel(void **state)
{
    enum { NUM = 257 };
    cl_int entries[NUM] = {0}, counter = 0;
    clspi_parameter parameters[8];
    const clspi_signature signature = signature_of_buffers(parameters);
    clsp_context *ctx = open_context(NULL);
    clspi_kernel kernel;
    cl_mem buffers[2];
    clspi_series series;

    (void)state;
    for (unsigned group = 1; group <= 8; group *= 8) {
        clspi_options options = {.used = 0};
        clspi_option(&options, "STANDARD_ATOMICS", 0);
        clspi_option(&options, "GROUP", group);
        assert_ok(ctx, clspi_kernel_create(&kernel, ctx, "tile_ledger", &signature, &options));
        kernel.local = group;
        assert_ok(ctx, clspi_buffer_create(&buffers[0], ctx, sizeof counter));
        assert_ok(ctx, clspi_buffer_create(&buffers[1], ctx, sizeof entries));
        memset(entries, 0, sizeof entries);
        counter = 0;
        clspi_series_begin(&series, ctx, 0, NULL, NULL);
        const clspi_take_ledger_args args = {
            .counter = buffers[0], .num_tiles = NUM, .ledger = buffers[1]};
        assert_ok(ctx, clspi_series_write(&series, buffers[0], 0, &counter, sizeof counter));
        assert_ok(ctx, clspi_series_write(&series, buffers[1], 0, entries, sizeof entries));
        assert_ok(ctx, clspi_series_launch(&series, &kernel, &signature, &args, 5 * kernel.local));
        assert_ok(ctx, clspi_series_read(&series, buffers[0], 0, &counter, sizeof counter));
        assert_ok(ctx, clspi_series_read(&series, buffers[1], 0, entries, sizeof entries));
        assert_ok(ctx, clspi_series_end(&series, NULL));
        assert_int_equal(counter, NUM + 5); /* each work-group once past the end */
        for (int i = 0; i < NUM; i++)
            assert_int_equal(entries[i], 1);
        clspi_buffer_release(&buffers[0]);
        clspi_buffer_release(&buffers[1]);
        clspi_kernel_release(&kernel);
    }
    clsp_context_destroy(&ctx);
}

/* The atomics of OpenCL C 2.0, where a device with shared memory lists them, although CPUs use the
   older ones. */
static void test_standard_atomics(void **state)
{
    clsp_context *ctx = open_context(NULL);
    const clsp_share opts = {.schedule = CLSP_SCHEDULE_SVM};
    clsp_report report;
    clsp_device_info info;
    ledger l;

    (void)state;
    assert_ok(ctx, clsp_context_device(ctx, &info));
    const bool found = has_svm_atomics(&info) && lists_all_devices(&info);
    open_ledger(&l, ctx, TILES / ledger_scale(), false);
    l.options = "-cl-std=CL3.0 -DCLSP_STANDARD_ATOMICS=1";
    for (int i = 0; found && i < 3; i++) {
        ledger_check(&l, &opts, &report);
        assert_int_equal(report.schedule, CLSP_SCHEDULE_SVM);
    }
    close_ledger(&l);
    clsp_context_destroy(&ctx);
    if (!found) skip_because("the device does not list the scope of all devices");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ledger),
        cmocka_unit_test(test_more_workers_than_cores),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_plain_memory),
        cmocka_unit_test(test_forced),
        cmocka_unit_test(test_static_ratios),
        cmocka_unit_test(test_reserved),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_same_device_twice),
        cmocka_unit_test(test_one_opencl_context),
        cmocka_unit_test(test_platforms_together),
        cmocka_unit_test(test_devices_of_platform),
        cmocka_unit_test(test_persistent_kernel),
        cmocka_unit_test(test_standard_atomics),
    };

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
