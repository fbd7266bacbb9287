/* Matrix products against tests/ref/gemm_ref.c.

     test_gemm            our own kernels, in both shapes, and the automatic choice
     test_gemm clblast    CLBlast, whose first call compiles for up to 20 s per routine on some
   devices

   The bound of an element is gamma_k * sum |a||b|, gamma_k = k u / (1 - k u), u = eps / 2: each of
   the k terms goes through at most k roundings, its own and those of the additions after it, in any
   order of summation (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
   section 3.1). Inputs are multiples of 2^-24, so they are exact. */
#include "../support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ref/gemm_ref.h"
#include "check.h"
#include "clblast.h"
#include "gemm.h"

typedef struct gemm_case {
    size_t m, n, k, batch;
    bool shared_a, shared_b;
    size_t pad;       /* elements more from row to row than needed, and between products */
    size_t offset;    /* of each matrix in its buffer */
    bool interleaved; /* row i of all products side by side in C */
    bool by_columns;  /* A is stored by columns */
} gemm_case;

static double worst_share; /* of the bound, over the whole program */
static bool tiny;          /* on Oclgrind, which is thousands of times slower */
static bool full;          /* every case in every shape and precision */

/* ---- one case ---- */

/* A matrix family on the host: doubles, and the same in the precision that is tested. */
typedef struct family {
    size_t ld, step, stride, offset, count; /* count: elements of the buffer, guards included */
    double *values;
    void *bytes;
    cl_mem buffer;
} family;

static size_t real_size(clsp_type precision)
{
    return precision == CLSP_F64 ? sizeof(double) : sizeof(float);
}

static void put(family *f, clsp_type precision, size_t i, double x)
{
    f->values[i] = x;
    if (precision == CLSP_F64)
        ((double *)f->bytes)[i] = x;
    else
        ((float *)f->bytes)[i] = (float)x;
}

/* All zeros need a different poison than the outputs': NaNs, so that reading outside a matrix
   shows. */
static void make_family(family *f, clsp_context *ctx, clsp_type precision, size_t rows, size_t cols,
                        size_t batch, bool shared, const gemm_case *c)
{
    const size_t size = real_size(precision);
    cl_context context;
    cl_int code;

    f->ld = cols + c->pad;
    f->step = 1;
    f->stride = shared || batch == 1 ? 0 : rows * f->ld + c->pad;
    f->offset = c->offset + SUPPORT_GUARD;
    f->count = f->offset + batch * rows * f->ld + batch * c->pad + SUPPORT_GUARD;
    f->values = calloc(f->count, sizeof *f->values);
    f->bytes = malloc(f->count * size);
    assert_non_null(f->values);
    assert_non_null(f->bytes);
    support_poison(f->bytes, f->count * size);
    assert_int_equal(
        clGetCommandQueueInfo(ctx->queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL), 0);
    f->buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, f->count * size, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
}

static void fill_family(family *f, clsp_type precision, size_t rows, size_t cols, size_t batch,
                        uint64_t *seed)
{
    for (size_t p = 0; p < (f->stride ? batch : 1); p++)
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < cols; j++)
                put(f, precision, f->offset + p * f->stride + i * f->ld + j * f->step,
                    support_uniform(seed));
}

static void upload(clsp_context *ctx, const family *f, clsp_type precision)
{
    assert_int_equal(clEnqueueWriteBuffer(ctx->queue, f->buffer, CL_TRUE, 0,
                                          f->count * real_size(precision), f->bytes, 0, NULL, NULL),
                     CL_SUCCESS);
}

static void download(clsp_context *ctx, const family *f, clsp_type precision)
{
    assert_int_equal(clFinish(ctx->queue), CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(ctx->queue, f->buffer, CL_TRUE, 0,
                                         f->count * real_size(precision), f->bytes, 0, NULL, NULL),
                     CL_SUCCESS);
}

static void free_family(family *f)
{
    if (f->buffer) clReleaseMemObject(f->buffer);
    free(f->values);
    free(f->bytes);
    memset(f, 0, sizeof *f);
}

/* The matrices of a case, filled and on the device. */
typedef struct problem {
    gemm_case c;
    clspi_gemm_desc desc;
    family a, b, out;
} problem;

static void make_problem(problem *p, clsp_context *ctx, clsp_type precision,
                         clspi_gemm_method method, const gemm_case *c)
{
    uint64_t seed = c->m * 1000003 + c->n * 1009 + c->k * 31 + c->batch;

    p->c = *c;
    make_family(&p->a, ctx, precision, c->m, c->k, c->batch, c->shared_a, c);
    make_family(&p->b, ctx, precision, c->k, c->n, c->batch, c->shared_b, c);
    make_family(&p->out, ctx, precision, c->m, c->n, c->batch, false, c);
    if (c->interleaved) {
        p->out.ld = (c->n + c->pad) * c->batch;
        p->out.stride = c->n + c->pad;
    }
    if (c->by_columns) {
        p->a.step = c->m + (c->pad > 0);
        p->a.ld = 1;
    }
    fill_family(&p->a, precision, c->m, c->k, c->batch, &seed);
    fill_family(&p->b, precision, c->k, c->n, c->batch, &seed);
    upload(ctx, &p->a, precision);
    upload(ctx, &p->b, precision);
    upload(ctx, &p->out, precision);
    p->desc = (clspi_gemm_desc){.precision = precision,
                                .m = c->m,
                                .n = c->n,
                                .k = c->k,
                                .lda = p->a.ld,
                                .ldb = p->b.ld,
                                .ldc = p->out.ld,
                                .step_a = p->a.step,
                                .batch = c->batch,
                                .stride_a = p->a.stride,
                                .stride_b = p->b.stride,
                                .stride_c = p->out.stride,
                                .method = method};
}

