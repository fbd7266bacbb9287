#include "gemm.h"

#include <stdio.h>
#include <stdlib.h>
#include <clblast_c.h>

#include "buffer.h"
#include "check.h"

enum {
    ROWS_MOST = 8,      /* rows of an item of gemm_wide: how often a value of B is used */
    STRIP_BYTES = 2048, /* of one row, for one item of gemm_wide on CPUs */
    OPTIONS_MAX = 192
};

static const size_t size_limit = INT32_MAX;

/* One of the three matrices of a product. */
typedef struct operand {
    const char *name;
    size_t rows, cols;
    size_t ld;     /* elements from one row to the next */
    size_t stride; /* elements from one product's matrix to the next one's */
} operand;

struct clspi_gemm {
    clsp_context *ctx;
    clspi_gemm_desc desc; /* with the leading dimensions and the method resolved */
    size_t real_bytes;
    operand a, b, c;
    clspi_kernel kernel; /* sized */
    bool wide;           /* gemm_wide; else gemm_rows */
    cl_uint item_rows;   /* rows and columns of C that one item makes */
    cl_uint item_cols;
};

/* A range of the grid of items: of gemm_wide's row blocks and strips, or of gemm_rows' rows with
   one strip. */
typedef struct item_range {
    size_t first_product, num_products;
    cl_uint first_block, num_blocks;
    cl_uint first_strip, num_strips;
} item_range;

/* The buffers of a call. */
typedef struct placed {
    cl_mem a, b, c;
    size_t a_offset, b_offset, c_offset;
} placed;

/* ---- description ---- */

/* Elements from the first of product 0's matrix to the last of product count - 1's; false when that
   overflows. */
static bool span_of(const operand *x, size_t count, size_t *span)
{
    size_t rows = x->rows - 1, batch = count - 1;

    *span = 0;
    if (x->rows == 0 || x->cols == 0 || count == 0) return true;
    if (!clspi_size_mul(&rows, x->ld) || !clspi_size_mul(&batch, x->stride)) return false;
    if (rows > SIZE_MAX - x->cols || batch > SIZE_MAX - x->cols - rows) return false;
    *span = batch + rows + x->cols;
    return true;
}

static clsp_status check_operand(const clspi_gemm *gemm, const operand *x)
{
    clspi_log *const log = &gemm->ctx->log;
    size_t bytes;

    if (x->rows > size_limit || x->cols > size_limit || x->ld > size_limit)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "gemm: %s of %zu x %zu, rows %zu apart: at most %zu each", x->name,
                          x->rows, x->cols, x->ld, size_limit);
    if (x->ld < x->cols)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "gemm: rows of %s are %zu long but %zu apart",
                          x->name, x->cols, x->ld);
    if (!span_of(x, gemm->desc.batch, &bytes) || !clspi_size_mul(&bytes, gemm->real_bytes))
        return clspi_fail(log, CLSP_ERROR_NO_MEMORY, "gemm: %s is larger than the address space",
                          x->name);
    return CLSP_OK;
}

/* The C of different products must not share an element: they lie one behind the other, or row by
   row side by side. */
static clsp_status check_overlap(const clspi_gemm *gemm)
{
    const size_t batch = gemm->desc.batch;
    size_t one, row = 0;
    const operand side_by_side = {.rows = 1, .cols = gemm->c.cols, .stride = gemm->c.stride};

    if (batch < 2 || gemm->c.rows == 0 || gemm->c.cols == 0) return CLSP_OK;
    if (span_of(&gemm->c, 1, &one) && gemm->c.stride >= one) return CLSP_OK;
    if (gemm->c.stride >= gemm->c.cols && span_of(&side_by_side, batch, &row) && gemm->c.ld >= row)
        return CLSP_OK;
    return clspi_fail(&gemm->ctx->log, CLSP_ERROR_ARGUMENT,
                      "gemm: with stride_c %zu the products' C of %zu x %zu overlap",
                      gemm->c.stride, gemm->c.rows, gemm->c.cols);
}

