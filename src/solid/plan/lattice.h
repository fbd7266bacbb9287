/* Plans that make cells by lattices: refined, at every load of control points, until no sample of a
   cell but those on its edges and vertices touches what is irregular, so that they are sums of
   lattice points by B-splines; those on edges and vertices are limits in closed form (docs/math.md,
   19). Nothing depends on classes, of which meshes from generators have as many as cells. */
#ifndef CLSPI_LATTICE_H
#define CLSPI_LATTICE_H

#include "lattice_rows.h"
#include "solid_plan.h"

typedef struct clspi_lattice {
    clspi_cell_mesh mesh;
    clspi_lattice_rows rows;
    uint32_t chunk, block; /* samples along u, and channels, that are made together */
    cl_mem cells, edge_begin, edge_list, vertex_begin, vertex_list, step_weights, limit_weights;
    cl_mem starts, row_weights;
    cl_mem points[CLSPI_LATTICE_STEPS]; /* of lattices after 1, 2, .. steps */
    cl_mem lines, limits;               /* of slices of edges, and of vertices */
    clspi_kernel vertex_kernel, slice_kernel, edge_kernel, cell_kernel;
    clsp_solid_plan *by_classes; /* for all but the grid: made when it is first needed, */
    bool is_loaded;              /* and whether it has the control points */
} clspi_lattice;

/* Tells why a plan cannot make its cells by lattices; NULL: it can. */
const char *clspi_lattice_refusal(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  const clspi_cell_mesh *mesh);

/* Chooses the method of a plan whose description has none. */
clsp_solid_method clspi_lattice_choose(const clsp_context *ctx, const clsp_solid_desc *desc,
                                       const clspi_cell_mesh *mesh);

/* Makes the lattice of a plan of a mesh, and what it has on its device. */
clsp_status clspi_lattice_make(clsp_solid_plan *plan, const clspi_cell_mesh *mesh);
void clspi_lattice_release(clsp_solid_plan *plan);

/* Refines the control points that the plan has on its device. */
clsp_status clspi_lattice_load(clsp_solid_plan *plan, clspi_series *series);

/* Makes the vertices of cells, in lines of one cell each. */
clsp_status clspi_lattice_enqueue(clsp_solid_plan *plan, clspi_series *series, clsp_range cells,
                                  const clspi_target *target);

/* Gives the plan that makes what a plan has classes for: itself, or one beside its lattice, with
   the same control points if there are some. */
clsp_status clspi_solid_by_classes(clsp_solid_plan *plan, clsp_solid_plan **by_classes);

/* Builds the program of plans of a description. */
clsp_status clspi_lattice_build(const clspi_build *build, const clsp_solid_desc *desc);

#endif
