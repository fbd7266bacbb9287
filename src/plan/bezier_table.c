#include "bezier_table.h"

#include <stdlib.h>
#include <string.h>

#include "bernstein.h"
#include "buffer.h"
#include "check.h"

void clspi_bezier_table_shape(clspi_bezier_table *table, cl_uint degree, cl_uint num,
                              const double interval[2])
{
    table->order = degree + 1;
    table->num = num;
    table->stride = (cl_uint)clspi_round_up(num, CLSPI_TABLE_MULTIPLE);
    table->begin = interval[0];
    table->end = interval[1];
    table->mirrored = false;
    table->period = 1;
}

bool clspi_bezier_table_symmetric(const double interval[2])
{
    return interval[0] == 0.0 && interval[1] == 1.0;
}

static cl_uint num_columns(const clspi_bezier_table *table)
{
    return table->mirrored ? (table->num + 1) / 2 : table->num;
}

static cl_uint num_values(const clspi_bezier_table *table)
{
    return table->mirrored ? 2 * ((table->order + 1) / 2) : table->order;
}

void clspi_bezier_table_mirror(clspi_bezier_table *table)
{
    table->mirrored = true;
    table->stride = (cl_uint)clspi_round_up(num_columns(table), CLSPI_TABLE_MULTIPLE);
}

void clspi_bezier_table_permute(clspi_bezier_table *table, cl_uint period)
{
    table->period = period;
    table->stride =
        period * (cl_uint)clspi_round_up(clspi_div_up(table->num, period), CLSPI_TABLE_MULTIPLE);
}

/* Where a sample's values are. */
static cl_uint column_of(const clspi_bezier_table *table, cl_uint a)
{
    return a % table->period * (table->stride / table->period) + a / table->period;
}

bool clspi_bezier_table_same(const clspi_bezier_table *a, const clspi_bezier_table *b)
{
    return a->order == b->order && a->num == b->num && a->begin == b->begin && a->end == b->end &&
           a->mirrored == b->mirrored && a->period == b->period;
}

clsp_status clspi_bezier_table_share(clspi_bezier_table *table, clsp_context *ctx,
                                     const clspi_bezier_table *other)
{
    const cl_int code = clRetainMemObject(other->values);

    if (code != CL_SUCCESS) return clspi_cl(&ctx->log, code, "clRetainMemObject");
    clspi_bezier_table_release(table);
    table->values = other->values;
    table->bytes = 0; /* it is the other's to enlarge */
    return CLSP_OK;
}

void clspi_bezier_table_release(clspi_bezier_table *table)
{
    clspi_buffer_release(&table->values);
    table->bytes = 0;
}

/* The values of a mirrored table in place of those of the whole, in twice their place. */
static void mirror_column(double *values, cl_uint order)
{
    const cl_uint half = (order + 1) / 2;
    double *const whole = values + order + 1;

    memcpy(whole, values, order * sizeof *values);
    for (cl_uint k = 0; k < half; k++) {
        const bool middle = 2 * k + 1 == order;
        values[2 * k] = middle ? whole[k] : 0.5 * (whole[k] + whole[order - 1 - k]);
        values[2 * k + 1] = middle ? 0.0 : 0.5 * (whole[k] - whole[order - 1 - k]);
    }
}

/* One sample's column, through a scratch of 2 order + 1 doubles. */
static void fill_column(const clspi_bezier_table *table, clsp_precision precision, void *values,
                        double *scratch, cl_uint a)
{
    const double last = table->num > 1 ? table->num - 1 : 1, rest = last - a;
    const cl_uint column = column_of(table, a);

    clspi_bernstein(scratch, table->order - 1, table->begin * rest + table->end * a,
                    (1.0 - table->begin) * rest + (1.0 - table->end) * a);
    if (table->mirrored) mirror_column(scratch, table->order);
    for (size_t k = 0; k < num_values(table); k++) {
        if (precision == CLSP_F64)
            ((double *)values)[k * table->stride + column] = scratch[k];
        else
            ((float *)values)[k * table->stride + column] = (float)scratch[k];
    }
}

static clsp_status fill_on_host(const clspi_bezier_table *table, clspi_series *series,
                                clsp_precision precision, size_t bytes)
{
    void *const values = calloc(1, bytes);
    double *const scratch = calloc(2 * (size_t)table->order + 1, sizeof *scratch);
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    if (values && scratch) {
        for (cl_uint a = 0; a < num_columns(table); a++)
            fill_column(table, precision, values, scratch, a);
        status = clspi_series_write(series, table->values, 0, values, bytes);
    } else {
        clspi_fail(&series->ctx->log, status, "bezier: no host memory for a table of %zu bytes",
                   bytes);
    }
    free(values);
    free(scratch);
    return status;
}

