/* Writer of binary STL files: triangles with their normals, as float. Polygons are cut into fans; a
   triangle of which two corners are at one place is left out. */
#ifndef CLSPLINE_TOOLS_IO_STL_H
#define CLSPLINE_TOOLS_IO_STL_H

#include "mesh.h"
#include "output.h"

/* False with a message that names the file when it cannot be written; no file is then left. */
bool stl_write(const mesh *m, const char *path, const io_progress *progress, io_message *message);

#endif
