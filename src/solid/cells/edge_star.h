/* The star of a parameter on an irregular edge: what is across the edge there, a surface around one
   vertex, since limits beside an edge are products along it and across it (docs/math.md, 19,
   Stars). */
#ifndef CLSPI_EDGE_STAR_H
#define CLSPI_EDGE_STAR_H

#include "level.h"
#include "vertex_star.h"

/* A quad of the surface: a cell's section. Axes 0 and 1 are those of the cell that are not along
   the edge, in their order. */
typedef struct clspi_star_quad {
    uint32_t cell;      /* of the vertex's star */
    uint8_t along;      /* its axis along the edge */
    uint8_t axis[2];    /* the others */
    uint8_t shared[2];  /* axis of the quad beyond the side that axis k leads away from which is the
                           other one here */
    uint32_t across[2]; /* that quad, or CLSPI_NO_CELL */
} clspi_star_quad;

typedef struct clspi_edge_star {
    const clspi_vertex_star *star;
    uint32_t edge, num_quads, level;
    uint32_t dim; /* channels of a point: the star's, or for each of four slices those */
    uint8_t flag;
    clspi_star_quad *quad;
    uint32_t quad_room, dim_room;
    double centre[CLSPI_STAR_MOST_DIM];
    double *points, *next; /* [num_quads][4][4][dim], relative to the centre */
} clspi_edge_star;

/* Finds the quads around an edge of a star, whose points are to be of so many slices, 1, or 4 of 4
   channels. The edge's star begins as all 0 and is used again; to be released in the end. False: no
   memory. */
CLSPI_LEVELS(bool, clspi_edge_star_make,
             (clspi_edge_star * across, const clspi_vertex_star *star, uint32_t edge,
              uint32_t slices));
#define clspi_edge_star_make CLSPI_AT_LEVEL(clspi_edge_star_make)
CLSPI_LEVELS(void, clspi_edge_star_release, (clspi_edge_star * across));
#define clspi_edge_star_release CLSPI_AT_LEVEL(clspi_edge_star_release)

/* Brings the sums over slices 0 to 3 along the edge, by four weights. */
CLSPI_LEVELS(void, clspi_edge_star_gather, (clspi_edge_star * across, const double weight[4]));
#define clspi_edge_star_gather CLSPI_AT_LEVEL(clspi_edge_star_gather)

/* Brings four slices at once, of a star of 4 channels: Bezier points along the edge, from
   point 1 of it to point 2. */
CLSPI_LEVELS(void, clspi_edge_star_gather_slices, (clspi_edge_star * across));
#define clspi_edge_star_gather_slices CLSPI_AT_LEVEL(clspi_edge_star_gather_slices)

/* Does a step. */
CLSPI_LEVELS(void, clspi_edge_star_step, (clspi_edge_star * across));
#define clspi_edge_star_step CLSPI_AT_LEVEL(clspi_edge_star_step)

/* Writes the limit of the edge itself, relative to the centre. */
CLSPI_LEVELS(void, clspi_edge_star_limit, (const clspi_edge_star *across, double *to));
#define clspi_edge_star_limit CLSPI_AT_LEVEL(clspi_edge_star_limit)

/* Writes a point of a quad at place `at`, counted from -1; at most one of its coordinates is -1. */
CLSPI_LEVELS(void, clspi_edge_star_point,
             (const clspi_edge_star *across, uint32_t quad, const int at[2], double *to));
#define clspi_edge_star_point CLSPI_AT_LEVEL(clspi_edge_star_point)

#endif
