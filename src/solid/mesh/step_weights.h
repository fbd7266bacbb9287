/* The weights of a step of subdivision (docs/math.md, 19): of the points of cells, the middles of
   faces and edges, and a vertex itself in the points of edges and vertices. */
#ifndef CLSPI_STEP_WEIGHTS_H
#define CLSPI_STEP_WEIGHTS_H

#include "subdivide.h"

/* The weights of a vertex: of each cell's and face's middle and each edge's at it, and of itself.
   Of faces those with all flags of `face_flags` count, of edges too. Where rules are blended,
   creases that are sharper than `above` have the weight `crease` beside. */
typedef struct clspi_vertex_weights {
    double cell, face, edge, self, crease;
    float above;
    uint8_t face_flags, edge_flags;
    bool by_valence; /* edge times n (n - 3) */
} clspi_vertex_weights;

/* The weights of an edge's point: of its middle, and of those of each face, with all flags of
   `face_flags`, and cell at it. */
typedef struct clspi_edge_weights {
    double middle, face, cell;
    uint8_t face_flags;
} clspi_edge_weights;

/* The weights of a step of a mesh. */
typedef struct clspi_step_weights {
    uint32_t *edge_faces;         /* [edges]: n */
    clspi_vertex_weights *vertex; /* [vertices] */
} clspi_step_weights;

/* Finds the weights of all vertices. To be released whatever happens; false: no memory. */
bool clspi_step_weights_make(clspi_step_weights *weights, const clspi_incidence *mesh,
                             clspi_vertex_rule rule);
void clspi_step_weights_release(clspi_step_weights *weights);

/* Returns the weights of an edge's point. */
clspi_edge_weights clspi_edge_weights_of(const clspi_step_weights *weights,
                                         const clspi_incidence *mesh, size_t edge);

/* Returns the weight of an edge's middle in the point of a vertex at its end. */
double clspi_middle_weight(const clspi_step_weights *weights, const clspi_incidence *mesh,
                           size_t vertex, size_t edge);

#endif
