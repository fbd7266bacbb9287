/* Launches of the kernels that make cells. */
#ifndef CLSPI_CELL_LAUNCH_H
#define CLSPI_CELL_LAUNCH_H

#include "kernel_arguments.h"
#include "solid_plan.h"

/* What to make of a plan's cells, and where it goes. */
typedef struct clspi_cells_job {
    clsp_solid_plan *plan;
    uint8_t by[3];
    cl_mem out;
} clspi_cells_job;

/* Makes cells at.first .. at.first + at.count - 1, with tables that are there. */
clsp_status clspi_cells_make(const clspi_cells_job *job, clspi_series *series,
                             clspi_cell_samples at);

#endif