static clsp_status check_desc(const clspi_gemm *gemm)
{
    const clspi_gemm_desc *const d = &gemm->desc;
    clspi_log *const log = &gemm->ctx->log;
    clsp_status status;

    if (d->precision != CLSP_F32 && d->precision != CLSP_F64)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "gemm: precision %d is neither CLSP_F32 nor CLSP_F64", (int)d->precision);
    if (d->precision == CLSP_F64 && !gemm->ctx->device.fp64)
        return clspi_fail(log, CLSP_ERROR_NO_FP64, "gemm: %s has no double precision",
                          gemm->ctx->device.name);
    if (d->method != CLSPI_GEMM_AUTO && d->method != CLSPI_GEMM_CLBLAST &&
        d->method != CLSPI_GEMM_SIZED)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "gemm: method %d is not one", (int)d->method);
    CLSPI_TRY(check_operand(gemm, &gemm->a));
    CLSPI_TRY(check_operand(gemm, &gemm->b));
    CLSPI_TRY(check_operand(gemm, &gemm->c));
    CLSPI_TRY(check_overlap(gemm));
    return CLSP_OK;

fail:
    return status;
}

/* ---- choice ---- */

/* CLBlast pays for products that are dense in every direction, from a size on that depends on the
   device. It has none without a sum. */
static clspi_gemm_method choose_method(const clspi_gemm *gemm)
{
    const clspi_gemm_desc *const d = &gemm->desc;
    const clspi_tuning *const tuning = &gemm->ctx->tuning;
    const uint32_t least =
        d->precision == CLSP_F64 ? tuning->gemm_clblast_f64 : tuning->gemm_clblast_f32;
    const size_t smallest = clspi_min(d->k, clspi_min(d->m, d->n));

    if (smallest == 0) return CLSPI_GEMM_SIZED;
    if (d->method != CLSPI_GEMM_AUTO) return d->method;
    return least > 0 && smallest >= least ? CLSPI_GEMM_CLBLAST : CLSPI_GEMM_SIZED;
}

static cl_uint lanes_of(const clspi_gemm *gemm)
{
    const size_t native = clspi_max(16, gemm->ctx->device.native_vector_bytes);
    const size_t bytes = clspi_min(native, gemm->ctx->tuning.max_vector_bytes);

    return bytes == 0 ? 1 : (cl_uint)(bytes / gemm->real_bytes);
}

/* Columns of an item of gemm_wide: long strips where vectors are explicit, but short enough that
   all compute units have work. */
static cl_uint strip_of(const clspi_gemm *gemm, cl_uint lanes)
{
    const size_t blocks = clspi_div_up(gemm->desc.m, gemm->item_rows);
    const size_t busy = gemm->ctx->device.compute_units * gemm->ctx->tuning.items_per_unit;
    const size_t items = clspi_max(1, busy / blocks);
    const size_t wanted = clspi_round_up(clspi_div_up(gemm->desc.n, items), lanes);

    return lanes == 1 ? 1 : (cl_uint)clspi_min(wanted, STRIP_BYTES / gemm->real_bytes);
}

/* Which of the two kernels, and what an item makes. Blocks are as even as they can be: 17 rows in
   blocks of 6. */
static void shape_items(clspi_gemm *gemm, cl_uint lanes)
{
    const clspi_gemm_desc *const d = &gemm->desc;

    gemm->wide = d->n >= clspi_max(lanes, gemm->ctx->tuning.gemm_wide_columns);
    gemm->item_rows = 1;
    gemm->item_cols = (cl_uint)d->n;
    if (!gemm->wide) return;
    gemm->item_rows = (cl_uint)clspi_div_up(d->m, clspi_div_up(d->m, ROWS_MOST));
    gemm->item_cols = strip_of(gemm, lanes);
}

static clsp_status create_kernel(clspi_gemm *gemm)
{
    clsp_context *const ctx = gemm->ctx;
    const cl_uint lanes = lanes_of(gemm);
    char options[OPTIONS_MAX];

    shape_items(gemm, lanes);
    snprintf(
        options, sizeof options,
        "-DCLSP_REAL=%d -DCLSP_LANES=%u -DCLSP_FMA=%d -DCLSP_ADDRESS=%u -DCLSP_K=%zu -DCLSP_%s=%u",
        gemm->desc.precision == CLSP_F64 ? 64 : 32, lanes,
        gemm->desc.precision == CLSP_F64 || ctx->device.fma, ctx->device.address_bits, gemm->desc.k,
        gemm->wide ? "ROWS" : "N", gemm->wide ? gemm->item_rows : gemm->item_cols);
    return clspi_kernel_create(&gemm->kernel, ctx, "gemm", options,
                               gemm->wide ? "gemm_wide" : "gemm_rows");
}

