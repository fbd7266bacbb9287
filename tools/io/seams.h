/* Where the patches of a file meet: edges with equal control points, run through either way.

   Patches that share an edge leave no crack along it when it is sampled alike from both sides and
   the samples are the same numbers. seams_join sees to the first, seams_weld to the second. Edges
   that meet only in part, or only by rounded numbers, are not found. */
#ifndef CLSPLINE_TOOLS_IO_SEAMS_H
#define CLSPLINE_TOOLS_IO_SEAMS_H

#include "bezierview.h"
#include "mesh.h"

/* The edge of a patch: of surfaces u = 0, u = 1, v = 0, v = 1, of triangles u = 0, v = 0, u + v
 * = 1.
 */
typedef struct seam_edge {
    const bezierview_type *type;
    const double *points; /* the patch's control points */
    size_t patch;         /* number among those of all batches, one batch after another */
    int side;
    bool reversed; /* against the direction that compares as the smaller one */
    size_t leader; /* the first edge that is equal, whose vertices the others take */
    size_t num_followers;
    /* Of a leader while there are patches to be welded to it: */
    double *kept;    /* its vertices, in the direction in which equal edges agree */
    size_t num_left; /* followers to come */
} seam_edge;

/* The edges of all patches, equal ones next to each other, the first patch's first. */
typedef struct seams {
    size_t num_edges;
    seam_edge *edges;
    size_t num_patches;
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
   has the edge; corners and collapsed edges become their control points, rounded as the vertices
   are. To be called for all patches in turn, some at a time; what later ones take is kept in *s.
   num is of all patches. False when memory runs out. */
bool seams_weld(seams *s, const uint32_t *num, const seam_vertices *vertices);

/* Releases all memory and leaves an empty struct. */
void seams_clear(seams *s);

#endif
