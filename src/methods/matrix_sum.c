/* The matrix method: S = U (R P R^T) V^T for each coordinate, in powers of 2 t - 1 (docs/math.md,
   8), as four products through the matrix products' seam. */
#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "each_method.h"
#include "gemm.h"
#include "power_basis.h"

/* A buffer that grows. */
typedef struct store {
    cl_mem buffer;
    size_t bytes;
} store;

typedef struct matrix_sum {
    clsp_context *ctx;
    const clspi_tensor_desc *desc;
    cl_uint orders[2];
    size_t coords, real_bytes;
    size_t points_per_patch, t_per_patch; /* reals */
    store basis[2];                       /* R of u and of v: [order][order] */
    store powers[2];                      /* U and V: [num][order] */
    store half;                           /* P R^T of half_patches patches */
    store g; /* R P R^T of all patches: [patch][order_u][order_v][coords] */
    store t; /* G V^T of patches made.first .. : [patch][order_u][row] */
    size_t num_patches, half_patches, t_patches;
    clsp_range made;
    clspi_gemm *to_half, *to_g, *to_t, *to_points;
    clspi_gemm *to_some_points; /* some_rows rows of a patch */
    cl_uint some_rows;
} matrix_sum;

static bool is_curve(const matrix_sum *x)
{
    return x->desc->directions == 1;
}

static size_t row_reals(const matrix_sum *x)
{
    return x->desc->axis[1].num * x->coords;
}

/* ---- tables ---- */

/* Room for values on the host: at least an order squared. */
typedef struct host_room {
    double *values;
    float *narrow; /* as many */
    size_t most;
} host_room;

/* Writes the first `count` values of the room, in the precision. */
static clsp_status write_reals(const matrix_sum *x, clspi_series *series, cl_mem buffer,
                               size_t first, const host_room *room, size_t count)
{
    const size_t offset = first * x->real_bytes, bytes = count * x->real_bytes;

    if (x->desc->precision == CLSP_F64)
        return clspi_series_write(series, buffer, offset, room->values, bytes);
    for (size_t i = 0; i < count; i++)
        room->narrow[i] = (float)room->values[i];
    return clspi_series_write(series, buffer, offset, room->narrow, bytes);
}

static clsp_status write_basis(matrix_sum *x, clspi_series *series, int direction,
                               const host_room *room)
{
    const size_t order = x->orders[direction];
    store *const basis = &x->basis[direction];

    CLSPI_CHECK(
        clspi_buffer_reserve(&basis->buffer, &basis->bytes, x->ctx, order * order * x->real_bytes));
    clspi_power_basis(room->values, (uint32_t)order - 1);
    return write_reals(x, series, basis->buffer, 0, room, order * order);
}

/* Writes powers at the samples, a part of whole samples at a time. */
static clsp_status write_powers(matrix_sum *x, clspi_series *series, int direction,
                                const host_room *room)
{
    const cl_uint order = x->orders[direction];
    const clsp_axis *const axis = &x->desc->axis[direction];
    store *const powers = &x->powers[direction];
    const size_t step = room->most / order;

    CLSPI_CHECK(clspi_buffer_reserve(&powers->buffer, &powers->bytes, x->ctx,
                                     (size_t)axis->num * order * x->real_bytes));
    for (size_t first = 0; first < axis->num; first += step) {
        const size_t count = clspi_min(step, axis->num - first);
        for (size_t a = 0; a < count; a++) {
            const double *const own = axis->params ? &axis->params[first + a] : NULL;
            clspi_powers(room->values + a * order, order, own ? *own : axis->begin,
                         own ? *own : axis->end, own ? 0 : (cl_uint)(first + a),
                         own ? 1 : axis->num);
        }
        CLSPI_CHECK(write_reals(x, series, powers->buffer, first * order, room, count * order));
    }
    return CLSP_OK;
}

static clsp_status write_tables(matrix_sum *x, clspi_series *series)
{
    enum { MOST = 65536 };
    const host_room room = {malloc(MOST * sizeof *room.values), malloc(MOST * sizeof *room.narrow),
                            MOST};
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    if (!room.values || !room.narrow) {
        clspi_fail(&x->ctx->log, status, "bezier: no host memory for tables");
        goto fail;
    }
    for (int direction = 0; direction < 2; direction++) {
        CLSPI_TRY(write_basis(x, series, direction, &room));
        CLSPI_TRY(write_powers(x, series, direction, &room));
    }

fail:
    free(room.values);
    free(room.narrow);
    return status;
}

/* ---- products ---- */

static void release_products(matrix_sum *x)
{
    clspi_gemm_destroy(&x->to_half);
    clspi_gemm_destroy(&x->to_g);
    clspi_gemm_destroy(&x->to_t);
    clspi_gemm_destroy(&x->to_points);
    clspi_gemm_destroy(&x->to_some_points);
    x->some_rows = 0;
}

/* Sizes of a product, as of clspi_gemm_desc. */
typedef struct product_sizes {
    size_t m, n, k, batch;
} product_sizes;

