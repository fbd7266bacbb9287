#include "basis_table.h"

#include <stdlib.h>
#include <string.h>

#include "bernstein.h"
#include "buffer.h"
#include "check.h"
#include "kernel_arguments.h"

/* ---- shapes ---- */

void clspi_table_shape(clspi_basis_table *table, const clspi_tensor_desc *desc, uint32_t direction,
                       uint32_t by)
{
    const uint32_t terms = desc->terms[direction];

    table->direction = direction;
    table->by = by;
    table->terms = by < terms ? terms - by : terms;
    table->axis = desc->axis[direction];
    memcpy(table->domain, desc->domain[direction], sizeof table->domain);
    table->identity = desc->basis.identity(desc->basis.user, direction, by);
    table->is_banded = clspi_is_banded(desc, direction);
    table->is_symmetric = table->is_integral = false;
    table->period = 1;
    table->stride = (uint32_t)clspi_round_up(table->axis.num, CLSPI_TABLE_MULTIPLE);
}

/* Tells whether a table has the values themselves, of all samples. */
static bool is_whole(const clspi_basis_table *table)
{
    return !table->is_symmetric && !table->is_integral;
}

/* Returns the samples that a table has values for. */
static uint32_t num_columns(const clspi_basis_table *table)
{
    return is_whole(table) ? table->axis.num : (table->axis.num + 1) / 2;
}

static uint32_t num_values(const clspi_basis_table *table)
{
    return table->is_symmetric  ? 2 * ((table->terms + 1) / 2)
           : table->is_integral ? 2 * (table->terms / 2)
                                : table->terms;
}

void clspi_table_make_symmetric(clspi_basis_table *table)
{
    table->is_symmetric = true;
    table->stride = (uint32_t)clspi_round_up(num_columns(table), CLSPI_TABLE_MULTIPLE);
}

void clspi_table_make_integral(clspi_basis_table *table)
{
    table->is_integral = true;
    table->stride = (uint32_t)clspi_round_up(num_columns(table), CLSPI_TABLE_MULTIPLE);
}

void clspi_table_permute(clspi_basis_table *table, uint32_t period)
{
    const size_t samples = clspi_div_up(table->axis.num, period);

    table->period = period;
    table->stride = period * (uint32_t)clspi_round_up(samples, CLSPI_TABLE_MULTIPLE);
}

/* Returns the column of a sample. */
static uint32_t column_of(const clspi_basis_table *table, uint32_t a)
{
    return a % table->period * (table->stride / table->period) + a / table->period;
}

bool clspi_table_same(const clspi_basis_table *a, const clspi_basis_table *b)
{
    return a->identity == b->identity && a->terms == b->terms && a->axis.num == b->axis.num &&
           a->axis.begin == b->axis.begin && a->axis.end == b->axis.end &&
           a->axis.params == b->axis.params && a->is_symmetric == b->is_symmetric &&
           a->is_integral == b->is_integral && a->period == b->period &&
           a->is_banded == b->is_banded;
}

/* ---- memory ---- */

/* Lets first be the table's own or, where it is not read, values. */
static clsp_status set_first(clspi_basis_table *table, clsp_context *ctx, cl_mem first)
{
    const int32_t code = clRetainMemObject(first);

    if (code != CL_SUCCESS) return clspi_cl(&ctx->log, code, "clRetainMemObject");
    clspi_buffer_release(&table->first);
    table->first = first;
    table->first_bytes = 0;
    return CLSP_OK;
}

clsp_status clspi_table_share(clspi_basis_table *table, clsp_context *ctx,
                              const clspi_basis_table *other)
{
    const cl_mem values = other->values;
    const int32_t code = clRetainMemObject(values);

    if (code != CL_SUCCESS) return clspi_cl(&ctx->log, code, "clRetainMemObject");
    CLSPI_CHECK(set_first(table, ctx, other->first));
    clspi_buffer_release(&table->values);
    table->values = values;
    table->values_bytes = 0;
    return CLSP_OK;
}

void clspi_table_release(clspi_basis_table *table)
{
    clspi_buffer_release(&table->values);
    clspi_buffer_release(&table->first);
    table->values_bytes = table->first_bytes = 0;
}

/* ---- on the host ---- */

/* What the host fills a table in. */
typedef struct host_table {
    void *values;
    uint32_t *first; /* of banded tables */
    double *scratch; /* 2 terms + 1 */
    size_t real_bytes;
    bool cuts; /* values that are too small to count */
} host_table;

