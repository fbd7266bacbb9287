/* Tensor-product sums on grids in two passes (sum factorization), for sums of any length:
     partial_sums: T_i(v) = sum_j B_j(v) P_ij       once for each v and i, into memory,
     sum_rows:     S(u, v) = sum_i B_i(u) T_i(v)    for each u.
   Points are stored [patch][u][v][dim], so a row of constant u is num_v * dim adjacent reals, here
   called columns x, and so is each T_i. In the second pass the same B_i(u) belongs to all of them.
   A curve is partial_sums alone; a volume goes through sum_rows or sum_columns once more.

   The host sets CLSP_DIM, all coordinates of a control point; CLSP_BANDED 1 where a sample's sum
   has fewer terms than there are control points: first[a] is the first of sample a. Tables are
   [terms][samples], rows padded with zeros to a multiple of every vector.

   An item of partial_sums has one line of control points and one v. One of sum_rows makes 8 rows of
   a column and loads each T_i once for them; with CLSP_BANDED a block goes through all T_i that one
   of its rows takes. gemm_tiles.cl makes dense sums with the same bits. */
#include "launch_queue.clh"
#include "row_block.clh"
#include "row_range.clh"
#include "real.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif

/* Lines of control points, and the samples that are made of them: lines first_line .. first_line +
   num_lines - 1 of each patch, of which there are `lines`, num_samples samples of the table from
   first_sample on. */
typedef struct line_range {
    wide first_patch, offset;
    uint lines, first_line, num_lines;
    uint controls, terms; /* of a line, of a sample's sum */
    uint first_sample, num_samples, stride_table;
    uint items;
    uint stride_t; /* reals from line to line of the output */
} line_range;

/* Makes partial sums, [patch][lines][stride_t] from `offset` of t on, which begin with
   first_sample; an item makes one sample of one line of one patch. Item g: sample g % num_samples
   of line first_line + (g / num_samples) % num_lines of patch first_patch + g / num_samples /
   num_lines. */
kernel void partial_sums(global const real *restrict points, global const real *restrict table,
                         global const uint *restrict first, global real *restrict t, line_range at
                         QUEUE)
{
    EACH_GROUP(BY_VALUE(line_range, at))
    const uint g = ITEM_NUMBER;
    if (g >= at.items) NEXT_ITEM;

    /* no %: Oclgrind cannot run what / and % become together */
    const uint line = g / at.num_samples, v = g - line * at.num_samples;
    const size_t patch = line / at.num_lines;
    const uint i = at.first_line + (line - (uint)patch * at.num_lines);
    global const real *p =
        points + ((WIDE(at.first_patch) + patch) * at.lines + i) * at.controls * CLSP_DIM;
    global const real *b = table + at.first_sample + v;
    global real *const row =
        t + WIDE(at.offset) + (patch * at.lines + i) * at.stride_t + (size_t)v * CLSP_DIM;
#if CLSP_BANDED
    p += (size_t)first[at.first_sample + v] * CLSP_DIM;
#endif
    real s[CLSP_DIM];
    #pragma unroll
    for (uint c = 0; c < CLSP_DIM; c++) s[c] = R(0.0);
    for (uint j = 0; j < at.terms; j++, b += at.stride_table, p += CLSP_DIM) {
        const real bj = *b;
        #pragma unroll
        for (uint c = 0; c < CLSP_DIM; c++) s[c] = MAD(bj, p[c], s[c]);
    }
    #pragma unroll
    for (uint c = 0; c < CLSP_DIM; c++) row[c] = s[c];
    END_GROUPS
}

/* The sums of a launch of sum_rows: of T, [patches][controls][stride_t] from t_offset on, by a
   table of `terms` values a sample. */
typedef struct block_sums {
    wide t_offset;
    uint controls, terms, stride_t, stride_table;
    uint width; /* reals of a row */
    uint num_blocks, items;
} block_sums;

/* Makes rows of sums: an item CLSP_ROWS rows of a column; neighbours have adjacent columns. Item g
   has column g % width of row block (g / width) % num_blocks of patch g / width / num_blocks.
   at.first_row is a multiple of CLSP_ROWS. */
kernel void sum_rows(global const real *restrict t, global const real *restrict table,
                     global const uint *restrict first, global real *restrict out, block_sums sum,
                     row_range at QUEUE)
{
    EACH_GROUP(BY_VALUE(block_sums, sum) BY_VALUE(row_range, at))
    const uint g = ITEM_NUMBER;
    if (g >= sum.items) NEXT_ITEM;

    const uint line = g / sum.width, x = g - line * sum.width;
    const size_t patch = line / sum.num_blocks;
    const uint u = (line - (uint)patch * sum.num_blocks) * CLSP_ROWS;
    make_row_block(t + WIDE(sum.t_offset) + patch * sum.controls * sum.stride_t, sum.stride_t,
                   table + at.first_row + u, first + at.first_row + u, sum.terms,
                   sum.stride_table, sum.width, x, min((uint)CLSP_ROWS, at.num_rows - u),
                   out + WIDE(at.offset) + (patch * at.num_rows + u) * sum.width);
    END_GROUPS
}
