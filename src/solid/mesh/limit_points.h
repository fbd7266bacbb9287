/* Limits of the vertices of a mesh of hexahedra, in closed form (docs/math.md, 19). */
#ifndef CLSPI_LIMIT_POINTS_H
#define CLSPI_LIMIT_POINTS_H

#include "cell_mesh.h"

/* Takes a term of a limit: that of vertex `to` has the vertex `from`. Weights are as of all of the
   vertex's terms, whose sum is not 1; its own one comes first. */
typedef void clspi_limit_term(void *user, uint32_t to, uint32_t from, double weight);

/* Gives all terms of the limits of vertices under endless subdivision by the tensor rule. False: no
   memory. */
bool clspi_limit_terms(const clspi_cell_mesh *mesh, clspi_limit_term *term, void *user);

/* Computes where the vertices go under endless subdivision by the tensor rule. points, limits:
   [num_vertices][dim]. False: no memory. */
bool clspi_limit_points(double *limits, const double *points, uint32_t dim,
                        const clspi_cell_mesh *mesh);

#endif