/* Puts the values of a symmetric table in place of those of the whole, in twice their room. */
static void make_column_symmetric(double *values, uint32_t terms)
{
    const uint32_t half = (terms + 1) / 2;
    double *const whole = values + terms + 1;

    memcpy(whole, values, terms * sizeof *values);
    for (uint32_t k = 0; k < half; k++) {
        const bool middle = 2 * k + 1 == terms;
        values[2 * k] = middle ? whole[k] : 0.5 * (whole[k] + whole[terms - 1 - k]);
        values[2 * k + 1] = middle ? 0.0 : 0.5 * (whole[k] - whole[terms - 1 - k]);
    }
}

/* Puts the parts of integrals in place of the values of the whole. */
static void make_column_integral(double *values, uint32_t terms)
{
    const uint32_t p = terms - 1, pairs = terms / 2;
    const double factor = 0.5 / (double)p;
    double *const whole = values + terms + 1;
    double sum = 0.0;

    memcpy(whole, values, terms * sizeof *values);
    for (uint32_t k = 0; k < pairs; k++) {
        sum += whole[p - k] - whole[k];
        values[2 * k] = factor * sum;
    }
    sum = 2 * pairs == p ? whole[pairs] : 0.0;
    for (uint32_t k = pairs; k-- > 0;) {
        values[2 * k + 1] = factor * sum;
        sum += whole[k] + whole[p - k];
    }
}

static void fill_column(const clspi_basis_table *table, const clspi_basis *basis,
                        const host_table *to, uint32_t a)
{
    const size_t column = column_of(table, a);
    const uint32_t first = basis->values(basis->user, table->direction, table->by, a, to->scratch);

    if (table->is_symmetric) make_column_symmetric(to->scratch, table->terms);
    if (table->is_integral) make_column_integral(to->scratch, table->terms);
    if (to->cuts) clspi_cut_f32(to->scratch, num_values(table));
    if (is_whole(table) && to->real_bytes == sizeof(float))
        clspi_round_f32(to->scratch, table->terms);
    for (size_t k = 0; k < num_values(table); k++) {
        if (to->real_bytes == sizeof(double))
            ((double *)to->values)[k * table->stride + column] = to->scratch[k];
        else
            ((float *)to->values)[k * table->stride + column] = (float)to->scratch[k];
    }
    if (to->first) to->first[column] = first;
}

/* Lets columns of first that have no sample repeat the one before: of each remainder by the period
   the last. Kernels look at four rows at a time. */
static void pad_first(const clspi_basis_table *table, uint32_t *first)
{
    const uint32_t length = table->stride / table->period;

    for (uint32_t remainder = 0; remainder < table->period; remainder++) {
        uint32_t *const of_remainder = first + (size_t)remainder * length;
        const uint32_t num = (table->axis.num + table->period - 1 - remainder) / table->period;
        for (uint32_t a = num > 0 ? num : 1; a < length; a++)
            of_remainder[a] = of_remainder[a - 1];
    }
}

/* Fills all columns. */
static clsp_status fill_host_table(const clspi_basis_table *table, clspi_series *series,
                                   const clspi_basis *basis, const host_table *to, size_t bytes)
{
    for (uint32_t a = 0; a < num_columns(table); a++)
        fill_column(table, basis, to, a);
    CLSPI_CHECK(clspi_series_write(series, table->values, 0, to->values, bytes));
    if (!to->first) return CLSP_OK;
    pad_first(table, to->first);
    return clspi_series_write(series, table->first, 0, to->first,
                              table->stride * sizeof *to->first);
}

static clsp_status fill_on_host(const clspi_basis_table *table, clspi_series *series,
                                const clspi_tensor_desc *desc, size_t bytes)
{
    const host_table to = {.values = calloc(1, bytes),
                           .first =
                               table->is_banded ? calloc(table->stride, sizeof *to.first) : NULL,
                           .scratch = calloc(2 * (size_t)table->terms + 1, sizeof *to.scratch),
                           .real_bytes = clsp_type_bytes(desc->precision),
                           .cuts = desc->precision == CLSP_F32 && !desc->rational};
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    if (to.values && to.scratch && (to.first || !table->is_banded))
        status = fill_host_table(table, series, &desc->basis, &to, bytes);
    else
        clspi_fail(&series->ctx->log, status, "no host memory for a table of %zu bytes", bytes);
    free(to.values);
    free(to.first);
    free(to.scratch);
    return status;
}

