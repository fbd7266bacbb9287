/* The parts into which a search cuts the cells of a solid: cells, their children, and so on, each
   with points whose hull holds its limit (docs/math.md, 21). A part of which no descendant is
   irregular is a tricubic. Parts are made when a search comes to them, and kept by the thread that
   did, until they are many. */
#ifndef CLSPI_LOCATE_NODES_H
#define CLSPI_LOCATE_NODES_H

#include "cell_cubic.h"
#include "cell_points.h"

enum { CLSPI_LOCATE_DEPTH = 100 };

/* Where parts are made from. */
typedef struct clspi_locate_source {
    const clspi_cell_points *points;
    const clspi_class_set *classes;
    uint8_t *is_loose;   /* [classes]: limits of the class need not be in the hull of its points */
    const void *control; /* [points][dim], doubles or floats, of which the first three are used */
    bool f64;
    uint32_t dim;
    double shrink; /* a power of two by which coordinates are multiplied, so that differences are
                      numbers; the search's to choose */
} clspi_locate_source;

/* The coordinates of a cell's parts: (P - origin) scale, which are about 1 at most. */
typedef struct clspi_cell_units {
    double origin[3]; /* its first control point, shrunk */
    double scale;     /* a power of two */
} clspi_cell_units;

typedef struct clspi_locate_node {
    double low[3], size; /* of the cell's parameters: a cube */
    uint32_t depth;
    bool is_cubic; /* its points are [4][4][4] Bezier points */
    bool is_loose;
    clspi_class_use of;                             /* of others */
    clspi_cell_hull hull;                           /* of others a box alone */
    struct clspi_locate_node *child[CLSPI_CORNERS]; /* NULL: not made */
    size_t num_points;
    double *points; /* [num_points][4] */
} clspi_locate_node;

/* The parts that a thread has. */
typedef struct clspi_locate_nodes clspi_locate_nodes;

/* NULL without memory. */
clspi_locate_nodes *clspi_locate_nodes_create(const clspi_locate_source *source);
void clspi_locate_nodes_destroy(clspi_locate_nodes *nodes);

/* Forgets parts where they have become many: no part is used any more then. */
void clspi_locate_nodes_tidy(clspi_locate_nodes *nodes);

/* Finds which classes are loose. False: no memory. To be freed. */
bool clspi_locate_find_loose(clspi_locate_source *source);

/* Finds the units of a cell, and the largest |coordinate| of its control points, shrunk, those
   beyond the boundary aside. False: not all are numbers. */
bool clspi_locate_measure(clspi_locate_nodes *nodes, uint32_t cell, clspi_cell_units *units,
                          double *place);

/* Returns a cell as a part; NULL without memory. */
clspi_locate_node *clspi_locate_cell(clspi_locate_nodes *nodes, uint32_t cell,
                                     const clspi_cell_units *units);

/* Prepares a part of a depth below CLSPI_LOCATE_DEPTH for its children. Those that are deep are
   there until another part as deep is prepared. False: no memory. */
bool clspi_locate_open(clspi_locate_nodes *nodes, clspi_locate_node *node);

/* Returns the child of such a part at a corner of the cell's own; NULL without memory. */
clspi_locate_node *clspi_locate_child(clspi_locate_nodes *nodes, clspi_locate_node *node,
                                      uint32_t corner);

/* Returns the corner, as the cell has it, whose child of a part is in the direction of a place. */
uint32_t clspi_locate_corner(const clspi_locate_node *node, const double *from);

#endif
