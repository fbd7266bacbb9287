/* Products of dense row-major matrices, C = A B, for sums of any length: a work-group makes a tile
   of C, for which parts of A and B go through local memory.

   Every element is one chain of multiply-adds over rising k, as in gemm.cl. The host sets
   CLSP_TILE, 4 or 8, the rows and columns of an item, and CLSP_GROUP. Sizes are no constants: PoCL
   3.1 leaves results out where a loop around barriers has one round.

   A group of 64 items makes a tile of 64 x 64, or 32 x 32 where an item may keep fewer than 36
   numbers. 16 terms at a time go through local memory: memory brings each once for a tile, local
   memory two fours for 64 multiply-adds. It serves products of 32 rows, 64 columns and 32 terms or
   more: dense sums of many terms along all directions but the last (axis_sum.c). */
#include "gemm_matrix.clh"

#ifndef CLSP_TILE
#define CLSP_TILE 8
#endif
#ifndef CLSP_GROUP
#define CLSP_GROUP 64
#endif

/* Items have fours of rows and columns, which alternate between neighbours. Lines of local memory
   are four reals longer than a tile, so that terms begin in different banks. */
enum {
    TERMS = 16, /* that are in local memory at once */
    FOURS = CLSP_TILE / 4,
    ACROSS = CLSP_GROUP < 8 ? CLSP_GROUP : 8,
    DOWN = CLSP_GROUP / ACROSS,
    TILE_ROWS = DOWN * CLSP_TILE,
    TILE_COLUMNS = ACROSS * CLSP_TILE,
    ROW_FOURS = TILE_ROWS / 4 + 1,
    COLUMN_FOURS = TILE_COLUMNS / 4 + 1
};

/* Copies elements to local memory, [slow][fast] as they are adjacent in memory: from one to the
   next `steps` there and `rooms` here. What lies behind the `valid` ones is the last of them again.
   */
static void copy_lines(local real *staged, uint2 rooms, global const real *from, uint2 steps,
                       uint2 num, uint2 valid)
{
    const uint item = (uint)get_local_id(0), across = min(num.s0, (uint)CLSP_GROUP);
    const uint slow = item / across, down = CLSP_GROUP / across;

    for (uint f = item - slow * across; f < num.s0; f += across) {
        global const real *const line = from + (size_t)min(f, valid.s0 - 1) * steps.s0;
        for (uint s = slow; s < num.s1; s += down)
            staged[f * rooms.s0 + s * rooms.s1] = line[(size_t)min(s, valid.s1 - 1) * steps.s1];
    }
}

/* Brings terms of rows of A, or of columns of B, to local memory, [TERMS][lines + 4]. from: the
   first term of the first line; valid: the lines and terms that there are. */
static void stage_lines(local real *staged, global const real *from, uint line_step, uint term_step,
                        uint lines, uint2 valid)
{
    if (line_step < term_step)
        copy_lines(staged, (uint2)(1, lines + 4), from, (uint2)(line_step, term_step),
                   (uint2)(lines, TERMS), valid);
    else
        copy_lines(staged, (uint2)(lines + 4, 1), from, (uint2)(term_step, line_step),
                   (uint2)(TERMS, lines), valid.s10);
}

static real pick_lane(real4 v, uint i)
{
    return i == 0 ? v.s0 : i == 1 ? v.s1 : i == 2 ? v.s2 : v.s3;
}

/* Adds a term to an item's sums, [CLSP_TILE][FOURS]. */
static void add_term(real4 *sum, local const real4 *rows, local const real4 *columns)
{
    real4 row[FOURS], column[FOURS];

    UNROLL
    for (uint i = 0; i < FOURS; i++) {
        row[i] = rows[i * DOWN];
        column[i] = columns[i * ACROSS];
    }
    UNROLL
    for (uint r = 0; r < CLSP_TILE; r++) {
        UNROLL
        for (uint c = 0; c < FOURS; c++)
            sum[r * FOURS + c] =
                MAD((real4)(pick_lane(row[r / 4], r % 4)), column[c], sum[r * FOURS + c]);
    }
}

/* Makes tiles of products. Group g has row block first_block + g % num_blocks and column block
   first_column + (g / num_blocks) % num_columns of product g / num_blocks / num_columns. */
kernel void gemm_tiles(global const real *restrict a, gemm_matrix at_a,
                       global const real *restrict b, gemm_matrix at_b, global real *restrict c,
                       gemm_matrix at_c, gemm_items at)
{
    local real4 rows[TERMS * ROW_FOURS], columns[TERMS * COLUMN_FOURS];
    const uint group = (uint)get_group_id(0), item = (uint)get_local_id(0);
    const uint outer = group / at.num_blocks, product = outer / at.num_columns;
    const uint row = (at.first_block + (group - outer * at.num_blocks)) * TILE_ROWS;
    const uint column = (at.first_column + (outer - product * at.num_columns)) * TILE_COLUMNS;
    const uint down = item / ACROSS, across = item - down * ACROSS;
    global const real *const ai =
        a + WIDE(at_a.offset) + product * WIDE(at_a.stride) + (size_t)row * at_a.ld;
    global const real *const bj =
        b + WIDE(at_b.offset) + product * WIDE(at_b.stride) + column;
    real4 sum[CLSP_TILE * FOURS];

    UNROLL
    for (uint i = 0; i < CLSP_TILE * FOURS; i++)
        sum[i] = (real4)(R(0.0));
    for (uint k = 0; k < at.k; k += TERMS) {
        const uint num = min((uint)TERMS, at.k - k);
        barrier(CLK_LOCAL_MEM_FENCE);
        stage_lines((local real *)rows, ai + (size_t)k * at_a.step, at_a.ld, at_a.step, TILE_ROWS,
                    (uint2)(at.m - row, num));
        stage_lines((local real *)columns, bj + (size_t)k * at_b.ld, 1, at_b.ld,
                    TILE_COLUMNS, (uint2)(at.n - column, num));
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint t = 0; t < num; t++) /* unrolled, doubles would spill */
            add_term(sum, rows + t * ROW_FOURS + down, columns + t * COLUMN_FOURS + across);
    }

    global real *const cij = c + WIDE(at_c.offset) + product * WIDE(at_c.stride);
    UNROLL
    for (uint i = 0; i < CLSP_TILE * FOURS; i++) {
        const uint r = i / FOURS, x = column + 4 * (i % FOURS * ACROSS + across);
        const uint y = row + 4 * (r / 4 * DOWN + down) + r % 4;
        UNROLL
        for (uint j = 0; j < 4; j++)
            if (y < at.m && x + j < at.n)
                cij[(size_t)y * at_c.ld + x + j] = pick_lane(sum[i], j);
    }
}
