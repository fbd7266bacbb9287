/* Kernels of plans of solids. */
#ifndef CLSPI_SOLID_KERNELS_H
#define CLSPI_SOLID_KERNELS_H

#include "solid_plan.h"

/* Creates the kernels that a plan's cells are made with, its layout being there. */
clsp_status clspi_solid_create_kernels(clsp_solid_plan *plan);

#endif
