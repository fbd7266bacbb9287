/* Lists of points in host memory. */
#ifndef CLSPI_SOLID_LIST_H
#define CLSPI_SOLID_LIST_H

#include "solid_plan.h"

typedef struct clspi_solid_list {
    size_t num;
    const uint32_t *cells; /* [num]; NULL: cell 0 for all */
    const void *params;    /* reals: [num][3], or a plane for each direction */
    size_t plane;          /* numbers from one to the next; 0: there are none */
} clspi_solid_list;

/* Where a point of a list is. */
typedef struct clspi_solid_spot {
    bool is_there; /* the cell is one, and no parameter is NaN */
    uint32_t cell;
    double t[3];  /* within [0, 1], NaN where it is not there */
    uint8_t face; /* of the boundary that it is on, NO_FACE or CLSPI_NOWHERE; without normals
                     no face */
} clspi_solid_spot;

void clspi_solid_spot_find(const clsp_solid_plan *plan, const clspi_solid_list *list, size_t point,
                           clspi_solid_spot *spot);

#endif
