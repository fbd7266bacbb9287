/* What is known of a mesh before its vertices are: sizes, and the faces, which follow from grids.
   So a file can be written while its vertices are made. */
#ifndef CLSPLINE_TOOLS_IO_MESH_SHAPE_H
#define CLSPLINE_TOOLS_IO_MESH_SHAPE_H

#include "mesh.h"

/* The grids come first, in vertices and in faces, then what else there is. */
typedef struct mesh_shape {
    mesh_precision precision;
    bool has_normals, has_texture, has_colors;
    uint32_t base; /* number of the first vertex: of a part of a shape; else 0 */
    size_t num_vertices, num_faces, num_corners;
    size_t num_curves, num_lines; /* lines of all curves: one less than vertices, of each */
    const mesh_grid *grids;
    size_t num_grids;
    const char *const *names; /* of data of vertices */
    uint32_t num_names;
    const mesh *rest;       /* the mesh that has the other faces, or NULL */
    size_t rest_first_face; /* the first of them in *rest */
    uint32_t rest_base;     /* what to add to their corners */
} mesh_shape;

/* Faces with equally many corners. */
typedef struct face_run {
    size_t count, corners_each;
    const uint32_t *corners; /* [count][corners_each] */
    uint32_t base;           /* what to add to each */
} face_run;

enum { FACE_RUN_MAX = 1024 };

/* Gives a mesh's shape, with normals where the mesh has them. It refers to the mesh. */
mesh_shape mesh_shape_of(const mesh *m);

/* Gives the shape of a mesh of grids and, behind them, all of another mesh. */
mesh_shape mesh_shape_of_grids(const mesh_grid *grids, size_t num_grids, const mesh *rest);

/* Cuts a shape: the grids from `first` on, which `part` gets, with all else where they are the
   last, and the grids before those. */
void mesh_shape_cut(const mesh_shape *s, size_t first, size_t count, mesh_shape *part,
                    mesh_shape *before);

/* Calls `take` for all faces in turn, at most FACE_RUN_MAX at a time, until it says false, which is
   then the result. */
typedef bool (*face_taker)(void *user, const face_run *run);
bool mesh_shape_faces(const mesh_shape *s, face_taker take, void *user);

/* Calls `take` for the curves in turn, with the first vertex of each and how many there are, until
   it says false, which is then the result. */
typedef bool (*curve_taker)(void *user, uint32_t first, uint32_t count);
bool mesh_shape_curves(const mesh_shape *s, curve_taker take, void *user);

/* Corners of the face that has most of them. */
size_t mesh_shape_longest_face(const mesh_shape *s);

/* A place in the texture coordinates of all vertices. Zero is the first one. */
typedef struct texture_cursor {
    size_t grid;
    uint32_t a, b; /* the sample along u and v */
} texture_cursor;

/* Gives the texture coordinates of the next vertex: its parameters in its patch; (0, 0) where there
   is no patch. */
void texture_next(texture_cursor *c, const mesh_shape *s, float texture[2]);

#endif
