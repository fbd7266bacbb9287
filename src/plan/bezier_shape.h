/* Which kernels evaluate a Bezier job on a device, and how they are built. */
#ifndef CLSPI_BEZIER_SHAPE_H
#define CLSPI_BEZIER_SHAPE_H

#include "context_internal.h"

enum {
    CLSPI_BEZIER_ROWS_PER_ITEM = 8, /* CLSP_ROWS of bezier_rows.cl */
    CLSPI_BEZIER_OPTIONS_MAX = 512
};

typedef struct clspi_bezier_shape {
    clsp_precision precision;
    cl_uint dim; /* of a fused shape, else 1 */
    cl_uint order_u;
    cl_uint lanes;      /* reals of a vector: 1 on GPUs */
    bool in_columns;    /* the second sum by bezier_columns or bezier_mirror, else by bezier_rows */
    bool mirror;        /* by bezier_mirror, with a mirrored table */
    bool fused;         /* bezier_columns makes the first sum too, else bezier_contract */
    bool stage;         /* tables go through local memory */
    cl_uint columns;    /* of an item */
    cl_uint block_rows; /* rows of a work-group, or pairs of rows */
    cl_uint rows;       /* of bezier_mirror: pairs at a time */
    cl_uint line;   /* reals: stores of bezier_columns begin at multiples of this; 0: anywhere */
    cl_uint period; /* of a line: rows so far apart begin at the same place in one */
} clspi_bezier_shape;

/* Reals of a vector of an item: 1 on GPUs. */
cl_uint clspi_bezier_lanes(const clsp_context *ctx, clsp_precision precision);

/* Chooses by the device's class, its tuning and the job's sizes. order_v: of the sum that may be
   made in the same kernel; 0: none may. width: reals of a row of points; num_rows: rows that are
   usually stored at once; 0: few. symmetric: the interval of u is [0, 1].

   Where the shape has a line, jobs of fewer rows are made without (clspi_bezier_few_rows and
   clspi_bezier_without_lines), and points are the same bits either way: that is why it is never
   mirrored. */
clspi_bezier_shape clspi_bezier_choose(const clsp_context *ctx, clsp_precision precision,
                                       cl_uint dim, cl_uint order_u, cl_uint order_v, cl_uint width,
                                       cl_uint num_rows, bool symmetric);

/* Whether first sums would be loaded for too few rows of one remainder by the period. */
bool clspi_bezier_few_rows(const clspi_bezier_shape *shape, cl_uint num_rows);
clspi_bezier_shape clspi_bezier_without_lines(const clsp_context *ctx,
                                              const clspi_bezier_shape *shape);

/* The program and its kernel for a shape in columns. */
const char *clspi_bezier_columns_name(const clspi_bezier_shape *shape);

/* Build options of bernstein.cl, bezier_rows.cl, bezier_columns.cl or bezier_mirror.cl (without
   CLSP_GROUP) and bezier_hodograph.cl. */
void clspi_bezier_table_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                                clsp_precision precision);
void clspi_bezier_rows_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                               clsp_precision precision, cl_uint dim);
void clspi_bezier_columns_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                                  const clspi_bezier_shape *shape);
void clspi_bezier_hodograph_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                                    clsp_precision precision, cl_uint dim, const cl_uint by[3]);

/* Build options of bezier_shared.cl, without CLSP_GROUP where lanes are 1; pop_options:
   clspi_pop_options'. */
void clspi_bezier_shared_options(char text[CLSPI_BEZIER_OPTIONS_MAX], const clsp_context *ctx,
                                 clsp_precision precision, const char *pop_options);

#endif
