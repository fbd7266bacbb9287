/* The control points of a model and the lines between those that are neighbours. */
#ifndef CLSPLINE_TOOLS_CONTROL_LINES_H
#define CLSPLINE_TOOLS_CONTROL_LINES_H

#include "view_model.h"

typedef struct control_lines {
    double *points; /* [num_points][3] */
    uint32_t *pairs;
    size_t num_points, num_pairs, pair_capacity;
} control_lines;

/* Lists them. False without memory; to be cleared whatever happens. */
bool control_lines_make(control_lines *c, const view_model *m);

void control_lines_clear(control_lines *c);

#endif
