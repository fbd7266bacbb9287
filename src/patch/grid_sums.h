/* The tensor sums that a plan's vertices are made of, on the common grid, and their tables. */
#ifndef CLSPI_GRID_SUMS_H
#define CLSPI_GRID_SUMS_H

#include "attributes.clh"
#include "tensor_sum.h"

typedef struct clspi_grid_sums {
    clsp_context *ctx;
    const clspi_sum_method *method; /* of all sums; NULL: by factorization */
    bool last_in_rows; /* vertex_rows makes the last sums, from partial sums and tables of
                          integrals and symmetric ones of u, or banded ones as they are */
    clspi_grid_tables tables;
    uint32_t num;
    clspi_tensor_sum sum[SUM_KINDS]; /* the first is S where that is needed */
} clspi_grid_sums;

/* Lists the sums that the attributes of desc need, by their numbers (attributes.clh); returns how
   many. Derivatives that are 0 for their degree are left out. */
uint32_t clspi_sums_needed(const clspi_tensor_desc *desc, uint32_t numbers[SUM_KINDS]);

/* Gives the order of the derivative along u, v, w that a sum is, by its number. */
void clspi_sum_order(uint32_t number, uint32_t by[3]);

/* Returns the sums that are needed as bits. */
uint32_t clspi_planes_of(const clspi_tensor_desc *desc);

/* Makes tables and kernels for a description with a grid, which must live as long. May be called
   again after other degrees or grids; keeps what memory it can. Control points must then be loaded
   again. sums->method and sums->last_in_rows are set before. */
clsp_status clspi_grid_sums_prepare(clspi_grid_sums *sums, clspi_series *series,
                                    const clspi_tensor_desc *desc);

/* Takes control points for all sums. */
clsp_status clspi_grid_sums_load(clspi_grid_sums *sums, clspi_series *series, cl_mem points,
                                 size_t num_patches);

void clspi_grid_sums_release(clspi_grid_sums *sums);

#endif