/* ---- creation ---- */

static void resolve(clspi_gemm *gemm, const clspi_gemm_desc *desc)
{
    clspi_gemm_desc *const d = &gemm->desc;

    *d = *desc;
    if (d->lda == 0) d->lda = d->k;
    if (d->ldb == 0) d->ldb = d->n;
    if (d->ldc == 0) d->ldc = d->n;
    gemm->real_bytes = d->precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    gemm->a = (operand){"A", d->m, d->k, d->lda, d->stride_a};
    gemm->b = (operand){"B", d->k, d->n, d->ldb, d->stride_b};
    gemm->c = (operand){"C", d->m, d->n, d->ldc, d->stride_c};
}

clsp_status clspi_gemm_create(clspi_gemm **out, clsp_context *ctx, const clspi_gemm_desc *desc)
{
    clsp_status status;
    clspi_gemm *gemm;

    *out = NULL;
    gemm = calloc(1, sizeof *gemm);
    if (!gemm) return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "gemm: no memory");
    gemm->ctx = ctx;
    resolve(gemm, desc);
    CLSPI_TRY(check_desc(gemm));
    gemm->desc.method = choose_method(gemm);
    if (gemm->desc.method == CLSPI_GEMM_SIZED && desc->m > 0 && desc->n > 0)
        CLSPI_TRY(create_kernel(gemm));
    *out = gemm;
    return CLSP_OK;

fail:
    clspi_gemm_destroy(&gemm);
    return status;
}

void clspi_gemm_destroy(clspi_gemm **ptr)
{
    clspi_gemm *const gemm = *ptr;

    if (!gemm) return;
    clspi_kernel_release(&gemm->kernel);
    free(gemm);
    *ptr = NULL;
}

clspi_gemm_method clspi_gemm_chosen(const clspi_gemm *gemm)
{
    return gemm->desc.method;
}

/* ---- CLBlast ---- */

clsp_status clspi_gemm_clblast_status(int code)
{
    switch (code) {
    case CLBlastInsufficientMemoryA:
    case CLBlastInsufficientMemoryB:
    case CLBlastInsufficientMemoryC:
        return CLSP_ERROR_BUFFER_SIZE;
    case CLBlastInvalidMatrixA:
    case CLBlastInvalidMatrixB:
    case CLBlastInvalidMatrixC:
    case CLBlastInvalidDimension:
    case CLBlastInvalidLeadDimA:
    case CLBlastInvalidLeadDimB:
    case CLBlastInvalidLeadDimC:
    case CLBlastInvalidBatchCount:
        return CLSP_ERROR_ARGUMENT;
    case CLBlastNoDoublePrecision:
        return CLSP_ERROR_NO_FP64;
    case CLBlastInsufficientMemoryTemp:
    case CLBlastInvalidLocalMemUsage:
        return CL_OUT_OF_RESOURCES;
    default:
        return code <= 0 && code > -1000 ? code : CL_INVALID_OPERATION;
    }
}

/* A batch of one goes through the plain routine, which also takes C without a stride. */
static CLBlastStatusCode call_f32(const clspi_gemm *gemm, const placed *at, size_t count,
                                  cl_event *event)
{
    const clspi_gemm_desc *const d = &gemm->desc;
    cl_command_queue queue = gemm->ctx->queue;

    if (d->batch == 1)
        return CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, d->m,
                            d->n, d->k, 1.0F, at->a, at->a_offset, d->lda, at->b, at->b_offset,
                            d->ldb, 0.0F, at->c, at->c_offset, d->ldc, &queue, event);
    return CLBlastSgemmStridedBatched(
        CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, d->m, d->n, d->k, 1.0F,
        at->a, at->a_offset, d->lda, d->stride_a, at->b, at->b_offset, d->ldb, d->stride_b, 0.0F,
        at->c, at->c_offset, d->ldc, d->stride_c, count, &queue, event);
}

