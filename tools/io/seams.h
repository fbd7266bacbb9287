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
} seam_edge;

/* The edges of all patches, equal ones next to each other. */
typedef struct seams {
    size_t num_edges;
    seam_edge *edges;
} seams;

/* Finds them. content must outlive the seams. False when memory runs out. */
bool seams_find(seams *s, const bezierview *content);

/* Raises numbers of samples, num[2 * patch] along u and num[2 * patch + 1] along v, until all edges
   that are equal have equally many: opposite edges of a surface, the edges of a triangle and equal
   edges of neighbours form classes, and a class takes its largest number. Collapsed edges join
   nothing. Of triangles num[2 * patch] counts, and both are set. False when memory runs out. */
bool seams_join(const seams *s, size_t num_patches, uint32_t *num);

/* Makes the vertices along equal edges the same numbers, by copying one patch's; corners and
   collapsed edges become their control points, rounded as the mesh is. Patch p's vertices begin at
   firsts[p] of the mesh. */
void seams_weld(const seams *s, const uint32_t *num, const size_t *firsts, mesh *m);

/* Releases all memory and leaves an empty struct. */
void seams_clear(seams *s);

#endif
