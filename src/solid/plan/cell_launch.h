/* Launches of the kernels that make cells. */
#ifndef CLSPI_CELL_LAUNCH_H
#define CLSPI_CELL_LAUNCH_H

#include "kernel_arguments.h"
#include "solid_plan.h"

/* What a kernel makes records with, which are sets or blocks of cells. */
typedef struct clspi_cell_launch {
    const clspi_kernel *kernel;
    const clspi_cell_spans *spans; /* of all records */
    size_t num;                    /* of these */
    size_t groups;                 /* of a record */
    uint64_t fma;                  /* of a record */
} clspi_cell_launch;

/* Launches the kernel with args, of which *at is a part, for the records that may have cells
   at->first .. at->first + at->count - 1: a part at a time. Kernels leave out the other cells of a
   record. */
clsp_status clspi_cells_launch(clspi_series *series, const clspi_cell_launch *launch,
                               const void *args, clspi_cell_samples *at);

/* Makes cells at.first .. at.first + at.count - 1 into a buffer. */
clsp_status clspi_cells_make(clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                             clspi_cell_samples at);

#endif
