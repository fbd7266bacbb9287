/* Rows of surfaces by a persistent kernel, whose work-groups take tiles from a queue that they
   share with the host and other devices (tile_rows.cl): the svm schedule. */
#ifndef CLSPI_TENSOR_TILE_ROWS_H
#define CLSPI_TENSOR_TILE_ROWS_H

#include "grid_sums.h"
#include "work.h"

typedef struct clspi_tile_kernel {
    clspi_kernel kernel;
    clspi_basis_table table; /* of u, not symmetric */
    cl_mem t;                /* partial sums of the patches of the last call */
    size_t t_bytes;
} clspi_tile_kernel;

/* Tells why `count` patches of a description, whose vertices are plain, cannot be made in this way;
   NULL: they can. Static storage. */
const char *clspi_tile_kernel_refusal(const clsp_context *ctx, const clspi_tensor_desc *desc,
                                      const clspi_grid_sums *sums, size_t count);

/* Enqueues the partial sums of all patches, then the kernel. Only where nothing refuses. */
clsp_status clspi_tile_kernel_enqueue(clspi_tile_kernel *kernel, clspi_series *series,
                                      const clspi_tensor_desc *desc, clspi_grid_sums *sums,
                                      const clspi_queued_tiles *job);

void clspi_tile_kernel_release(clspi_tile_kernel *kernel);

/* Builds its program ahead of use; nothing on devices that cannot have it. */
clsp_status clspi_tile_kernel_build(const clspi_build *build, clsp_type precision, bool is_banded);

#endif
