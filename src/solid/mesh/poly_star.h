/* Checks of what is around the vertices and edges of a mesh of polyhedra. */
#ifndef CLSPI_POLY_STAR_H
#define CLSPI_POLY_STAR_H

#include "poly_mesh.h"

/* Checks Euler's numbers of what cells, faces and edges cut out of a small sphere around each
   vertex: 2 of all of it, 1 of a disc of it. */
clspi_mesh_status clspi_poly_check_spheres(const clspi_poly_mesh *mesh, clspi_mesh_defect *defect);

/* Check that the cells around each vertex, and edge, hang together by faces: once around, or from
   one side of the boundary to the other. */
clspi_mesh_status clspi_poly_check_vertices(const clspi_poly_mesh *mesh, clspi_mesh_defect *defect);
clspi_mesh_status clspi_poly_check_edges(const clspi_poly_mesh *mesh, clspi_mesh_defect *defect);

#endif
