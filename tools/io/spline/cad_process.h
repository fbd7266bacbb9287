/* Reading of CAD files by clspline-cad, a program of its own: bad files can make Open CASCADE crash
   or run without end. */
#ifndef CLSPLINE_TOOLS_IO_CAD_PROCESS_H
#define CLSPLINE_TOOLS_IO_CAD_PROCESS_H

#include <stdbool.h>
#include <stdio.h>

#include "message.h"

/* Has clspline-cad read a file, or standard input by the name "-", which must be a file too, and
   make a mesh, within so much of a part's diagonal (0: as it chooses). Returns a stream of its
   JSON, which the caller closes, and which is gone then; NULL with a message. The program is the
   one beside this one, or in PATH; CLSPLINE_CAD names another. */
FILE *cad_process_open(const char *path, bool has_mesh, double deflection, io_message *message);

#endif
