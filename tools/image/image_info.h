/* What files of images hold, for `clspline info`. */
#ifndef CLSPLINE_TOOLS_IMAGE_INFO_H
#define CLSPLINE_TOOLS_IMAGE_INFO_H

#include <stdbool.h>

#include "json.h"

/* Reads a file and prints what it holds, as an object of the list or with NULL as text. Complains
   on failure. */
bool image_info_show(const char *path, json_list *list);

#endif
