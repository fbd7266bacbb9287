/* Vertices of solids made by the host's cores: what they need of a plan, and their work. */
#ifndef CLSPI_HOST_CELLS_H
#define CLSPI_HOST_CELLS_H

#include "class_descent.h"
#include "solid_plan.h"

/* What a worker has to itself. */
typedef struct clspi_solid_scratch {
    clspi_class_set classes; /* the plan's, with scratch memory of its own */
    double rows[CLSPI_SCRATCH_ROWS][CLSPI_RING_POINTS];
    double weights[CLSPI_RING_POINTS];
    clspi_descent down;
    double points[2][CLSPI_RING_POINTS * CLSP_SOLID_MAX_DIM + 4]; /* of a cell's descendants */
    uint32_t numbers[CLSPI_RING_POINTS];                          /* 0, 1, .. */
    double staged[CLSPI_RING_POINTS * CLSPI_STAGED_WIDTH + 8];    /* reals, from a cache line on */
    double params[CLSPI_RUN][3];
    uint8_t faces[CLSPI_RUN];
} clspi_solid_scratch;

/* Makes what all workers share: the points of cells, and control points. */
clsp_status clspi_solid_host_prepare(clsp_solid_plan *plan);

/* Makes the tables of samples, those of the device, for all workers. */
clsp_status clspi_solid_host_tables(clsp_solid_plan *plan);

/* Makes the vertices of cells on a worker, the tables being there. */
clsp_status clspi_solid_host_cells(clsp_solid_plan *plan, uint32_t worker, clsp_range cells,
                                   char *out);

/* Returns a worker's scratch memory, which its first call makes; NULL without memory. */
clspi_solid_scratch *clspi_solid_scratch_of(clsp_solid_plan *plan, uint32_t worker);

void clspi_solid_host_release(clsp_solid_plan *plan);

#endif
