/* What is drawn: vertices, which are evaluated anew as control points move, and what stays as long
   as the numbers of samples do: marks of vertices, triangles and curves. */
#ifndef CLSPLINE_TOOLS_VIEW_MESH_H
#define CLSPLINE_TOOLS_VIEW_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A vertex as the library writes it: elements of the layout, all floats. */
enum {
    VIEW_POINT = 0,
    VIEW_NORMAL = 3, /* of any length */
    VIEW_PARAMS = 6,
    VIEW_CURVATURE = 8, /* the principal ones; set where they are asked for */
    VIEW_STRIDE = 10
};

/* What a vertex has besides. */
typedef struct view_mark {
    float value;    /* data of the file; NaN: none */
    float cells[2]; /* of its patch along u and v, for lines: 0: none; of triangles v has -1 */
    uint32_t patch; /* its number */
} view_mark;

/* Vertices that a line runs through. */
typedef struct view_curve {
    size_t first, count;
} view_curve;

typedef struct view_mesh {
    size_t num_vertices, num_indices, num_curves;
    view_mark *marks;   /* [num_vertices] */
    uint32_t *indices;  /* [num_indices]: triangles, counterclockwise as seen from the front */
    view_curve *curves; /* [num_curves] */
} view_mesh;

/* Makes room, in place of what there was. False without memory; the mesh is empty then. */
bool view_mesh_make(view_mesh *m, size_t vertices, size_t indices, size_t curves);

/* Counts the triangles' directed edges that have no opposite between equal points, up to and
   including the sign of zero: 0 of a mesh that is closed. Edges of no length do not count.
   vertices: [num_vertices][VIEW_STRIDE]. SIZE_MAX without memory. */
size_t view_mesh_open_edges(const view_mesh *m, const float *vertices);

void view_mesh_clear(view_mesh *m);

#endif
