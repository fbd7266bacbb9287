/* Vertices of cells of solids on grids of samples, on the host: what regular_cells.cl,
   solid_layers.cl and solid_tables.cl compute, in two precisions (docs/math.md, 19). A real is what
   the precision says.

   A vertex is made of sums, the value and derivatives of it. The channels of all sums of a sample
   are its slots, side by side: each slot has weights of its own along each direction, so that rows
   of slots are summed as rows of points are. */
#ifndef CLSPI_CELL_SUMS_H
#define CLSPI_CELL_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "level.h"
#include "solid_vertex.h"

enum {
    CLSPI_STAGED_WIDTH = 4, /* reals that a point has in memory for staged ones */
    CLSPI_SLOTS = CLSPI_STAGED_WIDTH * CLSPI_ORDERS, /* of a sample, at most */
    CLSPI_SLOT_PERIOD = 432, /* the least multiple of slots and of the longest vector, at most */
    CLSPI_RUN = 768          /* samples of a run, at most */
};

/* Samples of a cell that are made together, in the order of the cell's samples. */
typedef struct clspi_sample_run {
    uint32_t num, first;
    const uint32_t *place; /* [num]: which samples they are; NULL: those from `first` on */
} clspi_sample_run;

/* What the cells of an evaluation have in common. */
typedef struct clspi_cell_grid {
    uint32_t num[3], dim, num_sums; /* at least one sum */
    const uint8_t *number;          /* [num_sums]: the number of each, in their order */
    uint32_t width;                 /* channels that are made at once: 1 or 3 where there are so
                                       many, else 4, of which those behind the last are zeros */
    uint32_t slots;                 /* num_sums * width */
    uint32_t most_w;                /* the highest order of derivatives along w */
    uint32_t period;                /* after which slots are at the begin of a vector again */
    const void *control;            /* [points][dim] reals, and room for WIDTH more to be read */
    const void *along[CLSPI_MOST_ORDER + 1]; /* [num_w][4] reals: B-splines at the samples along w,
                                                by the order of derivatives */
    const void *weights[3]; /* [num][4][period] reals: the B-splines of each slot at the samples
                               along a direction, repeated */
    bool is_dense;          /* vertices are the slots, and no gaps; else `store` gets them */
    /* Stores the sums of some samples, [num][slots], of channels `first` to `first + used` - 1. */
    void (*store)(const void *user, const clspi_sample_run *run, const void *made, uint32_t first,
                  uint32_t used);
    const void *user;
} clspi_cell_grid;

/* How a cell is made. */
typedef enum clspi_cell_way {
    CLSPI_BY_SPLINES, /* regular: its points are a grid */
    CLSPI_BY_LAYERS,  /* a table has the weights of a slice */
    CLSPI_BY_TABLE    /* a table has the weights of all points */
} clspi_cell_way;

typedef struct clspi_cell_sum {
    clspi_cell_way way;
    const uint32_t *points; /* control points, by their numbers */
    const uint8_t *grid;    /* of a regular cell, [4][4][4]: which of them its points are */
    uint32_t terms;         /* points of a slice, or of the cell */
    const uint16_t *slice;  /* [4][terms]: places among the points; CLSPI_NO_POINT in layers beyond
                               the boundary, which continue the two behind them */
    bool flips;             /* layers follow each other against the direction across slices */
    uint32_t direction;     /* across slices */
    const void *table;      /* of the first sum: [terms][stride] reals, of samples; rows end in a
                               multiple of 16 */
    size_t stride, step;    /* reals from a row to the next, and from a sum's table to the next */
} clspi_cell_sum;

/* Finds width, slots, most_w and period of a grid whose dim and sums are there. is_double: reals
   are doubles. */
void clspi_cell_grid_shape(clspi_cell_grid *grid, bool is_double);

/* Writes the weights of all slots along a direction. along: [orders][num][4] reals, `step` reals
   from an order to the next; to: [num][4][period] reals. */
void clspi_cell_grid_weights(const clspi_cell_grid *grid, bool is_double, uint32_t direction,
                             const void *along, size_t step, void *to);

/* Makes the vertices of a cell: dense ones in `out`, [num_u][num_v][num_w][slots] reals. staged:
   memory for as many points as the cell has, of a layered one 4 terms, CLSPI_STAGED_WIDTH reals
   each, and for 64 at least; and 64 bytes more. */
CLSPI_LEVELS(void, clspi_cell_sums_f32,
             (const clspi_cell_grid *grid, const clspi_cell_sum *cell, void *staged, void *out));
#define clspi_cell_sums_f32 CLSPI_AT_LEVEL(clspi_cell_sums_f32)
CLSPI_LEVELS(void, clspi_cell_sums_f64,
             (const clspi_cell_grid *grid, const clspi_cell_sum *cell, void *staged, void *out));
#define clspi_cell_sums_f64 CLSPI_AT_LEVEL(clspi_cell_sums_f64)

#endif
