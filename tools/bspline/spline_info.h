/* What files of B-splines hold, for `clspline info`. */
#ifndef CLSPLINE_TOOLS_SPLINE_INFO_H
#define CLSPLINE_TOOLS_SPLINE_INFO_H

#include <stdbool.h>

#include "json.h"

/* Tells whether a file has the ending of one. */
bool spline_info_suits(const char *path);

/* Reads a file and prints what it holds, as an object of the list or with NULL as text. Complains
   on failure. */
bool spline_info_show(const char *path, json_list *list);

#endif
