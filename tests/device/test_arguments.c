/* Kernel arguments: each kind arrives as it was given, alone and in structs, and what does not fit
   the kernel is refused. Build options: texts, their limit, and what becomes of those beyond it. */
#include "../support.h"

#include <stdio.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "launch.h"
#include "table_fixture.h"

static clsp_context *open_context(void)
{
    const clsp_context_opts opts = {.cache_dir = ""};
    clsp_context *ctx;

    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    return ctx;
}

static void assert_last_error(clsp_context *ctx, const char *words)
{
    static char message[CLSPI_MESSAGE_MAX];

    clsp_context_last_error(ctx, message, sizeof message);
    if (!strstr(message, words)) fail_msg("'%s' is not in: %s", words, message);
}

/* ---- a kernel of the test's own ---- */

/* Copies what it is given. REAL is float or double. */
static const char source[] =
    "#ifdef DOUBLE\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#endif\n"
    "typedef REAL real;\n"
    "typedef REAL4 real4;\n"
    "typedef uint2 wide;\n"
    "typedef struct first_group { uint a; real x; int b; wide w; uint c; } first_group;\n"
    "typedef struct last_group { real x; real y; uint a; } last_group;\n"
    "typedef struct large_group { wide w[33]; } large_group;\n"
    "kernel void copy(global uint *words, uint a, first_group f, int b, wide w, last_group l,\n"
    "                 real x, real4 r, global real *reals)\n"
    "{\n"
    "    if (get_global_id(0) != 0) return;\n"
    "    words[0] = a; words[1] = (uint)b; words[2] = w.s0; words[3] = w.s1;\n"
    "    words[4] = f.a; words[5] = (uint)f.b; words[6] = f.w.s0; words[7] = f.w.s1;\n"
    "    words[8] = f.c; words[9] = l.a;\n"
    "    reals[0] = x; reals[1] = r.s0; reals[2] = r.s1; reals[3] = r.s2; reals[4] = r.s3;\n"
    "    reals[5] = f.x; reals[6] = l.x; reals[7] = l.y;\n"
    "}\n"
    "kernel void take_large(large_group l, global uint *words) { words[0] = l.w[32].s0; }\n"
    "kernel void mark(global uint *words, uint a) { words[get_global_id(0)] = a; }\n";

typedef struct copy_args {
    cl_mem words;
    cl_uint a;
    struct {
        cl_uint a;
        double x;
        cl_int b;
        uint64_t w;
        cl_uint c;
    } f;
    cl_int b;
    uint64_t w;
    struct {
        double x, y;
        cl_uint a;
    } l;
    double x;
    clspi_real4 r;
    cl_mem reals;
} copy_args;

enum { WORDS = 10, REALS = 8 };

static const clspi_parameter copy_parameters[] = {
    {CLSPI_MEMORY, offsetof(copy_args, words), 0, false},
    {CLSPI_UINT, offsetof(copy_args, a), 0, false},
    {CLSPI_STRUCT, offsetof(copy_args, f), 5, false},
    {CLSPI_UINT, offsetof(copy_args, f.a), 0, false},
    {CLSPI_REAL, offsetof(copy_args, f.x), 0, false},
    {CLSPI_INT, offsetof(copy_args, f.b), 0, false},
    {CLSPI_WIDE, offsetof(copy_args, f.w), 0, false},
    {CLSPI_UINT, offsetof(copy_args, f.c), 0, false},
    {CLSPI_INT, offsetof(copy_args, b), 0, false},
    {CLSPI_WIDE, offsetof(copy_args, w), 0, false},
    {CLSPI_STRUCT, offsetof(copy_args, l), 3, false},
    {CLSPI_REAL, offsetof(copy_args, l.x), 0, false},
    {CLSPI_REAL, offsetof(copy_args, l.y), 0, false},
    {CLSPI_UINT, offsetof(copy_args, l.a), 0, false},
    {CLSPI_REAL, offsetof(copy_args, x), 0, false},
    {CLSPI_REAL4, offsetof(copy_args, r), 0, false},
    {CLSPI_MEMORY, offsetof(copy_args, reals), 0, false}};
