/* Points of curves and volumes on grids, on the host: rows of a patch at a time, by the formulas
   and within the error bounds of the kernels (docs/math.md, 3). Plain C that compilers turn into
   vectors. */
#ifndef CLSPI_TENSOR_TILE_H
#define CLSPI_TENSOR_TILE_H

#include <stdbool.h>

#include "row_sums.h"

/* What is evaluated. A curve has direction 0 (u), a surface 0 and 1, a volume all. */
typedef struct clspi_tile_desc {
    bool f64;
    bool rational;        /* control points have weights, whatever vertices have */
    uint32_t directions;  /* 1 to 3 */
    uint32_t controls[3]; /* control points; 1 in directions that there are not */
    uint32_t terms[3];    /* of them that a sample's sum has: all, or fewer, neighbours then */
    uint32_t nums[3];     /* samples; 1 in directions that there are not */
    uint32_t by[3];       /* order of the derivative whose control points are given */
    clspi_row_vertex vertex;

    /* Writes the values of the basis functions that are not 0 at a sample, as many as the direction
       has terms, and returns the number of the first one. by: as above. */
    uint32_t (*values)(const void *user, uint32_t direction, uint32_t by, uint32_t sample,
                       double *values);
    const void *user; /* needed while the tile is made */
} clspi_tile_desc;

/* Tables of a description; read alone after it is made, and shared by all workers. */
typedef struct clspi_tile clspi_tile;

/* What one worker keeps: the partial sums of the patch that it works on. */
typedef struct clspi_tile_scratch clspi_tile_scratch;

/* Makes the tables of a description; NULL without memory. */
clspi_tile *clspi_tile_create(const clspi_tile_desc *desc);
void clspi_tile_destroy(clspi_tile **tile);

clspi_tile_scratch *clspi_tile_scratch_create(const clspi_tile *tile);
void clspi_tile_scratch_destroy(clspi_tile_scratch **scratch);

/* Says that the control points are no longer those that a scratch's sums are of. */
void clspi_tile_scratch_forget(clspi_tile_scratch *scratch);

/* Some rows (samples of u) of a patch. */
typedef struct clspi_tile_rows {
    const void *points; /* the patch's control points, [controls[0]][controls[1]][controls[2]][dim,
                           and the weight] */
    size_t patch;       /* its number, by which sums are known again */
    uint32_t first_row, num_rows;
    void *out; /* [num_rows][samples of v][samples of w][stride] elements */
} clspi_tile_rows;

/* Evaluates rows. Elements of a vertex beside its point and weight stay as they are. Results do not
   depend on how rows are split. */
void clspi_tile_eval(const clspi_tile *tile, clspi_tile_scratch *scratch,
                     const clspi_tile_rows *rows);

#endif