/* ---- on the device ---- */

static clspi_options layout_options(const clsp_context *ctx, clsp_type precision)
{
    return clspi_options_of(ctx, precision);
}

clsp_status clspi_table_build(const clspi_build *build, clsp_type precision)
{
    const clspi_options options = layout_options(build->ctx, precision);

    return clspi_program_build(build, "table_layout", &options);
}

/* Makes a table in another layout of a whole one. */
static clsp_status launch_layout(const clspi_basis_table *table, clspi_series *series,
                                 clsp_type precision, cl_mem whole, uint32_t stride)
{
    const clspi_options options = layout_options(series->ctx, precision);
    const clspi_table_sizes sizes = {.terms = table->terms,
                                     .num = table->axis.num,
                                     .stride = stride,
                                     .stride_out = table->stride,
                                     .columns = num_columns(table),
                                     .period = table->period};
    const clspi_table_symmetric_args symmetric = {
        .whole = whole, .table = table->values, .sizes = sizes};
    const clspi_table_integral_args integral = {
        .whole = whole, .table = table->values, .sizes = sizes};
    const clspi_table_permute_args permuted = {
        .whole = whole, .table = table->values, .sizes = sizes};
    clspi_kernel kernel = {0};
    clsp_status status;

    CLSPI_TRY(clspi_kernel_create(&kernel, series->ctx, "table_layout",
                                  table->is_symmetric  ? &clspi_table_symmetric_signature
                                  : table->is_integral ? &clspi_table_integral_signature
                                                       : &clspi_table_permute_signature,
                                  &options));
    CLSPI_TRY(table->is_symmetric
                  ? clspi_launch_table_symmetric(series, &kernel, &symmetric, table->stride)
              : table->is_integral
                  ? clspi_launch_table_integral(series, &kernel, &integral, table->stride)
                  : clspi_launch_table_permute(series, &kernel, &permuted, table->stride));

fail:
    clspi_kernel_release(&kernel);
    return status;
}

static clsp_status fill_on_device(const clspi_basis_table *table, clspi_series *series,
                                  const clspi_tensor_desc *desc)
{
    const uint32_t stride = (uint32_t)clspi_round_up(table->axis.num, CLSPI_TABLE_MULTIPLE);
    const clspi_basis *const basis = &desc->basis;
    const size_t real_bytes = clsp_type_bytes(desc->precision);
    cl_mem whole = NULL;
    clsp_status status;

    if (is_whole(table) && table->period == 1)
        return basis->fill(basis->user, series, table, table->values, stride);
    CLSPI_TRY(clspi_buffer_create(&whole, series->ctx, table->terms * real_bytes * stride));
    CLSPI_TRY(basis->fill(basis->user, series, table, whole, stride));
    CLSPI_TRY(launch_layout(table, series, desc->precision, whole, stride));

fail:
    clspi_buffer_release(&whole);
    return status;
}

/* ---- filling ---- */

/* Tells whether the host fills a table fast enough: about half a millisecond. */
static bool is_small(const clspi_basis_table *table)
{
    enum { HOST_MAX = 65536 }; /* values, not permuted */

    return clspi_round_up(num_columns(table), CLSPI_TABLE_MULTIPLE) <= HOST_MAX / num_values(table);
}

clsp_status clspi_table_fill(clspi_basis_table *table, clspi_series *series,
                             const clspi_tensor_desc *desc)
{
    clsp_context *const ctx = series->ctx;
    size_t bytes = num_values(table);

    if (!clspi_size_mul(&bytes, table->stride) ||
        !clspi_size_mul(&bytes, clsp_type_bytes(desc->precision)))
        return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                          "a table is larger than the address space");
    CLSPI_CHECK(clspi_buffer_reserve(&table->values, &table->values_bytes, ctx, bytes));
    if (table->is_banded) {
        if (table->first_bytes == 0) clspi_buffer_release(&table->first);
        CLSPI_CHECK(clspi_buffer_reserve(&table->first, &table->first_bytes, ctx,
                                         table->stride * sizeof(uint32_t)));
    } else {
        CLSPI_CHECK(set_first(table, ctx, table->values));
    }
    return desc->basis.fill && !table->is_banded && !table->axis.params && !is_small(table)
               ? fill_on_device(table, series, desc)
               : fill_on_host(table, series, desc, bytes);
}
