/* Files of B-splines: GoTools' .g2 (g2.h), geomdl's JSON (geomdl.h), and STEP, IGES and BREP files,
   which clspline-cad reads (cad_process.h). They are told from each other by how they begin, CAD
   files also by the name's ending. */
#ifndef CLSPLINE_TOOLS_IO_SPLINE_FILE_H
#define CLSPLINE_TOOLS_IO_SPLINE_FILE_H

#include <stdio.h>

#include "mesh.h"
#include "message.h"
#include "splines.h"

/* Reads a file, or standard input by the name "-", whose control points must be ones in the
   precision too, and adds what it holds. On failure the message is "NAME:LINE: what is wrong" (or
   "NAME: why it cannot be opened"), and content is empty. The caller releases it by splines_clear.
 */
bool spline_file_add(splines *content, const char *path, mesh_precision precision,
                     io_message *message);

/* Reads an open stream as spline_file_add does, but no CAD file, and leaves it open; name stands
   for it in messages. */
bool spline_file_read(splines *content, FILE *file, const char *name, mesh_precision precision,
                      io_message *message);

#endif
