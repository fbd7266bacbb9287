/* Which kind of things a file has, by which jobs are told apart. */
#ifndef CLSPLINE_TOOLS_INPUT_KIND_H
#define CLSPLINE_TOOLS_INPUT_KIND_H

#include "foreign.h"

/* Finds the kind of a file by its name, or how it begins; FILE_UNKNOWN where it cannot be opened or
   is of none, and two bits where it may be of two. Standard input ("-") is then a temporary file,
   which its reader begins anew. */
unsigned input_kind(const char *path);

/* What a file of a kind has, as "B-splines". */
const char *input_kind_name(unsigned kind);

#endif
