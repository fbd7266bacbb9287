/* Boxes around points of up to 4 coordinates, as `clspline info` tells them. */
#ifndef CLSPLINE_TOOLS_INFO_BOX_H
#define CLSPLINE_TOOLS_INFO_BOX_H

#include "json.h"

enum { INFO_MAX_DIM = 4 };

typedef struct info_box {
    uint32_t dim;
    double low[INFO_MAX_DIM], high[INFO_MAX_DIM];
} info_box;

/* Makes a box without a point. */
info_box info_box_none(uint32_t dim);

/* Makes room for a point; coordinates that are NaN are passed over. */
void info_box_grow(info_box *b, const double *point);

/* Prints a line of the box, or adds its corners to an object. */
void info_box_print(const info_box *b, const char *name);
void info_box_json(const info_box *b, json_list *list, cJSON *to, const char *name);

#endif
