/* Vertices of surfaces in one pass after the partial sums: the way of GPUs for sums of few terms,
   by vertex_rows.cl where rows u and 1 - u share sums, by vertex_bands.cl where tables are banded,
   patches rational or samples not uniform on [0, 1]. */
#ifndef CLSPI_VERTEX_ROWS_H
#define CLSPI_VERTEX_ROWS_H

#include "grid_sums.h"

/* Tells whether a description can go that way on this device. */
bool clspi_vertex_rows_fit(const clsp_context *ctx, const clspi_tensor_desc *desc);

/* Builds the program ahead of use, where it fits. */
clsp_status clspi_vertex_rows_build(const clspi_build *build, const clspi_tensor_desc *desc);

/* Makes the kernel; the sums are prepared with last_in_rows. */
clsp_status clspi_vertex_rows_prepare(clspi_kernel *kernel, clsp_context *ctx,
                                      const clspi_tensor_desc *desc);

/* Makes rows of vertices. sizes: those of clspi_assembly, for normals by banded tables;
   may be NULL else. */
clsp_status clspi_vertex_rows_eval(const clspi_kernel *kernel, clspi_grid_sums *sums,
                                   clspi_series *series, const clspi_tensor_desc *desc,
                                   cl_mem sizes, const clspi_rows *rows);

#endif
