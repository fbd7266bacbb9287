/* The search for the nearest points of curves through cubics, on a device (nearest_cubic.cl). */
#ifndef CLSPI_NEAREST_CUBIC_H
#define CLSPI_NEAREST_CUBIC_H

#include "nearest_search.h"

typedef struct clspi_nearest_cubic clspi_nearest_cubic;

/* Builds the programs of curves like these. */
clsp_status clspi_nearest_cubic_build(const clspi_build *build, const clspi_tensor_desc *desc);

/* Finds the nearest points of the curves that are loaded; tolerance: as of clspi_cubics_prepare.
   plan->nearest is there. */
clsp_status clspi_nearest_cubic_find(clsp_patch_plan *plan, clspi_series *series,
                                     const clspi_nearest_job *job, double tolerance);
void clspi_nearest_cubic_destroy(clspi_nearest_cubic **nearest);

#endif
