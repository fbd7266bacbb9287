/* Vertices of plans without classes, made by the host: points at parameters of their own, and what
   lattices do not make of grids (docs/math.md, 19, Stars). */
#ifndef CLSPI_STAR_VERTICES_H
#define CLSPI_STAR_VERTICES_H

#include "lattice.h"
#include "solid_list.h"

/* Which vertices: those of a list's points, or of cells. */
typedef struct clspi_star_lines {
    const clspi_solid_list *list; /* NULL: lines are cells of the grid */
    clsp_range lines;             /* of a list all */
} clspi_star_lines;

/* Reads the control points, unless they are there, and makes of them what all workers share.
   Several threads may ask at once. */
clsp_status clspi_star_prepare(clsp_solid_plan *plan);

/* Finds the stars of a plan alone, without control points. */
clsp_status clspi_star_topology(clsp_solid_plan *plan);

/* Makes vertices on a worker, what is needed being there. worker: CLSPI_HOST_WORKERS where the
   context's workers may help. */
clsp_status clspi_star_vertices(const clsp_solid_plan *plan, uint32_t worker,
                                const clspi_star_lines *from, char *out);

#endif
