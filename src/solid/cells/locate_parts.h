/* Parts of cells that are made of stars: what locate_nodes.h has of a mesh without classes. */
#ifndef CLSPI_LOCATE_PARTS_H
#define CLSPI_LOCATE_PARTS_H

#include "locate_nodes.h"
#include "locate_stars.h"

/* Makes a whole cell of a part that has room for a tricubic's points. */
void clspi_part_of_cell(const clspi_star_mesh *mesh, uint32_t cell, clspi_locate_node *node);

/* Makes the child of a part at a corner of the cell's own, in room for a tricubic's points, whose
   place in the cell is there. False: no memory. */
bool clspi_part_child(clspi_locate_stars *stars, const clspi_locate_node *node, uint32_t corner,
                      clspi_locate_node *child);

/* Makes the hull of a part that is no tricubic. False: no memory. */
bool clspi_part_hull(clspi_locate_stars *stars, clspi_locate_node *node);

/* Adds the points around a corner or an edge to a wrap. False: no memory. */
bool clspi_part_wrap(clspi_locate_stars *stars, const clspi_locate_node *node,
                     clspi_cell_wrap *wrap);

/* Finds how far along a direction, of unit length, the points around a corner or an edge are at
   least. False: no memory. */
bool clspi_part_along(clspi_locate_stars *stars, const clspi_locate_node *node,
                      const double direction[3], const double *from, double *least);

/* Finds the piece of a cell that is not regular where a parameter in [0, 1] is, for clspi_walk.
   piece->points: NULL where that is nearer to an irregular edge or vertex than steps are kept.
   False: no memory. */
bool clspi_part_piece(clspi_locate_stars *stars, const clspi_locate_node *node, const double t[3],
                      clspi_walk_piece *piece);

/* Finds the units of a cell, and the largest |coordinate| of its control points, as
   clspi_locate_measure. */
bool clspi_part_measure(const clspi_star_mesh *mesh, uint32_t cell, clspi_cell_units *units,
                        double *place);

/* Finds units of coordinates that are at most so far from their origin. */
double clspi_unit_scale(double extent);

#endif