static const clspi_signature copy_signature = {"copy", copy_parameters,
                                               CLSPI_COUNT(copy_parameters), false};

typedef struct mark_args {
    void *words;
    cl_uint a;
} mark_args;

static clspi_kernel kernel_of(clsp_context *ctx, const clspi_signature *signature, bool is_double)
{
    const char *text = source;
    const char *const options = is_double ? "-cl-std=CL1.2 -DDOUBLE -DREAL=double -DREAL4=double4"
                                          : "-cl-std=CL1.2 -DREAL=float -DREAL4=float4";
    clspi_kernel kernel = {
        .signature = signature, .local = 1, .real_bytes = is_double ? sizeof(double) : 4};
    cl_int code;

    const cl_program program = clCreateProgramWithSource(ctx->context, 1, &text, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clBuildProgram(program, 1, &ctx->device.id, options, NULL, NULL), CL_SUCCESS);
    kernel.kernel = clCreateKernel(program, signature->kernel, &code);
    assert_int_equal(code, CL_SUCCESS);
    clReleaseProgram(program);
    return kernel;
}

/* ---- values ---- */

static copy_args some_args(clsp_context *ctx)
{
    copy_args args = {.a = UINT32_MAX,
                      .f = {.a = 1, .x = 1.0 / 3.0, .b = -2, .w = UINT64_C(7) << 32, .c = 3},
                      .b = INT32_MIN,
                      .w = UINT64_C(0xfedcba9876543210),
                      .l = {.x = -1e30, .y = 0.1, .a = 0x80000001u},
                      .x = 1.0 + 0x1p-24 + 0x1p-40, /* rounded up in float */
                      .r = {{0x1p-126, -0.7, 1e30, -0.0}}};

    assert_ok(ctx, clspi_buffer_create(&args.words, ctx, WORDS * sizeof(cl_uint)));
    assert_ok(ctx, clspi_buffer_create(&args.reals, ctx, REALS * sizeof(double)));
    return args;
}

static void check_words(const copy_args *args, const cl_uint words[WORDS])
{
    const cl_uint wanted[WORDS] = {
        args->a,   (cl_uint)args->b,   (cl_uint)args->w,   (cl_uint)(args->w >> 32),
        args->f.a, (cl_uint)args->f.b, (cl_uint)args->f.w, (cl_uint)(args->f.w >> 32),
        args->f.c, args->l.a};

    assert_memory_equal(words, wanted, sizeof wanted);
}

/* Bit for bit: -0 and the smallest normal number too. */
static void check_reals(const copy_args *args, const void *reals, bool is_double)
{
    const double wanted[REALS] = {args->x,      args->r.s[0], args->r.s[1], args->r.s[2],
                                  args->r.s[3], args->f.x,    args->l.x,    args->l.y};
    float narrow[REALS];

    for (size_t i = 0; i < REALS; i++)
        narrow[i] = (float)wanted[i];
    if (is_double)
        assert_memory_equal(reals, wanted, sizeof wanted);
    else
        assert_memory_equal(reals, narrow, sizeof narrow);
}

static void check_copy(clsp_context *ctx, bool is_double)
{
    clspi_kernel kernel = kernel_of(ctx, &copy_signature, is_double);
    copy_args args = some_args(ctx);
    cl_uint words[WORDS];
    double reals[REALS];
    clspi_series series;

    clspi_series_begin(&series, ctx, 0, NULL, NULL);
    assert_ok(ctx, clspi_series_launch(&series, &kernel, &copy_signature, &args, 1));
    assert_ok(ctx, clspi_series_read(&series, args.words, 0, words, sizeof words));
    assert_ok(ctx, clspi_series_read(&series, args.reals, 0, reals, REALS * kernel.real_bytes));
    assert_ok(ctx, clspi_series_end(&series, NULL));
    check_words(&args, words);
    check_reals(&args, reals, is_double);
    clspi_buffer_release(&args.words);
    clspi_buffer_release(&args.reals);
    clspi_kernel_release(&kernel);
}

