/* Where CLBlast is looked for, once a process and when a product first wants it, and what happens
   where it is not:

     test_clblast absent    there is no library of its name
     test_clblast partial   there is one that lacks a function
     test_clblast shown     the process shows its functions: this program's, which note what they
   get

   The loader's calls are redirected by the linker, in the library's objects, not in the drivers. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "../support.h"

#include <dlfcn.h>
#include <string.h>

#include "check.h"
#include "clblast.h"
#include "gemm.h"

static enum { ABSENT, PARTIAL, SHOWN } mode;
static unsigned num_opened, num_asked; /* calls of the loader for CLBlast */

/* ---- the loader ---- */

void *__real_dlopen(const char *name, int flags);
void *__real_dlsym(void *library, const char *name);
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlsym(void *library, const char *name);

void *__wrap_dlopen(const char *name, int flags)
{
    if (!name || !strstr(name, "libclblast")) return __real_dlopen(name, flags);
    num_opened++;
    return mode == PARTIAL ? __real_dlopen(NULL, RTLD_NOW) : NULL;
}

void *__wrap_dlsym(void *library, const char *name)
{
    const bool is_last = strcmp(name, "CLBlastDgemm") == 0;

    if (strncmp(name, "CLBlast", 7) != 0) return __real_dlsym(library, name);
    num_asked++;
    if (mode == SHOWN || (mode == PARTIAL && library != RTLD_DEFAULT && !is_last))
        return __real_dlsym(library, name);
    return NULL;
}

/* ---- functions that are shown ---- */

/* What one of them got: its numbers, its buffers and its queue, in its order. */
typedef struct noted_call {
    const char *name;
    double numbers[14];
    cl_mem buffers[3];
    cl_command_queue queue;
} noted_call;

static noted_call noted;
static int num_calls, code_given;

/* Notes a call, and enqueues a marker in the place of products. */
static int note(noted_call call, cl_event *event)
{
    noted = call;
    num_calls++;
    if (code_given || !event) return code_given;
    return clEnqueueMarkerWithWaitList(call.queue, 0, NULL, event);
}

#define SHOW_PLAIN(name, real)                                                                     \
    int name(int layout, int transpose_a, int transpose_b, size_t m, size_t n, size_t k,           \
             real alpha, cl_mem a, size_t a_offset, size_t lda, cl_mem b, size_t b_offset,         \
             size_t ldb, real beta, cl_mem c, size_t c_offset, size_t ldc,                         \
             cl_command_queue *queue, cl_event *event);                                            \
    int name(int layout, int transpose_a, int transpose_b, size_t m, size_t n, size_t k,           \
             real alpha, cl_mem a, size_t a_offset, size_t lda, cl_mem b, size_t b_offset,         \
             size_t ldb, real beta, cl_mem c, size_t c_offset, size_t ldc,                         \
             cl_command_queue *queue, cl_event *event)                                             \
    {                                                                                              \
        return note(                                                                               \
            (noted_call){#name,                                                                    \
                         {layout, transpose_a, transpose_b, (double)m, (double)n, (double)k,       \
                          (double)alpha, (double)a_offset, (double)lda, (double)b_offset,          \
                          (double)ldb, (double)beta, (double)c_offset, (double)ldc},               \
                         {a, b, c},                                                                \
                         *queue},                                                                  \
            event);                                                                                \
    }

SHOW_PLAIN(CLBlastSgemm, float)
SHOW_PLAIN(CLBlastDgemm, double)

/* ---- contexts ---- */

enum { SIZE = 33, NUM = 8 * SIZE * SIZE };

static unsigned num_notes; /* of the log, about CLBlast */

static void count_notes(void *user, clsp_log_level level, const char *message)
{
    (void)user;
    if (strstr(message, "CLBlast") && level == CLSP_LOG_INFO) num_notes++;
}

/* Opens a context that wants CLBlast from 32 x 32 on. */
static clsp_context *open_wanting(void)
{
    clsp_context *ctx = NULL;
    const clsp_context_opts opts = {.log = count_notes};

    assert_ok(NULL, clsp_context_create(&ctx, support_queue(), &opts));
    ctx->tuning.gemm_clblast_f32 = ctx->tuning.gemm_clblast_f64 = 32;
    return ctx;
}

