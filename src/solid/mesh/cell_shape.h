/* Shapes of cells that meshes of one kind of cells have: which corners, edges and sides touch. */
#ifndef CLSPI_CELL_SHAPE_H
#define CLSPI_CELL_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

enum { CLSPI_STAR_SIDES = 3 }; /* edges, and sides, of a cell that meet in a corner */

/* Around a corner, seen from outside, its side number i is between
   its edges i and i + 1, the last one between the last and the first: going once around that side,
   outward, one comes from the end of edge i and goes on to that of edge i + 1. */
typedef struct clspi_cell_shape {
    uint8_t corners, edges, sides, side_size;
    bool is_directed;                       /* edges run as their cells have them; else from the
                                               vertex of the lesser number */
    uint8_t edge[12][2];                    /* corners, begin and end */
    uint8_t loop[6][4];                     /* corners of a side in cyclic order */
    uint8_t loop_edge[6][4];                /* from each of them to the next one */
    uint8_t outward[6][4];                  /* corners of a side, turning left seen from outside */
    uint8_t star_edge[8][CLSPI_STAR_SIDES]; /* of each corner: edges, */
    uint8_t star_end[8][CLSPI_STAR_SIDES];  /* their other corners, */
    uint8_t star_side[8][CLSPI_STAR_SIDES]; /* sides, */
    uint8_t star_far[8][CLSPI_STAR_SIDES];  /* and the corners across these; that of a triangle is
                                               the corner itself */
} clspi_cell_shape;

/* Hexahedra are numbered as in cell_frame.h. */
extern const clspi_cell_shape clspi_hexahedron;

/* The corners 0, 1, 2, 3 of a tetrahedron are those that VTK calls 0, 2, 1, 3; its edges are in the
   order in which they first stand in its sides. */
extern const clspi_cell_shape clspi_tetrahedron;

#endif
