/* Sums of surfaces of Bernstein polynomials at parameters of their own, for a chunk of points at
   once: values and first derivatives of patches of low degrees. Plain C that compilers turn into
   vectors of points. */
#ifndef CLSPI_LIST_SUMS_H
#define CLSPI_LIST_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CLSPI_LIST_CHUNK = 64, /* points of a chunk, at most */
    CLSPI_LIST_DEGREE = 15 /* along a direction, at most */
};

/* Points, and where their sums go. A point's bits depend on nothing but its patch and its
   parameters. */
typedef struct clspi_list_chunk {
    uint32_t degree[2], coords; /* coords: of a control point, at most 5 */
    size_t num;
    const void *patch[CLSPI_LIST_CHUNK]; /* control points of each, [degree[0] + 1][degree[1] + 1]
                                            [coords] */
    double x[2][CLSPI_LIST_CHUNK];       /* parameters within [0, 1] */
    void *sum[3];     /* [num][coords]: the value, the derivatives along u and v; NULL: not made */
    void *largest[2]; /* [num]: of the derivatives the largest |partial sum|, of all coordinates;
                         with them */
} clspi_list_chunk;

void clspi_list_sums_f32(const clspi_list_chunk *chunk);
void clspi_list_sums_f64(const clspi_list_chunk *chunk);

#endif
