/* Where the vertices of a model are written: in host memory, or in a buffer of graphics, where the
   host does not see them. */
#ifndef CLSPLINE_TOOLS_VERTEX_TARGET_H
#define CLSPLINE_TOOLS_VERTEX_TARGET_H

#include <clspline/clspline.h>

#include "view_mesh.h"

typedef struct vertex_target {
    float *host;             /* [num_vertices][VIEW_STRIDE]; NULL: */
    clsp_graphics *graphics; /* as many */
} vertex_target;

/* Makes the output of so many vertices, from one on. */
clsp_output vertex_target_output(const vertex_target *t, size_t first, size_t count);

#endif
