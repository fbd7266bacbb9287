/* Points of solids made by the host's cores: what they need of a plan, and their work. */
#ifndef CLSPI_HOST_CELLS_H
#define CLSPI_HOST_CELLS_H

#include "solid_plan.h"

/* Makes what all workers share: control points, uses by class and frame. */
clsp_status clspi_solid_host_prepare(clsp_solid_plan *plan);

/* Makes the tables of an order of derivatives, those of the device, for all workers. */
clsp_status clspi_solid_host_tables(clsp_solid_plan *plan, const uint8_t by[3]);

/* Makes the points of cells on a worker, the tables of the order being there. */
clsp_status clspi_solid_host_cells(clsp_solid_plan *plan, uint32_t worker, const uint8_t by[3],
                                   clsp_range cells, char *out);

/* A list of points in host memory. */
typedef struct clspi_host_list {
    const uint32_t *cells;
    const char *params; /* [num][3] reals */
    uint8_t by[3];
} clspi_host_list;

/* Makes some points of a list on a worker. */
clsp_status clspi_solid_host_points(clsp_solid_plan *plan, uint32_t worker,
                                    const clspi_host_list *list, clsp_range points, char *out);

void clspi_solid_host_release(clsp_solid_plan *plan);

#endif
