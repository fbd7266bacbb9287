/* One spline of geomdl's JSON (geomdl.h), whose keys come in any order. */
#ifndef CLSPLINE_TOOLS_IO_GEOMDL_ITEM_H
#define CLSPLINE_TOOLS_IO_GEOMDL_ITEM_H

#include "scanner.h"
#include "splines.h"

/* What a key of a spline tells, of one direction where it ends in _u, _v or _w. */
typedef enum geomdl_key {
    GEOMDL_OTHER,
    GEOMDL_DEGREE,
    GEOMDL_KNOTS,
    GEOMDL_SIZE,
    GEOMDL_KEYS
} geomdl_key;

typedef struct geomdl_item {
    spline made;
    uint64_t line; /* where it begins */
    bool has[GEOMDL_KEYS][SPLINES_MAX_DIRECTIONS];
    bool is_curve; /* has a key of curves, without a direction */
    uint64_t knot_line[SPLINES_MAX_DIRECTIONS];
    double *weights;
    size_t num_weights, weight_capacity;
} geomdl_item;

/* Reads the value of the key in s->word, if it is one of splines; else *taken becomes false, and
   the value is still to be read. */
bool geomdl_item_member(scanner *s, geomdl_item *t, bool *taken);

/* Checks that all is there and fits, and makes the control points homogeneous. */
bool geomdl_item_end(scanner *s, geomdl_item *t);

/* Releases what it holds, and leaves an empty one. */
void geomdl_item_clear(geomdl_item *t);

#endif