static void free_problem(problem *p)
{
    free_family(&p->a);
    free_family(&p->b);
    free_family(&p->out);
}

static clspi_gemm_buffers buffers_of(const problem *p)
{
    const clspi_gemm_buffers buffers = {p->a.buffer, p->a.offset,   p->b.buffer,
                                        p->b.offset, p->out.buffer, p->out.offset};

    return buffers;
}

static void enqueue(clspi_gemm *gemm, clsp_context *ctx, const problem *p, size_t first,
                    size_t count)
{
    const clspi_gemm_buffers buffers = buffers_of(p);
    clspi_series series;

    clspi_series_begin(&series, ctx, 0, NULL, NULL);
    const clspi_gemm_part part = {.products = {first, count}};
    assert_ok(ctx, clspi_gemm_enqueue(gemm, &series, &buffers, &part));
    assert_ok(ctx, clspi_series_end(&series, NULL));
}

/* Compares one element and marks it as looked at, by making it poison again. */
static double take_element(problem *p, size_t at, long double wanted, long double abs_sum)
{
    const clsp_type precision = p->desc.precision;
    const long double u = (precision == CLSP_F64 ? DBL_EPSILON : FLT_EPSILON) / 2;
    const long double gamma = (long double)p->c.k * u / (1 - (long double)p->c.k * u);
    double got;

    if (precision == CLSP_F64) {
        got = ((double *)p->out.bytes)[at];
        support_poison((double *)p->out.bytes + at, sizeof(double));
    } else {
        got = (double)((float *)p->out.bytes)[at];
        support_poison((float *)p->out.bytes + at, sizeof(float));
    }
    if (abs_sum == 0) return got == 0 ? 0 : INFINITY;
    return (double)(fabsl((long double)got - wanted) / (gamma * abs_sum));
}

/* Every element within its bound, everything else untouched. */
static void check_products(problem *p, const char *what)
{
    const gemm_case *const c = &p->c;
    long double *const wanted = calloc(c->m * c->n + 1, sizeof *wanted);
    long double *const abs_sum = calloc(c->m * c->n + 1, sizeof *abs_sum);
    double *const a = calloc(c->m * c->k + 1, sizeof *a);
    double worst = 0;

    assert_true(wanted && abs_sum && a);
    for (size_t q = 0; q < c->batch; q++) {
        for (size_t i = 0; i < c->m * c->k; i++)
            a[i] = p->a.values[p->a.offset + q * p->a.stride + i / c->k * p->a.ld +
                               i % c->k * p->a.step];
        gemm_ref(c->m, c->n, c->k, a, c->k, p->b.values + p->b.offset + q * p->b.stride, p->b.ld,
                 wanted, abs_sum);
        for (size_t i = 0; i < c->m * c->n; i++) {
            const size_t at =
                p->out.offset + q * p->out.stride + i / c->n * p->out.ld + i % c->n * p->out.step;
            const double share = take_element(p, at, wanted[i], abs_sum[i]);
            if (!(share <= worst)) worst = share;
        }
    }
    free(wanted);
    free(abs_sum);
    free(a);
    if (!(worst <= 1)) {
        print_error("%s, f%d, %zux%zux%zu, batch %zu: worst/bound %g\n", what,
                    p->desc.precision == CLSP_F64 ? 64 : 32, c->m, c->n, c->k, c->batch, worst);
        fail();
    }
    if (worst > worst_share) worst_share = worst;
    assert_true(support_poisoned(p->out.bytes, p->out.count * real_size(p->desc.precision)));
}

static void run_case(clsp_context *ctx, clsp_type precision, clspi_gemm_method method,
                     const gemm_case *c, const char *what)
{
    problem p;
    clspi_gemm *gemm;

    if (tiny && c->m * c->n * c->k * c->batch > 5000) return;
    make_problem(&p, ctx, precision, method, c);
    assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &p.desc));
    enqueue(gemm, ctx, &p, 0, c->batch);
    download(ctx, &p.out, precision);
    check_products(&p, what);
    clspi_gemm_destroy(&gemm);
    assert_null(gemm);
    free_problem(&p);
}

/* ---- contexts ---- */

static clsp_context *open_with(const char *limits)
{
    clsp_context *ctx = NULL;
    clsp_context_opts opts = {.limits = limits};

    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    return ctx;
}

