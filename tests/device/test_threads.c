/* Contexts used by several threads at once, and several contexts at once.

   Meant for ThreadSanitizer too; on PoCL it reports nothing once PoCL's cache holds the kernels,
   that is on the second run: CC=clang meson setup build-tsan -Db_sanitize=thread -Db_lundef=false
   --buildtype=debugoptimized ninja -C build-tsan && build-tsan/tests/device/test_threads On a cold
   cache, or with other drivers, TSAN_OPTIONS=suppressions=FILE with lines such as
   "called_from_lib:libpocl.so" keeps the reports to our own code. */
#include "../support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "table_fixture.h"

enum { THREADS = 8, ROUNDS = 12, DEGREE = 5, SAMPLES = 33, VALUES = (DEGREE + 1) * SAMPLES };

typedef struct shared {
    clsp_context *ctx;
    atomic_uint failures;
    atomic_uint builds; /* messages of programs compiled or loaded */
    float wanted[VALUES];
} shared;

static void count_builds(void *user, clsp_log_level level, const char *message)
{
    shared *const s = user;

    (void)level;
    if (strncmp(message, "bernstein.cl, ", 14) == 0) atomic_fetch_add(&s->builds, 1);
}

/* Makes one table of Bernstein values with a kernel object of this call's own. name: of an option,
   to have several programs. */
static clsp_status make_table(clsp_context *ctx, const char *name, float *values)
{
    clspi_options options = clspi_options_of(ctx, CLSP_F32);
    clspi_kernel kernel = {0};
    clspi_series series = {0};
    cl_mem table = NULL;
    clsp_status status;

    clspi_option(&options, name, 1);
    CLSPI_TRY(
        clspi_kernel_create(&kernel, ctx, "bernstein", &clspi_bernstein_table_signature, &options));
    CLSPI_TRY(clspi_buffer_create(&table, ctx, VALUES * sizeof(float)));
    const clspi_bernstein_table_args args = table_args(table, DEGREE + 1, SAMPLES, SAMPLES);
    clspi_series_begin(&series, ctx, 0, NULL, NULL);
    CLSPI_TRY(clspi_launch_bernstein_table(&series, &kernel, &args, SAMPLES));
    CLSPI_TRY(clspi_series_read(&series, table, 0, values, VALUES * sizeof(float)));
    CLSPI_TRY(clspi_series_end(&series, NULL));

fail:
    clspi_buffer_release(&table);
    clspi_kernel_release(&kernel);
    return status;
}

static void *use_shared_context(void *argument)
{
    static const char *const names[] = {"ONE", "TWO", "THREE"};
    shared *const s = argument;
    float values[VALUES];
    char text[256];

    for (int i = 0; i < ROUNDS; i++) {
        cl_program program;
        if (make_table(s->ctx, names[i % 3], values) != CLSP_OK ||
            memcmp(values, s->wanted, sizeof values) != 0)
            atomic_fetch_add(&s->failures, 1);
        if (clspi_program_get(s->ctx, "no_such_file", "", &program, NULL) != CLSP_ERROR_ARGUMENT ||
            clsp_context_last_error(s->ctx, text, sizeof text) == 0)
            atomic_fetch_add(&s->failures, 1);
    }
    return NULL;
}

static void *use_own_context(void *argument)
{
    static const clsp_context_opts nowhere = {.device = "no such device"}, opts = {.cache_dir = ""};
    shared *const s = argument;
    float values[VALUES];
    char text[256];

    for (int i = 0; i < 3; i++) {
        clsp_context *ctx = NULL;
        if (clsp_context_create(&ctx, NULL, &opts) != CLSP_OK ||
            make_table(ctx, "ONE", values) != CLSP_OK ||
            memcmp(values, s->wanted, sizeof values) != 0)
            atomic_fetch_add(&s->failures, 1);
        clsp_context_destroy(&ctx);
        /* each thread finds its own failure */
        if (clsp_context_create(&ctx, NULL, &nowhere) != CLSP_ERROR_NO_DEVICE ||
            clsp_context_last_error(NULL, text, sizeof text) == 0 ||
            !strstr(text, "no such device"))
            atomic_fetch_add(&s->failures, 1);
    }
    return NULL;
}

static void run_threads(void *(*body)(void *), shared *s)
{
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, body, s), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&s->failures), 0);
}

/* What one thread alone gets, from a context of its own: the shared one then starts without
   programs. */
static void fill_wanted(shared *s)
{
    static const clsp_context_opts opts = {.cache_dir = ""};
    clsp_context *ctx;

    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    assert_ok(ctx, make_table(ctx, "", s->wanted));
    clsp_context_destroy(&ctx);
}

static void test_one_context(void **state)
{
    shared s = {0};
    const clsp_context_opts opts = {.cache_dir = "", .log = count_builds, .log_user = &s};

    (void)state;
    fill_wanted(&s);
    assert_ok(NULL, clsp_context_create(&s.ctx, NULL, &opts));
    run_threads(use_shared_context, &s);
    assert_int_equal(atomic_load(&s.builds),
                     3); /* one a set of options, however many threads asked */
    clsp_context_destroy(&s.ctx);
}

static void test_many_contexts(void **state)
{
    shared s = {0};

    (void)state;
    fill_wanted(&s);
    run_threads(use_own_context, &s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_context),
        cmocka_unit_test(test_many_contexts),
    };

    if (support_no_device()) return 77;
    if (strcmp(support_device().platform, "Oclgrind") == 0) {
        fprintf(stderr, "Oclgrind is not made for several threads: nothing can be tested here\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
