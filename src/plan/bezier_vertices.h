/* Vertices of surfaces in one pass after the first sums: the way of GPUs at low degrees. */
#ifndef CLSPI_BEZIER_VERTICES_H
#define CLSPI_BEZIER_VERTICES_H

#include "bezier_plan.h"

/* Whether plan->desc can go that way on this device. */
bool clspi_bezier_vertices_fit(const clsp_bezier_plan *plan);

/* Build options of bezier_vertices.cl without CLSP_GROUP, for a plan that fits. */
void clspi_bezier_vertices_options(char *text, size_t size, const clsp_bezier_plan *plan);

/* Makes plan->vertices, after plan->nets have been prepared with_rows. */
clsp_status clspi_bezier_vertices_prepare(clsp_bezier_plan *plan);

clsp_status clspi_bezier_vertices_eval(clsp_bezier_plan *plan, clspi_series *series,
                                       const clspi_bezier_range *range);

#endif
