/* Launches of the kernels that make cells. */
#ifndef CLSPI_CELL_LAUNCH_H
#define CLSPI_CELL_LAUNCH_H

#include "kernel_arguments.h"
#include "solid_plan.h"

/* Makes cells at.first .. at.first + at.count - 1 into a buffer. */
clsp_status clspi_cells_make(clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                             clspi_cell_samples at);

#endif
