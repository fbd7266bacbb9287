/* How finely patches are sampled: alike, or each so that its triangles stay within a distance.

   Between the points of a grid with n_u x n_v cells, the triangles of a polynomial patch are off by
   at most (Filip, Magedson and Markot, Computer Aided Geometric Design 3, 1986)

       1/8 (M_uu / n_u^2 + 2 M_uv / (n_u n_v) + M_vv / n_v^2),

   M being the largest lengths of the second derivatives, which by the convex hull property are at
   most those of the second differences of the control points times d (d - 1) or, mixed, the product
   of the degrees. It holds for either way of cutting a cell, and for triangles with n_u = n_v.

   The M of a rational patch come from the quotient rule (quotient.h). Where it has too many control
   points for that, take the linear interpolants L of N and l of w over a triangle of parameters, S
   = N / w: L / l is a point of the triangle of the mesh, since weights are positive. With c any
   center, N' = N - w c and L' = L - l c,

       S - L / l = (N' - L' - (L / l - c) (w - l)) / w,

   and |L / l - c| <= R, the largest distance of a (Euclidean) control point from c. So the bound of
   a polynomial patch holds with M_uu = max (|second difference of N'| + R |that of w|) times the
   degrees, divided by the smallest weight; and likewise M_uv and M_vv. It is wide, since L / l is
   not the triangle's point of equal parameters.

   The bounds are those of exact arithmetic: the rounding of vertices comes on top, and so does what
   they move along seams. */
#ifndef CLSPLINE_TOOLS_IO_TESSELLATION_H
#define CLSPLINE_TOOLS_IO_TESSELLATION_H

#include "bezierview.h"
#include "camera.h"
#include "seams.h"

/* Numbers of samples of all patches, one batch after another. */
typedef struct tessellation {
    bool uniform; /* all are the same */
    size_t num_patches;
    uint32_t *num; /* [num_patches][2]: along u and v, at least 2; UINT32_MAX: too many to count;
                      of triangles both along an edge */
} tessellation;

/* Takes the same number of samples along all edges. False when memory runs out. */
bool tessellation_uniform(tessellation *t, const bezierview *content, uint32_t samples);

/* Numbers of samples such that no patch and its triangles are further apart than the tolerance,
   above 0: a length in the units of the file or, with a camera, in pixels of its picture, where the
   camera has been placed on a mesh of the patches. Numbers only rise over those in *t, which is
   empty or of the same content; neighbours agree along their seams. False when memory runs out. */
bool tessellation_within(tessellation *t, const bezierview *content, const seams *s,
                         double tolerance, const camera *view);

/* Points that a patch gets by its two numbers. */
uint64_t tessellation_patch_points(const bezierview_type *type, const uint32_t num[2]);

/* Points of all patches; UINT64_MAX when that does not fit. */
uint64_t tessellation_num_points(const tessellation *t, const bezierview *content);

/* The grids of all patches; the caller frees. NULL when memory runs out. */
mesh_grid *tessellation_grids(const tessellation *t, const bezierview *content);

/* Diagonal of the box around all control points and polyhedra. *largest: the largest |coordinate|.
 */
double tessellation_diagonal(const bezierview *content, double *largest);

/* Releases all memory and leaves an empty struct. */
void tessellation_clear(tessellation *t);

#endif
