/* The parts into which a search cuts the cells of a solid: cells, their children, and so on, each
   with points whose hull holds its limit (docs/math.md, 21). A part of which no descendant is
   irregular is a tricubic. Parts are made when a search comes to them, and kept by the thread that
   did, until they are many. */
#ifndef CLSPI_LOCATE_NODES_H
#define CLSPI_LOCATE_NODES_H

#include "cell_cubic.h"
#include "cell_points.h"
#include "vertex_star.h"

enum { CLSPI_LOCATE_DEPTH = 100 };

/* Where parts are made from: classes of cells, or the stars of a mesh. */
typedef struct clspi_locate_source {
    const clspi_star_mesh *stars; /* NULL: classes; points need not be loaded */
    const clspi_cell_points *points;
    const clspi_class_set *classes;
    uint8_t *is_loose;   /* [classes]: limits of the class need not be in the hull of its points */
    const void *control; /* [points], of stars [vertices], [dim], doubles or floats, of which the
                            first three are used */
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

typedef enum clspi_part_kind {
    CLSPI_PART_CUBIC,  /* [4][4][4] Bezier points */
    CLSPI_PART_CLASS,  /* a cell, or a descendant of one, of a class that is not regular */
    CLSPI_PART_CELL,   /* a cell of a mesh of stars that is not regular */
    CLSPI_PART_CORNER, /* what of such a cell is at an irregular vertex */
    CLSPI_PART_EDGE    /* what of it is beside an irregular edge */
} clspi_part_kind;

/* Where a part of a star is. */
typedef struct clspi_part_place {
    uint32_t vertex, cell; /* the star's cell; of a whole cell the mesh's */
    uint32_t level, steps; /* of the star; of an edge's section */
    uint8_t corner;        /* of the cell, where the vertex is */
    uint8_t along;         /* of an edge: its axis, along which the part is, */
    double from, width;    /* seen from the vertex, so much of the section from point 1 to 2 */
} clspi_part_place;

typedef struct clspi_locate_node {
    double low[3], size; /* of the cell's parameters: a cube */
    uint32_t depth;
    clspi_part_kind kind;
    bool is_loose;
    bool has_hull;                                  /* it is made when it is asked for */
    bool keeps_children;                            /* else they are there for a while alone */
    clspi_class_use of;                             /* of classes */
    clspi_part_place place;                         /* of stars */
    const clspi_cell_units *units;                  /* the cell's */
    clspi_cell_hull hull;                           /* of others than tricubics a box alone */
    struct clspi_locate_node *child[CLSPI_CORNERS]; /* NULL: not made */
    size_t num_points;
    double *points; /* [num_points][4], of tricubics and classes */
} clspi_locate_node;

/* A piece of a cell as a walk has it: a tricubic of its own parameters, (t - low) / size. Points
   are relative to an origin, and multiplied as in the cell's units. */
typedef struct clspi_walk_piece {
    double low[3], size[3]; /* a size may be negative */
    double origin[3], scale;
    bool is_spline[3]; /* points are those of cubic B-splines along an axis, else Bezier points */
    const double *points;           /* [4][4][4][4] */
    uint64_t key[2];                /* what it is: bits that no other piece has */
    double made[CLSPI_CUBIC_REALS]; /* points that lie nowhere else */
} clspi_walk_piece;

/* The parts that a thread has. */
typedef struct clspi_locate_nodes clspi_locate_nodes;

/* NULL without memory. */
clspi_locate_nodes *clspi_locate_nodes_create(const clspi_locate_source *source);
void clspi_locate_nodes_destroy(clspi_locate_nodes *nodes);

/* Forgets parts where they have become many: no part is used any more then. */
void clspi_locate_nodes_tidy(clspi_locate_nodes *nodes);

/* Keeps parts of all depths until they are forgotten, or those that are not deep alone. */
void clspi_locate_keep_all(clspi_locate_nodes *nodes, bool keeps);

/* Finds which classes are loose. False: no memory. To be freed. */
bool clspi_locate_find_loose(clspi_locate_source *source);

/* Finds the units of a cell, and the largest |coordinate| of its control points, shrunk, those
   beyond the boundary aside. False: not all are numbers. */
bool clspi_locate_measure(clspi_locate_nodes *nodes, uint32_t cell, clspi_cell_units *units,
                          double *place);

/* Returns a cell as a part; NULL without memory. units: as measured, and there as long as the
   part. */
clspi_locate_node *clspi_locate_cell(clspi_locate_nodes *nodes, uint32_t cell,
                                     const clspi_cell_units *units);

/* Makes the hull of a part, if it is not there; that of a whole cell of stars which is not regular
   has no end. False: no memory. */
bool clspi_locate_need_hull(clspi_locate_nodes *nodes, clspi_locate_node *node);

/* Adds the points in whose hull the limit of a part is, but not those of a whole cell of stars.
   False: no memory. */
bool clspi_locate_add_part(clspi_locate_nodes *nodes, const clspi_locate_node *node,
                           clspi_cell_wrap *wrap);

/* Finds how far along a direction, of unit length, the limit of a part is from a place at least; of
   whole cells of stars nothing is known. False: no memory. */
bool clspi_locate_along(clspi_locate_nodes *nodes, const clspi_locate_node *node,
                        const double direction[3], const double *from, double *least);

/* Writes where the corners of a whole cell are, about, in its units: [8][4]. */
void clspi_locate_corners(const clspi_locate_node *node, double *corners);

/* Finds the piece of a whole cell where a parameter in [0, 1] is; it is there until the next call.
 *piece is NULL where there is none that is large enough. False: no memory. */
bool clspi_locate_piece(clspi_locate_nodes *nodes, clspi_locate_node *cell, const double t[3],
                        const clspi_walk_piece **piece);

/* Prepares a part of a depth below CLSPI_LOCATE_DEPTH for its children. Those that are deep are
   there until another part as deep is prepared. False: no memory. */
bool clspi_locate_open(clspi_locate_nodes *nodes, clspi_locate_node *node);

/* Returns the child of such a part at a corner of the cell's own; NULL without memory. */
clspi_locate_node *clspi_locate_child(clspi_locate_nodes *nodes, clspi_locate_node *node,
                                      uint32_t corner);

/* Returns the corner, as the cell has it, whose child of a part is in the direction of a place. */
uint32_t clspi_locate_corner(const clspi_locate_node *node, const double *from);

#endif
