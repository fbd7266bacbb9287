/* What CAD files say beside their splines, for `clspline info`. */
#ifndef CLSPLINE_TOOLS_CAD_INFO_H
#define CLSPLINE_TOOLS_CAD_INFO_H

#include "cad_model.h"
#include "json.h"

/* Print bodies, faces by kind, areas and volumes, or add them to an object. */
void cad_info_print(const cad_model *m);
void cad_info_json(const cad_model *m, json_list *list, cJSON *to);

#endif
