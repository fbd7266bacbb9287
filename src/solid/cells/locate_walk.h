/* The short way of a search for a place in a cell: from part to part with Newton's method, which
   finds most points that are inside, and proves nothing of others (docs/math.md, 21). */
#ifndef CLSPI_LOCATE_WALK_H
#define CLSPI_LOCATE_WALK_H

#include "level.h"
#include "locate_nodes.h"

typedef enum clspi_walk_status {
    CLSPI_WALK_FOUND,
    CLSPI_WALK_LOST,
    CLSPI_WALK_NO_MEMORY
} clspi_walk_status;

/* Where a walk ends, in the cell's units: the parameters, how far their point is off, and about how
   far inside the cell's faces it is. */
typedef struct clspi_walked {
    double t[3], residual, inside;
} clspi_walked;

/* Guesses the parameters of a query in a cell, which may be outside. */
CLSPI_LEVELS(void, clspi_walk_guess,
             (const clspi_locate_node *cell, const double query[3], double t[3]));
#define clspi_walk_guess CLSPI_AT_LEVEL(clspi_walk_guess)

/* Walks in a cell to a query, from the parameters that are there. Found: within `floor` of it, in
   the cell's units. */
CLSPI_LEVELS(clspi_walk_status, clspi_locate_walk,
             (clspi_locate_nodes * nodes, clspi_locate_node *cell, const double query[3],
              double floor, clspi_walked *walked));
#define clspi_locate_walk CLSPI_AT_LEVEL(clspi_locate_walk)

#endif
