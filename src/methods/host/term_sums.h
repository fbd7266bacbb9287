/* Sums of Bezier curves and surfaces on the host by the published methods, each point by itself:
   all terms of its double sum, whose basis functions come from tables (multilevel), from C(n, k)
   and powers (brute), or from products of powers with R (matrix; docs/math.md, 8 and 9). In two
   precisions; a real is what the precision says. */
#ifndef CLSPI_TERM_SUMS_H
#define CLSPI_TERM_SUMS_H

#include "grid_method.h"

/* Where the values of basis functions come from. */
enum { CLSPI_FROM_TABLES, CLSPI_FROM_PRODUCTS, CLSPI_FROM_POWERS };

typedef struct clspi_term_sums {
    void (*sums)(const clspi_method_job *job, void *sums);
    void (*values)(const clspi_method_job *job, void *values);
} clspi_term_sums;

CLSPI_LEVELS(extern const clspi_term_sums, clspi_term_sums_f32, );
CLSPI_LEVELS(extern const clspi_term_sums, clspi_term_sums_f64, );
#define clspi_term_sums_f32 CLSPI_AT_LEVEL(clspi_term_sums_f32)
#define clspi_term_sums_f64 CLSPI_AT_LEVEL(clspi_term_sums_f64)

extern const clspi_grid_method clspi_host_table_sums, clspi_host_product_sums,
    clspi_host_power_sums;

/* Returns where R of a derivative of order `by` along a direction begins, in reals, in what is kept
   of a description. */
static inline size_t clspi_power_basis_at(const clspi_vertex_tile_desc *desc, uint32_t direction,
                                          uint32_t by)
{
    const uint32_t *const n = desc->points.controls;
    const size_t most = n[0] > n[1] ? n[0] : n[1];

    return (3 * (size_t)direction + by) * most * most;
}

#endif
