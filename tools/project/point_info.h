/* What files of points hold, for `clspline info`. */
#ifndef CLSPLINE_TOOLS_POINT_INFO_H
#define CLSPLINE_TOOLS_POINT_INFO_H

#include <stdbool.h>

#include "json.h"

/* Reads a file, or standard input where that can go back, and prints what it holds, as an object of
   the list or with NULL as text. Complains on failure. */
bool point_info_show(const char *path, json_list *list);

#endif
