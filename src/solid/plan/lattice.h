/* Plans without classes, of which meshes from generators have as many as cells. Packed points of
   grids are made by lattices: refined, at every load of control points, until no sample of a cell
   but those on its edges and vertices touches what is irregular, so that they are sums of lattice
   points by B-splines; those on edges and vertices are limits in closed form (docs/math.md, 19).
   All else the host makes by stars (star_vertices.h). */
#ifndef CLSPI_LATTICE_H
#define CLSPI_LATTICE_H

#include "lattice_rows.h"
#include "solid_plan.h"
#include "vertex_star.h"

typedef struct clspi_lattice {
    clspi_cell_mesh mesh;
    clspi_star_mesh stars; /* made when they are first needed, */
    bool has_points;       /* and whether they have the control points */
    /* of the grid, where the device makes it */
    bool makes_grid;
    clspi_lattice_rows rows;
    uint32_t chunk, block; /* samples along u, and channels, that are made together */
    cl_mem cells, edge_begin, edge_list, vertex_begin, vertex_list, step_weights, limit_weights;
    cl_mem starts, row_weights;
    cl_mem points[CLSPI_LATTICE_STEPS]; /* of lattices after 1, 2, .. steps */
    cl_mem lines, limits;               /* of slices of edges, and of vertices */
    clspi_kernel vertex_kernel, slice_kernel, edge_kernel, cell_kernel;
} clspi_lattice;

/* Chooses the method of a plan whose description has none. */
clsp_solid_method clspi_lattice_choose(const clspi_cell_mesh *mesh);

/* Makes the lattice of a plan of a mesh. */
clsp_status clspi_lattice_make(clsp_solid_plan *plan, const clspi_cell_mesh *mesh);

/* Makes what it has on its device, where that makes the grid. To be released whatever happens. */
clsp_status clspi_lattice_upload(clsp_solid_plan *plan, clspi_series *series);
void clspi_lattice_unload(clsp_solid_plan *plan);
void clspi_lattice_release(clsp_solid_plan *plan);

/* Refines the control points that the plan has on its device. */
clsp_status clspi_lattice_load(clsp_solid_plan *plan, clspi_series *series);

/* Makes the vertices of cells, in lines of one cell each. */
clsp_status clspi_lattice_enqueue(clsp_solid_plan *plan, clspi_series *series, clsp_range cells,
                                  const clspi_target *target);

/* Builds the program of plans of a description. */
clsp_status clspi_lattice_build(const clspi_build *build, const clsp_solid_desc *desc);

#endif