static clspi_gemm_desc square(size_t size)
{
    const clspi_gemm_desc desc = {CLSP_F32, .m = size, .n = size, .k = size, .batch = 1};

    return desc;
}

static cl_mem create_buffer(clsp_context *ctx, const float values[NUM])
{
    cl_int code;
    cl_mem buffer = clCreateBuffer(ctx->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   NUM * sizeof *values, (void *)values, &code);

    assert_int_equal(code, CL_SUCCESS);
    return buffer;
}

static void release_buffers(const clspi_gemm_buffers *at)
{
    clReleaseMemObject(at->a);
    clReleaseMemObject(at->b);
    clReleaseMemObject(at->c);
}

static void enqueue(clsp_context *ctx, clspi_gemm *gemm, const clspi_gemm_buffers *buffers,
                    clsp_range products, clsp_status wanted)
{
    clspi_series series;
    cl_event done = NULL;

    clspi_series_begin(&series, ctx, 0, NULL, &done);
    const clspi_gemm_part part = {.products = products};
    const clsp_status status = clspi_gemm_enqueue(gemm, &series, buffers, &part);
    assert_int_equal(status, wanted);
    if (status != CLSP_OK) {
        clspi_series_fail(&series, status);
        return;
    }
    assert_ok(ctx, clspi_series_end(&series, &done));
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
}

/* ---- without CLBlast ---- */

/* Products that do not want it, and contexts, ask nobody. */
static void test_unasked(void **state)
{
    clsp_context *ctx = open_wanting();
    clspi_gemm *gemm;
    const clspi_gemm_desc small = square(31), none = square(0);

    (void)state;
    assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &small));
    assert_int_equal(clspi_gemm_chosen(gemm), CLSPI_GEMM_OWN);
    clspi_gemm_destroy(&gemm);
    assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &none));
    clspi_gemm_destroy(&gemm);
    assert_int_equal(num_asked + num_opened, 0);
    clsp_context_destroy(&ctx);
}

/* Whole numbers, whose sums are exact. */
static void check_product(clsp_context *ctx, clspi_gemm *gemm)
{
    static float a[NUM], b[NUM], c[NUM];

    for (size_t i = 0; i < NUM; i++) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 11);
    }
    const clspi_gemm_buffers at = {create_buffer(ctx, a), 0, create_buffer(ctx, b), 0,
                                   create_buffer(ctx, c), 0};
    enqueue(ctx, gemm, &at, (clsp_range){0, 1}, CLSP_OK);
    assert_int_equal(clEnqueueReadBuffer(ctx->queue, at.c, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL),
                     CL_SUCCESS);
    for (size_t i = 0; i < SIZE * SIZE; i++) {
        float sum = 0;
        for (size_t k = 0; k < SIZE; k++)
            sum += a[i / SIZE * SIZE + k] * b[k * SIZE + i % SIZE];
        assert_true(c[i] == sum);
    }
    release_buffers(&at);
}

/* Whoever leaves the choice to the library gets our own kernels, and one note a context. */
static void test_instead(void **state)
{
    const clspi_gemm_desc desc = square(SIZE);

    (void)state;
    for (unsigned contexts = 1; contexts <= 2; contexts++) {
        clsp_context *ctx = open_wanting();
        char text[256];

        for (int i = 0; i < 3; i++) {
            clspi_gemm *gemm;
            assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &desc));
            assert_int_equal(clspi_gemm_chosen(gemm), CLSPI_GEMM_OWN);
            check_product(ctx, gemm);
            clspi_gemm_destroy(&gemm);
            assert_int_equal(num_notes, contexts);
        }
        assert_int_equal(clsp_context_last_error(ctx, text, sizeof text), 0);
        clsp_context_destroy(&ctx);
    }
}

/* Whoever names it is told what is missing. */
static void test_refused(void **state)
{
    clsp_context *ctx = open_wanting();
    clspi_gemm_desc desc = square(SIZE);
    clspi_gemm *gemm = NULL;
    char text[256];

    (void)state;
    desc.method = CLSPI_GEMM_CLBLAST;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(clspi_gemm_create(&gemm, ctx, &desc), CLSP_ERROR_ARGUMENT);
        assert_null(gemm);
    }
    clsp_context_last_error(ctx, text, sizeof text);
    assert_non_null(strstr(text, "CLBlast is not installed: no libclblast"));
    assert_non_null(strstr(text, "install"));
    assert_in_range(num_opened, 1, 2); /* once a process, by each of its names */
    clsp_context_destroy(&ctx);
}

