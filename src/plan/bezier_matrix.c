#include "bezier_matrix.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "gemm.h"
#include "power_basis.h"

/* A buffer that grows. */
typedef struct store {
    cl_mem buffer;
    size_t bytes;
} store;

struct clspi_bezier_matrix {
    clsp_context *ctx;
    clspi_bezier_method_desc desc;
    size_t real_bytes;
    size_t points_per_patch, t_per_patch; /* reals */
    store basis[2];                       /* R of u and of v: [order][order] */
    store powers[2];                      /* U and V: [num][order] */
    store half;                           /* P R^T of half_patches patches */
    store g; /* R P R^T of all patches: [patch][order_u][order_v][coords] */
    store t; /* G V^T of patches t_first .. t_first + t_count - 1: [patch][order_u][row] */
    size_t num_patches, half_patches, t_patches, t_first, t_count;
    clspi_gemm *to_half, *to_g, *to_t, *to_points;
    clspi_gemm *to_some_points; /* some_rows rows of a patch */
    cl_uint some_rows;
};

static bool is_curve(const clspi_bezier_matrix *x)
{
    return x->desc.orders[1] == 1 && x->desc.nums[1] == 1;
}

static cl_uint row_reals(const clspi_bezier_matrix *x)
{
    return x->desc.nums[1] * x->desc.coords;
}

/* ---- tables ---- */

/* Writes doubles in the precision; narrow has room for as many floats. */
static clsp_status write_reals(const clspi_bezier_matrix *x, clspi_series *series, cl_mem buffer,
                               size_t first, const double *values, float *narrow, size_t count)
{
    const size_t offset = first * x->real_bytes, bytes = count * x->real_bytes;

    if (x->desc.precision == CLSP_F64)
        return clspi_series_write(series, buffer, offset, values, bytes);
    for (size_t i = 0; i < count; i++)
        narrow[i] = (float)values[i];
    return clspi_series_write(series, buffer, offset, narrow, bytes);
}

static clsp_status write_basis(clspi_bezier_matrix *x, clspi_series *series, int direction,
                               double *values, float *narrow)
{
    const size_t order = x->desc.orders[direction];
    store *const basis = &x->basis[direction];
    clsp_status status;

    CLSPI_TRY(
        clspi_buffer_reserve(&basis->buffer, &basis->bytes, x->ctx, order * order * x->real_bytes));
    clspi_power_basis(values, (uint32_t)order - 1);
    CLSPI_TRY(write_reals(x, series, basis->buffer, 0, values, narrow, order * order));

fail:
    return status;
}

/* A part of so many values at a time, whole samples. */
static clsp_status write_powers(clspi_bezier_matrix *x, clspi_series *series, int direction,
                                double *values, float *narrow, size_t most)
{
    const cl_uint order = x->desc.orders[direction], num = x->desc.nums[direction];
    const double *const interval = x->desc.intervals[direction];
    store *const powers = &x->powers[direction];
    const size_t step = most / order;
    clsp_status status;

    CLSPI_TRY(clspi_buffer_reserve(&powers->buffer, &powers->bytes, x->ctx,
                                   (size_t)num * order * x->real_bytes));
    for (size_t first = 0; first < num; first += step) {
        const size_t count = clspi_min(step, num - first);
        for (size_t a = 0; a < count; a++)
            clspi_powers(values + a * order, order, interval[0], interval[1], (cl_uint)(first + a),
                         num);
        CLSPI_TRY(
            write_reals(x, series, powers->buffer, first * order, values, narrow, count * order));
    }

fail:
    return status;
}

static clsp_status write_tables(clspi_bezier_matrix *x, clspi_series *series)
{
    enum { MOST = 65536 }; /* above an order squared */
    double *const values = malloc(MOST * sizeof *values);
    float *const narrow = malloc(MOST * sizeof *narrow);
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    if (!values || !narrow) {
        clspi_fail(&x->ctx->log, status, "bezier: no host memory for tables");
        goto fail;
    }
    for (int direction = 0; direction < 2; direction++) {
        CLSPI_TRY(write_basis(x, series, direction, values, narrow));
        CLSPI_TRY(write_powers(x, series, direction, values, narrow, MOST));
    }

fail:
    free(values);
    free(narrow);
    return status;
}

/* ---- products ---- */

static void release_products(clspi_bezier_matrix *x)
{
    clspi_gemm_destroy(&x->to_half);
    clspi_gemm_destroy(&x->to_g);
    clspi_gemm_destroy(&x->to_t);
    clspi_gemm_destroy(&x->to_points);
    clspi_gemm_destroy(&x->to_some_points);
    x->some_rows = 0;
}

