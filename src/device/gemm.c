#include "gemm.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "clblast.h"
#include "kernel_arguments.h"
#include "split.h"

enum { ROWS_MOST = 8 /* rows of an item of gemm_wide: how often a value of B is used */ };

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

/* A range of the grid of items: of gemm_wide's row blocks and columns, or of gemm_rows' rows, which
   count as one column. */
typedef struct item_range {
    size_t first_product, num_products;
    cl_uint first_block, num_blocks;
    cl_uint first_column, num_columns;
} item_range;

/* ---- description ---- */

/* Counts the elements from the first of product 0's matrix to the last of product count - 1's;
   false when they overflow. */
static bool extent_of(const operand *x, size_t count, size_t *extent)
{
    size_t rows = x->rows - 1, batch = count - 1;

    *extent = 0;
    if (x->rows == 0 || x->cols == 0 || count == 0) return true;
    if (!clspi_size_mul(&rows, x->ld) || !clspi_size_mul(&batch, x->stride)) return false;
    if (rows > SIZE_MAX - x->cols || batch > SIZE_MAX - x->cols - rows) return false;
    *extent = batch + rows + x->cols;
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
    if (!extent_of(x, gemm->desc.batch, &bytes) || !clspi_size_mul(&bytes, gemm->real_bytes))
        return clspi_fail(log, CLSP_ERROR_NO_MEMORY, "gemm: %s is larger than the address space",
                          x->name);
    return CLSP_OK;
}

/* Checks that the C of different products share no element: they lie one behind the other, or row
   by row side by side. */
static clsp_status check_overlap(const clspi_gemm *gemm)
{
    const size_t batch = gemm->desc.batch;
    size_t one, row = 0;
    const operand side_by_side = {.rows = 1, .cols = gemm->c.cols, .stride = gemm->c.stride};

    if (batch < 2 || gemm->c.rows == 0 || gemm->c.cols == 0) return CLSP_OK;
    if (extent_of(&gemm->c, 1, &one) && gemm->c.stride >= one) return CLSP_OK;
    if (gemm->c.stride >= gemm->c.cols && extent_of(&side_by_side, batch, &row) &&
        gemm->c.ld >= row)
        return CLSP_OK;
    return clspi_fail(&gemm->ctx->log, CLSP_ERROR_ARGUMENT,
                      "gemm: with stride_c %zu the products' C of %zu x %zu overlap",
                      gemm->c.stride, gemm->c.rows, gemm->c.cols);
}

static clsp_status check_desc(const clspi_gemm *gemm)
{
    const clspi_gemm_desc *const d = &gemm->desc;
    clspi_log *const log = &gemm->ctx->log;

    if (d->precision != CLSP_F32 && d->precision != CLSP_F64)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "gemm: precision %d is neither CLSP_F32 nor CLSP_F64", (int)d->precision);
    if (d->precision == CLSP_F64 && !gemm->ctx->device.fp64)
        return clspi_fail(log, CLSP_ERROR_NO_FP64, "gemm: %s has no double precision",
                          gemm->ctx->device.name);
    if (d->method != CLSPI_GEMM_AUTO && d->method != CLSPI_GEMM_CLBLAST &&
        d->method != CLSPI_GEMM_SIZED)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "gemm: method %d is not one", (int)d->method);
    if (d->method == CLSPI_GEMM_CLBLAST && !clspi_clblast_find())
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "gemm: %s", clspi_clblast_absence());
    CLSPI_CHECK(check_operand(gemm, &gemm->a));
    CLSPI_CHECK(check_operand(gemm, &gemm->b));
    CLSPI_CHECK(check_operand(gemm, &gemm->c));
    CLSPI_CHECK(check_overlap(gemm));
    return CLSP_OK;
}

/* ---- choice ---- */

/* Notes once a context that products go by our own kernels which CLBlast would make faster. */
static void log_absence(clsp_context *ctx)
{
    if (!atomic_exchange(&ctx->told_absence, true))
        clspi_message(&ctx->log, CLSP_LOG_INFO, "gemm: large products by our own kernels: %s",
                      clspi_clblast_absence());
}

