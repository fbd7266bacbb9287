/* The oracle of places in solids: Newton's method in long double from the samples of all cells that
   are nearest to a point, damped, and stopped at the faces of the cell. It knows no boxes, no tree
   and no bounds. */
#ifndef LOCATE_REF_H
#define LOCATE_REF_H

#include <stddef.h>

/* Computes the point of a cell at t in [0, 1]^3 and its first derivatives: slope[a] along a. */
typedef void (*ref_cell_jet)(void *user, size_t cell, const double t[3], long double value[3],
                             long double slope[3][3]);

typedef struct ref_place {
    size_t cell;
    double t[3];
    long double distance;
} ref_place;

/* Finds a place near a point, the nearest of what so many starts (up to 64) lead to. samples:
   [num_cells][each][each][each][3], at i / (each - 1). */
void ref_locate(ref_cell_jet jet, void *user, const double *samples, size_t num_cells, size_t each,
                const double point[3], size_t starts, ref_place *place);

#endif
