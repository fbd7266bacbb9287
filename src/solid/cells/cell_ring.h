/* What the limit of one cell depends on: the cells that touch it, and their vertices. */
#ifndef CLSPI_CELL_RING_H
#define CLSPI_CELL_RING_H

#include "cell_mesh.h"
#include "key_map.h"

enum {
    CLSPI_RING_CELLS = 512, /* cells that touch one, itself included */
    CLSPI_RING_POINTS = 2048,
    CLSPI_RING_CELL_WORDS = CLSPI_CORNERS + 2, /* of a signature */
    CLSPI_RING_WORDS = 3 + CLSPI_RING_CELLS * CLSPI_RING_CELL_WORDS,
    CLSPI_GRID_POINTS = 64,
    CLSPI_LATTICE_SIDE = 5, /* of the points around 2 x 2 x 2 cells */
    CLSPI_LATTICE_POINTS = 125
};

/* That a vertex, or cell, is in a ring, and its number there. */
typedef struct clspi_ring_mark {
    uint32_t stamp, item, number;
} clspi_ring_mark;

/* The ring of a cell, seen in a frame: numbers of points in the order in which they are met when
   the cells are gone through, from each over those of its faces, in order, that touch the first
   one. That is number 0 and its corners are points 0 to 7. The signature says all that rules of
   subdivision ask of a ring: the number of cells, that of points, the corners of the cell that stay
   in place, and for each cell its points, its boundary faces and its creases, of those that touch
   the cell. */
typedef struct clspi_ring {
    uint32_t num_cells, num_points;
    uint32_t cell[CLSPI_RING_CELLS];
    uint8_t frame[CLSPI_RING_CELLS];
    uint32_t point[CLSPI_RING_POINTS]; /* vertices */
    uint16_t signature[CLSPI_RING_WORDS];
    uint32_t stamp; /* of this walk; marks with another one are free */
    clspi_ring_mark point_mark[2 * CLSPI_RING_POINTS], cell_mark[2 * CLSPI_RING_CELLS]; /* hashed */
} clspi_ring;

/* Goes through the ring of a cell. A ring begins as all 0. False: it has more cells or points than
   there is room for. */
bool clspi_ring_walk(clspi_ring *ring, const clspi_cell_mesh *mesh, uint32_t cell, uint32_t frame);

static inline size_t clspi_ring_words(const uint16_t *signature)
{
    return 3 + (size_t)signature[0] * CLSPI_RING_CELL_WORDS;
}

/* Returns 128 bits by which signatures are told apart. */
clspi_key clspi_ring_key(const uint16_t *signature);

/* Counts the cells of a ring that have both of two corners of its cell, as seen in the frame of the
   walk, or one corner twice. */
void clspi_ring_count(const clspi_ring *ring, uint16_t around[CLSPI_CORNERS][CLSPI_CORNERS]);

/* Finds the 4 x 4 x 4 vertices around a regular cell, the last axis fastest; CLSPI_NO_CELL beyond
   the boundary. */
void clspi_regular_grid(const clspi_cell_mesh *mesh, uint32_t cell,
                        uint32_t grid[CLSPI_GRID_POINTS]);

/* Continues the points of such a grid, [64][dim], beyond the boundary. is_there: which there are,
   and then all. */
void clspi_continue_grid(double *points, bool *is_there, uint32_t dim);

/* Tells whether the 8 cells from one on lie as the children of a cell do. */
bool clspi_are_siblings(const clspi_cell_mesh *mesh, uint32_t cell);

/* Finds the 5 x 5 x 5 vertices around 8 regular cells that do, in the same way. */
void clspi_regular_lattice(const clspi_cell_mesh *mesh, uint32_t cell,
                           uint32_t lattice[CLSPI_LATTICE_POINTS]);

#endif
