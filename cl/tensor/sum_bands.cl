/* The sum over rows of sum_columns.cl for banded tables: row u takes CLSP_TERMS_U of the T_i, those
   from first[u] on. An item keeps them in registers and fills these again when its rows go on to
   other T_i, which is the same for the whole group.

   The host sets CLSP_TERMS_U; CLSP_GROUP, the local size; CLSP_COLUMNS; CLSP_BLOCK_ROWS. */
#include "row_range.clh"
#include "staging.clh"
#include "real.clh"

#ifndef CLSP_TERMS_U
#define CLSP_TERMS_U 4
#endif
#ifndef CLSP_COLUMNS
#define CLSP_COLUMNS 2
#endif

/* The sums of a launch. controls: T_i of a patch. */
typedef struct band_sums {
    uint controls, stride_u, stride_t;
    uint width; /* reals of a row */
    uint num_tiles, num_blocks;
} band_sums;

/* Fills the registers with the T_i from number `number` on, unless they are there. */
#define KEEP_FROM(number)                                                                         \
    if ((number) != first_t) {                                                                    \
        first_t = (number);                                                                       \
        global const real *const q = p + (size_t)first_t * sum.stride_t;                          \
        UNROLL for (uint c = 0; c < CLSP_COLUMNS; c++) {                                          \
            UNROLL for (uint i = 0; i < CLSP_TERMS_U; i++)                                        \
                kept[c][i] = q[min(x0 + c * CLSP_GROUP, width - 1) + i * sum.stride_t];           \
        }                                                                                         \
    }

/* Sums rows u and on of all columns, s: as many as its type has numbers, of one T_i each. */
#define SUM_ROWS(type, s, u)                                                                      \
    UNROLL for (uint c = 0; c < CLSP_COLUMNS; c++) s[c] = (type)(R(0.0));                         \
    UNROLL for (uint i = 0; i < CLSP_TERMS_U; i++) {                                              \
        const type b = *(global const type *)(table_u + (size_t)i * sum.stride_u + (u));          \
        UNROLL for (uint c = 0; c < CLSP_COLUMNS; c++) s[c] = MAD(b, (type)(kept[c][i]), s[c]);   \
    }

/* Makes rows of sums by banded tables. t: [patches][controls][stride_t]. Groups, rows and columns
   are as those of sum_columns without CLSP_SECTOR; four rows at a time where they have the same
   T_i. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void sum_bands(global const real *restrict t, global const real *restrict table_u,
               global const uint *restrict first_u, global real *restrict out, band_sums sum,
               row_range at)
{
    const uint lane = (uint)get_local_id(0), width = sum.width;
    const uint4 group = split_group((uint)get_group_id(0), sum.num_tiles, sum.num_blocks);
    const uint tile = group.s0, group_patch = group.s2;
    const uint first = group.s1 * CLSP_BLOCK_ROWS;
    const uint end = min(first + CLSP_BLOCK_ROWS, at.num_rows);
#if CLSP_COLUMNS == 1
    const uint column = tile * CLSP_GROUP + lane;
    const bool outside = column >= at.num_patches * width;
    const uint patch = min(column / width, at.num_patches - 1);
    const uint x0 = outside ? width - 1 : column - patch * width;
#else
    const bool outside = false;
    const uint patch = group_patch;
    const uint x0 = tile * (CLSP_COLUMNS * CLSP_GROUP) + lane;
#endif
    global const real *const p =
        t + (WIDE(at.first_patch) + patch) * sum.controls * (size_t)sum.stride_t;
    global real *row =
        out + WIDE(at.offset) + ((size_t)patch * at.num_rows + first) * width + x0;
    uint first_t = UINT_MAX; /* none yet */
    real kept[CLSP_COLUMNS][CLSP_TERMS_U];

    table_u += at.first_row;
    first_u += at.first_row;
    for (uint u = first; u < end; u += 4, row += 4 * (size_t)width) {
        /* samples rise or fall: those between have what both ends have */
        if (u + 4 <= end && first_u[u] == first_u[u + 3]) {
            real4 s[CLSP_COLUMNS];
            KEEP_FROM(first_u[u]);
            SUM_ROWS(real4, s, u);
            #pragma unroll
            for (uint c = 0; c < CLSP_COLUMNS; c++) {
                if (outside || x0 + c * CLSP_GROUP >= width) continue;
                global real *const to = row + c * CLSP_GROUP;
                to[0] = s[c].s0;
                to[width] = s[c].s1;
                to[2 * (size_t)width] = s[c].s2;
                to[3 * (size_t)width] = s[c].s3;
            }
            continue;
        }
        for (uint r = u; r < min(u + 4, end); r++) {
            real s[CLSP_COLUMNS];
            KEEP_FROM(first_u[r]);
            SUM_ROWS(real, s, r);
            #pragma unroll
            for (uint c = 0; c < CLSP_COLUMNS; c++)
                if (!outside && x0 + c * CLSP_GROUP < width)
                    row[c * CLSP_GROUP + (size_t)(r - u) * width] = s[c];
        }
    }
}
