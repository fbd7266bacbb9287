/* What Gmsh's files in text and in binary have in common. */
#ifndef CLSPLINE_TOOLS_IO_SOLID_GMSH_H
#define CLSPLINE_TOOLS_IO_SOLID_GMSH_H

#include "binary.h"
#include "scanner.h"
#include "solid_cells.h"

/* The number of a node or an element in the file, and its place among the points or cells. */
typedef struct gmsh_item {
    uint32_t tag, place;
} gmsh_item;

typedef struct gmsh_items {
    gmsh_item *list; /* [num], sorted by tag once one has been looked for */
    size_t num, capacity;
    bool is_sorted;
} gmsh_items;

/* An entity of version 4, and the first of its physical groups, 0: none. */
typedef struct gmsh_entity {
    double tag, group;
} gmsh_entity;

/* What is told of an element: its number, its physical group and its entity, 0: none. */
typedef struct gmsh_element {
    uint32_t tag;
    double group, entity;
} gmsh_element;

typedef struct gmsh_file {
    scanner *s;
    solid_cells *cells;
    gmsh_items nodes, elements; /* elements: those that are cells */
    bool has_4_0, has_4;        /* versions from 4 on; 4.0 has other blocks */
    uint32_t *curves;           /* [num_curves]: those of version 4 that are in physical groups */
    size_t num_curves, curve_capacity;
    gmsh_entity *volumes; /* [num_volumes] */
    size_t num_volumes, volume_capacity;
    bool is_binary;
    binary b;            /* of a section */
    uint32_t size_bytes; /* of numbers of items in binary */
} gmsh_file;

/* Adds a node, whose point is the next one. */
bool gmsh_add_node(gmsh_file *f, uint32_t tag);

/* Finds the point of a node. False with a message. */
bool gmsh_find_node(gmsh_file *f, uint32_t tag, uint32_t *place);

/* Finds what has a number. False where there is none. */
bool gmsh_find(gmsh_items *items, uint32_t tag, uint32_t *place);

enum { GMSH_LINE = 1 }; /* a type of elements */

/* Tells whether a section of version 4 has entities, and whether they are parts of entities, as in
   a partitioned mesh. */
bool gmsh_has_entities(const char *name, bool *is_part);

/* Adds a curve (dim 1) or a volume (3) that is in a physical group; leaves others out. */
bool gmsh_add_entity(gmsh_file *f, int dim, const gmsh_entity *entity);

/* Tells whether a curve is in a physical group, by its number. */
bool gmsh_is_grouped(const gmsh_file *f, double tag);

/* Finds the first physical group of a volume, by its number; 0: none. */
double gmsh_group_of(const gmsh_file *f, double tag);

/* Adds a line between two points, which makes a crease. */
bool gmsh_add_line(gmsh_file *f, uint32_t from, uint32_t to);

/* Finds the cell that a type of elements is; 0: a point, a line or a face; and its nodes. False,
   with a message, for types that are not read. */
bool gmsh_find_type(gmsh_file *f, uint32_t type, int *kind, uint32_t *num_nodes);

/* Adds a cell of nodes whose points are given; one that version 2 gives again only once. */
bool gmsh_add_cell(gmsh_file *f, int kind, uint32_t vertices[8], const gmsh_element *e);

/* Reads the tags before data of nodes, or of cells, and makes an array of zeros for them. */
bool gmsh_begin_data(gmsh_file *f, bool of_cells, solid_array **a, uint32_t *count);

/* Reads the section of a binary file whose name is the scanner's word, up to its end. Others than
   those of nodes, elements and their data are left out. *at_end: the end is taken too. */
bool gmsh_read_binary(gmsh_file *f, bool *at_end);

/* Takes the end of the line behind which a section's numbers are binary. */
void gmsh_begin_binary(gmsh_file *f);

#endif
