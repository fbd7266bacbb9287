/* Where the patches of a file meet: edges that are one curve, run through either way.

   Patches that share an edge leave no crack along it when it is sampled alike from both sides and
   the samples are the same numbers. seams_join sees to the first, seams_weld to the second.

   Edges with equal control points are equal. So are curves that at equal parameters are within a
   distance of each other: SEAM_OF_ALL of the diagonal of the box around all control points, and
   SEAM_OF_PATCH of that around either patch's. They may differ in degree and weights, and in the
   last digits of a file. Edges that meet only in part are not found. */
#ifndef CLSPLINE_TOOLS_IO_SEAMS_H
#define CLSPLINE_TOOLS_IO_SEAMS_H

#include "mesh.h"
#include "seam_edge.h"

/* A file with 6 significant digits has rounded its numbers to within 5e-6 of the largest. */
#define SEAM_OF_ALL   1e-5
#define SEAM_OF_PATCH 1e-3

/* The edges of all patches. */
typedef struct seams {
    size_t num_edges;
    seam_edge *edges;
    size_t num_patches;
    size_t *corners;  /* [num_patches][4]: the first of the corners that are to be at one place,
                         numbered likewise */
    size_t *firsts;   /* [num_patches + 1]: where those of a patch begin in by_patch, and the end */
    size_t *by_patch; /* [num_edges]: numbers of edges, patch by patch, rising */
} seams;

/* Vertices of adjacent patches, on their way from the library to a mesh or a file. */
typedef struct seam_vertices {
    mesh_precision precision; /* of the numbers, float or double */
    void *reals;              /* [..][stride], a vertex's position first */
    size_t stride;
    size_t first_patch, num_patches;
    const size_t *firsts; /* [num_patches]: the number of each patch's first vertex in reals, plus
                             firsts[0] */
} seam_vertices;

/* Finds them. content must outlive the seams. False when memory runs out. */
bool seams_find(seams *s, const bezierview *content);

/* Raises numbers of samples, num[2 * patch] along u and num[2 * patch + 1] along v, until all edges
   that are equal have equally many: opposite edges of a surface, the edges of a triangle and equal
   edges of neighbours form classes, and a class takes its largest number. Collapsed edges join
   nothing. Of triangles num[2 * patch] counts, and both are set. False when memory runs out. */
bool seams_join(const seams *s, size_t num_patches, uint32_t *num);

/* Makes the vertices along equal edges the same numbers, by copying those of the first patch that
   has the edge; corners and collapsed edges become the control point of the first patch there,
   rounded as the vertices are. To be called for all patches in turn, some at a time; what later
   ones take is kept in *s. num is of all patches. False when memory runs out. */
bool seams_weld(seams *s, const uint32_t *num, const seam_vertices *vertices);

/* Tells what welding makes the same by numbers of vertices, for vertices that cannot be copied:
   sets place[vertex], of each vertex along an edge whose point is another one's, to that one, which
   has its own; others stay as they are. Corners that are one have the point of the first. num and
   firsts, the number of each patch's first vertex, are of all patches. */
void seams_places(const seams *s, const uint32_t *num, const size_t *firsts, uint32_t *place);

/* Releases all memory and leaves an empty struct. */
void seams_clear(seams *s);

#endif
