/* Sums as products with a matrix along each direction, the last one first, through the matrix
   products' seam. Conversions multiply control points by weights. The matrix method multiplies
   those of Bezier patches by powers of 2 t - 1, S = U (R P R^T) V^T (docs/math.md, 8), where R P
   R^T is made when they are loaded. */
#include <stdlib.h>
#include <string.h>

#include "bernstein.h"
#include "bezier_sums.h"
#include "buffer.h"
#include "check.h"
#include "gemm.h"
#include "power_basis.h"
#include "term_sums.h"

/* A buffer that grows. */
typedef struct store {
    cl_mem buffer;
    size_t bytes;
} store;

/* A matrix along each direction, and the products with them. */
typedef struct matrices {
    uint32_t rows[3]; /* of the matrices, which have a column for each control point */
    store matrix[3];
    clspi_gemm *product[3]; /* of all lines of max_patches patches */
    store between[2];       /* what comes of directions but the first, by turns; last between[0] */
    size_t max_patches;
    clsp_range made; /* patches of which between[0] is */
} matrices;

typedef struct matrix_sum {
    clsp_context *ctx;
    const clspi_tensor_desc *desc;
    uint32_t controls[3];
    size_t real_bytes, num_patches;
    bool has_powers;    /* of Bezier patches: */
    matrices to_powers; /* R P R^T, */
    store powers;       /* of all patches */
    matrices to_samples;
} matrix_sum;

/* ---- sizes ---- */

/* Returns the lines of a patch along a direction, where the directions behind it are made. */
static size_t lines_of(const matrix_sum *x, uint32_t k)
{
    size_t lines = 1;

    for (uint32_t j = 0; j < k; j++)
        lines *= x->controls[j];
    return lines;
}

/* Returns the reals that belong to one control point of such a line. */
static size_t width_of(const matrix_sum *x, const matrices *m, uint32_t k)
{
    size_t reals = clspi_coords(x->desc);

    for (uint32_t j = k + 1; j < 3; j++)
        reals *= m->rows[j];
    return reals;
}

/* Returns the reals of a patch after the directions from k on. */
static size_t made_reals(const matrix_sum *x, const matrices *m, uint32_t k)
{
    return lines_of(x, k) * m->rows[k] * width_of(x, m, k);
}

/* Returns the reals of a patch's control points. */
static size_t point_reals(const matrix_sum *x)
{
    return lines_of(x, 3) * clspi_coords(x->desc);
}

/* Checks that the bytes of matrices and of one patch between directions can be counted. */
static clsp_status check_sizes(const matrix_sum *x)
{
    bool fits = true;

    for (uint32_t k = 0; k < x->desc->directions && fits; k++) {
        size_t matrix = x->real_bytes, between = matrix * clspi_coords(x->desc);
        fits = clspi_size_mul(&matrix, x->controls[k]) &&
               clspi_size_mul(&matrix, x->to_samples.rows[k]);
        for (uint32_t j = 0; j < 3 && fits && k > 0; j++)
            fits = clspi_size_mul(&between, j < k ? x->controls[j] : x->to_samples.rows[j]);
    }
    if (fits) return CLSP_OK;
    return clspi_fail(&x->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "a matrix, or a patch between two of them, is larger than the address space");
}

/* ---- matrices ---- */

/* Fills some rows of a matrix along direction k. */
typedef void fill_fn(const matrix_sum *x, uint32_t k, clsp_range rows, double *values);

/* Fills R, which is small: all rows. */
static void fill_basis(const matrix_sum *x, uint32_t k, clsp_range rows, double *values)
{
    (void)rows;
    clspi_power_basis(values, x->controls[k] - 1);
}

static void fill_powers(const matrix_sum *x, uint32_t k, clsp_range rows, double *values)
{
    const uint32_t order = x->controls[k];
    const clsp_axis *const axis = &x->desc->axis[k];

    for (size_t i = 0; i < rows.count; i++) {
        const double *const own = axis->params ? &axis->params[rows.first + i] : NULL;
        clspi_powers(values + i * order, order, own ? *own : axis->begin, own ? *own : axis->end,
                     own ? 0 : (uint32_t)(rows.first + i), own ? 1 : axis->num);
    }
}

static void fill_weights(const matrix_sum *x, uint32_t k, clsp_range rows, double *values)
{
    const clspi_basis *const basis = &x->desc->basis;
    const size_t columns = x->controls[k];
    const uint32_t by = x->desc->controls[k] - x->controls[k], terms = x->desc->terms[k] - by;

    for (size_t i = 0; i < rows.count; i++, values += columns) {
        memset(values, 0, columns * sizeof *values);
        const size_t first = basis->values(basis->user, k, by, (uint32_t)(rows.first + i), values);
        if (x->desc->precision == CLSP_F32) clspi_round_f32(values, terms);
        memmove(values + first, values, terms * sizeof *values);
        memset(values, 0, clspi_min(first, terms) * sizeof *values);
    }
}

