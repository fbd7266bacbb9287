/* Writer of PLY files: binary, little-endian; vertices with x y z and, where the mesh has them,
   normals nx ny nz, as float or double after the mesh's precision; faces as lists of vertices. */
#ifndef CLSPLINE_TOOLS_IO_PLY_H
#define CLSPLINE_TOOLS_IO_PLY_H

#include "mesh.h"
#include "output.h"

/* False with a message that names the file when it cannot be written; no file is then left. */
bool ply_write(const mesh *m, const char *path, const io_progress *progress, io_message *message);

#endif
