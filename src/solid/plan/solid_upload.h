/* What a plan of a solid has on its device. */
#ifndef CLSPI_SOLID_UPLOAD_H
#define CLSPI_SOLID_UPLOAD_H

#include "solid_plan.h"

/* Brings the layout and the tables of samples to the device. */
clsp_status clspi_solid_upload(clsp_solid_plan *plan, clspi_series *series);

/* Reads the points of blocks and of cells that are not regular, which the device has, where the
   host has not: the points of cells are known by them. */
clsp_status clspi_solid_hold_points(clsp_solid_plan *plan);

#endif