static void test_values(void **state)
{
    clsp_context *ctx = open_context();

    (void)state;
    check_copy(ctx, false);
    if (ctx->device.fp64) check_copy(ctx, true);
    clsp_context_destroy(&ctx);
}

static void test_shared_memory(void **state)
{
    static const clspi_parameter parameters[] = {{CLSPI_SVM, offsetof(mark_args, words), 0, false},
                                                 {CLSPI_UINT, offsetof(mark_args, a), 0, false}};
    static const clspi_signature signature = {"mark", parameters, 2, false};
    enum { NUM = 5 };
    clsp_context *ctx = open_context();

    (void)state;
    if (!(ctx->device.svm & CLSP_SVM_COARSE)) {
        clsp_context_destroy(&ctx);
        skip_because("the device has no shared virtual memory");
    }
    clspi_kernel kernel = kernel_of(ctx, &signature, false);
    cl_uint *const words = clSVMAlloc(ctx->context, CL_MEM_READ_WRITE, 2 * NUM * sizeof *words, 0);
    assert_non_null(words);
    const mark_args args = {.words = words + NUM, .a = 77}; /* from the middle on */
    clspi_series series;
    clspi_series_begin(&series, ctx, 0, NULL, NULL);
    assert_ok(ctx, clspi_series_launch(&series, &kernel, &signature, &args, NUM));
    assert_ok(ctx, clspi_series_end(&series, NULL));
    assert_int_equal(clEnqueueSVMMap(ctx->queue, CL_TRUE, CL_MAP_READ, words,
                                     2 * NUM * sizeof *words, 0, NULL, NULL),
                     CL_SUCCESS);
    for (size_t i = NUM; i < 2 * NUM; i++)
        assert_int_equal(words[i], 77);
    assert_int_equal(clEnqueueSVMUnmap(ctx->queue, words, 0, NULL, NULL), CL_SUCCESS);
    assert_int_equal(clFinish(ctx->queue), CL_SUCCESS);
    clSVMFree(ctx->context, words);
    clspi_kernel_release(&kernel);
    clsp_context_destroy(&ctx);
}

/* ---- refusals ---- */

/* A memory that is not there is refused before anything is enqueued, whichever argument it is. */
static void test_no_memory(void **state)
{
    clsp_context *ctx = open_context();
    clspi_kernel kernel = kernel_of(ctx, &copy_signature, false);
    const copy_args good = some_args(ctx);

    (void)state;
    for (int k = 0; k < 2; k++) {
        copy_args args = good;
        clspi_series series;
        *(k ? &args.reals : &args.words) = NULL;
        assert_status(ctx, clspi_arguments_set(&ctx->log, kernel.kernel, &copy_signature, &args, 4),
                      CL_INVALID_MEM_OBJECT);
        clspi_series_begin(&series, ctx, 0, NULL, NULL);
        assert_status(ctx, clspi_series_launch(&series, &kernel, &copy_signature, &args, 1),
                      CL_INVALID_MEM_OBJECT);
        assert_null(series.last);
        assert_last_error(ctx, "clSetKernelArg");
    }
    clReleaseMemObject(good.words);
    clReleaseMemObject(good.reals);
    clspi_kernel_release(&kernel);
    clsp_context_destroy(&ctx);
}

/* A signature of another kernel, and one with a parameter too many. Not all drivers compare sizes
   with the kernel's. */
