/* Bezier patches on uniform grids, on the host: rows of a patch at a time, by the formulas and
   within the error bounds of the kernels (docs/math.md, 3). Plain C that compilers turn into
   vectors. */
#ifndef CLSPI_BEZIER_TILE_H
#define CLSPI_BEZIER_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As clsp_bezier_desc, resolved. A curve has direction 0 (u), a surface 0 and 1, a volume all. */
typedef struct clspi_bezier_tile_desc {
    bool f64;
    uint32_t directions;    /* 1 to 3 */
    uint32_t orders[3];     /* degree + 1; 1 for directions that it does not have */
    uint32_t nums[3];       /* samples; likewise */
    double intervals[3][2]; /* of the grid */
    uint32_t dim;
    bool rational;     /* control points have dim + 1 coordinates, the last is the weight */
    uint32_t stride;   /* reals from one vertex to the next */
    uint32_t at_point; /* where in a vertex its point begins */
    int32_t at_weight; /* where its weight stands; -1: it has none */
} clspi_bezier_tile_desc;

/* Tables of a description; read alone after it is made, and shared by all workers. */
typedef struct clspi_bezier_tile clspi_bezier_tile;

/* What one worker keeps: the first sums of the patch that it works on. */
typedef struct clspi_bezier_scratch clspi_bezier_scratch;

/* NULL without memory. */
clspi_bezier_tile *clspi_bezier_tile_create(const clspi_bezier_tile_desc *desc);
void clspi_bezier_tile_destroy(clspi_bezier_tile **tile);

clspi_bezier_scratch *clspi_bezier_scratch_create(const clspi_bezier_tile *tile);
void clspi_bezier_scratch_destroy(clspi_bezier_scratch **scratch);

/* The control points are no longer those that its sums are of. */
void clspi_bezier_scratch_forget(clspi_bezier_scratch *scratch);

/* Rows first_row .. first_row + num_rows - 1 (samples of u) of patch number `patch`, into out,
   [num_rows][samples of v][samples of w][stride] reals. points: the patch's control points,
   [orders[0]][orders[1]][orders[2]][dim, and the weight]. Reals of a vertex beside its point and
   weight stay as they are. Results do not depend on how rows are split. */
void clspi_bezier_tile_rows(const clspi_bezier_tile *tile, clspi_bezier_scratch *scratch,
                            const void *points, size_t patch, uint32_t first_row, uint32_t num_rows,
                            void *out);

#endif
