/* Conversions as products with whole matrices, through the matrix products' seam: along the last
   direction first, of each line of control points; to compare sums of bands with. */
#include <stdlib.h>

#include "bernstein.h"
#include "buffer.h"
#include "check.h"
#include "each_method.h"
#include "gemm.h"

typedef struct matrix_sum {
    clsp_context *ctx;
    const clspi_tensor_desc *desc;
    cl_uint controls[3]; /* columns of the matrices, whose rows are samples of desc */
    size_t real_bytes;
    cl_mem matrix[3];
    clspi_gemm *product[3]; /* along each direction, of all lines of max_patches patches */
    clspi_gemm *some_rows;  /* num_some rows of patches along u */
    cl_uint num_some;
    cl_mem between[2]; /* what comes of directions but the first, by turns */
    size_t between_bytes[2];
    cl_mem points; /* the plan's or differences of them, retained */
    size_t max_patches;
} matrix_sum;

/* ---- sizes ---- */

/* Returns the lines of a patch along a direction, where the directions behind it are made. */
static size_t lines_of(const matrix_sum *x, cl_uint k)
{
    size_t lines = 1;

    for (cl_uint j = 0; j < k; j++)
        lines *= x->controls[j];
    return lines;
}

/* Returns the reals that belong to one control point of such a line. */
static size_t width_of(const matrix_sum *x, cl_uint k)
{
    size_t reals = clspi_coords(x->desc);

    for (cl_uint j = k + 1; j < 3; j++)
        reals *= x->desc->axis[j].num;
    return reals;
}

/* Returns the reals of a patch after the directions from k on. */
static size_t made_reals(const matrix_sum *x, cl_uint k)
{
    return lines_of(x, k) * x->desc->axis[k].num * width_of(x, k);
}

/* ---- matrices ---- */

static void release_products(matrix_sum *x)
{
    for (cl_uint k = 0; k < 3; k++)
        clspi_gemm_destroy(&x->product[k]);
    clspi_gemm_destroy(&x->some_rows);
    x->num_some = 0;
}

/* Fills some rows of a matrix, [rows][columns], which are 0. scratch: weights of a row. */
static void fill_rows(const matrix_sum *x, cl_uint k, clsp_range rows, double *scratch, void *to)
{
    const clspi_basis *const basis = &x->desc->basis;
    const size_t columns = x->controls[k];
    const cl_uint by = x->desc->controls[k] - (cl_uint)columns, terms = x->desc->terms[k] - by;

    for (size_t i = 0; i < rows.count; i++) {
        const size_t first = basis->values(basis->user, k, by, (cl_uint)(rows.first + i), scratch);
        if (x->desc->precision == CLSP_F32) clspi_round_f32(scratch, terms);
        for (size_t j = 0; j < terms; j++) {
            if (x->desc->precision == CLSP_F64)
                ((double *)to)[i * columns + first + j] = scratch[j];
            else
                ((float *)to)[i * columns + first + j] = (float)scratch[j];
        }
    }
}

/* Writes a matrix to its buffer, some rows at a time. */
static clsp_status write_matrix(const matrix_sum *x, clspi_series *series, cl_uint k,
                                double *scratch)
{
    enum { MOST = 1 << 20 };
    const size_t columns = x->controls[k], num = x->desc->axis[k].num;
    const size_t most = clspi_max(1, MOST / columns), row = columns * x->real_bytes;
    clsp_status status = CLSP_OK;

    for (size_t i = 0; i < num && status == CLSP_OK; i += most) {
        const clsp_range rows = {i, clspi_min(most, num - i)};
        void *const values = calloc(rows.count, row);
        if (!values)
            return clspi_fail(&x->ctx->log, CLSP_ERROR_NO_MEMORY,
                              "bspline: no host memory for a matrix");
        fill_rows(x, k, rows, scratch, values);
        status = clspi_series_write(series, x->matrix[k], i * row, values, rows.count * row);
        free(values);
    }
    return status;
}

