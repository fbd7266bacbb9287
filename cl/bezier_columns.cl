/* Tensor-product Bezier patches on uniform grids in one pass, for GPUs and low degrees in u (docs/kernels.md):
     T_i(v) = sum_j B_j(v) P_ij           once for each v and i, in registers,
     S(u, v) = sum_i B_i(u) T_i(v)        for each u.
   Points are stored [patch][u][v][dim], so a row of constant u is num_v * dim adjacent reals, here called columns x. In
   the second sum the same B_i(u) belongs to all of them: no coordinate needs a special place, and stores are whole and
   adjacent for every dim.

   The host sets CLSP_DIM and CLSP_ORDER_U = degree_u + 1. Tables are those of bernstein.cl. */
#include "real.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif
#ifndef CLSP_ORDER_U
#define CLSP_ORDER_U 4
#endif

/* One item has one column's T_i and walks down the rows of one block, 4 at a time.
   Item g: column g % width of block (g / width) % num_blocks of patch first_patch + g / width / num_blocks; a block is
   rows_per_item rows of first_row .. first_row + num_rows - 1. width = num_v * CLSP_DIM. first_row and rows_per_item are
   multiples of 4, stride_u is one of 16. out, from offset on: [patches][num_rows][width]. */
kernel void bezier_columns(global const real *restrict points, uint2 first_patch, uint order_v,
                           global const real *restrict table_u, uint stride_u,
                           global const real *restrict table_v, uint stride_v,
                           uint width, uint first_row, uint num_rows, uint rows_per_item,
                           uint num_blocks, uint items, global real *restrict out, uint2 offset)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;

    const uint x = g % width;
    const uint block = g / width % num_blocks;
    const uint patch = g / width / num_blocks;
    const uint v = x / CLSP_DIM;
    global const real *p = points + (WIDE(first_patch) + patch) * (CLSP_ORDER_U * CLSP_DIM) * order_v + x % CLSP_DIM;
    global const real *bv = table_v + v;

    real t[CLSP_ORDER_U];
    #pragma unroll
    for (uint i = 0; i < CLSP_ORDER_U; i++) t[i] = R(0.0);
    for (uint j = 0; j < order_v; j++, bv += stride_v, p += CLSP_DIM) {
        const real b = *bv;
        #pragma unroll
        for (uint i = 0; i < CLSP_ORDER_U; i++) t[i] = MAD(b, p[(size_t)(i * order_v) * CLSP_DIM], t[i]);
    }

    const uint first = block * rows_per_item;
    const uint end = min(first + rows_per_item, num_rows);
    global real *row = out + WIDE(offset) + ((size_t)patch * num_rows + first) * width + x;
    for (uint u = first; u < end; u += 4) {
        global const real4 *const b = (global const real4 *)(table_u + first_row + u);
        real4 s = (real4)(R(0.0));
        #pragma unroll
        for (uint i = 0; i < CLSP_ORDER_U; i++) s = MAD(b[i * (stride_u / 4)], (real4)(t[i]), s);
        row[0] = s.s0;
        if (u + 1 < end) row[width] = s.s1;
        if (u + 2 < end) row[2 * (size_t)width] = s.s2;
        if (u + 3 < end) row[3 * (size_t)width] = s.s3;
        row += 4 * (size_t)width;
    }
}
