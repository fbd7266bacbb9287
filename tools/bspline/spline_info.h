/* What files of B-splines hold, for `clspline info`. */
#ifndef CLSPLINE_TOOLS_SPLINE_INFO_H
#define CLSPLINE_TOOLS_SPLINE_INFO_H

#include <stdbool.h>

/* Tells whether a file has the ending of one. */
bool spline_info_suits(const char *path);

/* Reads a file and prints what it holds, as text, or as a JSON object behind a text such as ",\n".
   Complains on failure. */
bool spline_info_show(const char *path, bool json, const char *before);

#endif
