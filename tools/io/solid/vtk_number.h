/* Types of numbers by their names in VTK's files. */
#ifndef CLSPLINE_TOOLS_IO_VTK_NUMBER_H
#define CLSPLINE_TOOLS_IO_VTK_NUMBER_H

#include "npy.h"

/* Finds a type by its name in a legacy file ("float") or an XML file ("Float32"), whatever the case
   of letters. False: it is none. */
bool vtk_number_find(const char *name, npy_type *type);

#endif