/* Chooses who makes the products. CLBlast pays for those that are dense in every direction, from a
   size on that depends on the device; it has none without a sum. */
static clspi_gemm_method choose_method(const clspi_gemm *gemm)
{
    const clspi_gemm_desc *const d = &gemm->desc;
    const clspi_tuning *const tuning = &gemm->ctx->tuning;
    const uint32_t least =
        d->precision == CLSP_F64 ? tuning->gemm_clblast_f64 : tuning->gemm_clblast_f32;
    const size_t smallest = clspi_min(d->k, clspi_min(d->m, d->n));

    if (smallest == 0) return CLSPI_GEMM_SIZED;
    if (d->method != CLSPI_GEMM_AUTO) return d->method;
    if (least == 0 || smallest < least || !clspi_clblast_is_built()) return CLSPI_GEMM_SIZED;
    if (clspi_clblast_find()) return CLSPI_GEMM_CLBLAST;
    log_absence(gemm->ctx);
    return CLSPI_GEMM_SIZED;
}

/* Chooses between the two kernels, and what an item makes. Blocks are as even as they can be: 17
   rows in blocks of 6. */
static void shape_items(clspi_gemm *gemm)
{
    const clspi_gemm_desc *const d = &gemm->desc;

    gemm->wide = d->n >= clspi_max(1, gemm->ctx->tuning.gemm_wide_columns);
    gemm->item_rows = gemm->wide ? (cl_uint)clspi_div_up(d->m, clspi_div_up(d->m, ROWS_MOST)) : 1;
    gemm->item_cols = gemm->wide ? 1 : (cl_uint)d->n;
}

static clsp_status create_kernel(clspi_gemm *gemm)
{
    clsp_context *const ctx = gemm->ctx;
    clspi_options options = clspi_options_of(ctx, gemm->desc.precision);

    shape_items(gemm);
    clspi_option(&options, "K", gemm->desc.k);
    clspi_option(&options, gemm->wide ? "ROWS" : "N",
                 gemm->wide ? gemm->item_rows : gemm->item_cols);
    return clspi_kernel_create(&gemm->kernel, ctx, "gemm",
                               gemm->wide ? &clspi_gemm_wide_signature : &clspi_gemm_rows_signature,
                               &options);
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

/* Calls CLBlast in single precision. A batch of one goes through the plain routine, which also
   takes C without a stride. */
static int call_f32(const clspi_gemm *gemm, const clspi_gemm_buffers *at, size_t count,
                    cl_event *event)
{
    const clspi_gemm_desc *const d = &gemm->desc;
    const clspi_clblast *const clblast = clspi_clblast_find();
    cl_command_queue queue = gemm->ctx->queue;

    if (d->batch == 1)
        return clblast->sgemm(CLSPI_CLBLAST_ROW_MAJOR, CLSPI_CLBLAST_NO, CLSPI_CLBLAST_NO, d->m,
                              d->n, d->k, 1.0F, at->a, at->a_offset, d->lda, at->b, at->b_offset,
                              d->ldb, 0.0F, at->c, at->c_offset, d->ldc, &queue, event);
    return clblast->sgemm_strided_batched(
        CLSPI_CLBLAST_ROW_MAJOR, CLSPI_CLBLAST_NO, CLSPI_CLBLAST_NO, d->m, d->n, d->k, 1.0F, at->a,
        at->a_offset, d->lda, d->stride_a, at->b, at->b_offset, d->ldb, d->stride_b, 0.0F, at->c,
        at->c_offset, d->ldc, d->stride_c, count, &queue, event);
}

static int call_f64(const clspi_gemm *gemm, const clspi_gemm_buffers *at, size_t count,
                    cl_event *event)
{
    const clspi_gemm_desc *const d = &gemm->desc;
    const clspi_clblast *const clblast = clspi_clblast_find();
    cl_command_queue queue = gemm->ctx->queue;

    if (d->batch == 1)
        return clblast->dgemm(CLSPI_CLBLAST_ROW_MAJOR, CLSPI_CLBLAST_NO, CLSPI_CLBLAST_NO, d->m,
                              d->n, d->k, 1.0, at->a, at->a_offset, d->lda, at->b, at->b_offset,
                              d->ldb, 0.0, at->c, at->c_offset, d->ldc, &queue, event);
    return clblast->dgemm_strided_batched(
        CLSPI_CLBLAST_ROW_MAJOR, CLSPI_CLBLAST_NO, CLSPI_CLBLAST_NO, d->m, d->n, d->k, 1.0, at->a,
        at->a_offset, d->lda, d->stride_a, at->b, at->b_offset, d->ldb, d->stride_b, 0.0, at->c,
        at->c_offset, d->ldc, d->stride_c, count, &queue, event);
}

/* Enqueues CLBlast's commands under a lock of the process, whose contexts share CLBlast's caches:
   before 1.6.1 these race when two threads fill them. Enqueuing is short, save for the first call,
   which compiles. */
static clsp_status enqueue_clblast(clspi_gemm *gemm, clspi_series *series,
                                   const clspi_gemm_buffers *at, size_t count)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    clsp_context *const ctx = gemm->ctx;
    cl_event event = NULL;
    int code;
    clsp_status status;

    CLSPI_CHECK(clspi_series_hold(series));
    cl_event *const wanted = series->want_event ? &event : NULL;
    pthread_mutex_lock(&lock);
    code = gemm->desc.precision == CLSP_F64 ? call_f64(gemm, at, count, wanted)
                                            : call_f32(gemm, at, count, wanted);
    pthread_mutex_unlock(&lock);
    if (code == CL_SUCCESS) return clspi_series_adopt(series, event);
    status = clspi_clblast_status(code);
    return clspi_fail(&ctx->log, status, "gemm: CLBlast gave %d: %s", code,
                      clsp_status_str(status));
}

