/* The search for the nearest points of curves through cubics, on a device (nearest_cubic.cl). */
#ifndef CLSPI_NEAREST_CUBIC_H
#define CLSPI_NEAREST_CUBIC_H

#include "cubics.h"
#include "curve_device.h"

struct clspi_nearest_cubic {
    clspi_cubics cubics;
    clspi_kernel find[2]; /* a query an item, and one a work-group */
};

/* Builds the programs of curves like these. */
clsp_status clspi_nearest_cubic_build(const clspi_build *build, const clspi_tensor_desc *desc);

/* Makes what the search for so many queries needs, of control points that are there; tolerance: as
   of clspi_cubics_prepare. */
clsp_status clspi_nearest_cubic_prepare(clspi_bspline_plan *plan, clspi_series *series,
                                        double tolerance, size_t num_queries);
clsp_status clspi_nearest_cubic_find(const clspi_bspline_plan *plan, clspi_series *series,
                                     const clspi_nearest_job *job);
void clspi_nearest_cubic_destroy(clspi_nearest_cubic **nearest);

#endif