/* A batch with one A for all, each B and C behind the one before. */
static clsp_status create_product(const clspi_bezier_matrix *x, clspi_gemm **product, size_t m,
                                  size_t n, size_t k, size_t batch, clspi_gemm_method method)
{
    const clspi_gemm_desc desc = {.precision = x->desc.precision,
                                  .m = m,
                                  .n = n,
                                  .k = k,
                                  .batch = batch,
                                  .stride_b = k * n,
                                  .stride_c = m * n,
                                  .method = method};

    return clspi_gemm_create(product, x->ctx, &desc);
}

/* U T by our own kernels whatever its size: rows of a patch then are the same bits wherever a call
   cuts it, which CLBlast does not promise. */
static clsp_status create_rows(const clspi_bezier_matrix *x, clspi_gemm **product, cl_uint rows)
{
    return create_product(x, product, rows, row_reals(x), x->desc.orders[0], x->num_patches,
                          CLSPI_GEMM_SIZED);
}

static clsp_status create_products(clspi_bezier_matrix *x)
{
    const size_t order_u = x->desc.orders[0], order_v = x->desc.orders[1];
    const size_t coords = x->desc.coords, lines = x->num_patches * order_u;
    clsp_status status;

    CLSPI_TRY(create_product(x, &x->to_g, order_u, order_v * coords, order_u, x->num_patches,
                             CLSPI_GEMM_AUTO));
    CLSPI_TRY(create_rows(x, &x->to_points, x->desc.nums[0]));
    if (is_curve(x)) return CLSP_OK;
    CLSPI_TRY(create_product(x, &x->to_half, order_v, coords, order_v, lines, CLSPI_GEMM_AUTO));
    CLSPI_TRY(
        create_product(x, &x->to_t, x->desc.nums[1], coords, order_v, lines, CLSPI_GEMM_AUTO));

fail:
    return status;
}

/* ---- preparing ---- */

clsp_status clspi_bezier_matrix_prepare(clspi_bezier_matrix **matrix, clspi_series *series,
                                        const clspi_bezier_method_desc *desc)
{
    clspi_bezier_matrix *const x = *matrix ? *matrix : calloc(1, sizeof *x);

    if (!x)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for a plan");
    *matrix = x;
    release_products(x);
    x->ctx = series->ctx;
    x->desc = *desc;
    x->real_bytes = desc->precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    x->points_per_patch = (size_t)desc->orders[0] * desc->orders[1] * desc->coords;
    x->t_per_patch = (size_t)desc->orders[0] * row_reals(x);
    x->num_patches = x->t_patches = x->t_count = 0;
    return write_tables(x, series);
}

void clspi_bezier_matrix_release(clspi_bezier_matrix **matrix)
{
    clspi_bezier_matrix *const x = *matrix;

    if (!x) return;
    release_products(x);
    for (int direction = 0; direction < 2; direction++) {
        clspi_buffer_release(&x->basis[direction].buffer);
        clspi_buffer_release(&x->powers[direction].buffer);
    }
    clspi_buffer_release(&x->half.buffer);
    clspi_buffer_release(&x->g.buffer);
    clspi_buffer_release(&x->t.buffer);
    free(x);
    *matrix = NULL;
}

/* ---- control points ---- */

static clsp_status reserve(clspi_bezier_matrix *x, store *s, size_t patches, size_t reals)
{
    return clspi_buffer_reserve(&s->buffer, &s->bytes, x->ctx, patches * reals * x->real_bytes);
}

/* Patches of so many reals each that fit into some bytes and into one buffer, at least one. */
static size_t patches_in(const clspi_bezier_matrix *x, size_t bytes, size_t reals)
{
    const size_t most = clspi_min(bytes, (size_t)x->ctx->device.max_alloc_bytes);

    return clspi_min(x->num_patches, clspi_max(1, most / (reals * x->real_bytes)));
}

/* How many patches' T are kept: all if they fit the share of memory for it. */
static size_t t_patches_of(const clspi_bezier_matrix *x)
{
    const clspi_tuning *const tuning = &x->ctx->tuning;
    const size_t share =
        tuning->keep_share ? (size_t)(x->ctx->device.global_bytes / tuning->keep_share) : 0;
    const size_t kept = patches_in(x, share, x->t_per_patch);

    return kept == x->num_patches ? kept : patches_in(x, tuning->scratch_bytes, x->t_per_patch);
}

