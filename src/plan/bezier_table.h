/* Tables of Bernstein values on the device: level 2 of a Bezier plan. */
#ifndef CLSPI_BEZIER_TABLE_H
#define CLSPI_BEZIER_TABLE_H

#include "launch.h"

enum {
    CLSPI_TABLE_MULTIPLE = 16
}; /* samples are padded to this with zeros, so that vectors can be loaded whole */

/* values: [order][stride], B_k(a / (num - 1)) at [k][a]; a lone sample is at 0. */
typedef struct clspi_bezier_table {
    cl_mem values;
    cl_uint order;  /* degree + 1 */
    cl_uint num;    /* samples */
    cl_uint stride; /* num, rounded up to CLSPI_TABLE_MULTIPLE */
} clspi_bezier_table;

/* Sets the shape; no memory yet. */
void clspi_bezier_table_shape(clspi_bezier_table *table, cl_uint degree, cl_uint num);

/* Makes and fills the buffer. Small tables are computed on the host, which spares the first call of
   a process one program; large ones by bernstein.cl, built with the given options. */
clsp_status clspi_bezier_table_fill(clspi_bezier_table *table, clspi_series *series,
                                    clsp_precision precision, const char *options);

void clspi_bezier_table_release(clspi_bezier_table *table);

#endif
