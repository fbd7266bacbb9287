#include "gemm.h"

#include <math.h>
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
    size_t ld, step; /* elements from one row to the next, and from one column */
    size_t stride;   /* elements from one product's matrix to the next one's */
} operand;

/* Our own kernels. */
typedef enum gemm_shape { GEMM_ROWS, GEMM_WIDE, GEMM_TILES } gemm_shape;

struct clspi_gemm {
    clsp_context *ctx;
    clspi_gemm_desc desc; /* with the leading dimensions, steps and the method resolved */
    size_t real_bytes;
    operand a, b, c;
    clspi_kernel kernel; /* of our own */
    gemm_shape shape;
    cl_uint block_rows; /* rows and columns of C that one item makes, of gemm_tiles one group */
    cl_uint block_cols;
    size_t clblast_rows; /* of C that CLBlast makes at once */
    cl_mem scratch;      /* for C of rows that are fewer */
    size_t scratch_bytes;
};

/* A range of the grid of blocks: of gemm_wide's row blocks and columns, of gemm_tiles' tiles, or of
   gemm_rows' rows, which count as one column. */
typedef struct block_range {
    size_t first_product, num_products;
    cl_uint first_block, num_blocks;
    cl_uint first_column, num_columns;
} block_range;

/* A part being made: the offsets are those of its first row of product 0. */
typedef struct part_job {
    clspi_gemm *gemm;
    clspi_series *series;
    clspi_gemm_buffers at;
    operand a, b, c; /* of the part's rows */
    size_t first, count;
} part_job;

/* ---- description ---- */

/* Counts the elements from the first of product 0's matrix to the last of product count - 1's;
   false when they overflow. */
static bool extent_of(const operand *x, size_t count, size_t *extent)
{
    size_t rows = x->rows - 1, columns = x->cols - 1, batch = count - 1;

    *extent = 0;
    if (x->rows == 0 || x->cols == 0 || count == 0) return true;
    if (!clspi_size_mul(&rows, x->ld) || !clspi_size_mul(&columns, x->step) ||
        !clspi_size_mul(&batch, x->stride))
        return false;
    if (rows >= SIZE_MAX - columns || batch >= SIZE_MAX - columns - rows) return false;
    *extent = batch + rows + columns + 1;
    return true;
}

/* Tells whether the elements of a matrix are all different ones. */
static bool is_apart(const operand *x)
{
    return x->step < x->ld ? (x->cols - 1) * x->step < x->ld || x->rows < 2
                           : (x->rows - 1) * x->ld < x->step || x->cols < 2;
}

static clsp_status check_operand(const clspi_gemm *gemm, const operand *x)
{
    clspi_log *const log = &gemm->ctx->log;
    size_t bytes;

    if (x->rows > size_limit || x->cols > size_limit || x->ld > size_limit || x->step > size_limit)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "gemm: %s of %zu x %zu, rows %zu apart: at most %zu each", x->name,
                          x->rows, x->cols, x->ld, size_limit);
    if (x->rows > 0 && x->cols > 0 && !is_apart(x))
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
    const operand *const c = &gemm->c;
    const operand side_by_side = {.rows = 1, .cols = c->cols, .step = 1, .stride = c->stride};

    if (batch < 2 || c->rows == 0 || c->cols == 0) return CLSP_OK;
    if (extent_of(c, 1, &one) && c->stride >= one) return CLSP_OK;
    if (c->stride >= c->cols && extent_of(&side_by_side, batch, &row) && c->ld >= row)
        return CLSP_OK;
    return clspi_fail(&gemm->ctx->log, CLSP_ERROR_ARGUMENT,
                      "gemm: with stride_c %zu the products' C of %zu x %zu overlap",
                      gemm->c.stride, gemm->c.rows, gemm->c.cols);
}

/* Tells whether CLBlast knows how A lies: row-major or by columns. */
static bool suits_clblast(const clspi_gemm_desc *d)
{
    return d->step_a == 1 || d->lda == 1;
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
        d->method != CLSPI_GEMM_OWN)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "gemm: method %d is not one", (int)d->method);
    if (d->method == CLSPI_GEMM_CLBLAST && !clspi_clblast_find())
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "gemm: %s", clspi_clblast_absence());
    if (d->method == CLSPI_GEMM_CLBLAST && !suits_clblast(d))
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "gemm: CLBlast knows no such columns");
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

