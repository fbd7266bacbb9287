/* The search for the nearest points of curves on a device (nearest.cl). */
#ifndef CLSPI_CURVE_DEVICE_H
#define CLSPI_CURVE_DEVICE_H

#include "nearest_search.h"

typedef struct clspi_curve_device clspi_curve_device;

/* Builds the programs of curves ahead of use; many: also for several results a query. */
clsp_status clspi_curve_device_build(const clspi_build *build, const clspi_tensor_desc *desc,
                                     bool many);

/* Finds the nearest points of the curves that are loaded. plan->nearest is there. */
clsp_status clspi_curve_device_find(clsp_patch_plan *plan, clspi_series *series,
                                    const clspi_nearest_job *job);
void clspi_curve_device_destroy(clspi_curve_device **device);

#endif
