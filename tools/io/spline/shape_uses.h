/* Which shapes of a CAD file take which splines, as a whole or in part: faces and the like. */
#ifndef CLSPLINE_TOOLS_IO_SHAPE_USES_H
#define CLSPLINE_TOOLS_IO_SHAPE_USES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct shape_use {
    size_t spline, user; /* instances or entities of the file */
} shape_use;

typedef struct shape_uses {
    shape_use *items; /* to be freed */
    size_t num, capacity;
} shape_uses;

/* Adds a use. False when memory runs out. */
bool shape_uses_add(shape_uses *uses, size_t spline, size_t user);

/* Sorts the uses by splines, when all are there. */
void shape_uses_sort(shape_uses *uses);

/* Returns the number of the first use of a spline, or of one behind it. */
size_t shape_uses_find(const shape_uses *uses, size_t spline);

#endif
