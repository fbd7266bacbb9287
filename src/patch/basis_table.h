/* Tables of basis values on the device: the factors of sums over one direction of a grid. */
#ifndef CLSPI_BASIS_TABLE_H
#define CLSPI_BASIS_TABLE_H

#include "tensor_desc.h"

enum {
    CLSPI_TABLE_MULTIPLE = 16
}; /* samples are padded to this with zeros, so that vectors can be loaded whole */

/* values: [terms][stride], those of sample a in column a. That is a whole table; others are
   symmetric, of a grid on [0, 1] with a symmetric basis: [2 * ((terms + 1) / 2)][stride], for the
     first half of the samples (B_k + B_{n-k}) / 2 at [2 k][a] and (B_k - B_{n-k}) / 2 at
     [2 k + 1][a]; the middle one of an odd number of terms is B_k and 0 (sum_symmetric.cl);
   integrals, of a grid on [0, 1] with Bernstein polynomials of degree p = terms - 1: what a point
     is made of by the derivative's control points, [2 * (terms / 2)][stride], for the first half of
     the samples sum_{j <= k} (B_{p-j} - B_j) / (2 p) at [2 k][a] and sum_{k<i<p-k} B_i / (2 p)
     at [2 k + 1][a] (vertex_rows.cl);
   permuted by a period: sample a is at column (a mod period) * (stride / period) + a / period, so
     that samples a period apart are neighbours (sum_columns.cl);
   banded: sample a takes the terms from number first[a] on, first: [stride]. */
typedef struct clspi_basis_table {
    uint32_t direction, by; /* whose basis functions, of which derivative */
    uint32_t terms;
    clsp_axis axis;
    double domain[2];
    uint64_t identity; /* of the basis: tables of one identity and equal axes have equal values */
    bool is_banded, is_symmetric, is_integral;
    uint32_t period; /* 1: not permuted */
    uint32_t stride;
    cl_mem values;
    size_t values_bytes; /* that values has room for; 0: it is another table's */
    cl_mem first;        /* of a table that is not banded: values again, not to be read */
    size_t first_bytes;
} clspi_basis_table;

/* Sets what a table is to hold, by a description and one of its directions; keeps the memory. */
void clspi_table_shape(clspi_basis_table *table, const clspi_tensor_desc *desc, uint32_t direction,
                       uint32_t by);

/* Make a table symmetric, one of integrals or permuted, before it is filled. */
void clspi_table_make_symmetric(clspi_basis_table *table);
void clspi_table_make_integral(clspi_basis_table *table);
void clspi_table_permute(clspi_basis_table *table, uint32_t period);

/* Tells whether two tables have the same values. */
bool clspi_table_same(const clspi_basis_table *a, const clspi_basis_table *b);

/* Fills a table, and makes or enlarges its memory before that. Small tables are computed on the
   host, which spares the first call of a process a program; large ones on the device where the
   basis can.
 */
clsp_status clspi_table_fill(clspi_basis_table *table, clspi_series *series,
                             const clspi_tensor_desc *desc);

/* Makes a table, of the same shape, use the memory of another. */
clsp_status clspi_table_share(clspi_basis_table *table, clsp_context *ctx,
                              const clspi_basis_table *other);

void clspi_table_release(clspi_basis_table *table);

/* Builds ahead of use the program that makes other layouts of large tables. */
clsp_status clspi_table_build(const clspi_build *build, clsp_type precision);

#endif
