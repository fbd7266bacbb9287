/* The search for nearest points of surfaces on a device (cl/nearest): a kernel that
   certifies most of what it finds, and the host's search for what it leaves over. */
#ifndef CLSPI_SURFACE_DEVICE_H
#define CLSPI_SURFACE_DEVICE_H

#include "nearest_search.h"

typedef struct clspi_surface_device clspi_surface_device;

/* Tells whether a device searches at all: GPUs with double precision do. */
bool clspi_surface_device_searches(const clsp_context *ctx);

/* Tells whether a plan's device searches: for surfaces in space and in the plane. */
bool clspi_surface_device_fits(const clsp_patch_plan *plan);

/* Tells whether what of's surfaces is fits the memory of a plan's device. */
bool clspi_surface_device_holds(const clsp_patch_plan *plan, const clsp_patch_plan *of);

/* Builds the programs of surfaces ahead of use. */
clsp_status clspi_surface_device_build(const clspi_build *build, const clspi_tensor_desc *desc);

/* Finds the nearest points of the surfaces that job->of has become. plan->nearest is there. The
   bits of a result depend on its query alone. */
clsp_status clspi_surface_device_find(clsp_patch_plan *plan, clspi_series *series,
                                      const clspi_nearest_job *job);
void clspi_surface_device_destroy(clspi_surface_device **device);

#endif
