/* Derivatives of one cell by a class that is made for it and forgotten: where they are limits,
   along the boundary or across the slices of a layered cell (class_tangents.h). */
#ifndef CLSPI_CELL_SLOPES_H
#define CLSPI_CELL_SLOPES_H

#include "cell_class.h"
#include "vertex_star.h"

typedef struct clspi_cell_slopes {
    clspi_class_set set;
    clspi_class_use use;
    uint32_t num;                      /* control points */
    uint32_t point[CLSPI_RING_POINTS]; /* vertices of the mesh; CLSPI_NO_CELL: without weight */
    double row[CLSPI_RING_POINTS];
} clspi_cell_slopes;

/* Make the class of a cell that is not regular; or that of a cell whose boundary face `face` is the
   same, and which is of a layer of cells below the boundary around it: it has the same derivatives
   along this face, and few neighbours. To be released whatever happens. False: no memory, or there
   are too many neighbours (slopes->set.too_large). */
bool clspi_cell_slopes_make(clspi_cell_slopes *slopes, const clspi_star_mesh *stars, uint32_t cell);
bool clspi_face_slopes_make(clspi_cell_slopes *slopes, const clspi_star_mesh *stars, uint32_t cell,
                            uint32_t face);
void clspi_cell_slopes_release(clspi_cell_slopes *slopes);

/* Computes a derivative at t from the mesh's control points. */
void clspi_cell_slopes_sum(clspi_cell_slopes *slopes, const clspi_star_mesh *stars,
                           const double t[3], const uint8_t by[3], double *sum);

#endif
