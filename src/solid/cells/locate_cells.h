/* The cells of a solid and the tree of their boxes: the inner part of solid_locate.h. */
#ifndef CLSPI_LOCATE_CELLS_H
#define CLSPI_LOCATE_CELLS_H

#include <stdatomic.h>

#include "locate_stars.h"
#include "solid_locate.h"
#include "surface_parts.h"

/* By how much of the largest |coordinate| of a cell's control points a point may be off the cell
   and be found in it: what the evaluation of the cell may be off by. */
#define CLSPI_PLACE_F32 3e-7
#define CLSPI_PLACE_F64 2e-12

typedef struct clspi_located_cell {
    clspi_cell_units units;
    double tolerance; /* in its units; negative: it is left out */
    clspi_cell_wrap wrap;
} clspi_located_cell;

enum { CLSPI_LOCATE_KEPT = 16 /* threads whose parts are kept between calls */ };

struct clspi_solid_locate {
    clspi_locate_source source;
    clspi_star_mesh stars; /* the source's, with points of their own */
    size_t num_cells;
    clspi_located_cell *cells;
    clspi_surface_parts
        tree; /* nodes alone; what they are around are numbers of cells, as leaves */
    uint32_t root;
    double most;  /* the largest |coordinate| of a control point, shrunk */
    double scale; /* a power of two by which the tree's coordinates are multiplied: about 1 */
    _Atomic(clspi_locate_nodes *) *kept; /* [CLSPI_LOCATE_KEPT]: parts that no thread uses; NULL */
};

#endif
