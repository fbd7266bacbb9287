/* Writer of legacy VTK files: an unstructured grid of triangles, quads and polygons, binary
   (big-endian, as the format has it), version 3.0. Not polydata, which ParaView reads as well but
   meshio does not. Normals, where the mesh has them, go along as point data. */
#ifndef CLSPLINE_TOOLS_IO_VTK_H
#define CLSPLINE_TOOLS_IO_VTK_H

#include "mesh.h"
#include "output.h"

/* False with a message that names the file when it cannot be written (a mesh of more than 2^31
   numbers of connectivity included); no file is then left. */
bool vtk_write(const mesh *m, const char *path, const io_progress *progress, io_message *message);

#endif
