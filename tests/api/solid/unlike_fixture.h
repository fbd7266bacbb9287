/* Refined tetrahedra, whose cells are as unlike as those of generators' meshes. */
#ifndef UNLIKE_FIXTURE_H
#define UNLIKE_FIXTURE_H

#include "solid_fixture.h"

/* Makes so many tetrahedra around an edge, 3 to 12, refined. */
model unlike_around_edge(uint32_t sides);

/* Splits a tetrahedron at its middle, and so many of what comes of it, up to 64: refined, cells of
   which hardly two are alike. */
model unlike_split(uint32_t splits);

#endif
