/* Tensor-product Bezier patches on uniform grids in two passes, for CPUs and for every degree
   (docs/kernels.md):
     bezier_contract: T_i(v) = sum_j B_j(v) P_ij       once for each v and i, into memory,
     bezier_rows:     S(u, v) = sum_i B_i(u) T_i(v)    for each u.
   Points are stored [patch][u][v][dim], so a row of constant u is num_v * dim adjacent reals,
   here called columns x, and so is each T_i. In the second pass the same B_i(u) belongs to all
   of them: vectors are loaded and stored whole for every dim. A curve is bezier_contract alone; a
   volume goes through bezier_rows or bezier_columns once more.

   The host sets CLSP_DIM. Tables are those of bernstein.cl. */
#include "bezier_row_block.clh"
#include "real.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif

/* T is [patch][order_u][stride_t] from offset on; an item makes CLSP_LANES values of v, first_v +
   CLSP_LANES * strip on, for one line i of one patch, first_i <= i < first_i + num_i. Values from
   end_v on are not stored; those of the table's padding are 0. T begins with first_v.
   Item g: strip g % num_strips of i = first_i + (g / num_strips) % num_i of patch first_patch +
   g / num_strips / num_i. */
kernel void bezier_contract(global const real *restrict points, uint2 first_patch, uint order_u,
                            uint order_v, global const real *restrict table_v, uint stride_v,
                            uint first_v, uint end_v, uint num_strips, uint first_i, uint num_i,
                            uint items, global real *restrict t, uint2 offset, uint stride_t)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;

    const uint line = g / num_strips; /* no %: Oclgrind cannot run what / and % become together */
    const uint v = (g - line * num_strips) * CLSP_LANES;
    const size_t patch = line / num_i;
    const uint i = first_i + (line - (uint)patch * num_i);
    global const real *p =
        points + ((WIDE(first_patch) + patch) * order_u + i) * order_v * CLSP_DIM;
    global const real *b = table_v + first_v + v;
    realv s[CLSP_DIM];
    #pragma unroll
    for (uint c = 0; c < CLSP_DIM; c++) s[c] = (realv)(R(0.0));
    for (uint j = 0; j < order_v; j++, b += stride_v, p += CLSP_DIM) {
        const realv bj = LOADV(b);
        #pragma unroll
        for (uint c = 0; c < CLSP_DIM; c++) s[c] = MAD(bj, (realv)(p[c]), s[c]);
    }

    global real *const row =
        t + WIDE(offset) + (patch * order_u + i) * stride_t + (size_t)v * CLSP_DIM;
#if CLSP_LANES == 1
    #pragma unroll
    for (uint c = 0; c < CLSP_DIM; c++) row[c] = s[c];
#else
    const uint lanes = min((uint)CLSP_LANES, end_v - first_v - v);
    for (uint c = 0; c < CLSP_DIM; c++)
        for (uint l = 0; l < lanes; l++) row[l * CLSP_DIM + c] = ((real *)&s[c])[l];
#endif
}

/* An item makes CLSP_ROWS rows of a strip of at most `strip` columns, a multiple of CLSP_LANES.
   On CPUs neighbours share the strip of T, which stays in a cache: item g has row block g %
   num_blocks of strip (g / num_blocks) % num_strips of patch g / num_blocks / num_strips. On
   GPUs they have adjacent columns: blocks and strips change places. Blocks are those of rows
   first_row .. first_row + num_rows - 1, first_row a multiple of CLSP_ROWS. T: [patches][order_u]
   [stride_t] from t_offset on. out, from offset on: [patches][num_rows][width]. */
kernel void bezier_rows(global const real *restrict t, uint2 t_offset, uint order_u, uint stride_t,
                        global const real *restrict table_u, uint stride_u,
                        uint width, uint first_row, uint num_rows, uint strip, uint num_blocks,
                        uint num_strips, uint items, global real *restrict out, uint2 offset)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;

#if CLSP_LANES == 1
    const uint line = g / num_strips;
    const size_t patch = line / num_blocks;
    const uint u = (line - (uint)patch * num_blocks) * CLSP_ROWS;
    const uint first = (g - line * num_strips) * strip;
#else
    const uint line = g / num_blocks;
    const size_t patch = line / num_strips;
    const uint u = (g - line * num_blocks) * CLSP_ROWS;
    const uint first = (line - (uint)patch * num_strips) * strip;
#endif
    make_row_block(t + WIDE(t_offset) + patch * order_u * stride_t, order_u, stride_t,
                   table_u + first_row + u, stride_u, width, first, min(first + strip, width),
                   min((uint)CLSP_ROWS, num_rows - u),
                   out + WIDE(offset) + (patch * num_rows + u) * width);
}