/* The whole table into `values`, whose columns are `stride` apart. */
static clsp_status launch_whole(const clspi_bezier_table *table, cl_mem values, cl_uint stride,
                                clspi_series *series, clsp_precision precision, const char *options)
{
    enum { GRID = 4, ENDS = 4 };
    const double wide[ENDS] = {table->begin, table->end, 1.0 - table->begin, 1.0 - table->end};
    const float narrow[ENDS] = {(float)wide[0], (float)wide[1], (float)wide[2], (float)wide[3]};
    clspi_arg args[GRID + ENDS] = {CLSPI_ARG(values), CLSPI_ARG(table->order),
                                   CLSPI_ARG(table->num), CLSPI_ARG(stride)};
    clspi_kernel kernel = {0};
    clsp_status status;

    for (int i = 0; i < ENDS; i++)
        args[GRID + i] =
            precision == CLSP_F64 ? (clspi_arg)CLSPI_ARG(wide[i]) : (clspi_arg)CLSPI_ARG(narrow[i]);
    CLSPI_TRY(clspi_kernel_create(&kernel, series->ctx, "bernstein", options, "bernstein_table"));
    CLSPI_TRY(clspi_series_launch(series, &kernel, args, CLSPI_COUNT(args), stride));

fail:
    clspi_kernel_release(&kernel);
    return status;
}

static clsp_status launch_mirror(const clspi_bezier_table *table, cl_mem whole, cl_uint stride,
                                 clspi_series *series, const char *options)
{
    const cl_uint columns = num_columns(table);
    const clspi_arg args[] = {CLSPI_ARG(whole),         CLSPI_ARG(table->order),
                              CLSPI_ARG(stride),        CLSPI_ARG(table->values),
                              CLSPI_ARG(table->stride), CLSPI_ARG(columns)};
    clspi_kernel kernel = {0};
    clsp_status status;

    CLSPI_TRY(clspi_kernel_create(&kernel, series->ctx, "bernstein", options, "bernstein_mirror"));
    CLSPI_TRY(clspi_series_launch(series, &kernel, args, CLSPI_COUNT(args), table->stride));

fail:
    clspi_kernel_release(&kernel);
    return status;
}

static clsp_status launch_permute(const clspi_bezier_table *table, cl_mem whole, cl_uint stride,
                                  clspi_series *series, const char *options)
{
    const clspi_arg args[] = {CLSPI_ARG(whole),         CLSPI_ARG(table->order),
                              CLSPI_ARG(table->num),    CLSPI_ARG(stride),
                              CLSPI_ARG(table->values), CLSPI_ARG(table->stride),
                              CLSPI_ARG(table->period)};
    clspi_kernel kernel = {0};
    clsp_status status;

    CLSPI_TRY(clspi_kernel_create(&kernel, series->ctx, "bernstein", options, "bernstein_permute"));
    CLSPI_TRY(clspi_series_launch(series, &kernel, args, CLSPI_COUNT(args), table->stride));

fail:
    clspi_kernel_release(&kernel);
    return status;
}

static clsp_status fill_on_device(const clspi_bezier_table *table, clspi_series *series,
                                  clsp_precision precision, const char *options)
{
    const cl_uint stride = (cl_uint)clspi_round_up(table->num, CLSPI_TABLE_MULTIPLE);
    const size_t real_bytes = precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    cl_mem whole = NULL;
    clsp_status status;

    if (!table->mirrored && table->period == 1)
        return launch_whole(table, table->values, stride, series, precision, options);
    CLSPI_TRY(clspi_buffer_create(&whole, series->ctx, table->order * real_bytes * stride));
    CLSPI_TRY(launch_whole(table, whole, stride, series, precision, options));
    CLSPI_TRY(table->mirrored ? launch_mirror(table, whole, stride, series, options)
                              : launch_permute(table, whole, stride, series, options));

fail:
    clspi_buffer_release(&whole);
    return status;
}

clsp_status clspi_bezier_table_fill(clspi_bezier_table *table, clspi_series *series,
                                    clsp_precision precision, const char *options)
{
    enum { HOST_MAX = 65536 }; /* values, not permuted; about half a millisecond */
    size_t values = num_values(table), bytes;
    const bool small =
        clspi_round_up(num_columns(table), CLSPI_TABLE_MULTIPLE) <= HOST_MAX / values;
    clsp_status status;

    if (!clspi_size_mul(&values, table->stride)) goto too_large;
    bytes = values;
    if (!clspi_size_mul(&bytes, precision == CLSP_F64 ? sizeof(double) : sizeof(float)))
        goto too_large;
    CLSPI_TRY(clspi_buffer_reserve(&table->values, &table->bytes, series->ctx, bytes));
    return small ? fill_on_host(table, series, precision, bytes)
                 : fill_on_device(table, series, precision, options);

fail:
    return status;
too_large:
    return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bezier: a table is larger than the address space");
}