/* ---- with the functions that are shown ---- */

/* Sizes that all differ. */
static clspi_gemm_desc uneven(clsp_type precision, bool by_columns)
{
    const clspi_gemm_desc desc = {.precision = precision,
                                  .m = 32,
                                  .n = 33,
                                  .k = 34,
                                  .lda = by_columns ? 1 : 35,
                                  .ldb = 36,
                                  .ldc = 37,
                                  .step_a = by_columns ? 35 : 1,
                                  .batch = 3,
                                  .stride_a = 1201,
                                  .stride_b = 1303,
                                  .stride_c = 1401};

    return desc;
}

/* The last products of a batch, one by one. */
static void check_call(clsp_context *ctx, clsp_type precision, bool by_columns, const char *name)
{
    static const float zeros[NUM];
    const clspi_gemm_desc d = uneven(precision, by_columns);
    const clspi_gemm_buffers at = {create_buffer(ctx, zeros), 5, create_buffer(ctx, zeros), 6,
                                   create_buffer(ctx, zeros), 7};
    const double numbers[] = {
        101, by_columns ? 112 : 111, 111, 32, 33,           34, 1, 5 + 2 * 1201,
        35,  6 + 2 * 1303,           36,  0,  7 + 2 * 1401, 37};
    const cl_mem buffers[] = {at.a, at.b, at.c};
    clspi_gemm *gemm;

    assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &d));
    assert_int_equal(clspi_gemm_chosen(gemm), CLSPI_GEMM_CLBLAST);
    num_calls = 0;
    enqueue(ctx, gemm, &at, (clsp_range){1, 2}, CLSP_OK);
    assert_int_equal(num_calls, 2);
    assert_string_equal(noted.name, name);
    assert_memory_equal(noted.numbers, numbers, sizeof numbers);
    assert_memory_equal(noted.buffers, buffers, sizeof buffers);
    assert_ptr_equal(noted.queue, ctx->queue);
    clspi_gemm_destroy(&gemm);
    release_buffers(&at);
}

static void test_calls(void **state)
{
    clsp_context *ctx = open_wanting();

    (void)state;
    check_call(ctx, CLSP_F32, false, "CLBlastSgemm");
    check_call(ctx, CLSP_F32, true, "CLBlastSgemm");
    if (ctx->device.fp64) check_call(ctx, CLSP_F64, false, "CLBlastDgemm");
    assert_int_equal(num_asked, 2);
    assert_int_equal(num_opened, 0);
    assert_int_equal(num_notes, 0);
    clsp_context_destroy(&ctx);
}

/* Its codes become statuses, with a message that has the code. */
static void test_codes(void **state)
{
    static const float zeros[NUM];
    clsp_context *ctx = open_wanting();
    const clspi_gemm_desc desc = square(SIZE);
    const clspi_gemm_buffers at = {create_buffer(ctx, zeros), 0, create_buffer(ctx, zeros), 0,
                                   create_buffer(ctx, zeros), 0};
    clspi_gemm *gemm;
    char text[256];

    (void)state;
    assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &desc));
    code_given = -1011;
    enqueue(ctx, gemm, &at, (clsp_range){0, 1}, CLSP_ERROR_BUFFER_SIZE);
    code_given = 0;
    clsp_context_last_error(ctx, text, sizeof text);
    assert_non_null(strstr(text, "CLBlast gave -1011"));
    clspi_gemm_destroy(&gemm);
    release_buffers(&at);
    clsp_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest without[] = {
        cmocka_unit_test(test_unasked),
        cmocka_unit_test(test_instead),
        cmocka_unit_test(test_refused),
    };
    const struct CMUnitTest with[] = {
        cmocka_unit_test(test_unasked),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_codes),
    };

    if (support_no_device()) return 77;
    if (argc > 1 && strcmp(argv[1], "shown") == 0) mode = SHOWN;
    if (argc > 1 && strcmp(argv[1], "partial") == 0) mode = PARTIAL;
    return mode == SHOWN ? cmocka_run_group_tests(with, NULL, NULL)
                         : cmocka_run_group_tests(without, NULL, NULL);
}
