/* Cells as blocks of which each is a tricubic: a regular cell is one; others are cut towards their
   irregular edges and vertices until what is left there is small. */
#ifndef CLSPLINE_TOOLS_SOLID_BLOCKS_H
#define CLSPLINE_TOOLS_SOLID_BLOCKS_H

#include "cubic_net.h"
#include "solid_samples.h"

/* A part of a cell: the parameters within it are from + size t, with t in [0, 1]^3. */
typedef struct solid_block {
    uint32_t cell;
    double from[3], size[3];
    bool is_exact; /* the net is the limit; else it meets it in 64 points */
    double off;    /* how far it may be off the limit, in lengths */
    double *net;   /* [4][4][4][channels] */
    cubic_net place;
} solid_block;

/* Says whether a part of a cell, in a box, is of interest. */
typedef bool (*block_filter)(void *user, const double low[3], const double high[3]);

typedef struct solid_blocks {
    solid_samples *samples; /* of NET_SAMPLES in each direction */
    net_nodes grid,
        inner;       /* of cells' samples, and of parts: not on edges, where weights are dear */
    double *scale;   /* [channels] */
    double rounding; /* how far nets may be off the limit by rounding, in lengths */
    double small;    /* the extent along which parts are not cut further */
    block_filter filter;
    void *user;
    solid_block *blocks;
    size_t num, capacity;

    /* parts that are looked at, and their samples */
    solid_block *parts, *halves;
    size_t part_capacity, num_halves, half_capacity;
    void *params, *made;
    uint32_t *cells;
    double *values;
    size_t room; /* parts */
} solid_blocks;

/* Finds the scales of all channels, which samples must have been opened for. False with a
   complaint. */
bool solid_blocks_open(solid_blocks *b, solid_samples *samples);

/* Makes the blocks of a cell, whose samples are [5][5][5][channels], those that were there being
   forgotten; parts that the filter does not want are left out. False with a complaint. */
bool solid_blocks_make(solid_blocks *b, uint32_t cell, const double *samples);

void solid_blocks_close(solid_blocks *b);

#endif