/* Returns the edge of a cube of as many multiply-adds as a product has at least that CLBlast is
   to make; 0: none. */
static uint32_t edge_of(const clspi_gemm *gemm)
{
    const clspi_tuning *const tuning = &gemm->ctx->tuning;

    return gemm->desc.precision == CLSP_F64 ? tuning->gemm_clblast_f64 : tuning->gemm_clblast_f32;
}

/* Returns the rows that CLBlast makes at once, by the description alone, so that bits do not depend
   on who asks for which: the fewest that are a product of at least so many multiply-adds, or all
   where that is too many; 0: all are fewer. */
static size_t rows_at_once(const clspi_gemm_desc *d, uint32_t edge)
{
    enum { MULTIPLE = 64 };
    const double row = (double)d->n * (double)d->k, least = pow(edge, 3) / row;

    if (least > (double)d->m) return 0;
    return clspi_min(d->m, clspi_round_up((size_t)least + 1, MULTIPLE));
}

/* Chooses who makes the products. CLBlast pays for those that are dense in every direction, and so
   large that it takes its fast kernels; it has none without a sum. */
static clspi_gemm_method choose_method(const clspi_gemm *gemm)
{
    enum { THIN = 32 };
    const clspi_gemm_desc *const d = &gemm->desc;
    const uint32_t edge = edge_of(gemm);
    const size_t smallest = clspi_min(d->k, clspi_min(d->m, d->n));

    if (smallest == 0) return CLSPI_GEMM_OWN;
    if (d->method != CLSPI_GEMM_AUTO) return d->method;
    if (edge == 0 || smallest < THIN || rows_at_once(d, edge) == 0 || !suits_clblast(d) ||
        !clspi_clblast_is_built())
        return CLSPI_GEMM_OWN;
    if (clspi_clblast_find()) return CLSPI_GEMM_CLBLAST;
    log_absence(gemm->ctx);
    return CLSPI_GEMM_OWN;
}

/* Returns the rows and columns of an item of gemm_tiles: sums for which it has registers. */
static uint32_t tile_of(const clsp_context *ctx)
{
    enum { MANY = 36 };

    return ctx->tuning.item_registers >= MANY ? 8 : 4;
}

bool clspi_gemm_by_tiles(const clsp_context *ctx, const clspi_gemm_desc *d)
{
    enum { TERMS = 16, LEAST = 32, WIDE = 64 };
    const size_t lines = 2 * (8 * (size_t)tile_of(ctx) + 4); /* that a group has in local memory */

    return ctx->device.local_is_real && clspi_keeps_values(&ctx->device) && d->k >= LEAST &&
           d->m >= LEAST && d->n >= WIDE &&
           TERMS * lines * clsp_type_bytes(d->precision) <= ctx->device.local_bytes;
}

bool clspi_gemm_is_busy(const clsp_context *ctx, uint64_t elements)
{
    enum { HALF = 2048 }; /* a tile of 8 x 8 elements an item; fewer tiles wait for one another */

    return elements >= (uint64_t)ctx->device.compute_units * HALF;
}

size_t clspi_gemm_most(const clspi_gemm_desc *d)
{
    const size_t apart = clspi_max(d->stride_a, clspi_max(d->stride_b, d->stride_c));

    return clspi_max(1, clspi_min(size_limit, SIZE_MAX / 4 / sizeof(double) / clspi_max(1, apart)));
}

/* Chooses among our kernels, and what an item makes. Blocks are as even as they can be: 17 rows in
   blocks of 6. */