/* Makes a batch with one A for all, each B and C behind the one before. */
static clsp_status create_product(const matrix_sum *x, clspi_gemm **product,
                                  const product_sizes *sizes, clspi_gemm_method method)
{
    const clspi_gemm_desc desc = {.precision = x->desc->precision,
                                  .m = sizes->m,
                                  .n = sizes->n,
                                  .k = sizes->k,
                                  .batch = sizes->batch,
                                  .stride_b = sizes->k * sizes->n,
                                  .stride_c = sizes->m * sizes->n,
                                  .method = method};

    return clspi_gemm_create(product, x->ctx, &desc);
}

/* Makes U T by our own kernels whatever its size: rows of a patch then are the same bits wherever a
   call cuts it, which CLBlast does not promise. */
static clsp_status create_rows(const matrix_sum *x, clspi_gemm **product, cl_uint rows)
{
    const product_sizes sizes = {rows, row_reals(x), x->orders[0], x->num_patches};

    return create_product(x, product, &sizes, CLSPI_GEMM_SIZED);
}

static clsp_status create_products(matrix_sum *x)
{
    const size_t order_u = x->orders[0], order_v = x->orders[1], lines = x->num_patches * order_u;
    const product_sizes g = {order_u, order_v * x->coords, order_u, x->num_patches};
    const product_sizes half = {order_v, x->coords, order_v, lines};
    const product_sizes t = {x->desc->axis[1].num, x->coords, order_v, lines};

    CLSPI_CHECK(create_product(x, &x->to_g, &g, CLSPI_GEMM_AUTO));
    CLSPI_CHECK(create_rows(x, &x->to_points, x->desc->axis[0].num));
    if (is_curve(x)) return CLSP_OK;
    CLSPI_CHECK(create_product(x, &x->to_half, &half, CLSPI_GEMM_AUTO));
    return create_product(x, &x->to_t, &t, CLSPI_GEMM_AUTO);
}

/* ---- preparing ---- */

/* Checks that the bytes of powers and of one patch's T can be counted: where size_t has 32 bits,
   those of long rows cannot. */
