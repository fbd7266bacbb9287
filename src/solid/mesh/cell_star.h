/* The star of a vertex: the cells around it, of one shape, and which of them touch. A small sphere
   around the vertex cuts a triangle out of each cell; edges at the vertex are its corners, and
   faces at the vertex join two triangles, or bound one. */
#ifndef CLSPI_CELL_STAR_H
#define CLSPI_CELL_STAR_H

#include <stddef.h>

#include "cell_shape.h"

#define CLSPI_NO_SLOT UINT32_MAX

/* A cell, and which of its corners is the vertex. */
typedef struct clspi_star_cell {
    uint32_t cell, corner;
} clspi_star_cell;

/* An edge at the vertex. */
typedef struct clspi_star_edge {
    uint32_t vertex;      /* the other end */
    uint32_t first, last; /* slots of the first and the last cell that has it */
    uint32_t cells;
    uint32_t joints; /* faces that two cells share */
    uint32_t number; /* for whoever numbers edges */
} clspi_star_edge;

/* A side of a cell at the vertex. */
typedef struct clspi_star_side {
    uint32_t low, high; /* numbers of the two edges beside it */
    uint32_t far;       /* the vertex across, or the vertex itself */
    uint32_t mate;      /* slot of the same face as another cell has it, or CLSPI_NO_SLOT */
} clspi_star_side;

/* Slot 4 j + i is the edge, and the side, number i of cell j. Cells are given in increasing order.
 */
typedef struct clspi_star {
    const clspi_cell_shape *shape;
    const uint32_t *cell_vertex; /* [cells][corners] */
    const clspi_star_cell *cells;
    uint32_t vertex, num_cells, num_edges, num_joints, num_pieces;
    size_t room;           /* of how many cells */
    size_t mask;           /* of the tables */
    uint32_t *slot_edge;   /* [slots]: number of the edge */
    clspi_star_side *side; /* [slots] */
    clspi_star_edge *edge;
    uint32_t *parent;              /* [cells]: towards that which stands for all joined ones */
    uint32_t *edges_by, *sides_by; /* hashed: number + 1, or 0 */
} clspi_star;

/* Makes room for a star of so many cells. False: no memory. To be released whatever happens. */
bool clspi_star_reserve(clspi_star *star, size_t num_cells);
void clspi_star_release(clspi_star *star);

/* Finds what touches in the star of a vertex, whose cells are given and for which there is room.
   False: a face has three cells. */
bool clspi_star_find(clspi_star *star);

/* Tells whether the cells around the vertex are as around a point of a solid or of its boundary.
   Then those around each of its edges are, too. */
bool clspi_star_is_sound(const clspi_star *star);

#endif
