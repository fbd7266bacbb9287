/* Vertices of solids at parameters of their own, on a device. */
#ifndef CLSPI_POINT_LISTS_H
#define CLSPI_POINT_LISTS_H

#include "solid_list.h"

/* What a list needs of memory, all of it. */
typedef struct clspi_list_needs {
    clspi_memory_need cells, params;
} clspi_list_needs;

clspi_list_needs clspi_point_list_needs(const clsp_solid_plan *plan, const clsp_points *points);

/* Gives what so many vertices need of memory. */
clspi_memory_need clspi_vertices_need(const clsp_solid_plan *plan, size_t num);

/* Evaluates some points of a list on the context's device, from the first of these on. */
clsp_status clspi_point_list_lines(clsp_solid_plan *plan, const clsp_points *points,
                                   clsp_range lines, const clsp_output *out, const clsp_run *run);

/* Makes some points of a list, in lines of one point each. */
clsp_status clspi_point_list_enqueue(clsp_solid_plan *plan, clspi_series *series,
                                     const clspi_solid_list *list, clsp_range points,
                                     const clspi_target *target);

#endif
