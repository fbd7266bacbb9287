/* One tensor sum on a grid: the points of patches in homogeneous coordinates, or those of the
   patches that are their derivatives, by sum factorization (docs/math.md, 3 and 5). */
#ifndef CLSPI_TENSOR_SUM_H
#define CLSPI_TENSOR_SUM_H

#include "partial_sums.h"

struct clspi_grid_method;

/* Another way of summing, which a family may have for comparison. state: what it keeps, NULL at
   first; release writes NULL. on_host: how the host sums; NULL: it does not. points: the same in
   load, which may be NULL, and in eval, [num_patches][controls[0]][controls[1]][coords]. What is
   made does not depend on how rows are split. */
typedef struct clspi_sum_method {
    clsp_status (*prepare)(void **state, clspi_series *series, const clspi_tensor_desc *desc,
                           const uint32_t controls[3]);
    clsp_status (*load)(void *state, clspi_series *series, cl_mem points, size_t num_patches);
    clsp_status (*eval)(void *state, clspi_series *series, cl_mem points, const clspi_rows *rows);
    void (*release)(void **state);
    const struct clspi_grid_method *on_host;
} clspi_sum_method;

/* Directions: a curve has partial sums alone; a surface those over v and `outer` (u); a volume
   those over w, `middle` (v) and `outer` (u). */
typedef struct clspi_tensor_sum {
    clsp_context *ctx;
    const clspi_tensor_desc *desc;
    uint32_t by[3]; /* order of the derivative along u, v, w */
    uint32_t controls[3];
    clspi_partial_sums partial;
    clspi_axis_sum middle, outer;
    size_t row_reals;

    cl_mem points; /* control points: the plan's, retained, or differences of them */
    size_t points_bytes;
    size_t points_per_patch; /* reals */
    cl_mem middle_sums;      /* of volumes: what `middle` makes of partial.max_patches patches */
    size_t middle_bytes;
    clsp_range middles; /* patches whose sums it has */

    const clspi_sum_method *method; /* NULL: by what stands above */
    void *method_state;
} clspi_tensor_sum;

/* Tables of a plan's grid. */
typedef struct clspi_grid_tables {
    clspi_basis_table table[3][CLSPI_DERIVATIVES]; /* of u, v, w and each derivative's order */
    clspi_basis_table permuted; /* table[0][0], where the outer sum's shape has a sector */
} clspi_grid_tables;

/* Makes kernels for desc, which must live as long, and shapes tables, which are to be filled then.
   sum->by and sum->method are set before. last_in_rows: the last sum of surfaces is made by another
   kernel, vertex_rows, from partial sums. */
clsp_status clspi_sum_prepare(clspi_tensor_sum *sum, clspi_series *series,
                              const clspi_tensor_desc *desc, clspi_grid_tables *tables,
                              bool last_in_rows);

/* Takes control points of num_patches patches, at least 1: makes differences and, where they fit
   the memory set apart for them, partial sums. */
clsp_status clspi_sum_load(clspi_tensor_sum *sum, clspi_series *series, cl_mem points,
                           size_t num_patches);

/* Makes the sums of some rows: rows->out gets [num_patches][num_rows][row_reals]. */
clsp_status clspi_sum_eval(clspi_tensor_sum *sum, clspi_series *series, const clspi_rows *rows);

/* Tells whether what the last sums of so many patches start from fits the device at once. */
bool clspi_sum_fits(const clspi_tensor_sum *sum, size_t count);

/* Makes it, so that an evaluation of these patches, or of some of them, makes the last sums
   alone. */
clsp_status clspi_sum_ready(clspi_tensor_sum *sum, clspi_series *series, clsp_range patches);

/* Tells whether one kernel makes all sums from control points. */
bool clspi_sum_is_fused(const clspi_tensor_sum *sum);

void clspi_sum_release_kernels(clspi_tensor_sum *sum);
void clspi_sum_release(clspi_tensor_sum *sum);

#endif
