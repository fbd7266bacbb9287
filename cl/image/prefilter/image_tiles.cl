/* The recursive prefilter in registers, for GPUs (docs/math.md, 18). Each block of CLSP_TILE
   coefficients of a line is made by one item, from these samples and CLSP_HALO more at either end,
   where what the recursions begin with no longer counts; as in image_passes.cl.

   The host sets CLSP_HALO, CLSP_TILE, CLSP_GROUP and what pixel.clh asks for.

   A group of 256 items filters 252 columns of 32 rows, an item a column: 60 coalesced loads, two
   recursions without a branch. The 32 coefficients go to local memory, from where items filter
   pieces of 32 columns of a row, whose odd pitch keeps them in different banks. A pixel is read 2.1
   times, mostly from a cache, and written once. It is for single precision and orders 2 and 3 where
   image_strips.cl is not taken; filter_columns does one direction of volumes. Tiles of 16 rows are
   for GPUs whose registers are not known. Narrow images have groups of no more items than their
   rows need. */
#include "sample_columns.clh"

#ifndef CLSP_HALO
#define CLSP_HALO 14
#endif
#ifndef CLSP_TILE
#define CLSP_TILE 32
#endif
#ifndef CLSP_GROUP
#define CLSP_GROUP 256
#endif

#define SPAN (CLSP_TILE + 2 * CLSP_HALO)

/* Filters the SPAN samples of an array in registers: those in its middle become coefficients. */
#define FILTER_SPAN(a, by)                                                                         \
    {                                                                                              \
        real s_ = BY_GAIN((a)[0], by) / (R(1.0) - (by).pole);                                      \
        (a)[0] = s_;                                                                               \
        UNROLL                                                                                     \
        for (int k_ = 1; k_ < SPAN; k_++) {                                                        \
            s_ = MAD((by).pole, s_, BY_GAIN((a)[k_], by));                                         \
            (a)[k_] = s_;                                                                          \
        }                                                                                          \
        s_ *= (by).pole * (R(1.0) / ((by).pole + R(-1.0)));                                        \
        UNROLL                                                                                     \
        for (int k_ = SPAN - 2; k_ >= CLSP_HALO; k_--) {                                           \
            s_ = (by).pole * (s_ - (a)[k_]);                                                       \
            (a)[k_] = s_;                                                                          \
        }                                                                                          \
    }

/* ---- two directions ---- */

/* Coefficients of a tile along x, and the columns that are filtered for them. */
#define TILE_X  ((CLSP_GROUP - 2 * CLSP_HALO) / CLSP_TILE * CLSP_TILE)
#define COLUMNS (TILE_X + 2 * CLSP_HALO)
#define PITCH   (COLUMNS | 1) /* odd: items that read neighbouring rows read other banks */

/* Filters both directions of a tile: items have its columns first, then pieces of its rows. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1))) void
filter_tiles(global const sample *restrict samples, global coefficient *restrict target,
             sample_source from, plane_grid grid)
{
    local real tile[CLSP_TILE * PITCH];
    const int lid = (int)get_local_id(0);
    const grid_place begin = place_in(grid, TILE_X);
    const uint slice = begin.slice;
    const int x = begin.x, y = begin.y;
    real a[SPAN];

    if (lid < COLUMNS) {
        const sample_column column = column_of(from, grid, slice, x - CLSP_HALO + lid);
        const int above = y - CLSP_HALO, plain = above - (int)from.pad_y;
        if (plain >= 0 && plain + SPAN <= (int)from.size_y && column.is_there)
            LOAD_PLAIN_ROWS(a, SPAN, above, column, samples, from)
        else
            LOAD_ROWS(a, SPAN, above, column, samples, from)
        FILTER_SPAN(a, grid)
        UNROLL
        for (int k = 0; k < CLSP_TILE; k++)
            tile[k * PITCH + lid] = a[k + CLSP_HALO];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    /* neighbouring items have neighbouring rows */
    const int piece = lid / CLSP_TILE, row = lid - piece * CLSP_TILE;
    local real *const at = tile + row * PITCH + piece * CLSP_TILE;
    if (lid < TILE_X) {
        UNROLL
        for (int k = 0; k < SPAN; k++)
            a[k] = at[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < TILE_X) {
        FILTER_SPAN(a, grid)
        UNROLL
        for (int k = 0; k < CLSP_TILE; k++)
            at[k] = a[k + CLSP_HALO];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int num_y = min(CLSP_TILE, (int)grid.size_y - y);
    if (lid >= TILE_X || x + lid >= (int)grid.end_x) return;
    global coefficient *const out = target + WIDE(grid.offset) +
                                    ((size_t)slice * grid.size_y + (size_t)y) * grid.size_x +
                                    (size_t)(x + lid);
    for (int k = 0; k < num_y; k++)
        STORE_COEFFICIENT(tile[k * PITCH + lid], out + (size_t)k * grid.size_x);
}

/* ---- one direction ---- */

/* Filters blocks of columns, [outer][n][inner] as filter_pass has them, n at least SPAN. Items are
   [outer][bundles][num_blocks][num_lines]: blocks of the same columns follow each other soon, while
   the samples that they share are in a cache. */
kernel void filter_columns(global const sample *restrict samples,
                           global coefficient *restrict target, sample_source from, line_pass pass)
{
    const uint item = (uint)get_global_id(0);
    if (item >= pass.items) return;

    const uint number = (uint)WIDE(pass.first_item) + item, row = number / pass.num_lines;
    const uint bundle = row / pass.num_blocks, outer = bundle / pass.bundles;
    const uint column =
        (bundle - outer * pass.bundles) * pass.num_lines + number - row * pass.num_lines;
    const int begin = (int)(pass.first + (row - bundle * pass.num_blocks) * CLSP_TILE);
    const size_t inner = WIDE(pass.inner), first = (size_t)outer * pass.n * inner + column;
    global const sample *const source = samples + WIDE(from.offset) + first;
    if (column >= inner) return;
    real a[SPAN];

    if (begin >= CLSP_HALO && begin + CLSP_TILE + CLSP_HALO <= (int)pass.n) {
        global const sample *const p = source + (size_t)(begin - CLSP_HALO) * inner;
        UNROLL
        for (int k = 0; k < SPAN; k++)
            a[k] = LOAD_SAMPLE(p + (size_t)k * inner);
    } else {
        const single_fold fold = fold_of((int)pass.n, pass.mode);
        UNROLL
        for (int k = 0; k < SPAN; k++)
            a[k] = LOAD_SAMPLE(source + (size_t)fold_once(begin - CLSP_HALO + k, fold) * inner);
    }
    FILTER_SPAN(a, pass)
    global coefficient *const out = target + WIDE(pass.offset) + first + (size_t)begin * inner;
    UNROLL
    for (int k = 0; k < CLSP_TILE; k++)
        if (begin + k < (int)pass.n) STORE_COEFFICIENT(a[k + CLSP_HALO], out + (size_t)k * inner);
}