/* The shapes of kernels: the device's own, and those of GPUs. */
static const char *const shapes[] = {NULL, "class=discrete"};

/* Unless the test is full, each case in one shape and precision: most of the time is a compiler's.
 */
static void run_cases(const gemm_case *cases, size_t count, clspi_gemm_method method)
{
    for (size_t s = 0; s < CLSPI_COUNT(shapes); s++) {
        clsp_context *ctx = open_with(shapes[s]);
        const clsp_type last = ctx->device.fp64 ? CLSP_F64 : CLSP_F32;

        for (clsp_type precision = CLSP_F32; precision <= last; precision++)
            for (size_t i = 0; i < count; i++)
                if (full || i % 4 == (precision == CLSP_F64 ? 2u : 0u) + s ||
                    (last == CLSP_F32 && i % 2 == s))
                    run_case(ctx, precision, method, &cases[i],
                             shapes[s] ? shapes[s] : "own class");
        clsp_context_destroy(&ctx);
    }
}

/* ---- our own kernels ---- */

static void test_sized(void **state)
{
    static const gemm_case cases[] = {
        {1, 1, 1, 1, .pad = 0},
        {1, 1, 7, 5, .pad = 1},
        {3, 4, 4, 1001, .pad = 0},
        {4, 3, 4, 1023, .shared_a = true, .pad = 2, .offset = 3},
        {4, 4, 4, 1025, .shared_b = true, .offset = 17},
        {13, 11, 17, 7, .pad = 5, .offset = 1},
        {16, 16, 16, 129, .pad = 0},
        {16, 16, 16, 33, .shared_a = true, .shared_b = true, .pad = 3},
        {6, 1000, 6, 1, .pad = 0},
        {6, 1003, 6, 3, .pad = 7, .offset = 5},
        {8, 17, 5, 9, .pad = 0},
        {9, 31, 3, 9, .shared_a = true, .pad = 1},
        {17, 33, 63, 3, .pad = 0},
        {33, 257, 65, 2, .shared_b = true, .pad = 9},
        {1000, 6, 6, 1, .pad = 1},
        {257, 1, 31, 1, .pad = 0},
        {1, 4099, 2, 1, .pad = 0},
        {5, 19, 300, 4, .pad = 0},
        {7, 5, 6, 63, .pad = 2, .interleaved = true},
        {7, 40, 6, 9, .pad = 0, .interleaved = true},
    };

    (void)state;
    run_cases(cases, CLSPI_COUNT(cases), CLSPI_GEMM_OWN);
}

/* The automatic choice must never send these to CLBlast. */
static void test_automatic(void **state)
{
    static const gemm_case cases[] = {
        {4, 4, 4, 100, .pad = 0},
        {6, 500, 6, 1, .pad = 0},
        {15, 15, 15, 20, .pad = 0},
        {500, 500, 3, 1, .pad = 0},
    };

    (void)state;
    run_cases(cases, CLSPI_COUNT(cases), CLSPI_GEMM_AUTO);
    clsp_context *ctx = open_with(NULL);
    for (size_t i = 0; i < CLSPI_COUNT(cases); i++) {
        const clspi_gemm_desc desc = {CLSP_F32, .m = cases[i].m, .n = cases[i].n, .k = cases[i].k,
                                      .batch = 1};
        clspi_gemm *gemm;
        assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &desc));
        assert_int_equal(clspi_gemm_chosen(gemm), CLSPI_GEMM_OWN);
        clspi_gemm_destroy(&gemm);
    }
    clsp_context_destroy(&ctx);
}

/* The rule is the tuning table's number. */
static void test_rule(void **state)
{
    clsp_context *ctx = open_with(NULL);
    clspi_gemm_desc desc = {CLSP_F32, 32, 100, 32, .batch = 1};
    clspi_gemm *gemm;

    (void)state;
    ctx->tuning.gemm_clblast_f32 = 32;
    assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &desc));
    assert_int_equal(clspi_gemm_chosen(gemm),
                     clspi_clblast_is_built() ? CLSPI_GEMM_CLBLAST : CLSPI_GEMM_OWN);
    clspi_gemm_destroy(&gemm);
    desc.k = 31;
    assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &desc));
    assert_int_equal(clspi_gemm_chosen(gemm), CLSPI_GEMM_OWN);
    clspi_gemm_destroy(&gemm);
    desc.k = 32;
    ctx->tuning.gemm_clblast_f32 = 0;
    assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &desc));
    assert_int_equal(clspi_gemm_chosen(gemm), CLSPI_GEMM_OWN);
    clspi_gemm_destroy(&gemm);
    clsp_context_destroy(&ctx);
}

