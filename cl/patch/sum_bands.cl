/* The sum over rows of sum_columns.cl for banded tables: row u takes CLSP_TERMS_U of the T_i, those
   from first[u] on. An item keeps them in registers. Where its rows go on to other T_i, which is
   the same for the whole group, it keeps those that stay, mostly all but one.

   The host sets CLSP_TERMS_U; CLSP_GROUP, the local size; CLSP_COLUMNS, CLSP_BLOCK_ROWS, CLSP_STAGE
   and CLSP_SECTOR as for sum_columns; CLSP_FUSED 1 for making T here, as sums of CLSP_TERMS_V
   control points of CLSP_DIM coordinates by a banded table, 0 for reading what sum_lines made.

   Four rows are made at a time where they have the same T_i, up to order 4 also where they have
   not. Whole sectors are stored where rows of one remainder are at least 4 for each T_i: otherwise
   an item goes on to other T_i too often. CLSP_FUSED is for float and orders multiplied at most 16,
   where control points stay in caches. */
#include "launch_queue.clh"
#include "row_range.clh"
#include "sector_rows.clh"
#include "staging.clh"
#include "real.clh"

#ifndef CLSP_TERMS_U
#define CLSP_TERMS_U 4
#endif
#ifndef CLSP_COLUMNS
#define CLSP_COLUMNS 2
#endif
#ifndef CLSP_FUSED
#define CLSP_FUSED 0
#endif
#ifndef CLSP_TERMS_V
#define CLSP_TERMS_V 4
#endif
#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif
#if CLSP_STAGE
#define BASIS_SPACE local
#else
#define BASIS_SPACE global
#endif

/* The sums of a launch. controls: T_i of a patch; controls_v: control points of a line. */
typedef struct band_sums {
    uint controls, stride_u, stride_t;
    uint controls_v, stride_v;
} band_sums;

/* Loads or makes T_i of column c, i + number. */
#if CLSP_FUSED
#define LOAD_TERM(c, i, number)                                                                   \
    {                                                                                             \
        const uint line = (number) + i;                                                           \
        global const real *const q = p + from[c] + (size_t)line * (sum.controls_v * CLSP_DIM);    \
        real term = R(0.0);                                                                       \
        UNROLL for (uint j = 0; j < CLSP_TERMS_V; j++)                                            \
            term = MAD(basis_v[c][j], q[j * CLSP_DIM], term);                                     \
        kept[c][i] = term;                                                                        \
    }
#else
#define LOAD_TERM(c, i, number) kept[c][i] = p[from[c] + (size_t)((number) + i) * sum.stride_t];
#endif

/* Lets the registers hold the T_i from number `number` on; above order 4 all are loaded again. */
#define KEEP_FROM(number)                                                                         \
    if (CLSP_TERMS_U <= 4 && (number) == first_t + 1) {                                           \
        first_t++;                                                                                \
        UNROLL for (uint c = 0; c < CLSP_COLUMNS; c++) {                                          \
            UNROLL for (uint i = 0; i + 1 < CLSP_TERMS_U; i++) kept[c][i] = kept[c][i + 1];       \
            LOAD_TERM(c, (CLSP_TERMS_U - 1), first_t)                                             \
        }                                                                                         \
    } else if ((number) != first_t) {                                                             \
        first_t = (number);                                                                       \
        UNROLL for (uint c = 0; c < CLSP_COLUMNS; c++) {                                          \
            UNROLL for (uint i = 0; i < CLSP_TERMS_U; i++) LOAD_TERM(c, i, first_t)               \
        }                                                                                         \
    }

/* Makes four rows of all columns, s0 to s3 of s, that have the same T_i. */
#define SUM_FOUR                                                                                  \
    UNROLL for (uint c = 0; c < CLSP_COLUMNS; c++) s[c] = (real4)(R(0.0));                        \
    UNROLL for (uint i = 0; i < CLSP_TERMS_U; i++) {                                              \
        const real4 b = basis_u[i * step];                                                        \
        UNROLL for (uint c = 0; c < CLSP_COLUMNS; c++) s[c] = MAD(b, (real4)(kept[c][i]), s[c]);  \
    }

#if CLSP_TERMS_U <= 4
/* Makes four rows of all columns, s0 to s3 of s, that have different T_i: with all values at hand,
   lest an item wait for those of each row. */
#define SUM_ONE(row, number)                                                                      \
    KEEP_FROM(number)                                                                             \
    UNROLL for (uint c = 0; c < CLSP_COLUMNS; c++) {                                              \
        real one = R(0.0);                                                                        \
        UNROLL for (uint i = 0; i < CLSP_TERMS_U; i++) one = MAD(b[i].row, kept[c][i], one);      \
        s[c].row = one;                                                                           \
    }
#else
/* Makes and stores row u + r of all columns. */
#define SUM_AND_STORE_ONE(number, r)                                                              \
    {                                                                                             \
        real one[CLSP_COLUMNS];                                                                   \
        KEEP_FROM(number)                                                                         \
        UNROLL for (uint c = 0; c < CLSP_COLUMNS; c++) one[c] = R(0.0);                           \
        UNROLL for (uint i = 0; i < CLSP_TERMS_U; i++) {                                          \
            const real b = ((BASIS_SPACE const real *)(basis_u + i * step))[r];                   \
            UNROLL for (uint c = 0; c < CLSP_COLUMNS; c++) one[c] = MAD(b, kept[c][i], one[c]);   \
        }                                                                                         \
        UNROLL for (uint c = 0; c < CLSP_COLUMNS; c++)                                            \
            if (!outside && x0 + c * CLSP_GROUP < width)                                          \
                row[c * CLSP_GROUP + (r) * apart] = one[c];                                       \
    }