static clsp_status check_sizes(const matrix_sum *x)
{
    size_t t = x->real_bytes;
    bool fits = clspi_size_mul(&t, x->desc->axis[1].num) && clspi_size_mul(&t, x->coords) &&
                clspi_size_mul(&t, x->orders[0]);

    for (int direction = 0; direction < 2 && fits; direction++) {
        size_t bytes = x->real_bytes;
        fits = clspi_size_mul(&bytes, x->desc->axis[direction].num) &&
               clspi_size_mul(&bytes, x->orders[direction]);
    }
    if (fits) return CLSP_OK;
    return clspi_fail(&x->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bezier: the matrices of one patch are larger than the address space");
}

static clsp_status prepare(void **state, clspi_series *series, const clspi_tensor_desc *desc,
                           const cl_uint controls[3])
{
    matrix_sum *const x = *state ? *state : calloc(1, sizeof *x);

    if (!x)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for a plan");
    *state = x;
    release_products(x);
    x->ctx = series->ctx;
    x->desc = desc;
    x->orders[0] = controls[0];
    x->orders[1] = controls[1];
    x->coords = clspi_coords(desc);
    x->real_bytes = clsp_type_bytes(desc->precision);
    CLSPI_CHECK(check_sizes(x));
    x->points_per_patch = (size_t)controls[0] * controls[1] * x->coords;
    x->t_per_patch = controls[0] * row_reals(x);
    x->num_patches = x->t_patches = x->made.count = 0;
    return write_tables(x, series);
}

static void release(void **state)
{
    matrix_sum *const x = *state;

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
    *state = NULL;
}

/* ---- control points ---- */

static clsp_status reserve(matrix_sum *x, store *s, size_t patches, size_t reals)
{
    return clspi_buffer_reserve(&s->buffer, &s->bytes, x->ctx, patches * reals * x->real_bytes);
}

/* Returns the patches of so many reals each that fit into some bytes and into one buffer, at least
   one. */
static size_t patches_in(const matrix_sum *x, uint64_t bytes, size_t reals)
{
    const uint64_t most = clspi_min_u64(bytes, x->ctx->device.max_alloc_bytes);

    return clspi_min(x->num_patches, clspi_max(1, (size_t)(most / (reals * x->real_bytes))));
}

/* Returns how many patches' T are kept: all if they fit the share of memory for it. */
static size_t t_patches_of(const matrix_sum *x)
{
    const clspi_tuning *const tuning = &x->ctx->tuning;
    const uint64_t share =
        tuning->keep_share ? x->ctx->device.global_bytes / tuning->keep_share : 0;
    const size_t kept = patches_in(x, share, x->t_per_patch);

    return kept == x->num_patches ? kept : patches_in(x, tuning->scratch_bytes, x->t_per_patch);
}

/* Makes G of some patches, by way of x->half. */
static clsp_status make_g(matrix_sum *x, clspi_series *series, cl_mem points, clsp_range patches)
{
    const size_t at = patches.first * x->points_per_patch;
    const clspi_gemm_buffers of_curves = {x->basis[0].buffer, 0, points, 0, x->g.buffer, 0};
    const clspi_gemm_buffers half = {x->basis[1].buffer, 0, points, at, x->half.buffer, 0};
    const clspi_gemm_buffers g = {x->basis[0].buffer, 0, x->half.buffer, 0, x->g.buffer, at};

    if (is_curve(x)) return clspi_gemm_enqueue(x->to_g, series, &of_curves, patches);
    CLSPI_CHECK(clspi_gemm_enqueue(x->to_half, series, &half,
                                   (clsp_range){0, patches.count * x->orders[0]}));
    return clspi_gemm_enqueue(x->to_g, series, &g, (clsp_range){0, patches.count});
}

/* Makes x->t hold T of these patches, at most t_patches. Of a curve it is G. */
static clsp_status make_t(matrix_sum *x, clspi_series *series, clsp_range patches)
{
    const clspi_gemm_buffers t = {.a = x->powers[1].buffer,
                                  .b = x->g.buffer,
                                  .b_offset = patches.first * x->points_per_patch,
                                  .c = x->t.buffer};

    if (is_curve(x) || (patches.first >= x->made.first &&
                        patches.first + patches.count <= x->made.first + x->made.count))
        return CLSP_OK;
    x->made.count = 0;
    CLSPI_CHECK(
        clspi_gemm_enqueue(x->to_t, series, &t, (clsp_range){0, patches.count * x->orders[0]}));
    x->made = patches;
    return CLSP_OK;
}

/* Makes room for what is kept of num_patches patches. */
static clsp_status reserve_all(matrix_sum *x)
{
    x->made.count = 0;
    x->half_patches = patches_in(x, x->ctx->tuning.scratch_bytes, x->points_per_patch);
    x->t_patches = is_curve(x) ? x->num_patches : t_patches_of(x);
    CLSPI_CHECK(reserve(x, &x->g, x->num_patches, x->points_per_patch));
    if (is_curve(x)) return CLSP_OK;
    CLSPI_CHECK(reserve(x, &x->half, x->half_patches, x->points_per_patch));
    return reserve(x, &x->t, x->t_patches, x->t_per_patch);
}

static clsp_status load_all(matrix_sum *x, clspi_series *series, cl_mem points, size_t num_patches)
{
    if (num_patches != x->num_patches) {
        release_products(x);
        x->num_patches = num_patches;
        CLSPI_CHECK(create_products(x));
    }
    CLSPI_CHECK(reserve_all(x));
    for (size_t p = 0; p < num_patches; p += x->half_patches)
        CLSPI_CHECK(make_g(x, series, points,
                           (clsp_range){p, clspi_min(x->half_patches, num_patches - p)}));
    return x->t_patches == num_patches ? make_t(x, series, (clsp_range){0, num_patches}) : CLSP_OK;
}

static clsp_status load(void *state, clspi_series *series, cl_mem points, size_t num_patches)
{
    matrix_sum *const x = state;
    const clsp_status status = load_all(x, series, points, num_patches);

    if (status != CLSP_OK) x->num_patches = 0;
    return status;
}

/* ---- evaluation ---- */

/* Gives the product for so many rows of each patch. */
static clsp_status product_of(matrix_sum *x, cl_uint rows, clspi_gemm **product)
{
    *product = x->to_points;
    if (rows == x->desc->axis[0].num) return CLSP_OK;
    if (rows != x->some_rows) {
        clspi_gemm_destroy(&x->to_some_points);
        x->some_rows = 0;
        CLSPI_CHECK(create_rows(x, &x->to_some_points, rows));
        x->some_rows = rows;
    }
    *product = x->to_some_points;
    return CLSP_OK;
}

static clsp_status eval(void *state, clspi_series *series, const clspi_rows *rows)
{
    matrix_sum *const x = state;
    const size_t patch_reals = rows->num_rows * row_reals(x);
    clspi_gemm *product;

    CLSPI_CHECK(product_of(x, rows->num_rows, &product));
    for (size_t p = 0; p < rows->num_patches; p += x->t_patches) {
        const clsp_range patches = {rows->first_patch + p,
                                    clspi_min(x->t_patches, rows->num_patches - p)};
        CLSPI_CHECK(make_t(x, series, patches));
        const size_t skipped = is_curve(x) ? patches.first : patches.first - x->made.first;
        const clspi_gemm_buffers buffers = {.a = x->powers[0].buffer,
                                            .a_offset = (size_t)rows->first_row * x->orders[0],
                                            .b = is_curve(x) ? x->g.buffer : x->t.buffer,
                                            .b_offset = skipped * x->t_per_patch,
                                            .c = rows->out,
                                            .c_offset = rows->offset + p * patch_reals};
        CLSPI_CHECK(clspi_gemm_enqueue(product, series, &buffers, (clsp_range){0, patches.count}));
    }
    return CLSP_OK;
}

const clspi_sum_method clspi_matrix_sums = {prepare, load, eval, release};
