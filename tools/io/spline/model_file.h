/* Models of files of any kind whose patches can be kept as splines: B-splines (spline_file.h), and
   BezierView's tensor-product patches (.bv, bezierview.h), which are splines of one span over
   [0, 1]. */
#ifndef CLSPLINE_TOOLS_IO_MODEL_FILE_H
#define CLSPLINE_TOOLS_IO_MODEL_FILE_H

#include "mesh.h"
#include "message.h"
#include "splines.h"

/* Reads a file as spline_file_add does, by its ending .bv or else by how it begins. Refused are
   shapes that are no splines, triangles and polyhedra. */
bool model_file_add(splines *content, const char *path, mesh_precision precision,
                    io_message *message);

#endif
