/* What BezierView files hold, for `clspline info`. */
#ifndef CLSPLINE_TOOLS_PATCH_INFO_H
#define CLSPLINE_TOOLS_PATCH_INFO_H

#include <clspline/clspline.h>

#include "json.h"
#include "mesh.h"

/* The device that surveys patches, which is opened when there are some. */
typedef struct patch_info_device {
    const char *name; /* as the user gave it; NULL: the default one */
    clsp_context *ctx;
    mesh_precision precision;
} patch_info_device;

/* Reads a file and prints what it holds, as an object of the list or with NULL as text. Complains
   on failure. */
bool patch_info_show(const char *path, patch_info_device *d, json_list *list);

#endif
