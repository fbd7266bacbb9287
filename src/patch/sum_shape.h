/* Which kernel sums over a direction of a grid on a device, and how it is built. */
#ifndef CLSPI_SUM_SHAPE_H
#define CLSPI_SUM_SHAPE_H

#include "tensor_desc.h"

typedef enum clspi_sum_kind {
    CLSPI_SUM_ROWS,      /* sum_rows: an item makes a block of rows of a column; where there are
                            many of both, gemm_tiles, the same bits */
    CLSPI_SUM_COLUMNS,   /* sum_columns: an item has columns with their terms in registers */
    CLSPI_SUM_SYMMETRIC, /* sum_symmetric: as sum_columns, two symmetric rows at a time */
    CLSPI_SUM_BANDS      /* sum_bands: as sum_columns, with terms that change from row to row */
} clspi_sum_kind;

/* A sum that a kernel is chosen for. */
typedef struct clspi_sum_job {
    clsp_type precision;
    uint32_t coords;
    uint32_t terms;
    uint32_t inner_terms; /* of the sum that may be made in the same kernel; 0: none may */
    uint32_t controls;    /* T_i of a patch */
    uint32_t width;       /* reals of a row of the result */
    uint32_t num_rows;    /* that are usually stored at once; 0: few */
    bool is_symmetric;    /* a symmetric basis over [0, 1] */
    bool is_banded;
} clspi_sum_job;

typedef struct clspi_sum_shape {
    clspi_sum_kind kind;
    clsp_type precision;
    uint32_t dim; /* of a fused shape, else 1 */
    uint32_t terms;
    uint32_t inner_terms; /* of a fused shape: of the partial sums */
    bool fused;           /* the kernel makes the partial sums too, else partial_sums */
    bool stage;           /* tables go through local memory */
    uint32_t columns;     /* of an item */
    uint32_t block_rows;  /* rows of a work-group; of sum_symmetric those of the upper half */
    uint32_t rows;        /* of sum_symmetric: rows of the upper half at a time */
    uint32_t sector;      /* reals: stores begin at multiples of this; 0: anywhere */
    uint32_t period;      /* of a sector: rows so far apart begin at the same place in one */
} clspi_sum_shape;

/* Chooses by the device's class, its tuning and the sizes of a sum.

   Where the shape has a sector, jobs of fewer rows are made without (clspi_few_rows and
   clspi_without_sectors), and points are the same bits either way: that is why it is never
   symmetric. */
clspi_sum_shape clspi_sum_choose(const clsp_context *ctx, const clspi_sum_job *job);

/* Tells whether partial sums would be loaded for too few rows of one remainder by the period. */
bool clspi_few_rows(const clspi_sum_shape *shape, size_t num_rows);
clspi_sum_shape clspi_without_sectors(const clsp_context *ctx, const clspi_sum_shape *shape);

/* Makes the kernel of a shape. coords: of a control point; banded: of sum_rows. */
clsp_status clspi_sum_kernel(clspi_kernel *kernel, clsp_context *ctx, const clspi_sum_shape *shape,
                             uint32_t coords, bool is_banded);

/* Makes the options of tensor_sums.cl. */
clspi_options clspi_tensor_sums_options(const clsp_context *ctx, clsp_type precision,
                                        uint32_t coords, bool is_banded);

/* Builds a shape's program ahead of use. */
clsp_status clspi_sum_build(const clspi_build *build, const clspi_sum_shape *shape);

#endif
