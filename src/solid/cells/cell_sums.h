/* Points of cells of solids on grids of samples, on the host: what regular_cells.cl,
   solid_layers.cl and solid_tables.cl compute, in two precisions (docs/math.md, 19). A real is what
   the precision says. */
#ifndef CLSPI_CELL_SUMS_H
#define CLSPI_CELL_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "level.h"

/* What the cells of an evaluation have in common. */
typedef struct clspi_cell_grid {
    uint32_t num[3], dim;
    bool is_value;        /* not a derivative */
    const void *control;  /* [points][dim] reals */
    const void *along[3]; /* [num][4] reals each: B-splines at the samples */
} clspi_cell_grid;

/* How a cell is made. */
typedef enum clspi_cell_way {
    CLSPI_BY_SPLINES, /* regular: its points are a grid, [4][4][4] */
    CLSPI_BY_LAYERS,  /* a table has the weights of a slice */
    CLSPI_BY_TABLE    /* a table has the weights of all points */
} clspi_cell_way;

typedef struct clspi_cell_sum {
    clspi_cell_way way;
    const uint32_t *points; /* control points, by their numbers */
    uint32_t terms;         /* points of a slice, or of the cell */
    const uint16_t *slice;  /* [4][terms]: places among the points; CLSPI_NO_POINT in layers beyond
                               the boundary, which continue the two behind them */
    bool flips;             /* layers follow each other against the direction across slices */
    uint32_t direction;     /* across slices */
    const void *table;      /* [terms][stride] reals, of samples; rows end in a multiple of 16 */
    size_t stride;
} clspi_cell_sum;

enum { CLSPI_STAGED_WIDTH = 4 /* reals that a point has in memory for staged ones */ };

/* Writes the points of a cell, [num_u][num_v][num_w][dim] reals. staged: memory for as many
   points as the cell has, of a layered one 4 terms, CLSPI_STAGED_WIDTH reals each; and for 64 at
   least. */
CLSPI_LEVELS(void, clspi_cell_sums_f32,
             (const clspi_cell_grid *grid, const clspi_cell_sum *cell, void *staged, void *out));
#define clspi_cell_sums_f32 CLSPI_AT_LEVEL(clspi_cell_sums_f32)
CLSPI_LEVELS(void, clspi_cell_sums_f64,
             (const clspi_cell_grid *grid, const clspi_cell_sum *cell, void *staged, void *out));
#define clspi_cell_sums_f64 CLSPI_AT_LEVEL(clspi_cell_sums_f64)

#endif
