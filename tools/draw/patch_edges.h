/* The edges of a mesh's patches, as lines between its vertices. */
#ifndef CLSPLINE_TOOLS_DRAW_PATCH_EDGES_H
#define CLSPLINE_TOOLS_DRAW_PATCH_EDGES_H

#include "mesh.h"

/* Lists the lines around each grid that is no curve, and around each face that is on no grid, or
   around each piece of such faces: [*num][2] vertices, which the caller frees. NULL when memory
   runs out. */
uint32_t *patch_edges(const mesh *m, size_t *num);

#endif
