/* Tables of Bernstein values on the device: level 2 of a Bezier plan. */
#ifndef CLSPI_BEZIER_TABLE_H
#define CLSPI_BEZIER_TABLE_H

#include "launch.h"

enum {
    CLSPI_TABLE_MULTIPLE = 16
}; /* samples are padded to this with zeros, so that vectors can be loaded whole */

/* values: [order][stride], B_k(t_a) at [k][a], t_a = begin + (end - begin) a / (num - 1); a lone
   sample is at begin. Mirrored, of a grid on [0, 1]: [2 * ((order + 1) /
   2)][stride], (B_k + B_{n-k}) / 2 at [2 k][a] and (B_k - B_{n-k}) / 2 at [2 k + 1][a] for the
   first half of the samples, a = 0 .. (num + 1) / 2 - 1; the middle one of an odd order is B_k and
   0 (bezier_mirror.cl). Permuted by a period: sample a is at column (a mod period) * (stride /
   period) + a / period, so that samples a period apart are neighbours (bezier_columns.cl). */
typedef struct clspi_bezier_table {
    cl_mem values;
    size_t bytes;   /* that values has room for */
    cl_uint order;  /* degree + 1 */
    cl_uint num;    /* samples */
    cl_uint stride; /* num, or half of it, rounded up to CLSPI_TABLE_MULTIPLE; permuted, the samples
                       of one remainder, rounded up so, times the period */
    cl_uint period; /* 1: not permuted */
    double begin, end;
    bool mirrored;
} clspi_bezier_table;

/* Sets the shape, neither mirrored nor permuted; keeps the memory of an earlier one. */
void clspi_bezier_table_shape(clspi_bezier_table *table, cl_uint degree, cl_uint num,
                              const double interval[2]);

/* Whether it can be mirrored, which asks for [0, 1]; and makes it so before it is filled. */
bool clspi_bezier_table_symmetric(const double interval[2]);
void clspi_bezier_table_mirror(clspi_bezier_table *table);

/* Makes one that is not mirrored permuted, before it is filled. Its values are the same bits as
   without. */
void clspi_bezier_table_permute(clspi_bezier_table *table, cl_uint period);

/* Whether two tables have the same values. */
bool clspi_bezier_table_same(const clspi_bezier_table *a, const clspi_bezier_table *b);

/* Fills the buffer, and makes or enlarges it before that. Small tables are computed on the host,
   which spares the first call of a process one program; large ones by bernstein.cl, built with the
   given options. */
clsp_status clspi_bezier_table_fill(clspi_bezier_table *table, clspi_series *series,
                                    clsp_precision precision, const char *options);

/* Makes table, of the same shape, use the memory of another. */
clsp_status clspi_bezier_table_share(clspi_bezier_table *table, clsp_context *ctx,
                                     const clspi_bezier_table *other);

void clspi_bezier_table_release(clspi_bezier_table *table);

#endif
