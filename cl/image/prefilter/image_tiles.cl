/* The recursive prefilter in registers, for GPUs (docs/math.md, 18; docs/kernels.md). Each block of
   CLSP_TILE coefficients of a line is made by one item, from these samples and CLSP_HALO more at
   either end, where what the recursions begin with no longer counts; as in image_passes.cl.

   The host sets CLSP_HALO, CLSP_TILE, CLSP_GROUP and what pixel.clh asks for. */
#include "line_pass.clh"
#include "single_fold.clh"

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

/* The tiles of slices along y and x of planes of size_y x size_x coefficients, where they go, and
   by which modes they continue. The first one begins at first_y, first_x, and none goes on to
   end_x. */
typedef struct tile_grid {
    real pole, gain, gain_rest;
    wide offset, first_line;
    uint size_y, size_x, mode_y, mode_x, first_y, first_x, end_x, tiles_x, tiles_y;
} tile_grid;

/* Loads the samples of a column that are all there. */
#define LOAD_PLAIN(a, samples, from, z, y, x)                                                      \
    {                                                                                              \
        const size_t stride_ = (size_t)(from).size_x * (from).step;                                \
        global const sample *p_ = (samples) + WIDE((from).offset) +                                \
                                  ((size_t)(z) * (from).size_y + (size_t)(y)) * stride_ +          \
                                  (size_t)(x) * (from).step;                                       \
        UNROLL                                                                                     \
        for (int k_ = 0; k_ < SPAN; k_++)                                                          \
            (a)[k_] = LOAD_SAMPLE(p_ + (size_t)k_ * stride_);                                      \
    }

/* Loads those of one near an edge. z, x: of samples, or NO_INDEX; y: of coefficients. */
#define LOAD_FOLDED(a, samples, from, z, y, x, fold)                                               \
    {                                                                                              \
        const size_t stride_ = (size_t)(from).size_x * (from).step;                                \
        const bool is_there_ = (z) != NO_INDEX && (x) != NO_INDEX;                                 \
        global const sample *const p_ = (samples) + WIDE((from).offset) +                          \
                                        (size_t)(is_there_ ? (z) : 0) * (from).size_y * stride_ +  \
                                        (size_t)(is_there_ ? (x) : 0) * (from).step;               \
        UNROLL                                                                                     \
        for (int k_ = 0; k_ < SPAN; k_++) {                                                        \
            const int at_ = fold_once((y) + k_, fold) - (int)(from).pad_y;                         \
            const int near_ = clamp(at_, 0, (int)(from).size_y - 1);                               \
            const bool constant_ = near_ != at_ && (from).mode_y == MODE_GRID_CONSTANT;            \
            const real loaded_ = LOAD_SAMPLE(p_ + (size_t)near_ * stride_);                        \
            (a)[k_] = is_there_ && !constant_ ? loaded_ : (from).cval;                             \
        }                                                                                          \
    }

/* Filters both directions of a tile: items have its columns first, then pieces of its rows. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1))) void
filter_tiles(global const sample *restrict samples, global coefficient *restrict target,
             sample_source from, tile_grid grid)
{
    local real tile[CLSP_TILE * PITCH];
    const int lid = (int)get_local_id(0);
    const uint group = (uint)get_group_id(0), group_line = group / grid.tiles_x;
    const size_t line = WIDE(grid.first_line) + group_line;
    const uint slice = (uint)(line / grid.tiles_y);
    const int x = (int)(grid.first_x + (group - group_line * grid.tiles_x) * TILE_X);
    const int y = (int)(grid.first_y + (uint)(line - (size_t)slice * grid.tiles_y) * CLSP_TILE);
    real a[SPAN];

    const int z = index_of((int)slice - (int)from.pad_z, (int)from.size_z, from.mode_z);
    if (lid < COLUMNS) {
        const int begin = y - CLSP_HALO, column = x - CLSP_HALO + lid;
        const int plain_y = begin - (int)from.pad_y, plain_x = column - (int)from.pad_x;
        if (plain_y >= 0 && plain_y + SPAN <= (int)from.size_y && plain_x >= 0 &&
            plain_x < (int)from.size_x && z != NO_INDEX) {
            LOAD_PLAIN(a, samples, from, z, plain_y, plain_x)
        } else {
            const int at =
                index_of(fold_once(column, fold_of(grid.size_x, grid.mode_x)) - (int)from.pad_x,
                         (int)from.size_x, from.mode_x);
            const single_fold fold = fold_of(grid.size_y, grid.mode_y);
            LOAD_FOLDED(a, samples, from, z, begin, at, fold)
        }
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
        const single_fold fold = fold_of(pass.n, pass.mode);
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