/* G of patches first .. first + count - 1, by way of x->half. */
static clsp_status make_g(clspi_bezier_matrix *x, clspi_series *series, cl_mem points, size_t first,
                          size_t count)
{
    const size_t lines = x->desc.orders[0], at = first * x->points_per_patch;
    clsp_status status;

    if (is_curve(x))
        return clspi_gemm_enqueue(x->to_g, series, x->basis[0].buffer, 0, points, 0, x->g.buffer, 0,
                                  first, count);
    CLSPI_TRY(clspi_gemm_enqueue(x->to_half, series, x->basis[1].buffer, 0, points, at,
                                 x->half.buffer, 0, 0, count * lines));
    CLSPI_TRY(clspi_gemm_enqueue(x->to_g, series, x->basis[0].buffer, 0, x->half.buffer, 0,
                                 x->g.buffer, at, 0, count));

fail:
    return status;
}

/* Makes x->t hold T of these patches, at most t_patches. Of a curve it is G. */
static clsp_status make_t(clspi_bezier_matrix *x, clspi_series *series, size_t first, size_t count)
{
    const size_t lines = x->desc.orders[0];
    clsp_status status;

    if (is_curve(x) || (first >= x->t_first && first + count <= x->t_first + x->t_count))
        return CLSP_OK;
    x->t_count = 0;
    CLSPI_TRY(clspi_gemm_enqueue(x->to_t, series, x->powers[1].buffer, 0, x->g.buffer,
                                 first * x->points_per_patch, x->t.buffer, 0, 0, count * lines));
    x->t_first = first;
    x->t_count = count;

fail:
    return status;
}

clsp_status clspi_bezier_matrix_load(clspi_bezier_matrix *x, clspi_series *series, cl_mem points,
                                     size_t num_patches)
{
    clsp_status status;

    if (num_patches != x->num_patches) {
        release_products(x);
        x->num_patches = num_patches;
        CLSPI_TRY(create_products(x));
    }
    x->t_count = 0;
    x->half_patches = patches_in(x, x->ctx->tuning.scratch_bytes, x->points_per_patch);
    x->t_patches = is_curve(x) ? num_patches : t_patches_of(x);
    CLSPI_TRY(reserve(x, &x->g, num_patches, x->points_per_patch));
    if (!is_curve(x)) {
        CLSPI_TRY(reserve(x, &x->half, x->half_patches, x->points_per_patch));
        CLSPI_TRY(reserve(x, &x->t, x->t_patches, x->t_per_patch));
    }
    for (size_t p = 0; p < num_patches; p += x->half_patches)
        CLSPI_TRY(make_g(x, series, points, p, clspi_min(x->half_patches, num_patches - p)));
    if (x->t_patches == num_patches) CLSPI_TRY(make_t(x, series, 0, num_patches));
    return CLSP_OK;

fail:
    x->num_patches = 0;
    return status;
}

/* ---- evaluation ---- */

/* The product for so many rows of each patch. */
static clsp_status product_of(clspi_bezier_matrix *x, cl_uint rows, clspi_gemm **product)
{
    clsp_status status = CLSP_OK;

    *product = x->to_points;
    if (rows == x->desc.nums[0]) return CLSP_OK;
    if (rows != x->some_rows) {
        clspi_gemm_destroy(&x->to_some_points);
        x->some_rows = 0;
        CLSPI_TRY(create_rows(x, &x->to_some_points, rows));
        x->some_rows = rows;
    }
    *product = x->to_some_points;

fail:
    return status;
}

clsp_status clspi_bezier_matrix_eval(clspi_bezier_matrix *x, clspi_series *series,
                                     const clspi_bezier_range *range)
{
    const cl_mem t = is_curve(x) ? x->g.buffer : x->t.buffer;
    const size_t rows_at = (size_t)range->first_row * x->desc.orders[0];
    const size_t patch_reals = (size_t)range->num_rows * row_reals(x);
    clspi_gemm *product;
    clsp_status status;

    CLSPI_TRY(product_of(x, range->num_rows, &product));
    for (size_t p = 0; p < range->num_patches; p += x->t_patches) {
        const size_t first = range->first_patch + p;
        const size_t count = clspi_min(x->t_patches, range->num_patches - p);
        CLSPI_TRY(make_t(x, series, first, count));
        const size_t skipped = is_curve(x) ? first : first - x->t_first;
        CLSPI_TRY(clspi_gemm_enqueue(product, series, x->powers[0].buffer, rows_at, t,
                                     skipped * x->t_per_patch, range->out,
                                     range->offset + p * patch_reals, 0, count));
    }
    return CLSP_OK;

fail:
    return status;
}
