/* Whether the cells of a mesh are like each other, and have room. */
#ifndef CLSPI_UNLIKE_CELLS_H
#define CLSPI_UNLIKE_CELLS_H

#include "cell_mesh.h"

/* Tells whether there are more than `most` sorts of cells that are not regular, by how many cells
   there are, and which creases, at the vertices of theirs and of their neighbours. False too where
   there is no memory. */
bool clspi_cells_are_unlike(const clspi_cell_mesh *mesh, size_t most);

/* Tells whether around the vertices of some cell there are more than `most` cells, counted for each
   vertex. False too where there is no memory. */
bool clspi_cells_are_crowded(const clspi_cell_mesh *mesh, uint32_t most);

#endif
