/* Vertices, edges and faces of the cells of a mesh of polyhedra, found from their sides. */
#ifndef CLSPI_POLY_PARTS_H
#define CLSPI_POLY_PARTS_H

#include "poly_mesh.h"

/* Lists the vertices and edges of all cells, checks that each is closed and has three sides at each
   vertex, and numbers edges in the order in which they first appear. */
clspi_mesh_status clspi_poly_find_edges(clspi_poly_mesh *mesh, const clspi_parallel *threads,
                                        clspi_mesh_defect *defect);

/* Numbers the faces in the order in which they first appear, of which they have the loops. */
clspi_mesh_status clspi_poly_find_faces(clspi_poly_mesh *mesh, const clspi_parallel *threads,
                                        clspi_mesh_defect *defect);

#endif
