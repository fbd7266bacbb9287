/* Normals of a polyhedron's vertices from its faces, for smooth shading. */
#ifndef CLSPLINE_TOOLS_IO_NORMALS_H
#define CLSPLINE_TOOLS_IO_NORMALS_H

#include <stdbool.h>

#include "mesh.h"

/* Gives the mesh unit normals. A vertex takes the sum of the vector areas of its faces; vertices at
   the same place share one normal as long as theirs differ by less than a crease's angle. A vertex
   of degenerate faces alone takes the normal of its place; where there is none, it gets (0, 0, 1).
   Never NaN for finite positions. False when memory runs out; the mesh then has no normals. */
bool mesh_compute_normals(mesh *m);

/* Gives the normals of corners, [corners of the faces from first_face on][3], by the same rule for
   vertices that no two faces share: those of faces that meet at an angle above a crease's differ.
   The caller frees. NULL when memory runs out, and where there are no such corners. */
double *mesh_corner_normals(const mesh *m, size_t first_face);

/* Makes v a unit vector; false, with v zero, when it has no direction. */
bool normals_make_unit(double v[3]);

#endif
