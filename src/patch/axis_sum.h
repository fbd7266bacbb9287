/* The sum over one direction of a grid for all columns of its rows at once:
   S(a, x) = sum_i B_i(a) T_i[x]. */
#ifndef CLSPI_AXIS_SUM_H
#define CLSPI_AXIS_SUM_H

#include "basis_table.h"
#include "gemm.h"
#include "kernel_arguments.h"
#include "split.h"
#include "sum_shape.h"

/* Rows of whole patches, or some rows of one patch. A row is what belongs to one sample of u. */
typedef struct clspi_rows {
    size_t first_patch, num_patches;
    uint32_t first_row, num_rows; /* first_row: a multiple of CLSPI_ROWS_MULTIPLE */
    cl_mem out;
    size_t offset; /* elements */
} clspi_rows;

/* Returns the rows of a part of a cut, whose pieces are the patches of `rows` and whose lines their
   rows. row: elements of the output that a row has. */
clspi_rows clspi_rows_of_part(const clspi_rows *rows, const clspi_part *part, size_t row);

typedef struct clspi_axis_sum {
    clsp_context *ctx;
    clspi_sum_shape shape;
    clspi_kernel plain; /* the shape's kernel; where it has sectors that for jobs of few rows, made
                           when first needed */
    clspi_kernel sectors;              /* where it has sectors, that for the others */
    clspi_gemm *product;               /* of many rows by dense tables; NULL: there is none */
    const clspi_basis_table *table;    /* of the direction */
    const clspi_basis_table *permuted; /* of `sectors` */
    uint32_t coords, controls;         /* of a control point; T_i of a patch */
    uint32_t width, num_rows;          /* of the result */
} clspi_axis_sum;

/* What a sum is prepared for. */
typedef struct clspi_axis_sum_desc {
    const clspi_tensor_desc *desc;
    clspi_basis_table *table;
    clspi_basis_table *permuted; /* where a table for sectors may be made; NULL: rows come a few at
                                    a time */
    uint32_t width, num_rows;
    uint32_t stride_t;    /* reals from T_i to T_{i+1} */
    uint32_t inner_terms; /* as of clspi_sum_job */
} clspi_axis_sum_desc;

/* Chooses the shape, makes its kernel and shapes its tables, which are to be filled then. */
clsp_status clspi_axis_sum_prepare(clspi_axis_sum *sum, clsp_context *ctx,
                                   const clspi_axis_sum_desc *desc);
void clspi_axis_sum_release(clspi_axis_sum *sum);

/* Where a sum's terms come from: T, or for a fused shape the control points. */
typedef struct clspi_sum_source {
    cl_mem buffer;
    size_t first_patch;             /* in buffer, of the first of the rows */
    uint32_t stride;                /* reals from T_i to T_{i+1} */
    const clspi_basis_table *inner; /* of a fused shape, */
    uint32_t controls;              /* and the control points of a line */
} clspi_sum_source;

/* Enqueues the sums of some rows. Results do not depend on how rows are split. */
clsp_status clspi_axis_sum_enqueue(clspi_axis_sum *sum, clspi_series *series,
                                   const clspi_sum_source *source, const clspi_rows *rows);

/* Rows of the upper half of a grid, from `first`, a multiple of 4, to end - 1, among which or
   symmetric to which all of some rows are. */
typedef struct clspi_half_rows {
    uint32_t first, end;
} clspi_half_rows;

clspi_half_rows clspi_half_of(uint32_t num_u, uint32_t first_row, uint32_t num_rows);

/* Returns rows as kernels take them. */
clspi_row_range clspi_row_range_of(size_t first_patch, const clspi_rows *rows);

#endif
