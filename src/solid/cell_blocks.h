/* Blocks of regular cells, which share their control points. */
#ifndef CLSPI_CELL_BLOCKS_H
#define CLSPI_CELL_BLOCKS_H

#include "cell_points.h"

enum {
    CLSPI_BLOCK_CELLS = 8,
    CLSPI_BLOCK_POINTS = 256,                  /* at most */
    CLSPI_BLOCK_WORDS = 3 + CLSPI_BLOCK_CELLS, /* where its points begin, how many, its pattern;
                                                  its cells, CLSPI_NO_CELL where there are fewer */
    CLSPI_PATTERN = CLSPI_BLOCK_CELLS * CLSPI_GRID_POINTS /* places of cells' points among those of
                                                             the block */
};

typedef struct clspi_cell_blocks {
    size_t num, room;
    uint32_t *words; /* [num][CLSPI_BLOCK_WORDS], by the numbers of cells */
    size_t num_points, point_room;
    uint32_t *points;
    size_t num_patterns, pattern_room;
    uint8_t *patterns; /* [num_patterns][CLSPI_PATTERN] */
} clspi_cell_blocks;

/* Makes the blocks: of the regular ones among each 8 cells, numbers from 8 b to 8 b + 7, one, or
   two where they have many points. Such are the children of a cell. False: no memory, or more than
   2^32 points. */
bool clspi_cell_blocks_make(clspi_cell_blocks *blocks, const clspi_cell_points *points);
void clspi_cell_blocks_release(clspi_cell_blocks *blocks);

/* Returns the number of the first block that has a cell of this number or above. */
size_t clspi_cell_block_find(const clspi_cell_blocks *blocks, size_t cell);

#endif
