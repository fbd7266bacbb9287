/* Vertices of tensor-product patches on grids, on the host: points, as tensor_tile.h makes
   them, and vertices of several sums. Rows of a patch at a time. */
#ifndef CLSPI_VERTEX_TILE_H
#define CLSPI_VERTEX_TILE_H

#include "tensor_tile.h"
#include "vertex_sums.h"

typedef struct clspi_vertex_tile_desc {
    clspi_tile_desc points; /* of the patch itself */
    clspi_vertex_shape shape;
    bool only_points; /* points.vertex says all of a vertex, what follows is not read but edges */
    uint32_t num_sums;
    uint32_t numbers[CLSPI_VERTEX_SUMS]; /* of the sums, in the order of clspi_vertex_source */
    uint32_t by[CLSPI_VERTEX_SUMS][3];   /* and their order as derivatives */
    double axis[3][2];                   /* where samples begin and end */
    const double *params[3];             /* samples of one's own; NULL: they are uniform */

    /* Factors of first (by 1) and second differences along a direction; NULL: those of Bernstein
       polynomials. */
    const double *(*factors)(const void *user, uint32_t direction, uint32_t by);

    bool is_bernstein; /* the functions are Bernstein polynomials, of a surface both */
    bool edges;        /* surfaces whose sides at parameters 0 and 1 are made again */
    bool watertight;   /* points there too */
} clspi_vertex_tile_desc;

typedef struct clspi_vertex_tile clspi_vertex_tile;
typedef struct clspi_vertex_scratch clspi_vertex_scratch;

/* Makes the tables of a description; NULL without memory. */
clspi_vertex_tile *clspi_vertex_tile_create(const clspi_vertex_tile_desc *desc);
void clspi_vertex_tile_destroy(clspi_vertex_tile **tile);

clspi_vertex_scratch *clspi_vertex_scratch_create(const clspi_vertex_tile *tile);
void clspi_vertex_scratch_destroy(clspi_vertex_scratch **scratch);

/* Says that the control points are no longer those that a scratch's sums are of. */
void clspi_vertex_scratch_forget(clspi_vertex_scratch *scratch);

/* Evaluates rows. Other elements of a vertex than its attributes stay as they are. Results do not
   depend on how rows are split. */
void clspi_vertex_tile_eval(const clspi_vertex_tile *tile, clspi_vertex_scratch *scratch,
                            const clspi_tile_rows *rows);

/* Makes watertight points of rows that are there again. */
void clspi_vertex_tile_edges(const clspi_vertex_tile *tile, const clspi_tile_rows *rows);

#endif
