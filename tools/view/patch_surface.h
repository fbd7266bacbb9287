/* Bezier patches and polyhedra on their way to the screen: patches of one type with equal numbers
   of samples are a group with a plan, which stays while control points move. */
#ifndef CLSPLINE_TOOLS_PATCH_SURFACE_H
#define CLSPLINE_TOOLS_PATCH_SURFACE_H

#include <clspline/clspline.h>

#include "bezierview.h"
#include "seams.h"
#include "tessellation.h"
#include "vertex_target.h"

/* Patches of a batch with equally many samples along u and v, and their plans: of points and, of PN
   patches, of normals. */
typedef struct patch_group {
    size_t batch;
    uint32_t num[2];
    const size_t *patches; /* [num_patches]: numbers within the batch */
    size_t num_patches;
    size_t first_patch, first_vertex; /* of the batch, of all; of the group, among all vertices */
    clsp_patch_plan *points, *normals;
    uint32_t attributes; /* of the first */
} patch_group;

typedef struct patch_surface {
    clsp_context *ctx;
    const bezierview *content;
    seams edges;
    size_t num_patches, num_vertices;
    uint32_t *num;   /* [num_patches][2]: samples along u and v */
    size_t *firsts;  /* [num_patches]: numbers of their first vertices, group after group */
    size_t *members; /* [num_patches]: the groups' patches */
    patch_group *groups;
    size_t num_groups;
    double *corner_normals;   /* of the polyhedra's corners, each of which is a vertex */
    const float *face_values; /* [polyhedra's faces]: values of marks, the caller's; NULL: none */
} patch_surface;

/* Takes content, which must outlive the surface. Complains on failure; to be closed whatever
   happens. */
bool patch_surface_open(patch_surface *s, clsp_context *ctx, const bezierview *content);

/* Gives the patches numbers of samples, [num_patches][2], as seams_join leaves them, and makes
   their mesh, with room for curves and their vertices behind its own. Complains on failure. */
bool patch_surface_set_samples(patch_surface *s, const uint32_t *num, size_t curve_vertices,
                               size_t curves, view_mesh *m);

/* Loads the control points of content, which have changed, and finds anew which edges are equal.
   Complains on failure. */
bool patch_surface_load(patch_surface *s);

/* Evaluates all vertices, with curvatures or without. In host memory equal edges get equal points;
   in a buffer of graphics they differ in the last digits, and the corners of the polyhedra are left
   out. Complains on failure. */
bool patch_surface_eval(patch_surface *s, bool curvature, const vertex_target *to);

/* Tells which vertices of patches have the point of another one, as seams_places does. */
void patch_surface_places(const patch_surface *s, uint32_t *place);

/* Fills the corners of the polyhedra, [num_corners][VIEW_STRIDE], which are behind the patches. */
void patch_surface_corners(const patch_surface *s, float *corners);

/* Counts the vertices of the patches and the polyhedra. */
size_t patch_surface_vertices(const patch_surface *s);

/* Counts the triangles of the patches, with these numbers of samples, and the polyhedra. */
uint64_t patch_surface_triangles(const patch_surface *s, const uint32_t *num);

void patch_surface_close(patch_surface *s);

#endif
