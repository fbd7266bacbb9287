/* Sums of curves and surfaces of polynomials at parameters of their own, for a chunk of points at
   once: values and first derivatives, of low degrees. Plain C that compilers turn into vectors of
   points. */
#ifndef CLSPI_LIST_SUMS_H
#define CLSPI_LIST_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "level.h"

enum {
    CLSPI_LIST_CHUNK = 64, /* points of a chunk, at most */
    CLSPI_LIST_BLOCK = 32, /* that are made at once: sums have room for whole ones */
    CLSPI_LIST_DEGREE = 15 /* along a direction, at most */
};

/* Points, and where their sums go. A point's bits depend on nothing but its patch and its
   parameters. */
typedef struct clspi_list_chunk {
    uint32_t degree[2], coords; /* of curves the second degree is 0; coords: of a control point, at
                                   most 5 */
    size_t row;                 /* reals from a control point to the next one along u */
    size_t num;
    const void *patch[CLSPI_LIST_CHUNK];          /* control points of each, [degree[0] + 1] rows of
                                                     [degree[1] + 1][coords] */
    double x[2][CLSPI_LIST_CHUNK];                /* parameters within [0, 1] */
    double y[2][CLSPI_LIST_CHUNK];                /* 1 - x */
    bool has_functions;                           /* else they are Bernstein polynomials */
    const double *functions[2][CLSPI_LIST_CHUNK]; /* of each point along a direction, in terms of
                                                     Bernstein polynomials, [degree + 1]
                                                     [degree + 1], a column each */
    const double *slopes[2][CLSPI_LIST_CHUNK];    /* likewise [degree][degree], which differences of
                                                     control points make derivatives with; read for
                                                     these alone */
    void *sum[3];     /* [num][coords]: the value, the derivatives along u and v; NULL: not made */
    void *largest[2]; /* [num]: of the derivatives the largest |partial sum|, of all coordinates;
                         with them */
} clspi_list_chunk;

CLSPI_LEVELS(void, clspi_list_sums_f32, (const clspi_list_chunk *chunk));
#define clspi_list_sums_f32 CLSPI_AT_LEVEL(clspi_list_sums_f32)
CLSPI_LEVELS(void, clspi_list_sums_f64, (const clspi_list_chunk *chunk));
#define clspi_list_sums_f64 CLSPI_AT_LEVEL(clspi_list_sums_f64)

#endif
