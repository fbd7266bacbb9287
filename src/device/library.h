/* Libraries that are opened at run time, by name. The only place that calls the system's loader. */
#ifndef CLSPI_LIBRARY_H
#define CLSPI_LIBRARY_H

/* Opens the first library of a list of names that is there; the list ends in NULL. A name without a
   folder is looked for where the system's loader looks, on Windows beside the program and in the
   system's folder. NULL: none. It stays in the process. */
void *clspi_library_open(const char *const names[]);

/* Gives the address of a function of an opened library, or with NULL for the library of what the
   process shows to all: the program and what it is linked with. NULL: there is none. */
void *clspi_library_function(void *library, const char *name);

/* Keeps the module that holds an address in the process, whoever closes it. A program's own file is
   kept anyway. */
void clspi_library_keep(const void *inside);

#endif
