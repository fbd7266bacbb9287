/* Blocks of regular cells, which share their control points. */
#ifndef CLSPI_CELL_BLOCKS_H
#define CLSPI_CELL_BLOCKS_H

#include "cell_ring.h"
#include "cell_spans.h"

enum {
    CLSPI_BLOCK_CELLS = 8,
    CLSPI_BLOCK_POINTS = 256,                  /* at most */
    CLSPI_BLOCK_WORDS = 3 + CLSPI_BLOCK_CELLS, /* where its points begin, how many, its pattern;
                                                  its cells, CLSPI_NO_CELL where there are fewer */
    CLSPI_PATTERN = CLSPI_BLOCK_CELLS * CLSPI_GRID_POINTS, /* places of cells' points among those of
                                                              the block */
    CLSPI_SIBLINGS = 0 /* the number of the pattern of cells that lie as the children of a cell do,
                          each in its place: their points are a lattice (cell_ring.h) */
};

typedef struct clspi_cell_blocks {
    size_t num, room;
    uint32_t *words; /* [num][CLSPI_BLOCK_WORDS], by their first cells */
    size_t num_points, point_room;
    uint32_t *points; /* NULL: those of a plan that has them on its device alone */
    size_t num_patterns, pattern_room;
    uint8_t *patterns;      /* [num_patterns][CLSPI_PATTERN] */
    clspi_cell_spans spans; /* once all blocks are there */
} clspi_cell_blocks;

/* Blocks being made. */
typedef struct clspi_block_maker clspi_block_maker;

/* Begins with none; NULL without memory. blocks: all 0, to be released whatever happens. */
clspi_block_maker *clspi_block_maker_create(clspi_cell_blocks *blocks);
void clspi_block_maker_destroy(clspi_block_maker *maker);

/* Adds up to 8 regular cells with the points of each: as one block, or as several where they have
   many points. False: no memory, or more than 2^32 points. */
bool clspi_block_maker_add(clspi_block_maker *maker, const uint32_t *cells, uint32_t num,
                           const uint32_t (*grid)[CLSPI_GRID_POINTS]);

/* Adds those of some regular cells that lie as the children of a cell do as one block;
   CLSPI_NO_CELL where there is none. Cells whose points fit no lattice with those of cell `first`
   and of others are left out. */
bool clspi_block_maker_add_siblings(clspi_block_maker *maker,
                                    const uint32_t cells[CLSPI_BLOCK_CELLS],
                                    const uint32_t (*grid)[CLSPI_GRID_POINTS], uint32_t first);

/* Adds 8 cells from one on whose points are a lattice. */
bool clspi_block_maker_add_lattice(clspi_block_maker *maker, uint32_t cell,
                                   const uint32_t lattice[CLSPI_LATTICE_POINTS]);

/* Returns 128 bits by which patterns are told apart. */
clspi_key clspi_pattern_key(const uint8_t pattern[CLSPI_PATTERN]);

/* Returns the points of a block, and which of them those of cell j are, [4][4][4]. */
static inline const uint32_t *clspi_cell_block_grid(const clspi_cell_blocks *blocks, size_t block,
                                                    uint32_t j, const uint8_t **grid)
{
    const uint32_t *const words = blocks->words + block * CLSPI_BLOCK_WORDS;

    *grid = blocks->patterns + (size_t)words[2] * CLSPI_PATTERN + (size_t)j * CLSPI_GRID_POINTS;
    return blocks->points + words[0];
}

/* Writes the points of cell j of a block. */
void clspi_cell_block_points(const clspi_cell_blocks *blocks, size_t block, uint32_t j,
                             uint32_t points[CLSPI_GRID_POINTS]);

void clspi_cell_blocks_release(clspi_cell_blocks *blocks);

/* Puts blocks into their order. */
void clspi_cell_blocks_sort(clspi_cell_blocks *blocks);

/* Returns the first and the last one of a block's cells. */
clspi_cell_span clspi_cell_block_span(const uint32_t words[CLSPI_BLOCK_WORDS]);

#endif