/* ---- our own kernels ---- */

/* Returns a matrix as the kernels take it, from product `first` on. */
static clspi_gemm_matrix matrix_of(const operand *x, size_t offset, size_t first)
{
    const clspi_gemm_matrix matrix = {
        .offset = offset + first * x->stride, .stride = x->stride, .ld = (cl_uint)x->ld};

    return matrix;
}

static clsp_status launch(clspi_gemm *gemm, clspi_series *series, const clspi_gemm_buffers *at,
                          const item_range *range)
{
    const size_t p = range->first_product;
    const clspi_gemm_items items = {
        .m = (cl_uint)gemm->desc.m,
        .n = (cl_uint)gemm->desc.n,
        .first_block = range->first_block,
        .num_blocks = range->num_blocks,
        .first_column = range->first_column,
        .num_columns = range->num_columns,
        .items = (cl_uint)(range->num_products * range->num_blocks * range->num_columns)};
    const clspi_gemm_wide_args wide = {.a = at->a,
                                       .at_a = matrix_of(&gemm->a, at->a_offset, p),
                                       .b = at->b,
                                       .at_b = matrix_of(&gemm->b, at->b_offset, p),
                                       .c = at->c,
                                       .at_c = matrix_of(&gemm->c, at->c_offset, p),
                                       .at = items};
    const clspi_gemm_rows_args rows = {.a = wide.a,
                                       .at_a = wide.at_a,
                                       .b = wide.b,
                                       .at_b = wide.at_b,
                                       .c = wide.c,
                                       .at_c = wide.at_c,
                                       .at = items};

    return gemm->wide ? clspi_launch_gemm_wide(series, &gemm->kernel, &wide, items.items)
                      : clspi_launch_gemm_rows(series, &gemm->kernel, &rows, items.items);
}

/* Finds how much of the grid of items one launch may cover: whole products, or else a part of
   one. */
