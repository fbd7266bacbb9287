/* Vertices on grids, on the host, by strips of columns (docs/math.md, 3 to 6): sums over the last
   direction are made of vectors of columns and kept, sums over the one before it of some rows at
   once, and vertices of these while they are in registers or next to them. The members of a batch
   are made at a time: of surfaces patches, of volumes planes of one; curves, which have no rows,
   are rows each, whose sums over the last direction are all. In two precisions; a real is what the
   precision says. */
#ifndef CLSPI_STRIP_SUMS_H
#define CLSPI_STRIP_SUMS_H

#include "vertex_sums.h"

enum { CLSPI_EDGE_MARGIN = 4 }; /* of what tangents on the border of a grid may be off by */

/* Vectors of a vertex's numbers, as many for a sum as it has coordinates and a weight. */
enum {
    CLSPI_STRIP_COORDS = 5,
    CLSPI_STRIP_NORMAL = SUM_KINDS * CLSPI_STRIP_COORDS,
    CLSPI_STRIP_CURVATURE = CLSPI_STRIP_NORMAL + 3,
    CLSPI_STRIP_PARAMS = CLSPI_STRIP_CURVATURE + 2,
    CLSPI_STRIP_ONE = CLSPI_STRIP_PARAMS + 3,
    CLSPI_STRIP_CELLS = CLSPI_STRIP_ONE + 1,
    CLSPI_STRIP_ELEMENTS = SUM_KINDS * 4 + 1 + 3 + 2 + 2
};

/* One sum of the vertices, and its basis functions. */
typedef struct clspi_strip_sum {
    uint32_t number;          /* in the order of clspi_vertex_source */
    uint32_t controls[2];     /* control points of a member along a column and along a row */
    uint32_t terms[2];        /* of a row, and the most of a vector of columns */
    const void *values[2];    /* [rows][terms], and [vectors][terms][lanes] */
    const uint32_t *first[2]; /* the first control point of a row and of a vector; NULL: 0 */
    const uint32_t *count;    /* the terms of a vector; not read without the first ones */
    size_t at;                /* reals before its partial sums among those of a vector of columns,
                                 which has those of all members of a batch side by side */
} clspi_strip_sum;

/* What a grid's vertices are made of. */
typedef struct clspi_strip_grid {
    clspi_vertex_shape shape;
    uint32_t num_sums, num_elements;
    clspi_strip_sum sum[SUM_KINDS];
    uint32_t num_used, used[SUM_KINDS]; /* sums that vertices are computed from, ascending, */
    uint32_t num_zero, zero[SUM_KINDS]; /* and those of them that are 0 */
    uint8_t cell[CLSPI_STRIP_ELEMENTS]; /* where an element is found, in the order of elements, */
    int32_t at[CLSPI_STRIP_ELEMENTS];   /* and where it goes in a vertex */
    bool packed;                        /* a vertex has no others, */
    bool plain;                         /* and these are the coordinates of S, of S_u, ... */
    bool normals;     /* elements are S of three coordinates and its normal, of S, S_u and S_v */
    bool pair;        /* the first sum is S and the third S_v, of the same values along u */
    bool interleaved; /* elements are the coordinates of S, of a polynomial: partial sums have those
                         of a column side by side, not in vectors */
    size_t rows, columns, vectors;
    size_t row_vertices;  /* from one row to the next */
    size_t vector_reals;  /* partial sums of a vector of columns */
    size_t strip;         /* vectors whose rows are written one after the other, */
    bool is_near;         /* and whether the nearest cache holds them, and the next rows */
    const void *param[2]; /* [rows], [vectors][lanes]; NULL: not needed, or there is none */
    const void *limit[2]; /* of rational surfaces given_limit of vertex.clh, [rows] and
                             [vectors][lanes]; NULL: not needed */
} clspi_strip_grid;

/* What is known of a member; of curves, of all members of a batch. */
typedef struct clspi_strip_patch {
    const void *sums;          /* [vectors][vector_reals], from a line of the cache on; of curves
                                  none, */
    const void *const *lines;  /* but each sum's control points, [curves][controls][coords] */
    size_t member;             /* its number in the batch */
    const void *largest[2][2]; /* [vectors][lanes]; as in clspi_vertex_source, but of rational
                                  surfaces not inverted; [0] of curves: [rows] */
    const double *centre;      /* that points are relative to, of curves [rows][4]; NULL: to the
                                  origin */
    const void *param;         /* of a plane of a volume; NULL: not needed */
} clspi_strip_patch;

typedef struct clspi_strip_functions {
    size_t real_bytes, lanes;

    /* Makes the partial sums of some members of a sum's control points,
       [members][controls[0]][controls[1]][coords]. */
    void (*partial)(const clspi_strip_grid *grid, const clspi_strip_sum *sum, const void *points,
                    size_t members, void *sums);

    /* Finds the largest |partial sum| of coordinates and of the weight, [vectors][lanes], of the
       first member. */
    void (*largest)(const clspi_strip_grid *grid, const clspi_strip_sum *sum, const void *sums,
                    void *const largest[2]);

    /* Makes the vertices of rows first .. first + count - 1. */
    void (*rows)(const clspi_strip_grid *grid, const clspi_strip_patch *patch, size_t first,
                 size_t count, void *out);
} clspi_strip_functions;

/* In single precision; the same for rows of at most half a vector, where vectors are that short;
   and in double precision. */
CLSPI_LEVELS(extern const clspi_strip_functions, clspi_strip_functions_f32, );
CLSPI_LEVELS(extern const clspi_strip_functions, clspi_strip_functions_f32_short, );
CLSPI_LEVELS(extern const clspi_strip_functions, clspi_strip_functions_f64, );
#define clspi_strip_functions_f32       CLSPI_AT_LEVEL(clspi_strip_functions_f32)
#define clspi_strip_functions_f32_short CLSPI_AT_LEVEL(clspi_strip_functions_f32_short)
#define clspi_strip_functions_f64       CLSPI_AT_LEVEL(clspi_strip_functions_f64)

#endif
