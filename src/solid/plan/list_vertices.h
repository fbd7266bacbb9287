/* Vertices of lists of points made by the host's cores. */
#ifndef CLSPI_LIST_VERTICES_H
#define CLSPI_LIST_VERTICES_H

#include "solid_list.h"

/* Makes what all workers share beyond clspi_solid_host_prepare. */
clsp_status clspi_solid_host_lists(clsp_solid_plan *plan);

/* Makes the vertices of a list on a worker. */
clsp_status clspi_solid_host_points(clsp_solid_plan *plan, uint32_t worker,
                                    const clspi_solid_list *list, char *out);

#endif
