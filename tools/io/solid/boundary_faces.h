/* The boundary of cells: faces that one cell alone has, and its sharp edges. */
#ifndef CLSPLINE_TOOLS_IO_BOUNDARY_FACES_H
#define CLSPLINE_TOOLS_IO_BOUNDARY_FACES_H

#include "solid_cells.h"

typedef struct boundary_faces {
    size_t num;
    size_t *ends;     /* [num]: where the corners of each face end */
    uint32_t *corner; /* vertices in cyclic order, as the cell has them: outward in VTK's cells */
    uint32_t *cell;   /* [num] */
    uint8_t *side;    /* [num]: which face of its cell; of hexahedra 0 to 5 are w = 0, w = 1, v = 0,
                         u = 1, v = 1, u = 0 */
} boundary_faces;

/* Finds the boundary of sound cells; kinds NULL: hexahedra. False when memory runs out. */
bool boundary_faces_find(boundary_faces *b, const solid_cells *cells);

/* Adds the edges to the cells' creases whose two faces' normals are more than an angle, in degrees,
   apart. False when memory runs out. */
bool boundary_faces_crease(const boundary_faces *b, solid_cells *cells, double angle);

/* Adds the cells' lines that are edges of the boundary to the creases, and counts the others. False
   when memory runs out. */
bool boundary_faces_lines(const boundary_faces *b, solid_cells *cells, size_t *num_others);

/* Numbers the edges of the boundary: edge[i] is that from corner i to the next one of its face, and
   two faces share one. Returns the numbers, [as many as corners], which the caller frees, or NULL
   when memory runs out. */
uint32_t *boundary_faces_edges(const boundary_faces *b, uint32_t *num_edges);

/* Finds which faces to turn around so that all that hang together look to the same side, that of
   most of them. flips: [num]. False when memory runs out. */
bool boundary_faces_orient(const boundary_faces *b, const uint32_t *edges, uint32_t num_edges,
                           bool *flips);

void boundary_faces_clear(boundary_faces *b);

#endif
