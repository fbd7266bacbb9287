/* Cells as blocks of which each is a tricubic: a regular cell is one; others are cut towards their
   irregular edges and vertices until what is left there is small, or where nearly all cells have
   several of these, until tricubics are near enough. */
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
    solid_samples *samples; /* of NET_SAMPLES or FINE_SAMPLES in each direction */
    net_nodes grid,
        inner;       /* of cells' samples, and of parts: not on edges, where weights are dear */
    double *scale;   /* [channels] */
    double *own;     /* [NET_GRID][channels]: samples of a part */
    double rounding; /* how far nets may be off the limit by rounding, in lengths */
    double small;    /* the extent along which parts are not cut further */
    double enough;   /* how far nets of unlike cells may be off, in lengths */
    bool is_unlike;  /* cells are */
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

/* Returns those of a cell's samples that make a net of all of it, [NET_GRID][channels]: until
   samples are asked for again. */
const double *solid_blocks_whole(solid_blocks *b, const double *samples);

/* Makes the blocks of a cell, whose samples are those that were visited, and forgets those that
   were there before; parts that the filter does not want are left out. False with a complaint. */
bool solid_blocks_make(solid_blocks *b, uint32_t cell, const double *samples);

void solid_blocks_close(solid_blocks *b);

#endif