static void launch_limits(const clspi_gemm *gemm, item_range *most)
{
    const size_t blocks = clspi_div_up(gemm->desc.m, gemm->item_rows);
    const size_t columns = clspi_div_up(gemm->desc.n, gemm->item_cols);
    const uint64_t fma = (uint64_t)gemm->item_rows * gemm->item_cols * clspi_max(1, gemm->desc.k);
    const size_t items =
        (size_t)clspi_launch_lines(&gemm->ctx->tuning, fma, 1, gemm->kernel.local, 1);

    most->num_products = clspi_max(1, (size_t)(items / ((uint64_t)blocks * columns)));
    most->num_columns = (cl_uint)clspi_min(columns, clspi_max(1, items / blocks));
    most->num_blocks = (cl_uint)clspi_min(blocks, items / most->num_columns);
}

/* Enqueues the launches of some whole products, or of one product in parts. */
static clsp_status enqueue_products(clspi_gemm *gemm, clspi_series *series,
                                    const clspi_gemm_buffers *at, item_range part,
                                    const item_range *most)
{
    const cl_uint blocks = (cl_uint)clspi_div_up(gemm->desc.m, gemm->item_rows);
    const cl_uint columns = (cl_uint)clspi_div_up(gemm->desc.n, gemm->item_cols);

    for (cl_uint i = 0; i < blocks; i += part.num_blocks) {
        part.first_block = i;
        part.num_blocks = (cl_uint)clspi_min(most->num_blocks, blocks - i);
        for (cl_uint j = 0; j < columns; j += part.num_columns) {
            part.first_column = j;
            part.num_columns = (cl_uint)clspi_min(most->num_columns, columns - j);
            CLSPI_CHECK(launch(gemm, series, at, &part));
        }
    }
    return CLSP_OK;
}

static clsp_status enqueue_sized(clspi_gemm *gemm, clspi_series *series,
                                 const clspi_gemm_buffers *at, size_t first, size_t count)
{
    item_range most = {0}, part = {0};

    launch_limits(gemm, &most);
    for (size_t p = 0; p < count; p += part.num_products) {
        part.first_product = first + p;
        part.num_products = clspi_min(most.num_products, count - p);
        CLSPI_CHECK(enqueue_products(gemm, series, at, part, &most));
    }
    return CLSP_OK;
}

/* ---- enqueuing ---- */

static clsp_status check_buffer(const clspi_gemm *gemm, const operand *x, cl_mem buffer,
                                size_t offset, size_t products)
{
    size_t extent;

    if (!extent_of(x, products, &extent))
        return clspi_fail(&gemm->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "gemm: %s is larger than the address space", x->name);
    return extent == 0
               ? CLSP_OK
               : clspi_buffer_check(gemm->ctx, buffer, offset, extent, gemm->real_bytes, x->name);
}

clsp_status clspi_gemm_enqueue(clspi_gemm *gemm, clspi_series *series,
                               const clspi_gemm_buffers *buffers, clsp_range products)
{
    const clspi_gemm_desc *const d = &gemm->desc;
    const size_t first = products.first, count = products.count;
    clspi_gemm_buffers at = *buffers;

    if (first > d->batch || count > d->batch - first)
        return clspi_fail(&gemm->ctx->log, CLSP_ERROR_ARGUMENT,
                          "gemm: products %zu to %zu + %zu of %zu", first, first, count, d->batch);
    if (count == 0 || d->m == 0 || d->n == 0) return CLSP_OK;
    CLSPI_CHECK(check_buffer(gemm, &gemm->a, at.a, at.a_offset, first + count));
    CLSPI_CHECK(check_buffer(gemm, &gemm->b, at.b, at.b_offset, first + count));
    CLSPI_CHECK(check_buffer(gemm, &gemm->c, at.c, at.c_offset, first + count));
    if (d->method == CLSPI_GEMM_SIZED) return enqueue_sized(gemm, series, &at, first, count);
    at.a_offset += first * d->stride_a;
    at.b_offset += first * d->stride_b;
    at.c_offset += first * d->stride_c;
    return enqueue_clblast(gemm, series, &at, count);
}
