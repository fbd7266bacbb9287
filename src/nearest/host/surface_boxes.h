/* The boxes of a node of the tree: how far they are, and which is next. */
#ifndef BOXES_H
#define BOXES_H

#include "level.h"
#include "surface_parts.h"

/* Puts the boxes of a node that are nearer than a limit, of squared distances, into a list, the
   nearest last: squared distances and what is in them. Returns how many; all BOXES
   places of the list may be written to. q: [CLSPI_SURFACE_LANES], coordinates beyond dim are 0. */
CLSPI_LEVELS(uint32_t, clspi_surface_boxes_put,
             (clspi_surface_node * node, uint32_t dim, const double *q, double limit,
              double *distances, uint32_t *codes));
#define clspi_surface_boxes_put CLSPI_AT_LEVEL(clspi_surface_boxes_put)

#endif