/* Makes numbers those of the precision, in their place. */
static void narrow(const matrix_sum *x, double *values, size_t num)
{
    for (size_t i = 0; i < num && x->desc->precision == CLSP_F32; i++) {
        const float value = (float)values[i];
        memcpy((char *)values + i * sizeof value, &value, sizeof value);
    }
}

/* Makes a matrix, some rows at a time. */
static clsp_status make_matrix(matrix_sum *x, clspi_series *series, matrices *m, uint32_t k,
                               fill_fn *fill)
{
    enum { MOST = 1 << 20 };
    const size_t columns = x->controls[k], row = columns * x->real_bytes;
    const size_t most = clspi_min(m->rows[k], clspi_max(1, MOST / columns));
    store *const matrix = &m->matrix[k];
    clsp_status status;

    CLSPI_CHECK(clspi_buffer_reserve(&matrix->buffer, &matrix->bytes, x->ctx, m->rows[k] * row));
    double *const values = malloc(most * columns * sizeof *values);
    if (!values)
        return clspi_fail(&x->ctx->log, CLSP_ERROR_NO_MEMORY, "no host memory for a matrix");
    status = CLSP_OK;
    for (size_t i = 0; i < m->rows[k] && status == CLSP_OK; i += most) {
        const clsp_range rows = {i, clspi_min(most, m->rows[k] - i)};
        fill(x, k, rows, values);
        narrow(x, values, rows.count * columns);
        status = clspi_series_write(series, matrix->buffer, i * row, values, rows.count * row);
    }
    free(values);
    return status;
}

/* ---- preparing ---- */

static void release_products(matrices *m)
{
    for (uint32_t k = 0; k < 3; k++)
        clspi_gemm_destroy(&m->product[k]);
}

static void release_matrices(matrices *m)
{
    release_products(m);
    for (uint32_t k = 0; k < 3; k++)
        clspi_buffer_release(&m->matrix[k].buffer);
    clspi_buffer_release(&m->between[0].buffer);
    clspi_buffer_release(&m->between[1].buffer);
}

static clsp_status prepare(void **state, clspi_series *series, const clspi_tensor_desc *desc,
                           const uint32_t controls[3], bool has_powers)
{
    matrix_sum *const x = *state ? *state : calloc(1, sizeof *x);

    if (!x) return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY, "no memory for matrices");
    *state = x;
    x->ctx = series->ctx;
    x->desc = desc;
    x->real_bytes = clsp_type_bytes(desc->precision);
    x->num_patches = 0;
    x->has_powers = has_powers;
    for (uint32_t k = 0; k < 3; k++) {
        x->controls[k] = x->to_powers.rows[k] = controls[k];
        x->to_samples.rows[k] = desc->axis[k].num;
    }
    CLSPI_CHECK(check_sizes(x));
    for (uint32_t k = 0; k < desc->directions; k++) {
        if (has_powers) CLSPI_CHECK(make_matrix(x, series, &x->to_powers, k, fill_basis));
        CLSPI_CHECK(
            make_matrix(x, series, &x->to_samples, k, has_powers ? fill_powers : fill_weights));
    }
    return CLSP_OK;
}

static clsp_status prepare_powers(void **state, clspi_series *series, const clspi_tensor_desc *desc,
                                  const uint32_t controls[3])
{
    return prepare(state, series, desc, controls, true);
}

static clsp_status prepare_weights(void **state, clspi_series *series,
                                   const clspi_tensor_desc *desc, const uint32_t controls[3])
{
    return prepare(state, series, desc, controls, false);
}

static void release(void **state)
{
    matrix_sum *const x = *state;

    if (!x) return;
    release_matrices(&x->to_powers);
    release_matrices(&x->to_samples);
    clspi_buffer_release(&x->powers.buffer);
    free(x);
    *state = NULL;
}

/* ---- products ---- */

/* Makes the products along a direction. */
static clsp_status create_product(const matrix_sum *x, const matrices *m, clspi_gemm **product,
                                  uint32_t k)
{
    const size_t width = width_of(x, m, k);
    const clspi_gemm_desc desc = {.precision = x->desc->precision,
                                  .m = m->rows[k],
                                  .n = width,
                                  .k = x->controls[k],
                                  .batch = m->max_patches * lines_of(x, k),
                                  .stride_b = x->controls[k] * width,
                                  .stride_c = m->rows[k] * width};

    return clspi_gemm_create(product, x->ctx, &desc);
}

/* Makes between[0] hold these patches, at most max_patches, unless it does. */
static clsp_status make_between(const matrix_sum *x, matrices *m, clspi_series *series,
                                cl_mem points, clsp_range patches)
{
    clspi_gemm_buffers b = {.b = points, .b_offset = patches.first * point_reals(x)};

    if (patches.first >= m->made.first &&
        patches.first + patches.count <= m->made.first + m->made.count)
        return CLSP_OK;
    m->made.count = 0;
    for (uint32_t k = x->desc->directions - 1; k > 0; k--) {
        b.a = m->matrix[k].buffer;
        b.c = m->between[k - 1].buffer;
        const clspi_gemm_part all = {.products = {0, patches.count * lines_of(x, k)}};
        CLSPI_CHECK(clspi_gemm_enqueue(m->product[k], series, &b, &all));
        b.b = b.c;
        b.b_offset = 0;
    }
    m->made = patches;
    return CLSP_OK;
}

