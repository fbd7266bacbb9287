/* The star of a vertex: the cells around it, with the control points near it, refined as often as a
   parameter needs. A step keeps which cell touches which, so that it needs no mesh (docs/math.md,
   19, Stars). */
#ifndef CLSPI_VERTEX_STAR_H
#define CLSPI_VERTEX_STAR_H

#include "cell_mesh.h"
#include "level.h"
#include "step_weights.h"

enum {
    CLSPI_STAR_POINTS = 64,  /* of a cell: 4 along each axis */
    CLSPI_STAR_MOST_DIM = 16 /* channels */
};

/* What the stars of a mesh are made of. */
typedef struct clspi_star_mesh {
    const clspi_cell_mesh *mesh;
    clspi_step_weights weights;
    uint32_t *begin;   /* [vertices + 1] */
    uint32_t *corners; /* [8 cells]: 8 times a cell + its corner, by vertices */
    uint32_t dim;
    double *control; /* as they were taken: of vertices */
    double *points;  /* after one step: of vertices, edges, faces and cells; NULL: not loaded */
    double *limits;  /* of vertices */
} clspi_star_mesh;

/* Finds the cells around the vertices of a mesh, which stays the caller's, without creases that
   fade. To be released whatever happens; false: no memory. */
CLSPI_LEVELS(bool, clspi_star_mesh_make, (clspi_star_mesh * stars, const clspi_cell_mesh *mesh));
#define clspi_star_mesh_make CLSPI_AT_LEVEL(clspi_star_mesh_make)

/* Takes control points: [vertices][dim]. False: no memory, and nothing is loaded. */
CLSPI_LEVELS(bool, clspi_star_mesh_load,
             (clspi_star_mesh * stars, const double *points, uint32_t dim));
#define clspi_star_mesh_load CLSPI_AT_LEVEL(clspi_star_mesh_load)

/* Forgets control points, of a copy of the struct its own. */
CLSPI_LEVELS(void, clspi_star_mesh_forget, (clspi_star_mesh * stars));
#define clspi_star_mesh_forget CLSPI_AT_LEVEL(clspi_star_mesh_forget)
CLSPI_LEVELS(void, clspi_star_mesh_release, (clspi_star_mesh * stars));
#define clspi_star_mesh_release CLSPI_AT_LEVEL(clspi_star_mesh_release)

/* A cell of a star, seen from the vertex: axis a leads away from it. */
typedef struct clspi_star_cell {
    uint32_t corner;    /* 8 times the cell + its corner */
    uint32_t edge[3];   /* of the star, along each axis */
    uint32_t across[3]; /* the star's cell beyond the face that axis a leads away from, or
                           CLSPI_NO_CELL */
    uint8_t to[3][3];   /* axes of that cell: [a][b] is mine b; [a][a] leads away from the face */
} clspi_star_cell;

/* An edge at the vertex. */
typedef struct clspi_star_edge {
    uint32_t edge;       /* of the mesh */
    uint32_t first, num; /* its cells in the star's list */
    uint8_t flag;        /* of the mesh's edge */
    double middle;       /* the weight of its middle in the next vertex */
} clspi_star_edge;

typedef struct clspi_vertex_star {
    const clspi_star_mesh *stars;
    uint32_t vertex, num_cells, num_edges;
    uint32_t level; /* steps: a cell has 2^level segments along a direction */
    clspi_star_cell *cell;
    clspi_star_edge *edge;
    uint32_t *edge_cells; /* [3 num_cells]: 3 times a cell + its axis, by edges */
    uint32_t *edge_place; /* [num_cells][3]: where a cell's axis is among those of its edge */
    uint32_t *table;      /* of what is numbered */
    uint32_t cell_room, dim_room;
    double *centre; /* [dim]: the vertex */
    /* [num_cells][4][4][4][dim]: points of each cell relative to it, the last axis fastest, and
       those of the next step; level 1 has 3 along each axis */
    double *points, *next;
    double *slices; /* [num_edges][3][dim] */
} clspi_vertex_star;

/* Finds the star of a vertex, after one step. The star begins as all 0 and is used again for other
   vertices; to be released in the end. False: no memory. */
CLSPI_LEVELS(bool, clspi_vertex_star_make,
             (clspi_vertex_star * star, const clspi_star_mesh *stars, uint32_t vertex));
#define clspi_vertex_star_make CLSPI_AT_LEVEL(clspi_vertex_star_make)
CLSPI_LEVELS(void, clspi_vertex_star_release, (clspi_vertex_star * star));
#define clspi_vertex_star_release CLSPI_AT_LEVEL(clspi_vertex_star_release)

/* Does a step. */
CLSPI_LEVELS(void, clspi_vertex_star_step, (clspi_vertex_star * star));
#define clspi_vertex_star_step CLSPI_AT_LEVEL(clspi_vertex_star_step)

/* Writes a point of a cell at place `at`, counted from -1. One coordinate may be -1, or several
   where the edge or vertex that they name is regular. */
CLSPI_LEVELS(void, clspi_vertex_star_point,
             (const clspi_vertex_star *star, uint32_t cell, const int at[3], double *to));
#define clspi_vertex_star_point CLSPI_AT_LEVEL(clspi_vertex_star_point)

/* Refines lines of four points from the one before the first: `inner` numbers from one point to the
   next, `outer` times, in place. */
CLSPI_LEVELS(void, clspi_star_refine_lines, (double *points, uint32_t outer, uint32_t inner));
#define clspi_star_refine_lines CLSPI_AT_LEVEL(clspi_star_refine_lines)

#endif
