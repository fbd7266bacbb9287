/* Programs and kernels: messages of failed builds, sharing, local sizes. CLSP_TEST_CL_DIR is the
   folder of .cl files. */
#include "../support.h"

#include <stdio.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "table_fixture.h"

static clsp_context *open_with(const char *limits)
{
    const clsp_context_opts opts = {.limits = limits, .cache_dir = ""};
    clsp_context *ctx;

    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    return ctx;
}

/* The number of the line of bernstein.cl that holds the words. */
static int line_of(const char *words)
{
    FILE *const file = fopen(CLSP_TEST_CL_DIR "/bezier/bernstein.cl", "r");
    char line[256];
    int number = 1;

    assert_non_null(file);
    while (fgets(line, sizeof line, file) && !strstr(line, words))
        number++;
    fclose(file);
    return number;
}

/* `ratio` is a function of bernstein.cl, whose definition this spoils. */
static void test_build_failure(void **state)
{
    static char message[CLSPI_MESSAGE_MAX];
    char place[64];
    clsp_context *ctx = open_with(NULL);
    cl_program program = NULL;
    const clsp_status status = clspi_program_get(ctx, "bernstein", "-Dratio=3", &program, NULL);

    (void)state;
    assert_true(status == CL_BUILD_PROGRAM_FAILURE || status == CL_COMPILE_PROGRAM_FAILURE);
    assert_null(program);
    clsp_context_last_error(ctx, message, sizeof message);
    assert_non_null(strstr(message, "-Dratio=3"));
    assert_non_null(strstr(message, ctx->device.name));
    snprintf(place, sizeof place, "bernstein.cl:%d", line_of("real ratio("));
    if (!strstr(message, place)) {
        print_error("'%s' is not in: %s\n", place, message);
        fail();
    }
    /* a failed build leaves nothing behind that a later one could find */
    assert_int_equal(clspi_program_get(ctx, "bernstein", "-Dratio=3", &program, NULL), status);
    assert_ok(ctx, clspi_program_get(ctx, "bernstein", "", &program, NULL));
    clsp_context_destroy(&ctx);
}

static void test_built_once(void **state)
{
    clsp_context *ctx = open_with(NULL);
    cl_program first, again, other;
    double ms = -1, ms_again = -2;

    (void)state;
    assert_ok(ctx, clspi_program_get(ctx, "bernstein", "", &first, &ms));
    assert_ok(ctx, clspi_program_get(ctx, "bernstein", "", &again, &ms_again));
    assert_ptr_equal(first, again);
    assert_true(ms >= 0 && ms_again >= 0);
    assert_memory_equal(&ms, &ms_again, sizeof ms); /* the time of the one build */
    assert_ok(ctx, clspi_program_get(ctx, "bernstein", "-DCLSP_FMA=0", &other, NULL));
    assert_ptr_not_equal(first, other);
    assert_ok(ctx, clspi_program_get(ctx, "gemm", "", &other, NULL));
    assert_ptr_not_equal(first, other);
    clsp_context_destroy(&ctx);
}

static void test_unknown_names(void **state)
{
    static const clspi_signature unknown = {"no_such_kernel", NULL, 0, false};
    const clspi_options options = {.used = 0};
    clsp_context *ctx = open_with(NULL);
    clspi_kernel kernel;
    char message[512];

    (void)state;
    assert_status(ctx, clspi_kernel_create(&kernel, ctx, "no_such_file", &unknown, &options),
                  CLSP_ERROR_ARGUMENT);
    assert_null(kernel.kernel);
    assert_status(ctx, clspi_kernel_create(&kernel, ctx, "bernstein", &unknown, &options),
                  CL_INVALID_KERNEL_NAME);
    assert_null(kernel.kernel);
    clsp_context_last_error(ctx, message, sizeof message);
    assert_non_null(strstr(message, "no_such_kernel"));
    clspi_kernel_release(&kernel);
    clsp_context_destroy(&ctx);
}

/* The local size obeys a narrowed limit, and a launch with it covers every item. */
static void test_local_size(void **state)
{
    static const size_t limits[] = {1, 2, 5, 8, 1000000};

    (void)state;
    for (size_t i = 0; i < CLSPI_COUNT(limits); i++) {
        char words[64];
        clspi_kernel kernel;
        clspi_series series;
        cl_mem table;
        float values[3 * 37];
        const cl_uint order = 3, num = 37, stride = 37;

        snprintf(words, sizeof words, "work_group=%zu", limits[i]);
        clsp_context *ctx = open_with(words);
        const clspi_options options = clspi_options_of(ctx, CLSP_F32);
        assert_ok(ctx, clspi_kernel_create(&kernel, ctx, "bernstein",
                                           &clspi_bernstein_table_signature, &options));
        assert_true(kernel.local >= 1 && kernel.local <= limits[i]);
        assert_int_equal(ctx->tuning.work_group % kernel.local, 0);
        size_t own = 0; /* the kernel's limit */
        assert_int_equal(clGetKernelWorkGroupInfo(kernel.kernel, ctx->device.id,
                                                  CL_KERNEL_WORK_GROUP_SIZE, sizeof own, &own,
                                                  NULL),
                         CL_SUCCESS);
        assert_true(kernel.local == ctx->tuning.work_group || 2 * kernel.local > limits[i] ||
                    2 * kernel.local > ctx->device.max_work_group || 2 * kernel.local > own);
        assert_ok(ctx, clspi_buffer_create(&table, ctx, sizeof values));
        const clspi_bernstein_table_args args = table_args(table, order, num, stride);
        clspi_series_begin(&series, ctx, 0, NULL, NULL);
        assert_ok(ctx, clspi_launch_bernstein_table(&series, &kernel, &args, num));
        assert_ok(ctx, clspi_series_read(&series, table, 0, values, sizeof values));
        assert_ok(ctx, clspi_series_end(&series, NULL));
        for (size_t a = 0; a < num;
             a++) { /* a partition of unity at each sample: three terms, a few roundings */
            const double sum =
                (double)values[a] + (double)values[num + a] + (double)values[2 * num + a];
            assert_true(sum > 1 - 4 * 6e-8 && sum < 1 + 4 * 6e-8);
        }
        clspi_buffer_release(&table);
        clspi_kernel_release(&kernel);
        clsp_context_destroy(&ctx);
    }
}