/* Runs a case in ranges; the bytes of C afterwards, malloc'ed. */
static void *run_split(clsp_context *ctx, const gemm_case *c, size_t step, size_t *size)
{
    problem p;
    clspi_gemm *gemm;
    void *bytes;

    make_problem(&p, ctx, CLSP_F32, CLSPI_GEMM_OWN, c);
    assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &p.desc));
    for (size_t first = 0; first < c->batch; first += step)
        enqueue(gemm, ctx, &p, first, clspi_min(step, c->batch - first));
    download(ctx, &p.out, CLSP_F32);
    *size = p.out.count * sizeof(float);
    bytes = malloc(*size);
    assert_non_null(bytes);
    memcpy(bytes, p.out.bytes, *size);
    clspi_gemm_destroy(&gemm);
    check_products(&p, "split");
    free_problem(&p);
    return bytes;
}

/* Neither ranges nor small launches change a bit. */
static void test_splits(void **state)
{
    static const gemm_case cases[] = {{5, 4, 6, 37, .pad = 1},
                                      {17, 67, 5, 7, .pad = 3},
                                      {29, 70, 9, 1, .pad = 0},
                                      {100, 3, 2, 1, .pad = 0}};

    (void)state;
    for (size_t s = 0; s < CLSPI_COUNT(shapes); s++) {
        clsp_context *ctx = open_with(shapes[s]);
        const clspi_tuning tuning = ctx->tuning;

        for (size_t i = 0; i < CLSPI_COUNT(cases) - (tiny ? 2 : 0); i++) {
            size_t size, other;
            ctx->tuning = tuning;
            void *const whole = run_split(ctx, &cases[i], cases[i].batch, &size);
            void *const parts = run_split(ctx, &cases[i], 3, &other);
            assert_memory_equal(whole, parts, size);
            ctx->tuning.max_groups = 1;
            void *const small = run_split(ctx, &cases[i], cases[i].batch, &other);
            assert_memory_equal(whole, small, size);
            ctx->tuning.max_launch_fma = 1;
            void *const single = run_split(ctx, &cases[i], cases[i].batch, &other);
            assert_memory_equal(whole, single, size);
            free(whole);
            free(parts);
            free(small);
            free(single);
        }
        clsp_context_destroy(&ctx);
    }
}

/* ---- tiles, and parts of rows ---- */

/* Makes rows of all products, one product's behind another's, from the begin of a buffer on whose
   rest stays as it is; C malloc'ed. */
static void *run_rows(clsp_context *ctx, problem *p, clspi_gemm *gemm, clsp_range rows)
{
    const size_t num = rows.count * p->c.n, bytes = p->c.batch * num * real_size(p->desc.precision);
    const clspi_gemm_part part = {{0, p->c.batch}, rows, num};
    const clspi_gemm_buffers buffers = {p->a.buffer, p->a.offset,   p->b.buffer,
                                        p->b.offset, p->out.buffer, 0};
    void *const c = malloc(bytes);
    clspi_series series;

    assert_non_null(c);
    upload(ctx, &p->out, p->desc.precision);
    clspi_series_begin(&series, ctx, 0, NULL, NULL);
    assert_ok(ctx, clspi_gemm_enqueue(gemm, &series, &buffers, &part));
    assert_ok(ctx, clspi_series_end(&series, NULL));
    download(ctx, &p->out, p->desc.precision);
    memcpy(c, p->out.bytes, bytes);
    support_poison(p->out.bytes, bytes);
    assert_true(support_poisoned(p->out.bytes, p->out.count * real_size(p->desc.precision)));
    return c;
}

/* Rows are the same bits in any part; C is packed. */
static void check_parts(clsp_context *ctx, clspi_gemm_method method, const gemm_case *c)
{
    const clsp_range parts[] = {{0, 1}, {c->m - 1, 1}, {5, c->m - 7}, {c->m / 2, c->m / 3}};
    const size_t size = sizeof(float);
    clspi_gemm *gemm;
    problem p;

    make_problem(&p, ctx, CLSP_F32, method, c);
    assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &p.desc));
    char *const all = run_rows(ctx, &p, gemm, (clsp_range){0, c->m});
    for (size_t i = 0; i < CLSPI_COUNT(parts); i++) {
        const size_t num = parts[i].count * c->n;
        char *const some = run_rows(ctx, &p, gemm, parts[i]);
        for (size_t q = 0; q < c->batch; q++)
            assert_memory_equal(some + q * num * size,
                                all + (q * c->m + parts[i].first) * c->n * size, num * size);
        free(some);
    }
    free(all);
    clspi_gemm_destroy(&gemm);
    free_problem(&p);
}

/* Tiles of 4 x 4 and 8 x 8 an item, and of small groups. */
static const char *const tiled[] = {"class=discrete,local_is_real=1",
                                    "class=discrete,local_is_real=1,vendor=NVIDIA",
                                    "class=discrete,local_is_real=1,work_group=4"};

