/* Sums of rows with factors, S_r(x) = sum_k b_rk T_k(x): the inner loops of spline evaluation on
   the host, in two precisions. Plain C that compilers turn into vectors. A real is what the
   precision says, strides are in reals. */
#ifndef CLSPI_ROW_SUMS_H
#define CLSPI_ROW_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "level.h"

enum {
    CLSPI_ROWS_AT_ONCE = 4,
    CLSPI_ROWS_SPARE = CLSPI_ROWS_AT_ONCE - 1,
    CLSPI_ROW_COORDS_MAX = 5 /* of points */
};

/* num_rows rows of width reals at out, stride apart. b_rk stands at b[r * row_step + k *
   term_step], T_k(x) at t[k * t_stride + x]. Terms are added in their order, so that a result does
   not depend on how rows and columns are split into calls. spare: room for CLSPI_ROWS_SPARE rows of
   width reals. Nothing overlaps. */
typedef struct clspi_row_sum {
    const void *b;
    size_t row_step, term_step;
    uint32_t terms;
    const void *t;
    size_t t_stride;
    void *spare;
} clspi_row_sum;

typedef enum clspi_row_type { CLSPI_ROW_F16, CLSPI_ROW_F32, CLSPI_ROW_F64 } clspi_row_type;

static inline size_t clspi_row_bytes(clspi_row_type type)
{
    return (size_t)2 << type;
}

/* How a vertex is made of a point. */
typedef struct clspi_row_vertex {
    uint32_t dim;
    uint32_t rational; /* 1: the point has a weight after dim coordinates, by which they are divided
                        */
    clspi_row_type type; /* of its elements */
    size_t stride;       /* elements from one vertex to the next */
    size_t at_point;     /* the element where its point begins */
    int32_t at_weight;   /* where its weight stands; negative: it has none; of a polynomial point it
                            is 1 */
} clspi_row_vertex;

typedef struct clspi_row_sums {
    size_t real_bytes;
    void (*sum)(const clspi_row_sum *sum, void *out, size_t stride, size_t num_rows, size_t width);

    /* out[i * step] = values[i], rounded. */
    void (*round)(void *out, size_t step, const double *values, size_t count);

    /* out[rows][coords] of points t[terms][coords], at most CLSPI_ROWS_AT_ONCE rows, for which
       there is room; b_rk stands at b[k * CLSPI_ROWS_AT_ONCE + r]. */
    void (*points)(const void *b, uint32_t terms, const void *t, uint32_t coords, uint32_t rows,
                   void *out);
} clspi_row_sums;

CLSPI_LEVELS(extern const clspi_row_sums, clspi_row_sums_f32, );
CLSPI_LEVELS(extern const clspi_row_sums, clspi_row_sums_f64, );
#define clspi_row_sums_f32 CLSPI_AT_LEVEL(clspi_row_sums_f32)
#define clspi_row_sums_f64 CLSPI_AT_LEVEL(clspi_row_sums_f64)

#endif