/* Makes some rows. points: of all patches. */
static clsp_status make_rows(const matrix_sum *x, matrices *m, clspi_series *series, cl_mem points,
                             const clspi_rows *rows)
{
    const size_t patch_reals = rows->num_rows * width_of(x, m, 0);

    for (size_t p = 0; p < rows->num_patches; p += m->max_patches) {
        const clsp_range patches = {rows->first_patch + p,
                                    clspi_min(m->max_patches, rows->num_patches - p)};
        const clspi_gemm_part part = {
            {0, patches.count}, {rows->first_row, rows->num_rows}, patch_reals};
        clspi_gemm_buffers b = {.a = m->matrix[0].buffer,
                                .b = points,
                                .b_offset = patches.first * point_reals(x),
                                .c = rows->out,
                                .c_offset = rows->offset + p * patch_reals};
        if (x->desc->directions > 1) {
            CLSPI_CHECK(make_between(x, m, series, points, patches));
            b.b = m->between[0].buffer;
            b.b_offset = (patches.first - m->made.first) * made_reals(x, m, 1);
        }
        CLSPI_CHECK(clspi_gemm_enqueue(m->product[0], series, &b, &part));
    }
    return CLSP_OK;
}

/* ---- control points ---- */

/* Returns the patches that go through the directions at once, by the bytes between two. */
static size_t patches_in(const matrix_sum *x, const matrices *m, uint64_t bytes)
{
    const uint64_t most = clspi_min_u64(bytes, x->ctx->device.max_alloc_bytes);
    size_t reals = 1;

    if (x->desc->directions == 1) return x->num_patches;
    for (uint32_t k = 1; k < x->desc->directions; k++)
        reals = clspi_max(reals, made_reals(x, m, k));
    return clspi_min(x->num_patches, clspi_max(1, (size_t)(most / (reals * x->real_bytes))));
}

static clsp_status load_matrices(matrix_sum *x, matrices *m, bool is_new)
{
    m->made.count = 0;
    if (is_new) release_products(m);
    for (uint32_t k = 0; k < x->desc->directions; k++) {
        if (is_new) CLSPI_CHECK(create_product(x, m, &m->product[k], k));
        if (k > 0)
            CLSPI_CHECK(clspi_buffer_reserve(&m->between[k - 1].buffer, &m->between[k - 1].bytes,
                                             x->ctx,
                                             m->max_patches * made_reals(x, m, k) * x->real_bytes));
    }
    return CLSP_OK;
}

/* Makes R P R^T of all patches, and what goes along u next, where all of it is kept. */
static clsp_status make_powers(matrix_sum *x, clspi_series *series, cl_mem points)
{
    const clsp_range all = {0, x->num_patches};
    store *const powers = &x->powers;

    CLSPI_CHECK(clspi_buffer_reserve(&powers->buffer, &powers->bytes, x->ctx,
                                     all.count * point_reals(x) * x->real_bytes));
    const clspi_rows rows = {
        .num_patches = all.count, .num_rows = x->controls[0], .out = powers->buffer};
    CLSPI_CHECK(make_rows(x, &x->to_powers, series, points, &rows));
    return x->to_samples.max_patches == all.count
               ? make_between(x, &x->to_samples, series, powers->buffer, all)
               : CLSP_OK;
}

static clsp_status load_all(matrix_sum *x, clspi_series *series, cl_mem points, bool is_new)
{
    const clspi_tuning *const tuning = &x->ctx->tuning;
    const uint64_t share =
        x->has_powers && tuning->keep_share ? x->ctx->device.global_bytes / tuning->keep_share : 0;
    matrices *const m = &x->to_samples;

    m->max_patches = patches_in(x, m, share);
    if (m->max_patches < x->num_patches)
        m->max_patches = patches_in(x, m, tuning->scratch_bytes); /* what stays in a cache */
    CLSPI_CHECK(load_matrices(x, m, is_new));
    if (!x->has_powers) return CLSP_OK;
    x->to_powers.max_patches = patches_in(x, &x->to_powers, tuning->scratch_bytes);
    CLSPI_CHECK(load_matrices(x, &x->to_powers, is_new));
    return make_powers(x, series, points);
}

static clsp_status load(void *state, clspi_series *series, cl_mem points, size_t num_patches)
{
    matrix_sum *const x = state;
    const bool is_new = num_patches != x->num_patches;

    x->num_patches = num_patches;
    const clsp_status status = load_all(x, series, points, is_new);
    if (status != CLSP_OK) x->num_patches = 0;
    return status;
}

static clsp_status eval(void *state, clspi_series *series, cl_mem points, const clspi_rows *rows)
{
    matrix_sum *const x = state;

    return make_rows(x, &x->to_samples, series, x->has_powers ? x->powers.buffer : points, rows);
}

const clspi_sum_method clspi_matrix_sums = {prepare_powers, load, eval, release,
                                            &clspi_host_product_sums};
const clspi_sum_method clspi_published_conversion = {prepare_weights, load, eval, release, NULL};