static void test_tiles(void **state)
{
    static const gemm_case cases[] = {
        {32, 64, 32, 1, .pad = 0},
        {70, 131, 33, 3, .pad = 2, .offset = 3},
        {129, 65, 50, 2, .shared_a = true, .by_columns = true},
        {33, 70, 47, 2, .pad = 1, .by_columns = true},
        {40, 66, 35, 3, .shared_b = true},
    };

    (void)state;
    for (size_t s = 0; s < CLSPI_COUNT(tiled); s++) {
        clsp_context *ctx = open_with(tiled[s]);
        const clsp_type last = ctx->device.fp64 ? CLSP_F64 : CLSP_F32;

        for (clsp_type precision = CLSP_F32; precision <= last; precision++)
            for (size_t i = 0; i < CLSPI_COUNT(cases); i++)
                run_case(ctx, precision, CLSPI_GEMM_OWN, &cases[i], tiled[s]);
        ctx->tuning.max_launch_fma = 1; /* a tile a launch */
        run_case(ctx, CLSP_F32, CLSPI_GEMM_OWN, &cases[1], "launches of a tile");
        clsp_context_destroy(&ctx);
    }
}

/* What goes by tiles goes in any order of columns; what does not is refused there. */
static void test_by_tiles(void **state)
{
    clsp_context *ctx = open_with(tiled[0]);
    const clspi_gemm_desc least = {CLSP_F32, .m = 32, .n = 64, .k = 32, .step_a = 2, .lda = 64};
    clspi_gemm *gemm;

    (void)state;
    assert_true(clspi_gemm_by_tiles(ctx, &least));
    for (int i = 0; i < 3; i++) {
        clspi_gemm_desc less = least;
        *(i == 0 ? &less.m : i == 1 ? &less.n : &less.k) -= 1;
        assert_false(clspi_gemm_by_tiles(ctx, &less));
        less.batch = 1;
        assert_status(ctx, clspi_gemm_create(&gemm, ctx, &less), CLSP_ERROR_ARGUMENT);
    }
    const size_t tile = ctx->tuning.item_registers >= 36 ? 8 : 4, lines = 2 * (8 * tile + 4);
    ctx->device.local_bytes = 16 * lines * sizeof(float) - 1;
    assert_false(clspi_gemm_by_tiles(ctx, &least));
    ctx->device.local_bytes++;
    assert_true(clspi_gemm_by_tiles(ctx, &least));
    ctx->device.local_is_real = false;
    assert_false(clspi_gemm_by_tiles(ctx, &least));
    clsp_context_destroy(&ctx);
}

static void test_parts(void **state)
{
    static const gemm_case cases[] = {{17, 67, 5, 3, .pad = 0},
                                      {19, 7, 5, 2, .pad = 0},
                                      {131, 70, 40, 2, .pad = 0},
                                      {90, 70, 40, 1, .by_columns = true}};

    (void)state;
    clsp_context *ctx = open_with(tiled[1]);
    for (size_t i = 0; i < CLSPI_COUNT(cases); i++)
        check_parts(ctx, CLSPI_GEMM_OWN, &cases[i]);
    clsp_context_destroy(&ctx);
}

/* m, n or batch 0: nothing is written, NULL buffers do. k 0: zeros, by whichever method. */
static void test_empty(void **state)
{
    clsp_context *ctx = open_with(NULL);
    static const size_t sizes[][4] = {{0, 3, 3, 2}, {3, 0, 3, 2}, {3, 3, 3, 0}, {0, 0, 0, 0}};
    static const gemm_case no_sum[] = {
        {3, 4, 0, 5, .pad = 2}, {3, 40, 0, 2, .pad = 0}, {1, 1, 0, 1, .pad = 0}};

    (void)state;
    for (size_t i = 0; i < CLSPI_COUNT(sizes); i++) {
        const clspi_gemm_desc desc = {CLSP_F32,         .m = sizes[i][0],     .n = sizes[i][1],
                                      .k = sizes[i][2], .batch = sizes[i][3], .stride_c = 9};
        const clspi_gemm_buffers nothing = {0};
        clspi_gemm *gemm;
        clspi_series series;
        assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &desc));
        clspi_series_begin(&series, ctx, 0, NULL, NULL);
        const clspi_gemm_part all = {.products = {0, desc.batch}};
        assert_ok(ctx, clspi_gemm_enqueue(gemm, &series, &nothing, &all));
        assert_ok(ctx, clspi_series_end(&series, NULL));
        clspi_gemm_destroy(&gemm);
    }
    clspi_gemm *none = NULL;
    clspi_gemm_destroy(&none);
    clsp_context_destroy(&ctx);
    run_cases(no_sum, CLSPI_COUNT(no_sum), CLSPI_GEMM_OWN);
    if (clspi_clblast_is_built()) run_cases(no_sum, CLSPI_COUNT(no_sum), CLSPI_GEMM_CLBLAST);
}

