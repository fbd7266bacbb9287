/* Points of solids at parameters of their own, on a device. */
#ifndef CLSPI_POINT_LISTS_H
#define CLSPI_POINT_LISTS_H

#include "host_cells.h"

/* What a list and its points need of memory. */
typedef struct clspi_list_needs {
    clspi_memory_need cells, params, points;
} clspi_list_needs;

/* Checks a list for a plan that has control points, and gives what it needs. */
clsp_status clspi_point_list_check(const clsp_solid_plan *plan, const clsp_points *points,
                                   clspi_list_needs *needs);

/* Evaluates a list on the context's device. */
clsp_status clspi_point_list_lines(clsp_solid_plan *plan, const clsp_points *points,
                                   const clspi_list_needs *needs, const clsp_output *out,
                                   const clsp_run *run);

/* Makes some points of a list, in lines of one point each. */
clsp_status clspi_point_list_enqueue(clsp_solid_plan *plan, clspi_series *series,
                                     const clspi_host_list *list, clsp_range points,
                                     const clspi_target *target);

#endif
