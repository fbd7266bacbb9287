/* Libraries that are loaded while the program runs. */
#ifndef CLSPI_LIBRARY_H
#define CLSPI_LIBRARY_H

/* Loads the first library of some names that there is, for good; NULL: there is none. names end in
   NULL. */
void *clspi_library_open(const char *const names[]);

/* Finds a function of a library, or of NULL what the process shows to all; NULL: there is none. */
void *clspi_library_function(void *library, const char *name);

#endif
