/* Partial sums: those over the last direction, T_i(v) = sum_j B_j(v) P_ij for every line i of
   control points, which the sums over the other directions start from. They are kept from call to
   call where memory allows. */
#ifndef CLSPI_PARTIAL_SUMS_H
#define CLSPI_PARTIAL_SUMS_H

#include "axis_sum.h"

typedef struct clspi_partial_sums {
    clsp_context *ctx;
    clsp_type precision;
    clspi_kernel kernel;
    const clspi_basis_table *table; /* of the direction */
    uint32_t coords;
    uint32_t lines;    /* of a patch */
    uint32_t controls; /* points of a line */
    uint32_t stride;   /* reals from line to line of the sums */
    size_t patch_bytes;
    cl_mem kept; /* sums of patches first .. first + count - 1, room for max_patches */
    size_t kept_bytes, max_patches, first, count;
} clspi_partial_sums;

/* Sets sizes for a table, and forgets what was kept. Errors: CLSP_ERROR_NO_MEMORY for sizes that do
   not fit. */
clsp_status clspi_partial_shape(clspi_partial_sums *sums, clsp_context *ctx,
                                const clspi_tensor_desc *desc, const clspi_basis_table *table,
                                uint32_t lines, uint32_t controls);

/* Makes the kernel, if it is not there. */
clsp_status clspi_partial_kernel(clspi_partial_sums *sums);

void clspi_partial_release_kernel(clspi_partial_sums *sums);
void clspi_partial_release(clspi_partial_sums *sums);

/* Makes room for the sums of num_patches patches: all, if they fit the device's memory well; else
   as many as a cache holds between two launches. more: bytes that a patch takes elsewhere
   meanwhile; with them nothing is kept for later calls. */
clsp_status clspi_partial_reserve(clspi_partial_sums *sums, size_t num_patches, size_t more);

/* Makes `kept` hold the sums of these patches, at most max_patches; points: of all patches. */
clsp_status clspi_partial_make(clspi_partial_sums *sums, clspi_series *series, cl_mem points,
                               clsp_range patches);

/* Makes the sums of some patches in a buffer of the caller's. */
clsp_status clspi_partial_make_in(clspi_partial_sums *sums, clspi_series *series, cl_mem points,
                                  clsp_range patches, cl_mem out);

/* Evaluates curves, which are such sums: rows are samples. */
clsp_status clspi_partial_rows(clspi_partial_sums *sums, clspi_series *series, cl_mem points,
                               const clspi_rows *rows);

#endif