static void shape_items(clspi_gemm *gemm)
{
    const clspi_gemm_desc *const d = &gemm->desc;

    gemm->shape = clspi_gemm_by_tiles(gemm->ctx, d)                           ? GEMM_TILES
                  : d->n >= clspi_max(1, gemm->ctx->tuning.gemm_wide_columns) ? GEMM_WIDE
                                                                              : GEMM_ROWS;
    gemm->block_rows =
        gemm->shape == GEMM_WIDE ? (cl_uint)clspi_div_up(d->m, clspi_div_up(d->m, ROWS_MOST)) : 1;
    gemm->block_cols = gemm->shape == GEMM_WIDE ? 1 : (cl_uint)d->n;
}

static clspi_options tile_options(const clsp_context *ctx, clsp_type precision)
{
    clspi_options options = clspi_options_of(ctx, precision);

    clspi_option(&options, "TILE", tile_of(ctx));
    return options;
}

clsp_status clspi_gemm_build(const clspi_build *build, clsp_type precision)
{
    const clspi_options options = tile_options(build->ctx, precision);
    const clspi_gemm_desc large = {precision, .m = SIZE_MAX, .n = SIZE_MAX, .k = SIZE_MAX};

    if (!clspi_gemm_by_tiles(build->ctx, &large)) return CLSP_OK;
    return clspi_program_build_grouped(build, "gemm_tiles", &clspi_gemm_tiles_signature, &options);
}

/* Makes the kernel of tiles, of 8 items side by side or of all of a smaller group. */
static clsp_status create_tiles(clspi_gemm *gemm)
{
    enum { ACROSS = 8 };
    const clspi_options options = tile_options(gemm->ctx, gemm->desc.precision);
    const uint32_t tile = tile_of(gemm->ctx);

    CLSPI_CHECK(clspi_kernel_create_grouped(&gemm->kernel, gemm->ctx, "gemm_tiles",
                                            &clspi_gemm_tiles_signature, &options));
    const uint32_t across = (uint32_t)clspi_min(ACROSS, gemm->kernel.local);
    gemm->block_cols = across * tile;
    gemm->block_rows = (uint32_t)(gemm->kernel.local / across) * tile;
    return CLSP_OK;
}

static clsp_status create_kernel(clspi_gemm *gemm)
{
    clsp_context *const ctx = gemm->ctx;
    clspi_options options = clspi_options_of(ctx, gemm->desc.precision);

    shape_items(gemm);
    if (gemm->shape == GEMM_TILES) return create_tiles(gemm);
    if (gemm->a.step != 1)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                          "gemm: columns of A that are apart are for tiles alone");
    clspi_option(&options, "K", gemm->desc.k);
    clspi_option(&options, gemm->shape == GEMM_WIDE ? "ROWS" : "N",
                 gemm->shape == GEMM_WIDE ? gemm->block_rows : gemm->block_cols);
    return clspi_kernel_create(&gemm->kernel, ctx, "gemm",
                               gemm->shape == GEMM_WIDE ? &clspi_gemm_wide_signature
                                                        : &clspi_gemm_rows_signature,
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
    if (d->step_a == 0) d->step_a = 1;
    gemm->real_bytes = d->precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    gemm->a = (operand){"A", d->m, d->k, d->lda, d->step_a, d->stride_a};
    gemm->b = (operand){"B", d->k, d->n, d->ldb, 1, d->stride_b};
    gemm->c = (operand){"C", d->m, d->n, d->ldc, 1, d->stride_c};
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
    gemm->clblast_rows = desc->m;
    if (gemm->desc.method == CLSPI_GEMM_CLBLAST && rows_at_once(&gemm->desc, edge_of(gemm)) > 0)
        gemm->clblast_rows = rows_at_once(&gemm->desc, edge_of(gemm));
    if (gemm->desc.method == CLSPI_GEMM_OWN && desc->m > 0 && desc->n > 0)
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
    clspi_buffer_release(&gemm->scratch);
    free(gemm);
    *ptr = NULL;
}

clspi_gemm_method clspi_gemm_chosen(const clspi_gemm *gemm)
{
    return gemm->desc.method;
}

/* ---- CLBlast ---- */

/* Calls CLBlast for one product of so many rows. Its strided batches are of no use here: where they
   need no copy of a matrix they take no notice of its offset and stride (1.5.3 to 1.7.0). */