#endif

/* Makes rows of sums by banded tables. t: [patches][controls][stride_t], or control points,
   [patches][controls][controls_v][CLSP_DIM]. Groups, rows and columns are as those of sum_columns;
   with CLSP_SECTOR table_u and first_u are permuted by period. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void sum_bands(global const real *restrict t, global const real *restrict table_u,
               global const uint *restrict first_u, global const real *restrict table_v,
               global const uint *restrict first_v, global real *restrict out, band_sums sum,
               row_blocks rows, row_range at QUEUE)
{
    STAGED_TABLE(staged, CLSP_TERMS_U)
    EACH_GROUP(BY_VALUE(band_sums, sum) BY_VALUE(row_blocks, rows) BY_VALUE(row_range, at))
    const uint lane = (uint)get_local_id(0), width = rows.width;
    const uint4 group = split_group(GROUP_NUMBER, rows.num_tiles, rows.num_blocks);
    const uint tile = group.s0, group_patch = group.s2;
    const uint4 block = rows_of_block(rows, at, group.s1, group_patch);
    const uint first = block.s0, end = block.s1, shift = block.s3;
    const size_t apart = rows.period * (size_t)width;

    const uint first_row = at.first_row + block.s2 * (sum.stride_u / rows.period);
    global const uint *const number_of = first_u + first_row;
    BASIS_OF(table_u + first_row, sum.stride_u)
#if CLSP_COLUMNS == 1 && !CLSP_SECTOR
    const uint column = tile * CLSP_GROUP + lane;
    const bool outside = column >= at.num_patches * width;
    const uint patch = min(column / width, at.num_patches - 1);
    const uint begin = outside ? width - 1 : column - patch * width;
#else
    const bool outside = false;
    const uint patch = group_patch;
    const uint begin = tile * (CLSP_COLUMNS * CLSP_GROUP) + lane;
    if (CLSP_SECTOR && begin >= width + shift) NEXT_ITEM;
#endif
    const uint x0 = begin - shift; /* below 0 it is more than any width */
    uint from[CLSP_COLUMNS];       /* in a line */
#if CLSP_FUSED
    global const real *const p =
        t + (WIDE(at.first_patch) + patch) * sum.controls * sum.controls_v * CLSP_DIM;
    real basis_v[CLSP_COLUMNS][CLSP_TERMS_V];
#else
    global const real *const p =
        t + (WIDE(at.first_patch) + patch) * sum.controls * (size_t)sum.stride_t;
#endif
    #pragma unroll
    for (uint c = 0; c < CLSP_COLUMNS; c++) {
        const uint x = min(x0 + c * CLSP_GROUP, width - 1);
#if CLSP_FUSED
        const uint v = x / CLSP_DIM;
        from[c] = first_v[v] * CLSP_DIM + (x - v * CLSP_DIM);
        #pragma unroll
        for (uint j = 0; j < CLSP_TERMS_V; j++) basis_v[c][j] = table_v[j * sum.stride_v + v];
#else
        from[c] = x;
#endif
    }
    const size_t row_0 = (size_t)patch * at.num_rows + first * rows.period + block.s2;
    global real *row = out + (WIDE(at.offset) + row_0 * width + begin - shift);
    const bool whole = !outside && x0 + (CLSP_COLUMNS - 1) * CLSP_GROUP < width;
    uint first_t = UINT_MAX - 1; /* none yet */
    real kept[CLSP_COLUMNS][CLSP_TERMS_U];

    for (uint u = first; u < end; u += 4, basis_u++, row += 4 * apart) {
        const uint first_0 = number_of[u], first_3 = number_of[u + 3];
        real4 s[CLSP_COLUMNS];
        if (first_0 == first_3) { /* samples rise or fall: those between have the same */
            KEEP_FROM(first_0)
            SUM_FOUR
        } else {
#if CLSP_TERMS_U <= 4
            real4 b[CLSP_TERMS_U];
            UNROLL for (uint i = 0; i < CLSP_TERMS_U; i++) b[i] = basis_u[i * step];
            SUM_ONE(s0, first_0)
            SUM_ONE(s1, number_of[u + 1])
            SUM_ONE(s2, number_of[u + 2])
            SUM_ONE(s3, first_3)
#else
            for (uint r = 0; r < min(4u, end - u); r++)
                SUM_AND_STORE_ONE(number_of[u + r], r)
            continue;
#endif
        }
        #pragma unroll
        for (uint c = 0; c < CLSP_COLUMNS; c++) {
            const bool inside = !outside && x0 + c * CLSP_GROUP < width;
            global real *const to = row + c * CLSP_GROUP;
            if ((CLSP_SECTOR ? inside : whole) && u + 4 <= end) {
                to[0] = s[c].s0;
                to[apart] = s[c].s1;
                to[2 * apart] = s[c].s2;
                to[3 * apart] = s[c].s3;
            } else if (inside) {
                store_rows(to, apart, s[c], u, end);
            }
        }
    }
    END_GROUPS
}
