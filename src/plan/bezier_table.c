#include "bezier_table.h"

#include <stdlib.h>

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
}

bool clspi_bezier_table_same(const clspi_bezier_table *a, const clspi_bezier_table *b)
{
    return a->order == b->order && a->num == b->num && a->begin == b->begin && a->end == b->end;
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

/* One sample's column, through a scratch of `order` doubles. */
static void fill_column(const clspi_bezier_table *table, clsp_precision precision, void *values,
                        double *scratch, cl_uint a)
{
    const double last = table->num > 1 ? table->num - 1 : 1, rest = last - a;

    clspi_bernstein(scratch, table->order - 1, table->begin * rest + table->end * a,
                    (1.0 - table->begin) * rest + (1.0 - table->end) * a);
    for (size_t k = 0; k < table->order; k++) {
        if (precision == CLSP_F64)
            ((double *)values)[k * table->stride + a] = scratch[k];
        else
            ((float *)values)[k * table->stride + a] = (float)scratch[k];
    }
}

static clsp_status fill_on_host(const clspi_bezier_table *table, clspi_series *series,
                                clsp_precision precision, size_t bytes)
{
    void *const values = calloc(1, bytes);
    double *const scratch = calloc(table->order, sizeof *scratch);
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    if (values && scratch) {
        for (cl_uint a = 0; a < table->num; a++)
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

static clsp_status fill_on_device(const clspi_bezier_table *table, clspi_series *series,
                                  clsp_precision precision, const char *options)
{
    enum { GRID = 4, ENDS = 4 };
    const double wide[ENDS] = {table->begin, table->end, 1.0 - table->begin, 1.0 - table->end};
    const float narrow[ENDS] = {(float)wide[0], (float)wide[1], (float)wide[2], (float)wide[3]};
    clspi_arg args[GRID + ENDS] = {CLSPI_ARG(table->values), CLSPI_ARG(table->order),
                                   CLSPI_ARG(table->num), CLSPI_ARG(table->stride)};
    clspi_kernel kernel = {0};
    clsp_status status;

    for (int i = 0; i < ENDS; i++)
        args[GRID + i] =
            precision == CLSP_F64 ? (clspi_arg)CLSPI_ARG(wide[i]) : (clspi_arg)CLSPI_ARG(narrow[i]);
    CLSPI_TRY(clspi_kernel_create(&kernel, series->ctx, "bernstein", options, "bernstein_table"));
    CLSPI_TRY(clspi_series_launch(series, &kernel, args, CLSPI_COUNT(args), table->stride));
    clspi_kernel_release(&kernel);
    return CLSP_OK;

fail:
    clspi_kernel_release(&kernel);
    return status;
}

clsp_status clspi_bezier_table_fill(clspi_bezier_table *table, clspi_series *series,
                                    clsp_precision precision, const char *options)
{
    enum { HOST_MAX = 65536 }; /* values; about half a millisecond */
    size_t values = table->order, bytes;
    clsp_status status;

    if (!clspi_size_mul(&values, table->stride)) goto too_large;
    bytes = values;
    if (!clspi_size_mul(&bytes, precision == CLSP_F64 ? sizeof(double) : sizeof(float)))
        goto too_large;
    CLSPI_TRY(clspi_buffer_reserve(&table->values, &table->bytes, series->ctx, bytes));
    return values <= HOST_MAX ? fill_on_host(table, series, precision, bytes)
                              : fill_on_device(table, series, precision, options);

fail:
    return status;
too_large:
    return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bezier: a table is larger than the address space");
}