static void test_wrong_signatures(void **state)
{
    clsp_context *ctx = open_context();
    clspi_kernel kernel = kernel_of(ctx, &copy_signature, false);
    copy_args args = some_args(ctx);
    clspi_parameter list[CLSPI_COUNT(copy_parameters) + 1];
    clspi_signature wrong = {"copy", list, CLSPI_COUNT(copy_parameters) + 1, false};

    (void)state;
    memcpy(list, copy_parameters, sizeof copy_parameters);
    list[CLSPI_COUNT(copy_parameters)] = copy_parameters[1];
    assert_status(ctx, clspi_arguments_set(&ctx->log, kernel.kernel, &wrong, &args, 4),
                  CL_INVALID_ARG_INDEX);
    clspi_series series;
    clspi_series_begin(&series, ctx, 0, NULL, NULL);
    assert_status(ctx, clspi_series_launch(&series, &kernel, &wrong, &args, 1),
                  CL_INVALID_KERNEL_ARGS);
    assert_last_error(ctx, "copy launched as copy");
    clReleaseMemObject(args.words);
    clReleaseMemObject(args.reals);
    clspi_kernel_release(&kernel);
    clsp_context_destroy(&ctx);
}

/* A struct beyond what there is room for. */
static void test_large_struct(void **state)
{
    enum { WIDES = 33 };
    static const uint64_t values[WIDES] = {0};
    clspi_parameter list[WIDES + 1] = {{CLSPI_STRUCT, 0, WIDES, false}};
    const clspi_signature large = {"take_large", list, WIDES + 1, false};
    clsp_context *ctx = open_context();
    clspi_kernel kernel = kernel_of(ctx, &large, false);

    (void)state;
    for (size_t k = 0; k < WIDES; k++)
        list[k + 1] = (clspi_parameter){CLSPI_WIDE, k * sizeof *values, 0, false};
    assert_status(ctx, clspi_arguments_set(&ctx->log, kernel.kernel, &large, values, 4),
                  CL_INVALID_ARG_SIZE);
    clspi_kernel_release(&kernel);
    clsp_context_destroy(&ctx);
}

/* ---- options ---- */

static void test_texts(void **state)
{
    clspi_options options = {.used = 0}, later = clspi_options_after("-cl-std=CL2.0");
    const clspi_options none = {.used = 0};

    (void)state;
    clspi_option(&options, "K", 3);
    assert_string_equal(options.text, "-DCLSP_K=3");
    clspi_option(&options, "NONE", 0);
    clspi_option(&options, "MOST", UINT64_MAX);
    assert_string_equal(options.text, "-DCLSP_K=3 -DCLSP_NONE=0 -DCLSP_MOST=18446744073709551615");
    assert_int_equal(options.used, strlen(options.text));
    assert_false(options.too_long);
    assert_string_equal(later.text, "-cl-std=CL2.0");
    clspi_option(&later, "K", 4);
    assert_string_equal(later.text, "-cl-std=CL2.0 -DCLSP_K=4");
    assert_string_equal(clspi_options_after("").text, "");
    clspi_options_add(&later, &none); /* leaves everything as it is */
    assert_string_equal(later.text, "-cl-std=CL2.0 -DCLSP_K=4");
}

/* One text added to another: words, precision and whether it was too long. */
static void test_add(void **state)
{
    clspi_options sum = clspi_options_after("-A"), more = {.real_bytes = 8}, empty = {.used = 0};

    (void)state;
    clspi_option(&more, "K", 3);
    clspi_options_add(&sum, &more);
    assert_string_equal(sum.text, "-A -DCLSP_K=3");
    assert_int_equal(sum.real_bytes, 8);
    clspi_options_add(&sum, &empty); /* without reals: the precision stays */
    assert_int_equal(sum.real_bytes, 8);
    clspi_options_add(&empty, &sum);
    assert_string_equal(empty.text, sum.text);
    assert_int_equal(empty.real_bytes, 8);
    assert_false(sum.too_long || empty.too_long);
    more.too_long = true;
    clspi_options_add(&sum, &more);
    assert_true(sum.too_long);
}

