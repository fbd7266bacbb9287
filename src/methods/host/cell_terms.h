/* Points of cells of solids on the host by the published method of an item a point
   (CLSP_SOLID_THREAD; docs/math.md, 19): sums of all their terms, weights of regular cells made for
   each point, in two precisions. A real is what the precision says. */
#ifndef CLSPI_CELL_TERMS_H
#define CLSPI_CELL_TERMS_H

#include "cell_sums.h"

/* Makes the points of a cell, one sum of each, in `out`, [num_u][num_v][num_w][dim] reals. staged:
   as in clspi_cell_sums_f32. */
CLSPI_LEVELS(void, clspi_cell_terms_f32,
             (const clspi_cell_grid *grid, const clspi_cell_sum *cell, void *staged, void *out));
#define clspi_cell_terms_f32 CLSPI_AT_LEVEL(clspi_cell_terms_f32)
CLSPI_LEVELS(void, clspi_cell_terms_f64,
             (const clspi_cell_grid *grid, const clspi_cell_sum *cell, void *staged, void *out));
#define clspi_cell_terms_f64 CLSPI_AT_LEVEL(clspi_cell_terms_f64)

#endif
