/* Other layouts of tables of basis values, made of whole ones, [terms][stride]. One item a column.

   table_permute is for whole sectors, table_symmetric for symmetric rows, table_integral for
   vertex_rows.cl. The host lays out tables that it fills itself. */
#include "real.clh"

/* Sizes of a table and of the one that is made of it. */
typedef struct table_sizes {
    uint terms, num, stride; /* samples and the reals of a row, of the whole table */
    uint stride_out;
    uint columns; /* of the symmetric table: samples that it has */
    uint period;  /* of the permuted table */
} table_sizes;

/* Makes a permuted table, [terms][stride_out], with sample a in column (a mod period) * (stride_out
   / period) + a / period; other columns become 0 (sum_columns.cl). */
kernel void table_permute(global const real *whole, global real *table, table_sizes sizes)
{
    const uint column = (uint)get_global_id(0);
    if (column >= sizes.stride_out) return;

    const uint length = sizes.stride_out / sizes.period;
    const uint remainder = column / length;
    const uint a = (column - remainder * length) * sizes.period + remainder;
    for (uint k = 0; k < sizes.terms; k++)
        table[(size_t)k * sizes.stride_out + column] =
            a < sizes.num ? whole[(size_t)k * sizes.stride + a] : R(0.0);
}

/* Makes a symmetric table, [2 * half][stride_out], half = (terms + 1) / 2: the symmetric and the
   antisymmetric part of values k and terms - 1 - k in turns, for the first `columns` samples; other
   columns become 0 (sum_symmetric.cl). */
kernel void table_symmetric(global const real *whole, global real *table, table_sizes sizes)
{
    const uint column = (uint)get_global_id(0);
    if (column >= sizes.stride_out) return;

    const bool inside = column < sizes.columns;
    for (uint k = 0; 2 * k < sizes.terms; k++) {
        const bool middle = 2 * k + 1 == sizes.terms;
        const uint last = sizes.terms - 1 - k;
        const real a = inside ? whole[(size_t)k * sizes.stride + column] : R(0.0);
        const real b = inside ? whole[(size_t)last * sizes.stride + column] : R(0.0);
        global real *const at = table + (size_t)(2 * k) * sizes.stride_out + column;
        at[0] = middle ? a : R(0.5) * (a + b);
        at[sizes.stride_out] = middle ? R(0.0) : R(0.5) * (a - b);
    }
}

/* Makes a table of integrals, [2 * pairs][stride_out], pairs = terms / 2, of values of degree
   p = terms - 1: the parts of pair k, as src/patch/basis_table.h says, in turns, for the first
   `columns` samples; other columns become 0 (vertex_rows.cl). */
kernel void table_integral(global const real *whole, global real *table, table_sizes sizes)
{
    const uint column = (uint)get_global_id(0);
    if (column >= sizes.stride_out) return;

    const bool inside = column < sizes.columns;
    const uint p = sizes.terms - 1, pairs = sizes.terms / 2;
    const real factor = R(0.5) / CONVERT_REAL(p);
    real a = R(0.0), b = 2 * pairs == p ? factor : R(0.0);
    if (2 * pairs == p) b *= inside ? whole[(size_t)pairs * sizes.stride + column] : R(0.0);
    for (uint k = 0; k < pairs; k++) {
        const real x = inside ? whole[(size_t)k * sizes.stride + column] : R(0.0);
        const real y = inside ? whole[(size_t)(p - k) * sizes.stride + column] : R(0.0);
        a += factor * (y - x);
        table[(size_t)(2 * k) * sizes.stride_out + column] = a;
    }
    for (uint k = pairs; k-- > 0;) {
        const real x = inside ? whole[(size_t)k * sizes.stride + column] : R(0.0);
        const real y = inside ? whole[(size_t)(p - k) * sizes.stride + column] : R(0.0);
        table[(size_t)(2 * k + 1) * sizes.stride_out + column] = b;
        b += factor * (x + y);
    }
}
