/* Vertices of plans without classes, made by the host: points at parameters of their own, and what
   lattices do not make of grids (docs/math.md, 19, Stars). */
#ifndef CLSPI_STAR_VERTICES_H
#define CLSPI_STAR_VERTICES_H

#include "lattice.h"
#include "solid_list.h"

/* Which vertices: those of a list's points, or of cells. */
typedef struct clspi_star_lines {
    const clspi_solid_list *list; /* NULL: lines are cells of the grid */
    clsp_range lines;
} clspi_star_lines;

/* Reads the control points, unless they are there, and makes of them what all workers share.
   Several threads may ask at once. */
clsp_status clspi_star_prepare(clsp_solid_plan *plan);

/* Finds the stars of a plan alone, without control points. */
clsp_status clspi_star_topology(clsp_solid_plan *plan);

/* Makes vertices in memory of the host, what is needed being there. threads: NULL, or those that
   may help. */
clsp_status clspi_star_vertices(const clsp_solid_plan *plan, const clspi_star_lines *from,
                                const clspi_parallel *threads, char *out);

/* Makes vertices and writes them to a buffer. */
clsp_status clspi_star_enqueue(clsp_solid_plan *plan, clspi_series *series,
                               const clspi_star_lines *from, const clspi_parallel *threads,
                               const clspi_target *target);

#endif
