/* Products of dense row-major matrices, C = A B, for sums of any length: a work-group makes a tile
   of C, for which parts of A and B go through local memory (docs/kernels.md).

   Every element is one chain of multiply-adds over rising k, as in gemm.cl. The host sets
   CLSP_TILE, 4 or 8, the rows and columns of an item, and CLSP_GROUP. Sizes are no constants: PoCL
   3.1 leaves results out where a loop around barriers has one round. */
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

/* Brings `num` terms of rows of A, or of columns of B, to local memory, [TERMS][room]. from: the
   first term of the first line, of which `valid` are there; the others are the last one again. */
static void stage_lines(local real *staged, global const real *from, uint line_step, uint term_step,
                        uint lines, uint valid, uint num)
{
    const bool by_terms = term_step < line_step;
    const uint room = lines + 4, along = by_terms ? TERMS : lines;

    for (uint e = (uint)get_local_id(0); e < lines * TERMS; e += CLSP_GROUP) {
        const uint slow = e / along, fast = e - slow * along;
        const uint line = by_terms ? slow : fast, term = by_terms ? fast : slow;
        if (term < num)
            staged[term * room + line] =
                from[(size_t)min(line, valid - 1) * line_step + (size_t)term * term_step];
    }
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
        b + WIDE(at_b.offset) + product * WIDE(at_b.stride) + (size_t)column * at_b.step;
    real4 sum[CLSP_TILE * FOURS];

    UNROLL
    for (uint i = 0; i < CLSP_TILE * FOURS; i++)
        sum[i] = (real4)(R(0.0));
    for (uint k = 0; k < at.k; k += TERMS) {
        const uint num = min((uint)TERMS, at.k - k);
        barrier(CLK_LOCAL_MEM_FENCE);
        stage_lines((local real *)rows, ai + (size_t)k * at_a.step, at_a.ld, at_a.step, TILE_ROWS,
                    at.m - row, num);
        stage_lines((local real *)columns, bj + (size_t)k * at_b.ld, at_b.step, at_b.ld,
                    TILE_COLUMNS, at.n - column, num);
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll 4
        for (uint t = 0; t < num; t++)
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
                cij[(size_t)y * at_c.ld + (size_t)(x + j) * at_c.step] = pick_lane(sum[i], j);
    }
}
