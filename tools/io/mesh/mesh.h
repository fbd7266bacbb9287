/* A mesh of polygons in memory.

   Faces are kept as one list of corners, with the place where each face ends, so that quads,
   triangles and polygons of any size share one form. An all-zero struct with a precision is the
   empty mesh. */
#ifndef CLSPLINE_TOOLS_IO_MESH_H
#define CLSPLINE_TOOLS_IO_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* File formats index vertices by signed 32-bit numbers. */
#define MESH_MAX_VERTICES ((size_t)INT32_MAX)

typedef enum mesh_precision {
    MESH_F64 = 0, /* coordinates are any doubles */
    MESH_F32 = 1  /* coordinates are floats, kept as doubles; writers use this to write no more than
                     is there */
} mesh_precision;

/* Vertices on a grid: [num_u][num_v], or a triangle's (a, b) with a + b < num_u = num_v. One with
   num_v = 1 is a curve: lines run from each vertex to the next. */
typedef struct mesh_grid {
    uint32_t num_u, num_v;
    bool triangle;
} mesh_grid;

static inline bool mesh_grid_is_curve(const mesh_grid *g)
{
    return !g->triangle && g->num_v == 1;
}

typedef struct mesh {
    mesh_precision precision;
    bool has_normals; /* set before the first vertex: all vertices have normals */
    bool is_pieced;   /* faces on no grid are pieces of triangles, whose sides without a neighbour
                         are their edges */
    bool has_texture; /* writers write the parameters of vertices on grids as texture coordinates */
    size_t num_vertices;
    double *positions;  /* [num_vertices][3] */
    double *normals;    /* [num_vertices][3], or NULL */
    const double *data; /* [num_vertices][num_names], the caller's: numbers of vertices, by names
                           that are words of formats, which PLY files have; or NULL */
    const char *const *names;
    uint32_t num_names;
    const unsigned char *colors; /* [num_vertices][3], the caller's: red, green and blue of
                                    vertices, sRGB, which PLY, OBJ and glTF files have; or NULL */
    size_t num_faces;
    size_t
        *face_ends; /* [num_faces]: face f has the corners face_ends[f - 1] .. face_ends[f] - 1 */
    size_t num_corners;
    uint32_t *corners; /* [num_corners]: vertices, from 0 */
    mesh_grid *grids;  /* [num_grids]: those that the mesh begins with */
    size_t num_grids, num_grid_points, num_grid_faces;
    size_t vertex_capacity, normal_capacity, face_capacity, corner_capacity, grid_capacity;
} mesh;

/* Makes room for so many more vertices, faces and corners. False when memory runs out or there
   would be more than MESH_MAX_VERTICES; the mesh is then as it was. */
bool mesh_reserve(mesh *m, size_t vertices, size_t faces, size_t corners);

/* Adds vertices and returns their positions [count][3], which the caller fills, or NULL as above.
   The address is valid until the next vertices are added. Normals, where the mesh has them, are
   zeros until the caller fills them too. */
double *mesh_add_vertices(mesh *m, size_t count);

/* Adds a corner to the face that is being made. False when memory runs out. */
bool mesh_add_corner(mesh *m, uint32_t vertex);

/* Makes a face of the corners added since the last one. False when memory runs out. */
bool mesh_end_face(mesh *m);

/* Adds a grid of points, such as an evaluated patch, with the quads between them. Returns the
   positions to be filled, in shape [num_u][num_v][3] (v fastest), or NULL as in mesh_add_vertices.
   Quads run (a, b), (a+1, b), (a+1, b+1), (a, b+1) with a along u, so their normal is S_u x S_v.
   num_u and num_v are at least 1; a direction with one sample gives no quads, and num_v = 1 a curve
   where only grids came before. */
double *mesh_add_grid(mesh *m, size_t num_u, size_t num_v);

/* Adds a triangle's grid as mesh_add_grid does: num (num + 1) / 2 points (a, b), a + b < num, with
   a rising and then b, and the triangles between them. */
double *mesh_add_triangle_grid(mesh *m, size_t num);

/* Points of a grid, and the faces between them. */
size_t mesh_grid_points(const mesh_grid *g);
size_t mesh_grid_faces(const mesh_grid *g);

/* Adds all vertices and faces of another mesh, with its normals where both have them. False as in
   mesh_reserve. */
bool mesh_append(mesh *m, const mesh *other);

/* The corners of a face. */
const uint32_t *mesh_face(const mesh *m, size_t face, size_t *count);

/* The smallest box around the vertices; zeros for an empty mesh. */
void mesh_bounds(const mesh *m, double low[3], double high[3]);

/* Whether all positions are finite as floats too. */
bool mesh_fits_float(const mesh *m);

/* Releases all memory and leaves the empty mesh. */
void mesh_clear(mesh *m);

#endif