static void test_wrong_descriptions(void **state)
{
    clsp_context *ctx = open_with("fp64=0");
    const clspi_gemm_desc good = {
        CLSP_F32, 3, 4, 5, .batch = 2, .stride_a = 15, .stride_b = 20, .stride_c = 12};
    const size_t huge = SIZE_MAX / 2 + 1; /* also above 2^31 - 1 where size_t has 32 bits */
    const struct {
        clspi_gemm_desc desc;
        clsp_status status;
    } wrong[] = {
        {{.precision = (clsp_type)7}, CLSP_ERROR_ARGUMENT},
        {{.precision = CLSP_F64}, CLSP_ERROR_NO_FP64},
        {{.method = (clspi_gemm_method)9}, CLSP_ERROR_ARGUMENT},
        {{.m = huge}, CLSP_ERROR_ARGUMENT},
        {{.n = huge}, CLSP_ERROR_ARGUMENT},
        {{.k = huge}, CLSP_ERROR_ARGUMENT},
        {{.lda = 4}, CLSP_ERROR_ARGUMENT},
        {{.ldb = 3}, CLSP_ERROR_ARGUMENT},
        {{.ldc = 3}, CLSP_ERROR_ARGUMENT},
        {{.ldc = huge}, CLSP_ERROR_ARGUMENT},
        {{.stride_c = 11}, CLSP_ERROR_ARGUMENT},
        {{.stride_c = 3, .ldc = 8}, CLSP_ERROR_ARGUMENT},
        {{.stride_a = SIZE_MAX}, CLSP_ERROR_NO_MEMORY},
        {{.stride_b = huge}, CLSP_ERROR_NO_MEMORY},
        {{.batch = SIZE_MAX}, CLSP_ERROR_NO_MEMORY},
    };

    (void)state;
    for (size_t i = 0; i < CLSPI_COUNT(wrong); i++) {
        const clspi_gemm_desc *const w = &wrong[i].desc;
        clspi_gemm_desc desc = good;
        clspi_gemm *gemm = (clspi_gemm *)&desc;
#define TAKE(field)                                                                                \
    if (w->field) desc.field = w->field
        TAKE(precision);
        TAKE(method);
        TAKE(m);
        TAKE(n);
        TAKE(k);
        TAKE(lda);
        TAKE(ldb);
        TAKE(ldc);
        TAKE(batch);
        TAKE(stride_a);
        TAKE(stride_b);
        TAKE(stride_c);
#undef TAKE
        assert_status(ctx, clspi_gemm_create(&gemm, ctx, &desc), wrong[i].status);
        assert_null(gemm);
    }
    clspi_gemm_desc shared_c = good;
    clspi_gemm *gemm;
    clspi_gemm_desc by_clblast = good;
    by_clblast.method = CLSPI_GEMM_CLBLAST;
    assert_status(ctx, clspi_gemm_create(&gemm, ctx, &by_clblast),
                  clspi_clblast_is_built() ? CLSP_OK : CLSP_ERROR_ARGUMENT);
    clspi_gemm_destroy(&gemm);
    shared_c.stride_c = 0;
    assert_status(ctx, clspi_gemm_create(&gemm, ctx, &shared_c), CLSP_ERROR_ARGUMENT);
    clsp_context_destroy(&ctx);
}

static void test_wrong_calls(void **state)
{
    clsp_context *ctx = open_with(NULL);
    const gemm_case c = {3, 4, 5, 2, .pad = 0};
    clspi_series series;
    clspi_gemm *gemm;
    problem p;

    (void)state;
    make_problem(&p, ctx, CLSP_F32, CLSPI_GEMM_OWN, &c);
    assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &p.desc));
    clspi_series_begin(&series, ctx, 0, NULL, NULL);
    const clspi_gemm_buffers good = {p.a.buffer, 0, p.b.buffer, 0, p.out.buffer, 0};
    const clspi_gemm_part both = {.products = {0, 2}};
    const clspi_gemm_part wrong_parts[] = {{.products = {0, 3}},
                                           {.products = {3, 0}},
                                           {.products = {1, SIZE_MAX}},
                                           {{0, 2}, .rows = {1, 3}},
                                           {{0, 2}, .rows = {4, 1}}};
    for (size_t i = 0; i < CLSPI_COUNT(wrong_parts); i++)
        assert_status(ctx, clspi_gemm_enqueue(gemm, &series, &good, &wrong_parts[i]),
                      CLSP_ERROR_ARGUMENT);
    const struct {
        clspi_gemm_buffers buffers;
        clsp_status status;
    } wrong[] = {
        {{NULL, 0, good.b, 0, good.c, 0}, CLSP_ERROR_ARGUMENT},
        {{good.a, 0, NULL, 0, good.c, 0}, CLSP_ERROR_ARGUMENT},
        {{good.a, 0, good.b, 0, NULL, 0}, CLSP_ERROR_ARGUMENT},
        {{good.a, p.a.count - 29, good.b, 0, good.c, 0}, CLSP_ERROR_BUFFER_SIZE},
        {{good.a, 0, good.b, p.b.count - 39, good.c, 0}, CLSP_ERROR_BUFFER_SIZE},
        {{good.a, 0, good.b, 0, good.c, p.out.count - 23}, CLSP_ERROR_BUFFER_SIZE},
        {{good.a, SIZE_MAX, good.b, 0, good.c, 0}, CLSP_ERROR_BUFFER_SIZE},
    };
    for (size_t i = 0; i < CLSPI_COUNT(wrong); i++)
        assert_status(ctx, clspi_gemm_enqueue(gemm, &series, &wrong[i].buffers, &both),
                      wrong[i].status);
    assert_ok(ctx, clspi_series_end(&series, NULL));
    download(ctx, &p.out, CLSP_F32);
    assert_true(support_poisoned(p.out.bytes, p.out.count * sizeof(float)));
    clspi_gemm_destroy(&gemm);
    free_problem(&p);
    clsp_context_destroy(&ctx);
}