typedef struct report {
    unsigned kernels, other_programs;
} report;

static void take_report(void *user, const clsp_kernel_info *info)
{
    report *const r = user;

    r->kernels++;
    r->other_programs += strcmp(info->program, "gemm") != 0;
    assert_true(strcmp(info->kernel, "gemm_rows") == 0 || strcmp(info->kernel, "gemm_wide") == 0);
    assert_non_null(strstr(info->options, "-DCLSP_K=3"));
    assert_true(info->work_group_limit >= 1);
    assert_true(info->build_ms >= 0);
}

static void test_report(void **state)
{
    clspi_options options = {.used = 0};
    report r = {0};
    clspi_build build = {.ctx = open_with(NULL), .fn = take_report, .user = &r};

    (void)state;
    clspi_option(&options, "K", 3);
    assert_ok(build.ctx, clspi_program_build(&build, "gemm", &options));
    assert_int_equal(r.kernels, 2);
    assert_int_equal(r.other_programs, 0);
    build.fn = NULL;
    assert_ok(build.ctx, clspi_program_build(&build, "gemm", &options));
    clsp_context_destroy(&build.ctx);
}

static unsigned refused;

static cl_program refuse_program(cl_context context, cl_uint num, const char **texts,
                                 const size_t *sizes, cl_int *code)
{
    (void)context, (void)num, (void)texts, (void)sizes;
    refused++;
    *code = CL_OUT_OF_HOST_MEMORY;
    return NULL;
}

/* All programs are built after they have been counted: the first one that cannot be ends the call.
 */
static void test_build_all(void **state)
{
    clsp_context *ctx = open_with(NULL);
    report r = {0};

    (void)state;
    const clspi_opencl_table usual = clspi_opencl;
    clCreateProgramWithSource = refuse_program;
    const clsp_status status = clsp_context_build_all(ctx, take_report, &r);
    clspi_opencl = usual;
    assert_int_equal(status, CL_OUT_OF_HOST_MEMORY);
    assert_int_equal(refused, 1);
    assert_int_equal(r.kernels, 0);
    clsp_context_destroy(&ctx);
}

static void test_buffers(void **state)
{
    clsp_context *ctx = open_with("alloc=4096"), *other = open_with(NULL);
    cl_mem buffer, foreign;

    (void)state;
    assert_ok(ctx, clspi_buffer_create(&buffer, ctx, 0));
    assert_null(buffer);
    assert_status(ctx, clspi_buffer_create(&buffer, ctx, 4097), CL_INVALID_BUFFER_SIZE);
    assert_null(buffer);
    assert_ok(ctx, clspi_buffer_create(&buffer, ctx, 4096));
    assert_ok(other, clspi_buffer_create(&foreign, other, 4096));
    assert_ok(ctx, clspi_buffer_check(ctx, buffer, 0, 1024, 4, "b"));
    assert_ok(ctx, clspi_buffer_check(ctx, buffer, 1024, 0, 4, "b"));
    assert_ok(ctx, clspi_buffer_check(ctx, buffer, 24, 1000, 4, "b"));
    assert_status(ctx, clspi_buffer_check(ctx, buffer, 25, 1000, 4, "b"), CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx, clspi_buffer_check(ctx, buffer, 0, 513, 8, "b"), CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx, clspi_buffer_check(ctx, buffer, SIZE_MAX, 2, 4, "b"),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx, clspi_buffer_check(ctx, buffer, 2, SIZE_MAX, 4, "b"),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx, clspi_buffer_check(ctx, NULL, 0, 1, 4, "b"), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clspi_buffer_check(ctx, foreign, 0, 1, 4, "b"), CLSP_ERROR_ARGUMENT);
    clspi_buffer_release(&buffer);
    assert_null(buffer);
    clspi_buffer_release(&buffer);
    clspi_buffer_release(&foreign);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build_failure), cmocka_unit_test(test_built_once),
        cmocka_unit_test(test_unknown_names), cmocka_unit_test(test_local_size),
        cmocka_unit_test(test_report),        cmocka_unit_test(test_build_all),
        cmocka_unit_test(test_buffers),
    };

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
