/* Files of formats that others read. */
#ifndef CLSPLINE_TOOLS_IO_FOREIGN_H
#define CLSPLINE_TOOLS_IO_FOREIGN_H

#include <stdbool.h>

#include "scanner.h"

/* Tells whether a file is of a known format that no reader has, by how it begins: nothing of it may
   have been read. Then fails with "NAME: an IGES file; convert it to FORMATS", or for compressed
   ones with how to unpack them. */
bool foreign_refuse(scanner *s, const char *formats);

#endif
