/* What the searches of solid_locate.h share. */
#ifndef CLSPI_LOCATE_SEARCHER_H
#define CLSPI_LOCATE_SEARCHER_H

#include "cubic_jet.h"
#include "level.h"
#include "locate_cells.h"

#define BOUND_LESS (1 - 1e-9) /* by which bounds are multiplied: roundings are far below it */

/* A child of a part that waits to be made. */
typedef struct waiting_part {
    clspi_locate_node *of;
    uint32_t corner;
} waiting_part;

/* A cell whose wrap holds the query, how far inside that is, and where a guess has it. */
typedef struct near_cell {
    double depth, t[3];
    uint32_t cell;
    bool is_walked;
} near_cell;

/* What may have the nearest point, and a distance that it is not below, shrunk: a node of the tree
   or a cell by its code, or a part of the cell of this number. */
typedef struct near_box {
    double distance;
    clspi_locate_node *part; /* NULL: there is none */
    uint32_t code;
} near_box;

/* What a thread needs. */
typedef struct clspi_searcher {
    const clspi_solid_locate *s;
    clspi_locate_nodes *nodes;
    double floor; /* in a cell's units, what is not worth a step */
    uint64_t max_nodes;
    bool asks_nearest; /* of what is outside */
    double tolerance;  /* up to which what is outside is found */
    near_cell *cells;  /* [room] */
    size_t num_cells, room;
    near_box *boxes; /* [box_room]: a heap */
    size_t num_boxes, box_room;
    /* the query at hand */
    double q[3];            /* shrunk */
    double least, excluded; /* no point of what the tree, and what others left out is nearer */
    uint64_t left;          /* parts that it may have */
    double towards[3];      /* of unit length, to the nearest place; 0: there is none */
    /* the cell at hand, in whose units all is */
    const clspi_located_cell *cell;
    double from[CLSPI_HULL_LANES];
    uint32_t num_parts;
    bool is_found, is_open; /* something is; some of it was not looked at */
    double residual, t[3];
    waiting_part part[CLSPI_LOCATE_DEPTH * CLSPI_CORNERS]; /* [num_parts]; all else begins as 0 */
} clspi_searcher;

/* Turns to a cell, and returns how far away its wrap is at least, in its units; *depth: how far
   inside the query is. */
CLSPI_LEVELS(double, clspi_searcher_turn, (clspi_searcher * w, uint32_t number, double *depth));
#define clspi_searcher_turn CLSPI_AT_LEVEL(clspi_searcher_turn)

/* Finds the parameters of a tricubic's point that is nearest to the query, or a place where it is
   nearer than around there; e: the query minus the point. It ends where the square of the distance
   would fall by this share. Returns the distance. */
CLSPI_LEVELS(double, clspi_searcher_nearest,
             (const clspi_searcher *w, const clspi_locate_node *node, double share, double best[3],
              double e[3]));
#define clspi_searcher_nearest CLSPI_AT_LEVEL(clspi_searcher_nearest)

/* Notes a place of a part, in its own parameters, if it is the best one. */
CLSPI_LEVELS(void, clspi_searcher_take,
             (clspi_searcher * w, const clspi_locate_node *node, const double t[3],
              double residual));
#define clspi_searcher_take CLSPI_AT_LEVEL(clspi_searcher_take)

/* Returns the largest distance of a point of a part's box. */
CLSPI_LEVELS(double, clspi_searcher_farthest, (const clspi_cell_hull *hull, const double *from));
#define clspi_searcher_farthest CLSPI_AT_LEVEL(clspi_searcher_farthest)

/* Puts the children of a part before all that waits, first that in the direction of the query.
   False: no memory. */
CLSPI_LEVELS(bool, clspi_searcher_cut, (clspi_searcher * w, clspi_locate_node *node));
#define clspi_searcher_cut CLSPI_AT_LEVEL(clspi_searcher_cut)

/* Returns the square of how far outside of box k a coordinate is. */
CLSPI_INLINE double outside(const double box[2][BOXES], int k, double q)
{
    const double x = more_of(more_of(box[0][k] - q, q - box[1][k]), 0);

    return x * x;
}

/* Computes the squares of distances of a node's boxes from a point of the tree's coordinates. In
   line, since walks of the tree are little else. */
CLSPI_INLINE void distances_to(const clspi_surface_node *node, const double q[3], double *square)
{
    const double x = q[0], y = q[1], z = q[2];

    for (int k = 0; k < BOXES; k++)
        square[k] =
            outside(node->box[0], k, x) + outside(node->box[1], k, y) + outside(node->box[2], k, z);
}

/* Finds the point of the solid that is nearest to the query, which is outside: where it is, and its
   distance in *out, with a bound that is hardly less, unless parts do not suffice. False: no
   memory. */
bool clspi_searcher_outside(clspi_searcher *w, clspi_place_f64 *out);

#endif