static int call_clblast(const part_job *job, const clspi_gemm_buffers *at, size_t rows,
                        cl_event *event)
{
    const clspi_gemm_desc *const d = &job->gemm->desc;
    const clspi_clblast *const clblast = clspi_clblast_find();
    const bool by_columns = d->step_a != 1;
    const clspi_clblast_transpose turned = by_columns ? CLSPI_CLBLAST_YES : CLSPI_CLBLAST_NO;
    const size_t lda = by_columns ? d->step_a : d->lda;
    cl_command_queue queue = job->gemm->ctx->queue;

    return d->precision == CLSP_F64
               ? clblast->dgemm(CLSPI_CLBLAST_ROW_MAJOR, turned, CLSPI_CLBLAST_NO, rows, d->n, d->k,
                                1.0, at->a, at->a_offset, lda, at->b, at->b_offset, d->ldb, 0.0,
                                at->c, at->c_offset, d->ldc, &queue, event)
               : clblast->sgemm(CLSPI_CLBLAST_ROW_MAJOR, turned, CLSPI_CLBLAST_NO, rows, d->n, d->k,
                                1.0F, at->a, at->a_offset, lda, at->b, at->b_offset, d->ldb, 0.0F,
                                at->c, at->c_offset, d->ldc, &queue, event);
}

/* Enqueues CLBlast's commands under a lock of the process, whose contexts share CLBlast's caches:
   before 1.6.1 these race when two threads fill them. Enqueuing is short, save for the first call,
   which compiles. */
static clsp_status enqueue_product(const part_job *job, const clspi_gemm_buffers *at, size_t rows)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    clspi_series *const series = job->series;
    cl_event event = NULL;

    CLSPI_CHECK(clspi_series_hold(series));
    pthread_mutex_lock(&lock);
    const int code = call_clblast(job, at, rows, series->want_event ? &event : NULL);
    pthread_mutex_unlock(&lock);
    if (code == CL_SUCCESS) return clspi_series_adopt(series, event);
    const clsp_status status = clspi_clblast_status(code);
    return clspi_fail(&series->ctx->log, status, "gemm: CLBlast gave %d: %s", code,
                      clsp_status_str(status));
}

/* Makes a block around the rows of a part that has fewer, and copies these. before: the block's
   rows before them. */
static clsp_status enqueue_around(const part_job *job, clspi_gemm_buffers at, size_t before)
{
    clspi_gemm *const gemm = job->gemm;
    const clspi_gemm_desc *const d = &gemm->desc;
    const size_t block = gemm->clblast_rows, bytes = gemm->real_bytes, row = d->ldc * bytes;
    const size_t together = d->ldc == d->n ? job->c.rows : 1; /* rows that one copy brings */
    const size_t to = at.c_offset * bytes;
    const cl_mem c = at.c;

    CLSPI_CHECK(clspi_buffer_reserve(&gemm->scratch, &gemm->scratch_bytes, gemm->ctx, block * row));
    at.c = gemm->scratch;
    at.c_offset = 0;
    at.a_offset -= before * d->lda;
    CLSPI_CHECK(enqueue_product(job, &at, block));
    for (size_t i = 0; i < job->c.rows; i += together)
        CLSPI_CHECK(clspi_series_copy(job->series, at.c, (before + i) * row, c, to + i * row,
                                      together * d->n * bytes));
    return CLSP_OK;
}

/* Makes one product's rows in blocks, of which the last one reaches back over its neighbour. */
static clsp_status enqueue_blocks(const part_job *job, clspi_gemm_buffers at, size_t first_row)
{
    const clspi_gemm_desc *const d = &job->gemm->desc;
    const size_t block = job->gemm->clblast_rows, rows = job->c.rows;

    if (rows < block)
        return enqueue_around(job, at, first_row - clspi_min(first_row, d->m - block));
    for (size_t row = 0; row < rows; row += block) {
        const size_t back = row + block > rows ? row + block - rows : 0;
        clspi_gemm_buffers some = at;
        some.a_offset += (row - back) * d->lda;
        some.c_offset += (row - back) * d->ldc;
        CLSPI_CHECK(enqueue_product(job, &some, block));
    }
    return CLSP_OK;
}

