/* What some cells of a mesh depend on, found by itself: rings, blocks and points have numbers of
   their own until all cells' are put together (cell_points.h). */
#ifndef CLSPI_CELL_SEARCH_H
#define CLSPI_CELL_SEARCH_H

#include "cell_blocks.h"
#include "cell_class.h"

/* The numbers of rings, patterns and continued points are those of the search, in the order in
   which they were met. */
typedef struct clspi_cell_search {
    const clspi_cell_mesh *mesh;
    uint32_t first, end; /* cells */
    clspi_key_map continued;
    clspi_cell_blocks blocks;
    clspi_key_map rings;
    uint32_t *ring_cell; /* [num_rings]: the first cell with each */
    size_t num_rings, ring_room;
    size_t num_index, index_room;
    uint32_t *index;  /* points of cells that are not regular, as their rings were met */
    clspi_ring *ring; /* NULL: none was met */
    bool too_large;   /* a ring had no room, */
    uint32_t cell;    /* that of this cell */
    /* their numbers among those of all cells, and where blocks and points begin there */
    uint32_t *all_continued, *all_patterns, *all_rings;
    size_t first_block, first_point, first_index;
} clspi_cell_search;

/* Finds rings, blocks and points of cells first .. end - 1, first being a multiple of 8. use[c]
   becomes CLSPI_REGULAR, or the number of the cell's ring; place[c] as of cell_points.h. The search
   begins as all 0 and is to be released whatever happens. False: no memory, or too_large. */
bool clspi_cell_search_run(clspi_cell_search *search, clspi_class_use *use, uint32_t *place);
void clspi_cell_search_release(clspi_cell_search *search);

#endif
