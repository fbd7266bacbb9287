/* Meshes of polyhedral cells as callers give them: checks, and the hexahedral mesh that they are or
   become by one step of subdivision (docs/math.md, 19). */
#ifndef CLSPI_POLY_MESH_H
#define CLSPI_POLY_MESH_H

#include "subdivide.h"

#define CLSPI_SHARPEST 10.0f /* creases of this sharpness and more are kept for good */

enum { /* kinds of cells, by VTK's numbers and orders of vertices */
       CLSPI_TETRAHEDRON = 10,
       CLSPI_HEXAHEDRON = 12,
       CLSPI_WEDGE = 13,
       CLSPI_PYRAMID = 14,
       CLSPI_POLYHEDRON = 42,
       CLSPI_MAX_CELL_FACES = 256,
       CLSPI_DEFECT_MAX = 200
};

/* Cells one after another: the vertices of each, of a polyhedron the number of its faces and for
   each of these the number of its vertices and them, in cyclic order. */
typedef struct clspi_cells {
    size_t num_vertices, num_cells, num_indices;
    const uint8_t *kind;    /* [num_cells]; NULL: hexahedra */
    const uint32_t *index;  /* [num_indices] */
    const uint32_t *crease; /* [num_creases][2]: the ends of boundary edges that stay sharp */
    size_t num_creases;
    const float *sharpness; /* [num_creases]: above 0; those of 10 and more, and all where it is
                               NULL, are kept for good */
    const uint32_t *corner; /* [num_corners]: boundary vertices that stay in place */
    size_t num_corners;
    const double *points; /* [num_vertices][3], or NULL */
    bool orient;          /* cells that are inside out are turned (poly_orient.h) */
} clspi_cells;

/* What is wrong with cells. */
typedef struct clspi_mesh_defect {
    clspi_mesh_status status;
    char text[CLSPI_DEFECT_MAX];
} clspi_mesh_defect;

/* Writes what is wrong, as printf does. Returns CLSPI_MESH_DEFECTIVE. */
clspi_mesh_status clspi_defective(clspi_mesh_defect *defect, const char *format, ...);

typedef struct clspi_poly_mesh {
    uint32_t num_vertices, num_edges, num_faces, num_cells;
    bool is_hexahedral;
    size_t *side_begin;  /* [cells + 1]: sides of cells; each is a face as its cell has it */
    size_t *loop_begin;  /* [sides + 1]: loops of sides */
    uint32_t *loop;      /* vertices of the sides, in cyclic order */
    uint32_t *loop_edge; /* from each of them to the next one */
    uint32_t *side_face;
    size_t *cell_vertex_begin, *cell_edge_begin, *face_begin;
    uint32_t *cell_vertex, *cell_edge, *face_vertex, *face_edge;
    uint32_t *edge_vertex;
    uint8_t *face_flag, *edge_flag, *vertex_flag;
    float *edge_sharpness; /* as of cell_mesh.h */
    uint8_t *is_turned;    /* [cells]: whether a cell was given inside out; NULL: none is turned */
    size_t num_inside_out; /* cells that are, as they were given, */
    size_t num_inside_out_children; /* and those that they become by a step */
} clspi_poly_mesh;

/* Makes the mesh of cells, or says why it is none that can be subdivided to hexahedra: exactly
   three faces of a cell meet in each of its vertices, a face belongs to one or two cells, and the
   cells around each vertex and edge are as around a point of a solid or of its boundary. The same
   whatever threads, which may be NULL, there are. */
clspi_mesh_status clspi_poly_mesh_make(clspi_poly_mesh *mesh, const clspi_cells *cells,
                                       const clspi_parallel *threads, clspi_mesh_defect *defect);
void clspi_poly_mesh_release(clspi_poly_mesh *mesh);

clspi_incidence clspi_poly_incidence(const clspi_poly_mesh *mesh);

/* Makes the mesh of hexahedra: the cells where they all are, else those after one step, whose
   vertices clspi_subdivide computes. Children of a cell are in the order of its vertices as they
   first stand in its sides. threads may be NULL. False: no memory, or more than CLSPI_MAX_CELLS of
   anything. */
bool clspi_poly_hexahedra(clspi_cell_mesh *cells, const clspi_poly_mesh *mesh,
                          const clspi_parallel *threads);

#endif
