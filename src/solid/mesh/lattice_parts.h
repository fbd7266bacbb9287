/* What devices need of a mesh to refine it and to find its limits: cells by the vertices, edges and
   faces that they have, and what is around edges and vertices (docs/math.md, 19). */
#ifndef CLSPI_LATTICE_PARTS_H
#define CLSPI_LATTICE_PARTS_H

#include "cell_mesh.h"
#include "solid_numbers.clh"

enum {
    CLSPI_LATTICE_MOST_CELLS = 0x3ffffff, /* 2^26 - 1 */
    CLSPI_LATTICE_MOST_FACES = 0x1fffffff /* 2^29 - 1 */
};

/* Words are as cl/solid/lattice.clh has them. */
typedef struct clspi_lattice_parts {
    size_t num_edge_words, num_vertex_words;
    uint32_t *cells;        /* [cells][CELL_WORDS] */
    uint32_t *edge_begin;   /* [edges + 1] */
    uint32_t *edge_list;    /* [num_edge_words]: the cells of edges */
    uint32_t *vertex_begin; /* [vertices + 1] */
    uint32_t *vertex_list;  /* [num_vertex_words]: what is around vertices */
    double *step_weights;   /* [num_vertex_words]: in the vertex of the next mesh */
    double *limit_weights;  /* [num_vertex_words]: in its limit */
} clspi_lattice_parts;

/* Tells whether words can number what a mesh has. */
static inline bool clspi_lattice_has_numbers(const clspi_cell_mesh *mesh)
{
    return mesh->num_cells <= CLSPI_LATTICE_MOST_CELLS &&
           mesh->num_faces <= CLSPI_LATTICE_MOST_FACES;
}

/* Finds the parts of a mesh without creases that fade. To be released whatever happens. False: no
   memory, or more than 2^32 - 1 words around vertices. */
bool clspi_lattice_parts_make(clspi_lattice_parts *parts, const clspi_cell_mesh *mesh);
void clspi_lattice_parts_release(clspi_lattice_parts *parts);

#endif
