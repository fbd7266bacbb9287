/* Normals of a mesh's vertices, for smooth shading. */
#ifndef CLSPLINE_TOOLS_IO_NORMALS_H
#define CLSPLINE_TOOLS_IO_NORMALS_H

#include "mesh.h"

/* Gives the mesh unit normals. A vertex takes the sum of the vector areas of its faces; vertices at
   the same place (the seams of patches, collapsed edges) share one normal as long as theirs differ
   by less than a crease's angle. A vertex of degenerate faces alone takes the normal of its place;
   where there is none, it gets (0, 0, 1). Never NaN for finite positions. False when memory runs
   out; the mesh then has no normals. */
bool mesh_compute_normals(mesh *m);

#endif
