/* What files of B-splines hold, for `clspline info`. */
#ifndef CLSPLINE_TOOLS_SPLINE_INFO_H
#define CLSPLINE_TOOLS_SPLINE_INFO_H

#include <stdbool.h>

#include "json.h"
#include "request.h"
#include "splines.h"

/* Reads a file and prints what it holds, of CAD files of the faces that `only` chooses
   (cad_filter.h), as an object of the list or with NULL as text. Complains on failure. */
bool spline_info_show(const char *path, const char *only, json_list *list);

/* Leaves out the faces of CAD files that the request does not choose. Complains on failure. */
bool spline_info_choose(splines *content, const char *name, const request *r);

/* Warns of what a model that was read lacks or has too much of, and with -v tells its unit. name
   stands for its files. */
void spline_info_tell(const splines *content, const char *name, const request *r);

#endif
