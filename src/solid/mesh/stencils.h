/* The points of the next mesh as sums of the points of a mesh, for devices (docs/math.md, 19). */
#ifndef CLSPI_STENCILS_H
#define CLSPI_STENCILS_H

#include "subdivide.h"

enum { CLSPI_STENCIL_SLICE = 32 };

/* A stencil for each vertex of the next mesh. They stand in slices of 32 of about the same length,
   the longest first, so that term k of neighbours is side by side: of stencil i, index[(begin[s] +
   k) * 32 + i % 32] with s = i / 32. One with fewer terms than its slice has its first one again.
   Terms are sorted by weight, the largest first; all have a sum of 1. Stencils of the same weights
   share them. */
typedef struct clspi_stencils {
    size_t num, num_slices;
    size_t num_rows;        /* of 32 indices */
    uint32_t *begin;        /* [num_slices + 1]: rows */
    uint32_t *index;        /* [num_rows][32]: vertices */
    uint32_t *target;       /* [num]: the vertex of the next mesh that a stencil makes */
    uint32_t *weight_begin; /* [num]: where its weights begin */
    size_t num_weights, most_terms;
    double *weights; /* [num_weights + most_terms]: the last ones are 0, for terms that repeat */
} clspi_stencils;

/* Makes the stencils of a step, of a mesh whose next one has at most 2^31 - 1 vertices. To be
   released whatever happens. False: no memory, or more than 2^32 rows or weights. */
bool clspi_stencils_make(clspi_stencils *stencils, const clspi_incidence *mesh,
                         clspi_vertex_rule rule);
void clspi_stencils_release(clspi_stencils *stencils);

#endif
