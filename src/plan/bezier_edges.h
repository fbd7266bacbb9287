/* The pass over the edges of surfaces that follows a grid: watertight points and normals' limits.
 */
#ifndef CLSPI_BEZIER_EDGES_H
#define CLSPI_BEZIER_EDGES_H

#include "bezier_plan.h"

/* Whether plan->desc asks for it. */
bool clspi_bezier_edges_needed(const clsp_bezier_plan *plan);

/* Build options of bezier_edges.cl. */
void clspi_bezier_edges_options(char *text, size_t size, const clsp_bezier_plan *plan);

/* Makes plan->edges. */
clsp_status clspi_bezier_edges_prepare(clsp_bezier_plan *plan);

/* For the rows that range->out has just received. */
clsp_status clspi_bezier_edges_eval(clsp_bezier_plan *plan, clspi_series *series,
                                    const clspi_bezier_range *range);

#endif