static void test_precisions(void **state)
{
    static const clsp_type precisions[] = {CLSP_F32, CLSP_F64};
    clsp_context *ctx = open_context();
    char wanted[128];

    (void)state;
    for (size_t i = 0; i < CLSPI_COUNT(precisions); i++) {
        const clspi_options options = clspi_options_of(ctx, precisions[i]);
        const unsigned bits = 8 * (unsigned)clsp_type_bytes(precisions[i]);
        const bool fma = bits == 64 || ctx->device.fma;
        snprintf(wanted, sizeof wanted, "-DCLSP_REAL=%u -DCLSP_FMA=%d -DCLSP_ADDRESS=%u", bits, fma,
                 (unsigned)ctx->device.address_bits);
        assert_string_equal(options.text, wanted);
        assert_int_equal(options.real_bytes, bits / 8);
    }
    clsp_context_destroy(&ctx);
}

/* Options of exactly so many characters. */
static clspi_options options_of_length(size_t length)
{
    char text[2 * CLSPI_OPTIONS_MAX];

    assert_true(length < sizeof text);
    memset(text, ' ', length);
    text[length] = '\0';
    return clspi_options_after(text);
}

/* The limit is that of the text with its end, however it is reached. */
static void test_limit(void **state)
{
    enum { MOST = CLSPI_OPTIONS_MAX - 1, WORD = sizeof " -DCLSP_K=3" - 1 };
    clspi_options most = options_of_length(MOST), over = options_of_length(MOST + 1);
    clspi_options room = options_of_length(MOST - WORD), tight = options_of_length(MOST - WORD + 1);

    (void)state;
    assert_int_equal(most.used, MOST);
    assert_false(most.too_long);
    assert_true(over.too_long);
    assert_string_equal(over.text, "");
    clspi_option(&room, "K", 3);
    assert_false(room.too_long);
    assert_int_equal(strlen(room.text), MOST);
    clspi_option(&tight, "K", 3);
    assert_true(tight.too_long); /* and without a part of the word */
    assert_int_equal(strlen(tight.text), MOST - WORD + 1);
    assert_int_equal(tight.used, MOST - WORD + 1);
    clspi_option(&most, "K", 3);
    assert_true(most.too_long);
}

/* Each call that builds refuses options that were too long, and says so. */
static void test_too_long(void **state)
{
    const clspi_options over = options_of_length(CLSPI_OPTIONS_MAX);
    const clspi_options no_group = options_of_length(CLSPI_OPTIONS_MAX - 1); /* for one more */
    const clspi_signature *const signature = &clspi_bernstein_table_signature;
    clspi_build build = {.ctx = open_context()};
    clsp_context *const ctx = build.ctx;
    clspi_kernel kernel;

    (void)state;
    assert_status(ctx, clspi_kernel_create(&kernel, ctx, "bernstein", signature, &over),
                  CLSP_ERROR_NO_MEMORY);
    assert_null(kernel.kernel);
    assert_last_error(ctx, "bernstein.cl: too many build options");
    assert_status(ctx, clspi_kernel_create_grouped(&kernel, ctx, "bernstein", signature, &no_group),
                  CLSP_ERROR_NO_MEMORY);
    assert_null(kernel.kernel);
    assert_status(ctx, clspi_program_build(&build, "gemm", &over), CLSP_ERROR_NO_MEMORY);
    assert_last_error(ctx, "gemm.cl: too many build options");
    assert_status(ctx, clspi_program_build_grouped(&build, "bernstein", signature, &no_group),
                  CLSP_ERROR_NO_MEMORY);
    clsp_context_destroy(&build.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),       cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_no_memory),    cmocka_unit_test(test_wrong_signatures),
        cmocka_unit_test(test_large_struct), cmocka_unit_test(test_texts),
        cmocka_unit_test(test_add),          cmocka_unit_test(test_precisions),
        cmocka_unit_test(test_limit),        cmocka_unit_test(test_too_long),
    };

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
