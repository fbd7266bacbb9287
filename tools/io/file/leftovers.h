/* Temporary files of runs that were killed. A run holds a lock on its temporary file,
   which ends with the process, however that ends; a later run removes what nobody holds. */
#ifndef CLSPLINE_TOOLS_IO_LEFTOVERS_H
#define CLSPLINE_TOOLS_IO_LEFTOVERS_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the name of this process's temporary file number i. */
void leftover_name(char *name, size_t size, int i);

/* Locks a new temporary file for as long as its descriptor is open, copies of it included. False
   when another run took it for a leftover meanwhile. */
bool leftover_hold(int descriptor);

/* Removes the temporary files in a folder that belong to this user and that no run holds. */
void leftovers_remove(const char *folder);

#endif
