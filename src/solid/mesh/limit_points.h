/* Limits of the vertices of a mesh of hexahedra, in closed form (docs/math.md, 19). */
#ifndef CLSPI_LIMIT_POINTS_H
#define CLSPI_LIMIT_POINTS_H

#include "cell_mesh.h"

/* Computes where the vertices go under endless subdivision by the tensor rule. points, limits:
   [num_vertices][dim]. False: no memory. */
bool clspi_limit_points(double *limits, const double *points, uint32_t dim,
                        const clspi_cell_mesh *mesh);

#endif
