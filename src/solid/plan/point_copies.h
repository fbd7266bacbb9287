/* Copies of control points in the order in which kernels read them. */
#ifndef CLSPI_POINT_COPIES_H
#define CLSPI_POINT_COPIES_H

#include "solid_plan.h"

/* Makes the copies of control points that are in plan->control. */
clsp_status clspi_point_copies_make(clsp_solid_plan *plan, clspi_series *series);

void clspi_point_copies_release(clsp_solid_plan *plan);

#endif
