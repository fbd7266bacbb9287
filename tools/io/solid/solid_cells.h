/* The polyhedral cells of a solid in memory, with their points and what is told of these.

   Cells are as VTK numbers and orders them: tetrahedra 10, hexahedra 12, wedges 13, pyramids 14,
   polyhedra 42 (the number of faces, and of each its vertices' number and them). All grows as items
   arrive, so that a number in a file never decides on an allocation. */
#ifndef CLSPLINE_TOOLS_IO_SOLID_CELLS_H
#define CLSPLINE_TOOLS_IO_SOLID_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

enum {
    SOLID_TETRAHEDRON = 10,
    SOLID_VOXEL = 11,
    SOLID_HEXAHEDRON = 12,
    SOLID_WEDGE = 13,
    SOLID_PYRAMID = 14,
    SOLID_PRISM5 = 15,
    SOLID_PRISM6 = 16,
    SOLID_POLYHEDRON = 42,
    SOLID_MAX_NAME = 80,
    SOLID_MAX_CELL = 65536 /* indices of one cell */
};

/* Most points and cells that the library takes. */
#define SOLID_MAX ((size_t)INT32_MAX)

/* Numbers that a file gives to the points, or to the cells. */
typedef struct solid_array {
    char name[SOLID_MAX_NAME];
    uint32_t components;
    bool is_whole;  /* the file has them as whole numbers */
    double *values; /* [num_points][components], or [num_cells][components] */
    size_t count, capacity;
} solid_array;

typedef struct solid_cells {
    size_t num_points, num_cells, num_indices, num_creases, num_corners, num_arrays;
    size_t num_lines;
    double *points;   /* [num_points][3] */
    uint8_t *kinds;   /* [num_cells] */
    uint32_t *index;  /* [num_indices] */
    uint32_t *crease; /* [num_creases][2] */
    uint32_t *corner; /* [num_corners] */
    uint32_t *line;   /* [num_lines][2]: edges that become creases where they are the boundary's */
    solid_array *arrays;
    solid_array *cell_arrays; /* [num_cell_arrays]: of cells; they may have NaN */
    size_t num_cell_arrays;
    size_t num_isolated; /* points that no cell has, which are left out */
    size_t point_capacity, kind_capacity, index_capacity, crease_capacity, corner_capacity;
    size_t array_capacity, line_capacity, cell_array_capacity;
} solid_cells;

/* Add a point, an index, a crease, a line, a corner. False when memory runs out. */
bool solid_cells_point(solid_cells *c, double x, double y, double z);
bool solid_cells_index(solid_cells *c, uint32_t vertex);
bool solid_cells_crease(solid_cells *c, uint32_t from, uint32_t to);
bool solid_cells_line(solid_cells *c, uint32_t from, uint32_t to);
bool solid_cells_corner(solid_cells *c, uint32_t vertex);

/* Returns how many vertices a kind of VTK's has; 0: as many as there are, or a kind that is none of
   those above. */
uint32_t solid_kind_vertices(int kind);

/* Tells whether a kind of VTK's is no solid but a point, a line or a face. */
bool solid_kind_is_flat(int kind);

/* Adds a cell of one of the kinds above; prisms become polyhedra. False when memory runs out. */
bool solid_cells_add(solid_cells *c, int kind, const uint32_t *vertices, size_t count);

/* Adds an array of points, or of cells, without values yet, under a name as utf8_copy makes it.
   NULL when memory runs out. The address is valid until the next one is added. */
solid_array *solid_cells_array(solid_cells *c, const char *name, uint32_t components);
solid_array *solid_cells_data(solid_cells *c, const char *name, uint32_t components);
bool solid_array_append(solid_array *a, double value);

/* Gives the cell that was added last a whole number, in the array of cells of that name, which is
   made with 0 for the cells before. False when memory runs out. */
bool solid_cells_label(solid_cells *c, const char *name, double label);

/* Checks all indices against the points, leaves out points and lines that no cell has, and arrays
   of cells that are 0 throughout, and turns polyhedra's faces so that they run around as seen from
   outside. False with a message that begins with the name: no cells, an index that is no point,
   arrays that do not have a value for each point or cell, a number of a point that is not finite,
   no memory. */
bool solid_cells_finish(solid_cells *c, const char *name, io_message *message);

/* Returns the least distance of two vertices of a cell, HUGE_VAL where there are no two. *share:
   the least share that one is of the larger one's coordinates. Vertices that doubles hardly tell
   apart are left out, as corners of a cell that was collapsed. */
double solid_cells_spacing(solid_cells *c, double *share);

/* Lets each point be one with another, or with itself, which is one with itself: cells, creases,
   lines and corners have that in its place, at the mean of all and with the mean of their data.
   to: [num_points]. False with a message: a cell would lose a corner, no memory. */
bool solid_cells_merge(solid_cells *c, const uint32_t *to, const char *name, io_message *message);

/* Releases all memory and leaves no cells. */
void solid_cells_clear(solid_cells *c);

#endif