static clsp_status make_matrix(matrix_sum *x, clspi_series *series, cl_uint k)
{
    size_t bytes = x->real_bytes;

    clspi_buffer_release(&x->matrix[k]);
    if (!clspi_size_mul(&bytes, x->controls[k]) || !clspi_size_mul(&bytes, x->desc->axis[k].num))
        return clspi_fail(&x->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: a matrix is larger than the address space");
    CLSPI_CHECK(clspi_buffer_create(&x->matrix[k], x->ctx, bytes));
    double *const scratch = malloc(x->desc->terms[k] * sizeof *scratch);
    if (!scratch)
        return clspi_fail(&x->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no host memory for a matrix");
    const clsp_status status = write_matrix(x, series, k, scratch);
    free(scratch);
    return status;
}

/* ---- preparing ---- */

static clsp_status prepare(void **state, clspi_series *series, const clspi_tensor_desc *desc,
                           const cl_uint controls[3])
{
    matrix_sum *const x = *state ? *state : calloc(1, sizeof *x);

    if (!x)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for a conversion");
    *state = x;
    release_products(x);
    x->ctx = series->ctx;
    x->desc = desc;
    x->real_bytes = clsp_type_bytes(desc->precision);
    for (cl_uint k = 0; k < 3; k++)
        x->controls[k] = controls[k];
    for (cl_uint k = 0; k < desc->directions; k++)
        CLSPI_CHECK(make_matrix(x, series, k));
    return CLSP_OK;
}

static void release(void **state)
{
    matrix_sum *const x = *state;

    if (!x) return;
    release_products(x);
    for (cl_uint k = 0; k < 3; k++)
        clspi_buffer_release(&x->matrix[k]);
    clspi_buffer_release(&x->between[0]);
    clspi_buffer_release(&x->between[1]);
    clspi_buffer_release(&x->points);
    free(x);
    *state = NULL;
}

/* ---- control points ---- */

/* Makes a product along a direction, with so many rows of the matrix. Along the first one own
   kernels make it: then rows are the same bits wherever a call is cut. */
static clsp_status create_product(const matrix_sum *x, clspi_gemm **product, cl_uint k, size_t rows)
{
    const size_t width = width_of(x, k);
    const clspi_gemm_desc desc = {.precision = x->desc->precision,
                                  .m = rows,
                                  .n = width,
                                  .k = x->controls[k],
                                  .batch = x->max_patches * lines_of(x, k),
                                  .stride_b = x->controls[k] * width,
                                  .stride_c = rows * width,
                                  .method = k == 0 ? CLSPI_GEMM_SIZED : CLSPI_GEMM_AUTO};

    return clspi_gemm_create(product, x->ctx, &desc);
}

/* Chooses how many patches go through the directions at once: as stay in a cache between two. */
static size_t choose_patches(const matrix_sum *x, size_t num_patches)
{
    const uint64_t scratch =
        clspi_min_u64(x->ctx->tuning.scratch_bytes, x->ctx->device.max_alloc_bytes);
    size_t bytes = 1;

    if (x->desc->directions == 1) return num_patches;
    for (cl_uint k = 1; k < x->desc->directions; k++)
        bytes = clspi_max(bytes, made_reals(x, k) * x->real_bytes);
    return clspi_min(num_patches, clspi_max(1, (size_t)(scratch / bytes)));
}

static clsp_status load(void *state, clspi_series *series, cl_mem points, size_t num_patches)
{
    matrix_sum *const x = state;

    release_products(x);
    CLSPI_CHECK(clspi_cl(&series->ctx->log, clRetainMemObject(points), "clRetainMemObject"));
    clspi_buffer_release(&x->points);
    x->points = points;
    x->max_patches = choose_patches(x, num_patches);
    for (cl_uint k = 0; k < x->desc->directions; k++) {
        CLSPI_CHECK(create_product(x, &x->product[k], k, x->desc->axis[k].num));
        if (k > 0)
            CLSPI_CHECK(clspi_buffer_reserve(&x->between[k - 1], &x->between_bytes[k - 1], x->ctx,
                                             x->max_patches * made_reals(x, k) * x->real_bytes));
    }
    return CLSP_OK;
}

/* ---- rows ---- */

/* Makes all directions but the first of some patches; *b: where the result is. */
static clsp_status make_between(matrix_sum *x, clspi_series *series, clsp_range patches,
                                clspi_gemm_buffers *b)
{
    b->b = x->points;
    b->b_offset = patches.first * lines_of(x, x->desc->directions) * (size_t)clspi_coords(x->desc);
    for (cl_uint k = x->desc->directions - 1; k > 0; k--) {
        b->a = x->matrix[k];
        b->c = x->between[k - 1];
        CLSPI_CHECK(clspi_gemm_enqueue(x->product[k], series, b,
                                       (clsp_range){0, patches.count * lines_of(x, k)}));
        b->b = b->c;
        b->b_offset = 0;
    }
    return CLSP_OK;
}

/* Gives the product for so many rows of each patch. */
static clsp_status product_of(matrix_sum *x, cl_uint rows, clspi_gemm **product)
{
    *product = x->product[0];
    if (rows == x->desc->axis[0].num) return CLSP_OK;
    if (rows != x->num_some) {
        clspi_gemm_destroy(&x->some_rows);
        x->num_some = 0;
        CLSPI_CHECK(create_product(x, &x->some_rows, 0, rows));
        x->num_some = rows;
    }
    *product = x->some_rows;
    return CLSP_OK;
}

static clsp_status eval(void *state, clspi_series *series, const clspi_rows *rows)
{
    matrix_sum *const x = state;
    const size_t patch_reals = rows->num_rows * width_of(x, 0);
    clspi_gemm *product;

    CLSPI_CHECK(product_of(x, rows->num_rows, &product));
    for (size_t p = 0; p < rows->num_patches; p += x->max_patches) {
        const clsp_range patches = {rows->first_patch + p,
                                    clspi_min(x->max_patches, rows->num_patches - p)};
        clspi_gemm_buffers buffers = {0};
        CLSPI_CHECK(make_between(x, series, patches, &buffers));
        buffers.a = x->matrix[0];
        buffers.a_offset = (size_t)rows->first_row * x->controls[0];
        buffers.c = rows->out;
        buffers.c_offset = rows->offset + p * patch_reals;
        CLSPI_CHECK(clspi_gemm_enqueue(product, series, &buffers, (clsp_range){0, patches.count}));
    }
    return CLSP_OK;
}

const clspi_sum_method clspi_convert_matrix = {prepare, load, eval, release};
