/* One step of Catmull-Clark subdivision of points over any mesh of cells (docs/math.md, 19). */
#ifndef CLSPI_SUBDIVIDE_H
#define CLSPI_SUBDIVIDE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell_mesh.h"

/* The rule of vertices within the solid. */
typedef enum clspi_vertex_rule {
    CLSPI_RULE_TENSOR, /* a tensor product along extraordinary edges too */
    CLSPI_RULE_JOY     /* Joy and MacCracken's, the same weights at every valence */
} clspi_vertex_rule;

/* Lists one after another: list i is item[begin[i]] .. item[begin[i + 1] - 1]; begin NULL: each
   has `each` items. */
typedef struct clspi_lists {
    const size_t *begin;
    uint32_t each;
    const uint32_t *item;
} clspi_lists;

static inline size_t clspi_list_begin(const clspi_lists *lists, size_t i)
{
    return lists->begin ? lists->begin[i] : i * lists->each;
}

/* Which vertices, edges and faces belong to which face and cell; flags as of cell_mesh.h. */
typedef struct clspi_incidence {
    size_t num_vertices, num_edges, num_faces, num_cells;
    clspi_lists cell_vertices, cell_edges, cell_faces, face_vertices, face_edges;
    const uint32_t *edge_vertex; /* [num_edges][2] */
    const uint8_t *face_flag, *edge_flag, *vertex_flag;
    const float *edge_sharpness; /* as of cell_mesh.h */
} clspi_incidence;

/* Returns the sharpness of an edge, if it is a crease. */
static inline float clspi_sharpness(const clspi_incidence *mesh, size_t edge)
{
    return mesh->edge_sharpness ? mesh->edge_sharpness[edge] : INFINITY;
}

clspi_incidence clspi_incidence_of(const clspi_cell_mesh *mesh);

/* Computes the points of the next mesh, those of old vertices, edges, faces and cells, from
   points: [num_vertices][dim]. Their sum of weights is 1. False: no memory. */
bool clspi_subdivide(double *fine, const double *points, uint32_t dim, const clspi_incidence *mesh,
                     clspi_vertex_rule rule);

#endif
