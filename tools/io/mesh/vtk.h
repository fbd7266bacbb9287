/* Writer of legacy VTK files: an unstructured grid of triangles, quads and polygons, binary
   (big-endian, as the format has it), version 3.0. Not polydata, which ParaView reads as well but
   meshio does not. Normals, where the mesh has them, go along as point data, behind the cells. A
   mesh of more than 2^31 numbers of connectivity is refused. */
#ifndef CLSPLINE_TOOLS_IO_VTK_H
#define CLSPLINE_TOOLS_IO_VTK_H

#include "mesh_file.h"

extern const mesh_format vtk_format;

#endif
