/* Writer of Wavefront OBJ files: text, one "v" line a vertex, "vt" and "vn" lines where the
   mesh has texture coordinates and normals, one "f" line a face (vertices from 1). Coordinates are
   written with as many digits as it takes to read them back exactly. */
#ifndef CLSPLINE_TOOLS_IO_OBJ_H
#define CLSPLINE_TOOLS_IO_OBJ_H

#include "mesh.h"
#include "output.h"

/* False with a message that names the file when it cannot be written; no file is then left. */
bool obj_write(const mesh *m, const char *path, const io_progress *progress, io_message *message);

#endif
