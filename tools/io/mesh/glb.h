/* Writer of glTF 2.0 files in their binary form: one mesh of triangles, and of lines where it has
   curves, with positions, normals where the mesh has them, texture coordinates and indices, as
   float and 32-bit numbers. Polygons are cut into fans. A normal of (0, 0, 0), which the format
   does not know, becomes (0, 0, 1). */
#ifndef CLSPLINE_TOOLS_IO_GLB_H
#define CLSPLINE_TOOLS_IO_GLB_H

#include "mesh.h"
#include "output.h"

/* False with a message that names the file when it cannot be written; no file is then left. */
bool glb_write(const mesh *m, const char *path, const io_progress *progress, io_message *message);

#endif
