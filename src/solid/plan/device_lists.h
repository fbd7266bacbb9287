/* Points of solids at parameters of their own, whose weights the device finds. */
#ifndef CLSPI_DEVICE_LISTS_H
#define CLSPI_DEVICE_LISTS_H

#include "solid_list.h"

/* Returns the build options of list_points.cl. */
clspi_options clspi_device_list_options(const clsp_context *ctx, const clsp_solid_desc *desc);

/* Tells whether the device finds the weights of a plan's lists: of points without derivatives or
   normals, unless trees of its classes are too large. The first call brings what that needs there.
 */
clsp_status clspi_device_lists_ready(clsp_solid_plan *plan, clspi_series *series, bool *is_ready);

/* Evaluates some points of a list on the context's device, from the first of these on. */
clsp_status clspi_device_list_lines(clsp_solid_plan *plan, const clsp_points *points,
                                    clsp_range lines, const clsp_output *out, const clsp_run *run);

/* Makes some points of a list that is in host memory, in lines of one point each. */
clsp_status clspi_device_list_enqueue(clsp_solid_plan *plan, clspi_series *series,
                                      const clspi_solid_list *list, clsp_range points,
                                      const clspi_target *target);

void clspi_device_lists_release(clsp_solid_plan *plan);

#endif
