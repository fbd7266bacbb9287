/* The meshes of CAD files' faces, by the library's points and normals at their parameters. Points
   on edges keep the edge's place, so that meshes of closed shells are closed. */
#ifndef CLSPLINE_TOOLS_PART_MESH_H
#define CLSPLINE_TOOLS_PART_MESH_H

#include "spline_task.h"

/* Whether all splines are faces of CAD files, with a mesh of some. */
bool part_mesh_suits(const splines *content);

/* Makes the mesh, which is empty and has normals where the task's source has them, and with values
   not NULL those of its vertices that are to be coloured, which the caller frees. Of the task its
   context, content, times and source count, of this name, precision and colours. Complains on
   failure. */
bool part_mesh_make(const spline_task *task, mesh *m, double **values);

/* Lists the colours of the mesh's vertices, [num_vertices][3], of faces without one plain; NULL
   where no face has one. The caller frees. Complains on failure. */
bool part_mesh_colors(const spline_task *task, unsigned char **colors);

#endif
