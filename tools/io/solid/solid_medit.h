/* The edges of MEDIT's files, some of which are ridges. */
#ifndef CLSPLINE_TOOLS_IO_SOLID_MEDIT_H
#define CLSPLINE_TOOLS_IO_SOLID_MEDIT_H

#include "scanner.h"
#include "solid_cells.h"

/* What is kept until all is read. Zero: nothing. */
typedef struct medit_edges {
    uint32_t *edges, *ridges; /* [num_edges][2], [num_ridges], from 1 on */
    size_t num_edges, edge_capacity, num_ridges, ridge_capacity;
} medit_edges;

/* Add an edge between vertices, from 0 on, and the number of one that is a ridge, from 1 on. False
   when memory runs out. */
bool medit_edges_add(medit_edges *e, uint32_t from, uint32_t to);
bool medit_edges_add_ridge(medit_edges *e, uint32_t number);

/* Makes creases of the ridges. False with a message. */
bool medit_edges_mark(const medit_edges *e, solid_cells *cells, scanner *s);

void medit_edges_clear(medit_edges *e);

#endif