static void test_status_translation(void **state)
{
    (void)state;
    assert_int_equal(clspi_clblast_status(0), CLSP_OK);
    assert_int_equal(clspi_clblast_status(-5), CL_OUT_OF_RESOURCES);
    assert_int_equal(clspi_clblast_status(-54), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(clspi_clblast_status(-1011), CLSP_ERROR_BUFFER_SIZE);
    assert_int_equal(clspi_clblast_status(-1017), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clspi_clblast_status(-2044), CLSP_ERROR_NO_FP64);
    for (int code = -1; code > -3000; code--) {
        const clsp_status status = clspi_clblast_status(code);
        assert_true(status < 0);
        if (code <= -1000) assert_int_not_equal(status, code);
    }
}

/* ---- order of commands ---- */

static clsp_context *open_out_of_order(void)
{
    clsp_context *own = open_with(NULL), *ctx = NULL;
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(own->context, own->device.id,
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);

    if (code == CL_SUCCESS) {
        assert_ok(NULL, clsp_context_create(&ctx, queue, NULL));
        clReleaseCommandQueue(queue);
        assert_false(ctx->in_order);
    }
    clsp_context_destroy(&own);
    return ctx;
}

/* A comes by a copy that waits for the user's event; until then it is poison. */
static void delay_a(clsp_context *ctx, problem *p, cl_event start, cl_mem *source, cl_event *copied)
{
    const size_t size = p->a.count * real_size(p->desc.precision);
    cl_int code;

    *source = clCreateBuffer(ctx->context, CL_MEM_COPY_HOST_PTR, size, p->a.bytes, &code);
    assert_int_equal(code, CL_SUCCESS);
    support_poison(p->a.bytes, size);
    upload(ctx, &p->a, p->desc.precision);
    code = clEnqueueCopyBuffer(ctx->queue, *source, p->a.buffer, 0, 0, size, 1, &start, copied);
    assert_int_equal(code, CL_SUCCESS);
}

/* Two products in a row, D = (A B) B, behind a late A: on an out-of-order queue only the series
   keeps the order. */
static void check_order(clsp_context *ctx, clspi_gemm_method method, clsp_type precision)
{
    const gemm_case c = {33, 33, 33, 1, .pad = 0};
    clspi_series series;
    clspi_gemm *gemm;
    cl_event copied, done = NULL;
    cl_mem source;
    cl_int code;
    problem p, q;

    make_problem(&p, ctx, precision, method, &c);
    make_problem(&q, ctx, precision, method, &c);
    const cl_event start = clCreateUserEvent(ctx->context, &code);
    assert_int_equal(code, CL_SUCCESS);
    delay_a(ctx, &p, start, &source, &copied);
    assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &p.desc));
    clspi_series_begin(&series, ctx, 1, &copied, &done);
    const clspi_gemm_part one = {.products = {0, 1}};
    const clspi_gemm_buffers first = buffers_of(&p);
    const clspi_gemm_buffers second = {p.out.buffer, p.out.offset, p.b.buffer,
                                       p.b.offset,   q.out.buffer, q.out.offset};
    assert_ok(ctx, clspi_gemm_enqueue(gemm, &series, &first, &one));
    assert_ok(ctx, clspi_gemm_enqueue(gemm, &series, &second, &one));
    assert_ok(ctx, clspi_series_end(&series, &done));
    assert_non_null(done);
    assert_int_equal(clFlush(ctx->queue), CL_SUCCESS);
    assert_int_equal(clSetUserEventStatus(start, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    download(ctx, &p.out, precision);
    download(ctx, &q.out, precision);
    for (size_t i = 0; i < c.m * c.k; i++) {
        const size_t at = p.out.offset + i;
        q.a.values[q.a.offset + i] = precision == CLSP_F64 ? ((double *)p.out.bytes)[at]
                                                           : (double)((float *)p.out.bytes)[at];
        q.b.values[q.b.offset + i] = p.b.values[p.b.offset + i];
    }
    check_products(&p, "first of two");
    check_products(&q, "second of two");
    clReleaseEvent(done);
    clReleaseEvent(copied);
    clReleaseEvent(start);
    clReleaseMemObject(source);
    clspi_gemm_destroy(&gemm);
    free_problem(&p);
    free_problem(&q);
}

/* CLBlast's in the precision in which it has been compiled for one product. */
static void check_orders(clspi_gemm_method method)
{
    clsp_context *ctx = open_with(NULL);
    const clsp_type precision =
        method == CLSPI_GEMM_CLBLAST && ctx->device.fp64 ? CLSP_F64 : CLSP_F32;

    if (!tiny) check_order(ctx, method, precision);
    if (full && !tiny && precision == CLSP_F64) check_order(ctx, method, CLSP_F32);
    clsp_context_destroy(&ctx);
    ctx = open_out_of_order();
    if (!ctx) skip_because("the device has no out-of-order queues");
    if (!tiny) check_order(ctx, method, precision);
    if (full && !tiny && precision == CLSP_F64) check_order(ctx, method, CLSP_F32);
    clsp_context_destroy(&ctx);
}

static void test_order(void **state)
{
    (void)state;
    check_orders(CLSPI_GEMM_OWN);
}

/* ---- CLBlast ---- */

/* Its routine is compiled when first called in a precision. Unless the test is full, that is float.
 */

static void test_clblast(void **state)
{
    static const gemm_case cases[] = {
        {1, 1, 1, 1, .pad = 0},
        {6, 1000, 6, 1, .pad = 3, .offset = 5},
        {65, 127, 33, 1, .pad = 0},
        {16, 16, 16, 31, .pad = 0},
        {17, 13, 7, 9, .shared_a = true, .pad = 2, .offset = 3},
        {33, 31, 33, 5, .shared_b = true, .pad = 0},
    };
    clsp_context *ctx = open_with(NULL);
    const clsp_type last = ctx->device.fp64 ? CLSP_F64 : CLSP_F32;

    (void)state;
    for (clsp_type precision = CLSP_F32; precision <= last; precision++)
        for (size_t i = 0; i < CLSPI_COUNT(cases); i++)
            if (full || precision == CLSP_F32)
                run_case(ctx, precision, CLSPI_GEMM_CLBLAST, &cases[i], "CLBlast");
    clsp_context_destroy(&ctx);
}

/* Blocks of 64 rows, by the description alone: parts that have fewer, and that have more. */
static void test_clblast_parts(void **state)
{
    clsp_context *ctx = open_with(NULL);
    const gemm_case by_rows = {150, 33, 34, 2, .pad = 0};
    const gemm_case by_columns = {70, 33, 34, 1, .by_columns = true};

    (void)state;
    ctx->tuning.gemm_clblast_f32 = 40;
    check_parts(ctx, CLSPI_GEMM_CLBLAST, &by_rows);
    check_parts(ctx, CLSPI_GEMM_CLBLAST, &by_columns);
    clsp_context_destroy(&ctx);
}

/* So large a product needs no copies: there CLBlast's batches take no notice of offsets and
 * strides.
 */
static void test_clblast_offsets(void **state)
{
    clsp_context *ctx = open_with(NULL);
    const size_t size = full ? 1024 : 128;
    const gemm_case c = {size, size, size, 2, .shared_a = true, .offset = 16};

    (void)state;
    run_case(ctx, CLSP_F32, CLSPI_GEMM_CLBLAST, &c, "CLBlast without copies");
    clsp_context_destroy(&ctx);
}

/* A range of a batch is the same as the whole. */
static void test_clblast_range(void **state)
{
    clsp_context *ctx = open_with(NULL);
    const gemm_case c = {8, 9, 7, 5, .pad = 1};
    clspi_gemm *gemm;
    problem p;

    (void)state;
    make_problem(&p, ctx, CLSP_F32, CLSPI_GEMM_CLBLAST, &c);
    assert_ok(ctx, clspi_gemm_create(&gemm, ctx, &p.desc));
    enqueue(gemm, ctx, &p, 0, 2);
    enqueue(gemm, ctx, &p, 2, 1);
    enqueue(gemm, ctx, &p, 3, 2);
    download(ctx, &p.out, CLSP_F32);
    check_products(&p, "CLBlast in ranges");
    clspi_gemm_destroy(&gemm);
    free_problem(&p);
    clsp_context_destroy(&ctx);
}

static void test_clblast_order(void **state)
{
    (void)state;
    check_orders(CLSPI_GEMM_CLBLAST);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_sized),       cmocka_unit_test(test_automatic),
        cmocka_unit_test(test_rule),        cmocka_unit_test(test_splits),
        cmocka_unit_test(test_empty),       cmocka_unit_test(test_wrong_descriptions),
        cmocka_unit_test(test_wrong_calls), cmocka_unit_test(test_status_translation),
        cmocka_unit_test(test_order),       cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_by_tiles),    cmocka_unit_test(test_parts),
    };
    const struct CMUnitTest clblast[] = {
        cmocka_unit_test(test_clblast),         cmocka_unit_test(test_clblast_parts),
        cmocka_unit_test(test_clblast_offsets), cmocka_unit_test(test_clblast_range),
        cmocka_unit_test(test_clblast_order),
    };
    int failed;

    if (support_no_device()) return 77;
    tiny = strcmp(support_device().platform, "Oclgrind") == 0;
    full = tiny || support_full();
    if (argc > 1 && strcmp(argv[1], "clblast") == 0)
        failed = cmocka_run_group_tests(clblast, NULL, NULL);
    else
        failed = cmocka_run_group_tests(own, NULL, NULL);
    printf("worst/bound: %.3f\n", worst_share);
    return failed;
}
