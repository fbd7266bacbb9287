/* What files of cells hold, for `clspline info`. */
#ifndef CLSPLINE_TOOLS_SOLID_INFO_H
#define CLSPLINE_TOOLS_SOLID_INFO_H

#include <stdbool.h>

#include "json.h"

/* Reads a file and prints what it holds, as an object of the list or with NULL as text. Complains
   on failure. */
bool solid_info_show(const char *path, json_list *list);

#endif
