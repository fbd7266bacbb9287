/* Control points of all cells of a mesh, by which limits are sums, and the limits themselves. */
#ifndef CLSPI_CELL_POINTS_H
#define CLSPI_CELL_POINTS_H

#include "cell_blocks.h"
#include "cell_class.h"

/* Points 0 .. num_vertices - 1 are the mesh's vertices. Those behind them continue it beyond its
   boundary: number num_vertices + i is 2 a - b of two points that come before it, which are the
   i-th key of `continued`. */
typedef struct clspi_cell_points {
    uint32_t num_cells, num_vertices;
    clspi_key_map continued;
    clspi_class_use *use; /* [num_cells] */
    uint32_t *place; /* [num_cells]: of a regular cell 8 times its block and its place there; of
                        others where their points begin in the index */
    clspi_cell_blocks blocks; /* of regular ones, which are neighbours where possible */
    size_t num_index;
    uint32_t *index; /* points of other cells in the order of their class, seen in its frame */
} clspi_cell_points;

/* Finds classes and points of all cells, and builds the classes; the same whatever threads, which
   may be NULL, there are. False: no memory, or a ring that is too large (set->too_large). */
bool clspi_cell_points_make(clspi_cell_points *points, clspi_class_set *set,
                            const clspi_cell_mesh *mesh, const clspi_parallel *threads);
void clspi_cell_points_release(clspi_cell_points *points);

/* Returns the number of the point 2 a - b, a new one where it is new; CLSPI_NO_KEY without memory.
 */
uint32_t clspi_continued_point(clspi_cell_points *points, uint32_t a, uint32_t b);

/* Counts vertices and continued points. */
static inline size_t clspi_num_points(const clspi_cell_points *points)
{
    return (size_t)points->num_vertices + points->continued.num;
}

/* Returns the two points that point num_vertices + i, a continued one, is extrapolated from. */
static inline uint32_t clspi_continued_from(const clspi_cell_points *points, size_t i, uint32_t k)
{
    const uint64_t both = points->continued.key[i].a;

    return (uint32_t)(k == 0 ? both >> 32 : both);
}

/* Writes a cell's points and returns how many there are: of a regular cell its grid, [4][4][4].
   numbers: [CLSPI_RING_POINTS]. */
uint32_t clspi_cell_points_of(const clspi_cell_points *points, const clspi_class_set *set,
                              uint32_t cell, uint32_t *numbers);

/* Returns the points of a regular cell's block, and which of them are its own, [4][4][4]. */
static inline const uint32_t *clspi_regular_points(const clspi_cell_points *points, uint32_t cell,
                                                   const uint8_t **grid)
{
    const uint32_t place = points->place[cell];

    return clspi_cell_block_grid(&points->blocks, place / CLSPI_BLOCK_CELLS,
                                 place % CLSPI_BLOCK_CELLS, grid);
}

/* Returns the first point of a regular cell whose block is a lattice, in which others follow; else
   NULL. */
static inline const uint32_t *clspi_lattice_points(const clspi_cell_points *points, uint32_t cell)
{
    const uint32_t place = points->place[cell];
    const uint32_t *const words =
        points->blocks.words + (size_t)(place / CLSPI_BLOCK_CELLS) * CLSPI_BLOCK_WORDS;
    const uint8_t *grid;
    const uint32_t *const all = clspi_regular_points(points, cell, &grid);

    return words[2] == CLSPI_SIBLINGS ? all + grid[0] : NULL;
}

/* Computes the weights of a cell's points at t, in its own directions: as many as it has
   points. */
void clspi_cell_weights(const clspi_cell_points *points, const clspi_class_set *set, uint32_t cell,
                        const double t[3], const uint8_t by[3], double *row);

#endif
