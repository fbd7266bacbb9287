/* What files of B-splines hold, for `clspline info`. */
#ifndef CLSPLINE_TOOLS_SPLINE_INFO_H
#define CLSPLINE_TOOLS_SPLINE_INFO_H

#include <stdbool.h>

#include "json.h"
#include "request.h"
#include "splines.h"

/* Reads a file and prints what it holds, as an object of the list or with NULL as text. Complains
   on failure. */
bool spline_info_show(const char *path, json_list *list);

/* Warns of what a model that was read lacks or has too much of, and with -v tells its unit. name
   stands for its files. */
void spline_info_tell(const splines *content, const char *name, const request *r);

#endif
