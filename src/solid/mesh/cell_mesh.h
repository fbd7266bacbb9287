/* Meshes of hexahedral cells: who touches whom, and refinement by formula (docs/math.md, 19). */
#ifndef CLSPI_CELL_MESH_H
#define CLSPI_CELL_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell_frame.h"
#include "cell_shape.h"
#include "in_parallel.h"

#define CLSPI_NO_CELL UINT32_MAX

enum { /* flags */
       CLSPI_BOUNDARY = 1,
       CLSPI_CREASE = 2,    /* of edges: kept sharp */
       CLSPI_CORNER = 4,    /* of vertices: kept in place */
       CLSPI_IRREGULAR = 8, /* of edges and vertices: cells around them are no grid */
       CLSPI_MAX_CELLS = 0x7fffffff
};

/* Corners, edges and faces of cells are numbered as in cell_frame.h. A face's vertices are in
   cyclic order, and its edge i is that from its vertex i to the next one. */
typedef struct clspi_cell_mesh {
    uint32_t num_vertices, num_edges, num_faces, num_cells;
    uint32_t *cell_vertex; /* [cells][8] */
    uint32_t *cell_edge;   /* [cells][12] */
    uint32_t *cell_face;   /* [cells][6] */
    uint32_t *across;      /* [cells][6]: the cell beyond each face, or CLSPI_NO_CELL */
    uint8_t *frame;        /* [cells][6]: in which that cell looks as this one continued */
    uint32_t *face_vertex; /* [faces][4] */
    uint32_t *face_edge;   /* [faces][4] */
    uint8_t *face_flag;    /* [faces] */
    uint32_t *edge_vertex; /* [edges][2] */
    uint8_t *edge_flag;    /* [edges] */
    float *edge_sharpness; /* [edges]: of creases; NULL: all are kept for good */
    uint8_t *vertex_flag;  /* [vertices] */
} clspi_cell_mesh;

typedef enum clspi_mesh_status {
    CLSPI_MESH_SOUND,
    CLSPI_MESH_DEFECTIVE,
    CLSPI_MESH_NO_MEMORY
} clspi_mesh_status;

/* Makes the mesh of cells that are sound (poly_mesh.h): [num_cells][8] vertices each, copied. Faces
   with one cell are boundary faces. Edges and faces are numbered by the cells in which they first
   appear, and an edge runs as its last cell has it. Flags are as without creases and corners.
   threads may be NULL. False: no memory, or more than CLSPI_MAX_CELLS of anything. */
bool clspi_cell_mesh_make(clspi_cell_mesh *mesh, uint32_t num_vertices, uint32_t num_cells,
                          const uint32_t *cell_vertex, const clspi_parallel *threads);

/* Makes a mesh as clspi_cell_mesh_make does, but takes the vertices over, whatever happens, which
   free() is to release. */
bool clspi_cell_mesh_take(clspi_cell_mesh *mesh, uint32_t num_vertices, uint32_t num_cells,
                          uint32_t *cell_vertex, const clspi_parallel *threads);

/* Finds the frames of joined cells, and leaves the cells alone in `across` (cell_join.h). */
void clspi_cell_mesh_find_frames(clspi_cell_mesh *mesh, const clspi_parallel *threads);

/* Flags anew what is boundary or irregular, of the boundary faces and of the creases and corners
   that are flagged. False: no memory. */
bool clspi_cell_mesh_flag(clspi_cell_mesh *mesh);

/* Makes the mesh that one step of subdivision gives. Its vertices are the old ones, then one for
   each edge, face and cell; the children of cell c are 8 c + j, j the corner of c that they have,
   and have its frame. threads may be NULL. False: no memory, or more than CLSPI_MAX_CELLS of
   anything. */
bool clspi_cell_mesh_refine(clspi_cell_mesh *fine, const clspi_cell_mesh *mesh,
                            const clspi_parallel *threads);

/* Allocate what belongs to cells of a shape and to vertices, but for the cells' vertices where they
   are there, and to faces and edges of hexahedra,
   whose numbers are there. Flags are 0. False: no memory. */
bool clspi_cell_mesh_allocate_cells(clspi_cell_mesh *mesh, const clspi_cell_shape *shape);
bool clspi_cell_mesh_allocate_faces(clspi_cell_mesh *mesh);

/* Returns the sharpness of the halves of a crease: one less, and 0 where they are no creases. */
static inline float clspi_half_sharpness(float sharpness)
{
    return sharpness > 1.0f ? sharpness - 1.0f : 0.0f;
}

/* Releases the sharpness of edges where all creases are kept for good. */
void clspi_cell_mesh_settle(clspi_cell_mesh *mesh);

/* Tells whether all vertices of a cell are regular. */
bool clspi_cell_is_regular(const clspi_cell_mesh *mesh, uint32_t cell);

/* Copies a mesh. To be released whatever happens; false: no memory. */
bool clspi_cell_mesh_copy(clspi_cell_mesh *copy, const clspi_cell_mesh *mesh);

void clspi_cell_mesh_release(clspi_cell_mesh *mesh);

#endif
