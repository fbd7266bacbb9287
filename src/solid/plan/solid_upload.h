/* What a plan of a solid has on its device. */
#ifndef CLSPI_SOLID_UPLOAD_H
#define CLSPI_SOLID_UPLOAD_H

#include "solid_plan.h"

/* Makes what a plan's device makes vertices with, where it is missing: kernels, what they read of
   cells, and control points, where these are loaded. series: of a call that is under way, or NULL.
 */
clsp_status clspi_solid_device_ready(clsp_solid_plan *plan, clspi_series *series);

/* Releases all that but the buffer of control points. */
void clspi_solid_device_release(clsp_solid_plan *plan);

/* Reads the points of blocks and of cells that are not regular, which the device has, where the
   host has not: the points of cells are known by them. */
clsp_status clspi_solid_hold_points(clsp_solid_plan *plan);

#endif
