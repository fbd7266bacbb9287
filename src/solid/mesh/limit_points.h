/* Limits of the vertices of a mesh of hexahedra, in closed form (docs/math.md, 19). */
#ifndef CLSPI_LIMIT_POINTS_H
#define CLSPI_LIMIT_POINTS_H

#include "cell_mesh.h"

/* The weights of what is around a vertex in its limit, whose sum is not 1: of itself, of the other
   ends of edges and the points across faces that have all of these flags, and across cells. */
typedef struct clspi_limit_rule {
    double self, edge, face, cell;
    uint8_t edge_flags, face_flags;
    bool by_valence;     /* an edge's is n^2, n the faces at it */
    uint32_t dart_faces; /* of a dart, where one crease ends: of the boundary; all weights are 0 */
} clspi_limit_rule;

typedef struct clspi_limit_rules {
    clspi_limit_rule *vertex; /* [vertices] */
    uint32_t *edge_faces;     /* [edges]: n */
} clspi_limit_rules;

/* Finds the rules of all vertices. To be released whatever happens; false: no memory. */
bool clspi_limit_rules_make(clspi_limit_rules *rules, const clspi_cell_mesh *mesh);
void clspi_limit_rules_release(clspi_limit_rules *rules);

/* Return the weight of the other end of an edge, and of the point across a face. */
double clspi_limit_of_edge(const clspi_limit_rules *rules, const clspi_cell_mesh *mesh,
                           uint32_t vertex, uint32_t edge);
double clspi_limit_of_face(const clspi_limit_rules *rules, const clspi_cell_mesh *mesh,
                           uint32_t vertex, uint32_t face);

/* Takes a term of a limit: that of vertex `to` has the vertex `from`. */
typedef void clspi_limit_term(void *user, uint32_t to, uint32_t from, double weight);

/* Gives the terms of the limits of all darts, the dart's own first. False: no memory. */
bool clspi_limit_darts(const clspi_limit_rules *rules, const clspi_cell_mesh *mesh,
                       clspi_limit_term *term, void *user);

/* Computes where the vertices go under endless subdivision by the tensor rule. points, limits:
   [num_vertices][dim]. False: no memory. */
bool clspi_limit_points(double *limits, const double *points, uint32_t dim,
                        const clspi_cell_mesh *mesh);

#endif
