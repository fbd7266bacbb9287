/* Meshes whose cells are all hexahedra, or all tetrahedra, made at once: much faster than those of
   poly_mesh.h, and equal to them. */
#ifndef CLSPI_ALIKE_CELLS_H
#define CLSPI_ALIKE_CELLS_H

#include "poly_mesh.h"

/* A mesh of tetrahedra. */
typedef struct clspi_tetra_mesh {
    clspi_cell_mesh
        parts;          /* of cell_shape.h's tetrahedra; there is nothing across, and no frames */
    uint8_t *is_turned; /* as of poly_mesh.h */
} clspi_tetra_mesh;

/* What is found of cells that are inside out, as of poly_mesh.h. */
typedef struct clspi_turned_cells {
    size_t num, num_children;
} clspi_turned_cells;

/* Tells whether all cells are of one kind, by VTK's number. */
bool clspi_are_all(const clspi_cells *cells, uint8_t kind);

/* Make the mesh of cells that are all hexahedra, or tetrahedra. Defective: there may be something
   wrong with them, which clspi_poly_mesh_make is to say, or it makes their mesh. threads may be
   NULL. */
clspi_mesh_status clspi_alike_hexahedra(clspi_cell_mesh *mesh, clspi_turned_cells *turned,
                                        const clspi_cells *cells, const clspi_parallel *threads);
clspi_mesh_status clspi_alike_tetrahedra(clspi_tetra_mesh *mesh, clspi_turned_cells *turned,
                                         const clspi_cells *cells, const clspi_parallel *threads);

void clspi_tetra_mesh_release(clspi_tetra_mesh *mesh);

clspi_incidence clspi_tetra_incidence(const clspi_tetra_mesh *mesh);

/* Makes the mesh of hexahedra as clspi_poly_hexahedra does. */
bool clspi_tetra_hexahedra(clspi_cell_mesh *cells, const clspi_tetra_mesh *mesh,
                           const clspi_parallel *threads);

#endif
