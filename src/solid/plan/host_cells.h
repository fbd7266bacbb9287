/* Vertices of solids made by the host's cores: what they need of a plan, and their work. */
#ifndef CLSPI_HOST_CELLS_H
#define CLSPI_HOST_CELLS_H

#include "solid_list.h"

/* Makes what all workers share: control points, uses by class and frame. */
clsp_status clspi_solid_host_prepare(clsp_solid_plan *plan);

/* Makes the tables of samples, those of the device, for all workers. */
clsp_status clspi_solid_host_tables(clsp_solid_plan *plan);

/* Makes the vertices of cells on a worker, the tables being there. */
clsp_status clspi_solid_host_cells(clsp_solid_plan *plan, uint32_t worker, clsp_range cells,
                                   char *out);

/* Makes some vertices of a list on a worker. */
clsp_status clspi_solid_host_points(clsp_solid_plan *plan, uint32_t worker,
                                    const clspi_solid_list *list, clsp_range points, char *out);

void clspi_solid_host_release(clsp_solid_plan *plan);

#endif
