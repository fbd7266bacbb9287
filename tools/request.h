/* Values of options, and names of files, as all command lines have them. */
#ifndef CLSPLINE_TOOLS_REQUEST_H
#define CLSPLINE_TOOLS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/mesh.h"

/* Reads a decimal number from low to high. */
bool request_number(const char *text, double low, double high, double *value);

/* Reads a whole number from low to high, without a sign. */
bool request_count(const char *text, uint32_t low, uint32_t high, uint32_t *value);

/* Reads the value of --precision. EXIT_OK, or EXIT_USAGE with a complaint. */
int request_precision(mesh_precision *precision, const char *command, const char *text);

/* Counts the names that stand for standard input or output. */
size_t request_dashes(const char **names, size_t count);

/* Tells whether a name stands for one of the files, standard input and output left out. */
bool request_is_among(const char *name, const char **names, size_t count);

#endif
