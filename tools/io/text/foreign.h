/* Files of formats that others read. */
#ifndef CLSPLINE_TOOLS_IO_FOREIGN_H
#define CLSPLINE_TOOLS_IO_FOREIGN_H

#include <stdbool.h>

#include "scanner.h"

/* Tells whether a file is of a known format that its reader does not have, by how it begins:
   nothing of it may have been read. Then fails with "NAME: an OFF file; convert it to FORMATS",
   for compressed ones with how to unpack them, for those of another subcommand with its name. own:
   the subcommand that reads it; NULL: one that reads rows of numbers, whatever they are. */
bool foreign_refuse(scanner *s, const char *formats, const char *own);

/* Returns the subcommand that reads a file of which nothing was read, by how it begins; NULL: that
   is not known. */
const char *foreign_reader(scanner *s);

/* Tell whether a file of which nothing was read begins as IGES files, or STEP files, do. */
bool foreign_is_iges(scanner *s);
bool foreign_is_step(scanner *s);

#endif
