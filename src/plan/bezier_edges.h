/* The edges of surfaces on the common grid: watertight points, and normals where tangents do not
   span a plane. */
#ifndef CLSPI_BEZIER_EDGES_H
#define CLSPI_BEZIER_EDGES_H

#include "bezier_plan.h"

/* Whether a plan's grid has edges that clspi_bezier_edges_eval must make. */
bool clspi_bezier_has_edges(const clsp_bezier_plan *plan);

/* To be called after the grid's own kernels, with the same range: writes points (when watertight)
   and normals (when an attribute) of the edge vertices among its rows. */
clsp_status clspi_bezier_edges_eval(clsp_bezier_plan *plan, clspi_series *series,
                                    const clspi_bezier_range *range);

#endif