static CLBlastStatusCode call_f64(const clspi_gemm *gemm, const placed *at, size_t count,
                                  cl_event *event)
{
    const clspi_gemm_desc *const d = &gemm->desc;
    cl_command_queue queue = gemm->ctx->queue;

    if (d->batch == 1)
        return CLBlastDgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, d->m,
                            d->n, d->k, 1.0, at->a, at->a_offset, d->lda, at->b, at->b_offset,
                            d->ldb, 0.0, at->c, at->c_offset, d->ldc, &queue, event);
    return CLBlastDgemmStridedBatched(
        CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, d->m, d->n, d->k, 1.0, at->a,
        at->a_offset, d->lda, d->stride_a, at->b, at->b_offset, d->ldb, d->stride_b, 0.0, at->c,
        at->c_offset, d->ldc, d->stride_c, count, &queue, event);
}

/* Under the context's lock: before 1.6.1 CLBlast's own caches race when two threads fill them.
   Enqueuing is short, save for the first call, which compiles. */
static clsp_status enqueue_clblast(clspi_gemm *gemm, clspi_series *series, const placed *at,
                                   size_t count)
{
    clsp_context *const ctx = gemm->ctx;
    cl_event event = NULL;
    CLBlastStatusCode code;
    clsp_status status;

    CLSPI_TRY(clspi_series_hold(series));
    cl_event *const wanted = series->want_event ? &event : NULL;
    pthread_mutex_lock(&ctx->clblast_lock);
    code = gemm->desc.precision == CLSP_F64 ? call_f64(gemm, at, count, wanted)
                                            : call_f32(gemm, at, count, wanted);
    pthread_mutex_unlock(&ctx->clblast_lock);
    if (code == CLBlastSuccess) return clspi_series_adopt(series, event);
    status = clspi_gemm_clblast_status((int)code);
    return clspi_fail(&ctx->log, status, "gemm: CLBlast gave %d: %s", (int)code,
                      clsp_status_str(status));

fail:
    return status;
}

/* ---- our own kernels ---- */

/* One matrix as the kernels take it. */
typedef struct matrix_args {
    cl_uint2 offset, stride;
    cl_uint ld;
} matrix_args;

/* Four arguments from *args on; values must live until the launch. */
static clspi_arg *put_matrix(clspi_arg *args, matrix_args *values, const operand *x,
                             const cl_mem *buffer, size_t offset)
{
    values->offset = clspi_halves(offset);
    values->stride = clspi_halves(x->stride);
    values->ld = (cl_uint)x->ld;
    *args++ = (clspi_arg)CLSPI_ARG(*buffer);
    *args++ = (clspi_arg)CLSPI_ARG(values->offset);
    *args++ = (clspi_arg)CLSPI_ARG(values->stride);
    *args++ = (clspi_arg)CLSPI_ARG(values->ld);
    return args;
}

static clsp_status launch(clspi_gemm *gemm, clspi_series *series, const placed *at,
                          const item_range *range)
{
    const clspi_gemm_desc *const d = &gemm->desc;
    const size_t p = range->first_product;
    const cl_uint m = (cl_uint)d->m, n = (cl_uint)d->n;
    const cl_uint items = (cl_uint)(range->num_products * range->num_blocks * range->num_strips);
    clspi_arg args[20], *next = args;
    matrix_args a, b, c;

    next = put_matrix(next, &a, &gemm->a, &at->a, at->a_offset + p * d->stride_a);
    next = put_matrix(next, &b, &gemm->b, &at->b, at->b_offset + p * d->stride_b);
    next = put_matrix(next, &c, &gemm->c, &at->c, at->c_offset + p * d->stride_c);
    if (gemm->wide) {
        *next++ = (clspi_arg)CLSPI_ARG(m);
        *next++ = (clspi_arg)CLSPI_ARG(n);
    }
    *next++ = (clspi_arg)CLSPI_ARG(range->first_block);
    *next++ = (clspi_arg)CLSPI_ARG(range->num_blocks);
    if (gemm->wide) {
        *next++ = (clspi_arg)CLSPI_ARG(range->first_strip);
        *next++ = (clspi_arg)CLSPI_ARG(range->num_strips);
        *next++ = (clspi_arg)CLSPI_ARG(gemm->item_cols);
    }
    *next++ = (clspi_arg)CLSPI_ARG(items);
    return clspi_series_launch(series, &gemm->kernel, args, (cl_uint)(next - args), items);
}

