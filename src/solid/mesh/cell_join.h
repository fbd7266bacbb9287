/* Edges and faces of cells of one shape, and which cells touch there. */
#ifndef CLSPI_CELL_JOIN_H
#define CLSPI_CELL_JOIN_H

#include "cell_mesh.h"
#include "cell_shape.h"

/* What stands in `across` besides the cell: both cells' sides run the same way, seen from outside
   each, so that one of the two is inside out. Not in CLSPI_NO_CELL. */
#define CLSPI_ALIKE 0x80000000u

static inline bool clspi_runs_alike(uint32_t across)
{
    return across != CLSPI_NO_CELL && across & CLSPI_ALIKE;
}

static inline uint32_t clspi_cell_across(uint32_t across)
{
    return across == CLSPI_NO_CELL ? across : across & ~CLSPI_ALIKE;
}

/* Makes edges and faces of the cells of a mesh, whose arrays of cells and vertices are there, and
   numbers them by the cells in which they first appear. Flags are as without creases and corners.
   Frames are left alone, `across` has CLSPI_ALIKE. check: the cells must be a solid, of which no
   two are the same, and each vertex must have some. Defective: they are not, or a face has more
   than two cells; what is wrong is not told. threads may be NULL. */
clspi_mesh_status clspi_join_cells(clspi_cell_mesh *mesh, const clspi_cell_shape *shape, bool check,
                                   const clspi_parallel *threads);

#endif
