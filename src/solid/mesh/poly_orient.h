/* Which cells of a mesh are inside out. */
#ifndef CLSPI_POLY_ORIENT_H
#define CLSPI_POLY_ORIENT_H

#include "poly_mesh.h"

/* Counts the cells that are inside out, of the kinds that have an order of vertices: cells that
   hang together by faces are to be turned alike, and so that their volume is positive; without
   points, which may be NULL, or volume, as most of them are. mesh->num_inside_out and
   num_inside_out_children receive the numbers. With `turn` these cells are turned, and sides of
   polyhedra run outward. Cells that cannot be turned alike are none of a solid: `turn` finds them
   defective. */
clspi_mesh_status clspi_poly_orient(clspi_poly_mesh *mesh, const clspi_cells *cells,
                                    clspi_mesh_defect *defect);

#endif