static clsp_status enqueue_clblast(const part_job *job, size_t first_row)
{
    for (size_t p = job->first; p < job->first + job->count; p++) {
        clspi_gemm_buffers at = job->at;
        at.a_offset += p * job->a.stride;
        at.b_offset += p * job->b.stride;
        at.c_offset += p * job->c.stride;
        CLSPI_CHECK(enqueue_blocks(job, at, first_row));
    }
    return CLSP_OK;
}

/* Tells whether CLBlast, whose kernels count elements of buffers by int, can count those of a part.
 */
static bool is_near(const part_job *job)
{
    const size_t end = job->first + job->count, most = size_limit / 2;
    const clspi_gemm_buffers *const at = &job->at;

    return at->a_offset + end * job->a.stride <= most &&
           at->b_offset + end * job->b.stride <= most && at->c_offset + end * job->c.stride <= most;
}

/* ---- our own kernels ---- */

/* Returns a matrix as the kernels take it, from product `first` on. */
static clspi_gemm_matrix matrix_of(const operand *x, size_t offset, size_t first)
{
    const clspi_gemm_matrix matrix = {.offset = offset + first * x->stride,
                                      .stride = x->stride,
                                      .ld = (cl_uint)x->ld,
                                      .step = (cl_uint)x->step};

    return matrix;
}

static clsp_status launch(const part_job *job, const block_range *range)
{
    const clspi_gemm *const gemm = job->gemm;
    const clspi_gemm_buffers *const at = &job->at;
    const size_t p = range->first_product;
    const size_t each = gemm->shape == GEMM_TILES ? gemm->kernel.local : 1;
    const clspi_gemm_items items = {
        .m = (cl_uint)job->c.rows,
        .n = (cl_uint)gemm->desc.n,
        .k = (cl_uint)gemm->desc.k,
        .first_block = range->first_block,
        .num_blocks = range->num_blocks,
        .first_column = range->first_column,
        .num_columns = range->num_columns,
        .items = (cl_uint)(range->num_products * range->num_blocks * range->num_columns * each)};
    const clspi_gemm_tiles_args tiles = {.a = at->a,
                                         .at_a = matrix_of(&job->a, at->a_offset, p),
                                         .b = at->b,
                                         .at_b = matrix_of(&job->b, at->b_offset, p),
                                         .c = at->c,
                                         .at_c = matrix_of(&job->c, at->c_offset, p),
                                         .at = items};
    const clspi_gemm_wide_args wide = {.a = tiles.a,
                                       .at_a = tiles.at_a,
                                       .b = tiles.b,
                                       .at_b = tiles.at_b,
                                       .c = tiles.c,
                                       .at_c = tiles.at_c,
                                       .at = items};
    const clspi_gemm_rows_args rows = {.a = tiles.a,
                                       .at_a = tiles.at_a,
                                       .b = tiles.b,
                                       .at_b = tiles.at_b,
                                       .c = tiles.c,
                                       .at_c = tiles.at_c,
                                       .at = items};

    return gemm->shape == GEMM_TILES
               ? clspi_launch_gemm_tiles(job->series, &gemm->kernel, &tiles, items.items)
           : gemm->shape == GEMM_WIDE
               ? clspi_launch_gemm_wide(job->series, &gemm->kernel, &wide, items.items)
               : clspi_launch_gemm_rows(job->series, &gemm->kernel, &rows, items.items);
}

/* Finds how much of the grid of blocks one launch may cover: whole products, or else a part of
   one. */
static void launch_limits(const part_job *job, block_range *most)
{
    const clspi_gemm *const gemm = job->gemm;
    const size_t blocks = clspi_div_up(job->c.rows, gemm->block_rows);
    const size_t columns = clspi_div_up(gemm->desc.n, gemm->block_cols);
    const uint64_t fma = (uint64_t)gemm->block_rows * gemm->block_cols * clspi_max(1, gemm->desc.k);
    const size_t each = gemm->shape == GEMM_TILES ? gemm->kernel.local : 1;
    const size_t num =
        (size_t)clspi_launch_lines(&gemm->ctx->tuning, fma, each, gemm->kernel.local, 1);

    most->num_products = clspi_max(1, (size_t)(num / ((uint64_t)blocks * columns)));
    most->num_columns = (cl_uint)clspi_min(columns, clspi_max(1, num / blocks));
    most->num_blocks = (cl_uint)clspi_min(blocks, num / most->num_columns);
}

