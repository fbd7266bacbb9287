/* Tiles of cells that lie as the children of a cell do, found in meshes that no refinement made. */
#ifndef CLSPI_CELL_TILES_H
#define CLSPI_CELL_TILES_H

#include "cell_mesh.h"
#include "key_map.h"

/* Up to 8 cells, each in the corner that it has of them together; CLSPI_NO_CELL where there is
   none. */
typedef struct clspi_cell_tile {
    uint32_t cells[CLSPI_CORNERS];
    uint32_t first; /* the corner of the cell that was met first */
} clspi_cell_tile;

/* Cells first .. end - 1 of a mesh, some of which are left to be put into tiles. */
typedef struct clspi_cell_tiles {
    const clspi_cell_mesh *mesh;
    uint32_t first, end;
    bool *left; /* [end - first]: for the caller to set, and to clear once a cell is in a tile */
    uint32_t *walk, *stamp, now; /* cells in the order in which a walk met them, and its number */
    int32_t (*at)[3];            /* where cells are, counted from where their walk begins */
    uint32_t num_walk;
    clspi_key_map map;
    clspi_cell_tile *tile;
    uint32_t num;
} clspi_cell_tiles;

/* Begins with no cell left; to be released whatever happens. False: no memory. */
bool clspi_cell_tiles_make(clspi_cell_tiles *tiles, const clspi_cell_mesh *mesh, uint32_t first,
                           uint32_t end);
void clspi_cell_tiles_release(clspi_cell_tiles *tiles);

/* Goes from a cell that is left to all that hang together with it and are not turned, and finds few
   tiles for them: tile[0 .. num - 1]. The cell is the first one of its tile; where a walk around
   something comes back to other numbers some cells may be in none. False: no memory. */
bool clspi_cell_tiles_find(clspi_cell_tiles *tiles, uint32_t cell);

#endif
