/* Files of formats that others read. */
#ifndef CLSPLINE_TOOLS_IO_FOREIGN_H
#define CLSPLINE_TOOLS_IO_FOREIGN_H

#include <stdbool.h>

#include "scanner.h"

/* What a file has, as bits. */
typedef enum file_kind {
    FILE_UNKNOWN = 0,
    FILE_PATCHES = 1 << 0, /* Bezier patches */
    FILE_SPLINES = 1 << 1,
    FILE_CELLS = 1 << 2,
    FILE_IMAGE = 1 << 3,
    FILE_POINTS = 1 << 4
} file_kind;

/* Tells whether a file is of a known format that its reader does not have, by how it begins:
   nothing of it may have been read. Then fails with "NAME: an OFF file; convert it to FORMATS",
   for compressed ones with how to unpack them, for those of another kind with that. own: the kind
   of what is read, FILE_POINTS being rows of numbers, whatever they are. */
bool foreign_refuse(scanner *s, const char *formats, file_kind own);

/* Returns the kind of a file of which nothing was read, by how it begins. */
file_kind foreign_kind(scanner *s);

/* Tells whether a file of which nothing was read begins as STEP, IGES and BREP files do. */
bool foreign_is_cad(scanner *s);

#endif
