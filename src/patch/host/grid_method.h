/* Another way of making sums on grids, on the host, than by strips: of curves and surfaces, each
   sample by itself. Published methods are such ways; the rest of a vertex is made as always. */
#ifndef CLSPI_GRID_METHOD_H
#define CLSPI_GRID_METHOD_H

#include "vertex_tile.h"

enum { CLSPI_METHOD_ROWS = 8 }; /* of a surface that are made at once: samples of u */

/* Samples of one sum. A curve has columns alone, along direction 0. A vector of columns is one of
   clspi_strip_functions' lanes; those beyond the last column repeat it. */
typedef struct clspi_method_job {
    const clspi_vertex_tile_desc *desc;
    const void *kept;      /* what `create` has made */
    const uint32_t *by;    /* order of the derivative, [directions] */
    const void *points;    /* its control points, [controls[0]][controls[1]][coords], */
    uint32_t controls[2];  /* of a curve 1 and as many as it has */
    const void *values[2]; /* of their functions, [rows][controls[0]], which curves have none of,
                              and [vectors][controls[1]][lanes] */
    size_t first, count;   /* rows; of curves vectors */
    size_t vectors, vector_reals; /* of columns, and reals from the sums of one to the next */
    bool interleaved; /* sums have the coordinates of a column side by side, not in vectors */
} clspi_method_job;

typedef struct clspi_grid_method {
    int way;        /* a number of the method's own */
    double term_ns; /* that a term of a sample's sum takes a core, as measured in float */

    /* Makes what all workers share, for free; NULL without memory. NULL: nothing. */
    void *(*create)(const clspi_vertex_tile_desc *desc);

    /* Makes the sums of rows of a surface, [vectors][count][coords][lanes]. */
    void (*sums)(const clspi_method_job *job, void *sums);

    /* Makes the values of a curve's functions anew, [count][controls[1]][lanes]; NULL: tables have
       them. */
    void (*values)(const clspi_method_job *job, void *values);
} clspi_grid_method;

#endif
