/* A choice among the faces of CAD files, by names and colours. */
#ifndef CLSPLINE_TOOLS_IO_CAD_FILTER_H
#define CLSPLINE_TOOLS_IO_CAD_FILTER_H

#include "message.h"
#include "splines.h"

/* Leaves out the faces that no pattern of a list, with commas between them, chooses: by their name,
   their body's or part's, or their colour (#rrggbb). Patterns are those of file names (fnmatch).
   Edges that no other face uses, and bodies without any, go too; bodies that lose a face are not
   closed. The numbers of faces and edges stay. False with a message where there are no faces of CAD
   files, and for a pattern of none; name stands for the files. */
bool cad_filter_apply(splines *content, const char *only, const char *name, io_message *message);

#endif