/* Enqueues the launches of some whole products, or of one product in parts. */
static clsp_status enqueue_products(const part_job *job, block_range part, const block_range *most)
{
    const cl_uint blocks = (cl_uint)clspi_div_up(job->c.rows, job->gemm->block_rows);
    const cl_uint columns = (cl_uint)clspi_div_up(job->gemm->desc.n, job->gemm->block_cols);

    for (cl_uint i = 0; i < blocks; i += part.num_blocks) {
        part.first_block = i;
        part.num_blocks = (cl_uint)clspi_min(most->num_blocks, blocks - i);
        for (cl_uint j = 0; j < columns; j += part.num_columns) {
            part.first_column = j;
            part.num_columns = (cl_uint)clspi_min(most->num_columns, columns - j);
            CLSPI_CHECK(launch(job, &part));
        }
    }
    return CLSP_OK;
}

static clsp_status enqueue_own(const part_job *job)
{
    block_range most = {0}, part = {0};

    launch_limits(job, &most);
    for (size_t p = 0; p < job->count; p += part.num_products) {
        part.first_product = job->first + p;
        part.num_products = clspi_min(most.num_products, job->count - p);
        CLSPI_CHECK(enqueue_products(job, part, &most));
    }
    return CLSP_OK;
}

/* ---- enqueuing ---- */

static clsp_status check_buffer(const part_job *job, const operand *x, cl_mem buffer, size_t offset)
{
    clsp_context *const ctx = job->gemm->ctx;
    size_t extent;

    if (!extent_of(x, job->first + job->count, &extent))
        return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                          "gemm: %s is larger than the address space", x->name);
    return extent == 0
               ? CLSP_OK
               : clspi_buffer_check(ctx, buffer, offset, extent, job->gemm->real_bytes, x->name);
}

static bool is_within(clsp_range range, size_t num)
{
    return range.first <= num && range.count <= num - range.first;
}

clsp_status clspi_gemm_enqueue(clspi_gemm *gemm, clspi_series *series,
                               const clspi_gemm_buffers *buffers, const clspi_gemm_part *part)
{
    const clspi_gemm_desc *const d = &gemm->desc;
    const clsp_range products = part->products;
    const clsp_range rows = part->rows.count > 0 ? part->rows : (clsp_range){0, d->m};
    part_job job = {.gemm = gemm,
                    .series = series,
                    .at = *buffers,
                    .a = gemm->a,
                    .b = gemm->b,
                    .c = gemm->c,
                    .first = products.first,
                    .count = products.count};

    if (!is_within(products, d->batch) || !is_within(rows, d->m))
        return clspi_fail(&gemm->ctx->log, CLSP_ERROR_ARGUMENT,
                          "gemm: products %zu + %zu of %zu, rows %zu + %zu of %zu", products.first,
                          products.count, d->batch, rows.first, rows.count, d->m);
    if (products.count == 0 || d->m == 0 || d->n == 0) return CLSP_OK;
    job.a.rows = job.c.rows = rows.count;
    job.at.a_offset += rows.first * d->lda;
    if (part->stride_c > 0) job.c.stride = part->stride_c;
    CLSPI_CHECK(check_buffer(&job, &job.a, job.at.a, job.at.a_offset));
    CLSPI_CHECK(check_buffer(&job, &job.b, job.at.b, job.at.b_offset));
    CLSPI_CHECK(check_buffer(&job, &job.c, job.at.c, job.at.c_offset));
    if (d->method == CLSPI_GEMM_CLBLAST && is_near(&job)) return enqueue_clblast(&job, rows.first);
    if (!gemm->kernel.kernel) CLSPI_CHECK(create_kernel(gemm));
    return enqueue_own(&job);
}
