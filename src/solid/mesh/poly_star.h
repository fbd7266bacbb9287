/* Checks of what is around the vertices and edges of a mesh of polyhedra. */
#ifndef CLSPI_POLY_STAR_H
#define CLSPI_POLY_STAR_H

#include "poly_mesh.h"

/* Writes what is wrong, as printf does. Returns CLSPI_MESH_DEFECTIVE. */
clspi_mesh_status clspi_defective(clspi_mesh_defect *defect, const char *format, ...);

/* Checks that the cells around each vertex and edge hang together by faces, once around or from one
   side of the boundary to the other. */
clspi_mesh_status clspi_poly_check_stars(const clspi_poly_mesh *mesh, clspi_mesh_defect *defect);

#endif
