/* Which cells of a mesh of one shape are inside out. */
#ifndef CLSPI_CELL_TURNS_H
#define CLSPI_CELL_TURNS_H

#include "cell_join.h"

/* Finds which cells are inside out as poly_orient.h does: is_turned, [cells], is 0 or 1, and *num
   counts them. points may be NULL. Defective: some cannot be turned alike. */
clspi_mesh_status clspi_find_turned(uint8_t *is_turned, size_t *num, const clspi_cell_mesh *mesh,
                                    const clspi_cell_shape *shape, const double *points);

#endif
