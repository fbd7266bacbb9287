/* Solids that methods without classes are tried on: irregular edges of every kind, and refined
   tetrahedra, whose cells are as unlike as those of generators' meshes. */
#ifndef UNLIKE_FIXTURE_H
#define UNLIKE_FIXTURE_H

#include "solid_fixture.h"

/* Makes so many tetrahedra around an edge, 3 to 12, refined. */
model unlike_around_edge(uint32_t sides);

/* Splits a tetrahedron at its middle, and so many of what comes of it, up to 64: refined, cells of
   which hardly two are alike. */
model unlike_split(uint32_t splits);

typedef void unlike_check(const model *m);

/* Check prisms of 3 to 6 sectors, some of them by `step`, smooth and creased; boxes, whose edges
   have one cell, smooth, creased at all edges and at some, with darts, of so many coordinates each;
   and tetrahedra around an edge, 3 to 8 by `step`. */
void unlike_prisms(unlike_check *check, uint32_t step);
void unlike_boxes(unlike_check *check, const uint32_t dim[3]);
void unlike_edges(unlike_check *check, uint32_t step);

#endif