/* How much of the grid of items one launch may cover: whole products, or else part of one. */
static void launch_limits(const clspi_gemm *gemm, item_range *most)
{
    const clspi_tuning *const tuning = &gemm->ctx->tuning;
    const size_t blocks = clspi_div_up(gemm->desc.m, gemm->item_rows);
    const size_t strips = clspi_div_up(gemm->desc.n, gemm->item_cols);
    const uint64_t fma_per_item =
        (uint64_t)gemm->item_rows * gemm->item_cols * clspi_max(1, gemm->desc.k);
    const uint64_t most_items = (uint64_t)tuning->max_groups * gemm->kernel.local;
    const uint64_t by_fma = tuning->max_launch_fma / fma_per_item;
    const size_t items = clspi_max(1, (size_t)(by_fma < most_items ? by_fma : most_items));

    most->num_products = clspi_max(1, (size_t)(items / ((uint64_t)blocks * strips)));
    most->num_strips = (cl_uint)clspi_min(strips, clspi_max(1, items / blocks));
    most->num_blocks = (cl_uint)clspi_min(blocks, items / most->num_strips);
}

/* All launches of some whole products, or of one product in parts. */
static clsp_status enqueue_products(clspi_gemm *gemm, clspi_series *series, const placed *at,
                                    item_range part, const item_range *most)
{
    const cl_uint blocks = (cl_uint)clspi_div_up(gemm->desc.m, gemm->item_rows);
    const cl_uint strips = (cl_uint)clspi_div_up(gemm->desc.n, gemm->item_cols);
    clsp_status status;

    for (cl_uint i = 0; i < blocks; i += part.num_blocks) {
        part.first_block = i;
        part.num_blocks = (cl_uint)clspi_min(most->num_blocks, blocks - i);
        for (cl_uint j = 0; j < strips; j += part.num_strips) {
            part.first_strip = j;
            part.num_strips = (cl_uint)clspi_min(most->num_strips, strips - j);
            CLSPI_TRY(launch(gemm, series, at, &part));
        }
    }
    return CLSP_OK;

fail:
    return status;
}

static clsp_status enqueue_sized(clspi_gemm *gemm, clspi_series *series, const placed *at,
                                 size_t first, size_t count)
{
    item_range most = {0}, part = {0};
    clsp_status status;

    launch_limits(gemm, &most);
    for (size_t p = 0; p < count; p += part.num_products) {
        part.first_product = first + p;
        part.num_products = clspi_min(most.num_products, count - p);
        CLSPI_TRY(enqueue_products(gemm, series, at, part, &most));
    }
    return CLSP_OK;

fail:
    return status;
}

/* ---- enqueuing ---- */

static clsp_status check_buffer(const clspi_gemm *gemm, const operand *x, cl_mem buffer,
                                size_t offset, size_t products)
{
    size_t span;

    if (!span_of(x, products, &span))
        return clspi_fail(&gemm->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "gemm: %s is larger than the address space", x->name);
    return span == 0
               ? CLSP_OK
               : clspi_buffer_check(gemm->ctx, buffer, offset, span, gemm->real_bytes, x->name);
}

clsp_status clspi_gemm_enqueue(clspi_gemm *gemm, clspi_series *series, cl_mem a, size_t a_offset,
                               cl_mem b, size_t b_offset, cl_mem c, size_t c_offset, size_t first,
                               size_t count)
{
    const clspi_gemm_desc *const d = &gemm->desc;
    placed at = {a, b, c, a_offset, b_offset, c_offset};
    clsp_status status;

    if (first > d->batch || count > d->batch - first)
        return clspi_fail(&gemm->ctx->log, CLSP_ERROR_ARGUMENT,
                          "gemm: products %zu to %zu + %zu of %zu", first, first, count, d->batch);
    if (count == 0 || d->m == 0 || d->n == 0) return CLSP_OK;
    CLSPI_TRY(check_buffer(gemm, &gemm->a, a, a_offset, first + count));
    CLSPI_TRY(check_buffer(gemm, &gemm->b, b, b_offset, first + count));
    CLSPI_TRY(check_buffer(gemm, &gemm->c, c, c_offset, first + count));
    if (d->method == CLSPI_GEMM_SIZED) return enqueue_sized(gemm, series, &at, first, count);
    at.a_offset += first * d->stride_a;
    at.b_offset += first * d->stride_b;
    at.c_offset += first * d->stride_c;
    return enqueue_clblast(gemm, series, &at, count);

fail:
    return status;
}
