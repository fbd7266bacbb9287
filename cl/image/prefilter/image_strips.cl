/* The recursive prefilter of two directions going down strips, for GPUs (docs/math.md, 18;
   docs/kernels.md). A group has a strip of neighbouring columns, an item each, and makes CHUNK rows
   of coefficients at a time. Down the columns each item keeps the first recursion's last results in
   registers; the second one begins CLSP_HALO below each chunk. Along the rows items have pieces of
   CHUNK samples, filtered as if nothing stood beside them; what neighbours add is a power of the
   pole times their outermost results, of which at most two pieces' count.

   The host sets CLSP_HALO, CLSP_GROUP and what pixel.clh asks for. */
#include "line_pass.clh"
#include "single_fold.clh"

#ifndef CLSP_HALO
#define CLSP_HALO 14
#endif
#ifndef CLSP_GROUP
#define CLSP_GROUP 256
#endif

#define CHUNK   16
#define SIDE    ((CLSP_HALO + CHUNK - 1) / CHUNK * CHUNK) /* columns beside those that are stored */
#define STRIP_X (CLSP_GROUP - 2 * SIDE)
#define PITCH   (CLSP_GROUP + 1) /* odd: items that read neighbouring rows read other banks */
#define KEPT    (CHUNK + CLSP_HALO)

/* The strips of slices of size_y x size_x coefficients, `length` rows each, where they go, and by
   which modes they continue. The first one begins at first_y, first_x. far: the pole to the power
   CHUNK. */
typedef struct strip_grid {
    real pole, gain, gain_rest, far;
    wide offset;
    uint size_y, size_x, mode_y, mode_x, first_y, first_x, strips_x, strips_y, length, first_line;
} strip_grid;

/* A column's samples: where they are, and what is constant. */
typedef struct strip_column {
    size_t begin, stride;
    single_fold fold;
    bool is_there;
} strip_column;

/* Loads num samples of a column, from row y of coefficients on. */
#define LOAD_ROWS(a, num, y, column, samples, from)                                                \
    {                                                                                              \
        UNROLL                                                                                     \
        for (int k_ = 0; k_ < (num); k_++) {                                                       \
            const int at_ = fold_once((y) + k_, (column).fold) - (int)(from).pad_y;                \
            const int near_ = clamp(at_, 0, (int)(from).size_y - 1);                               \
            const bool constant_ = near_ != at_ && (from).mode_y == MODE_GRID_CONSTANT;            \
            const real loaded_ = LOAD_SAMPLE((samples) + (column).begin +                          \
                                             (size_t)(uint)near_ * (column).stride);               \
            (a)[k_] = (column).is_there && !constant_ ? loaded_ : (from).cval;                     \
        }                                                                                          \
    }

/* Loads num samples of a column of which none lies outside. */
#define LOAD_PLAIN_ROWS(a, num, y, column, samples, from)                                          \
    {                                                                                              \
        global const sample *const p_ = (samples) + (column).begin +                               \
                                        (size_t)(uint)((y) - (int)(from).pad_y) * (column).stride; \
        UNROLL                                                                                     \
        for (int k_ = 0; k_ < (num); k_++)                                                         \
            (a)[k_] = LOAD_SAMPLE(p_ + (size_t)k_ * (column).stride);                              \
    }

/* Adds what stands in pieces beside an item's own: the results at their near ends. */
#define NEIGHBOURS(edges, near, further, has_near, has_further, grid)                              \
    ((has_near) ? MAD((grid).far, (has_further) ? (edges)[further] : R(0.0), (edges)[near])        \
                : R(0.0))

/* Finds the samples of column x of a slice of coefficients. */
IN_PLACE strip_column column_of(sample_source from, strip_grid grid, uint slice, int x)
{
    const int z = index_of((int)slice - (int)from.pad_z, (int)from.size_z, from.mode_z);
    const int unpadded = fold_once(x, fold_of(grid.size_x, grid.mode_x)) - (int)from.pad_x;
    const int at = index_of(unpadded, (int)from.size_x, from.mode_x);
    strip_column column;
    column.is_there = z != NO_INDEX && at != NO_INDEX;
    column.stride = (size_t)from.size_x * from.step;
    column.begin = WIDE(from.offset) + (size_t)(uint)max(z, 0) * from.size_y * column.stride +
                   (size_t)(uint)max(at, 0) * from.step;
    column.fold = fold_of(grid.size_y, grid.mode_y);
    return column;
}

/* Filters both directions of a strip. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1))) void
filter_strips(global const sample *restrict samples, global coefficient *restrict target,
              sample_source from, strip_grid grid)
{
    local real tile[CHUNK * PITCH], ends[CLSP_GROUP], begins[CLSP_GROUP];
    const int lid = (int)get_local_id(0);
    const uint group = (uint)get_group_id(0), group_line = group / grid.strips_x;
    const uint line = grid.first_line + group_line, slice = line / grid.strips_y;
    const int x = (int)(grid.first_x + (group - group_line * grid.strips_x) * STRIP_X);
    const int begin = (int)(grid.first_y + (line - slice * grid.strips_y) * grid.length);
    const int end = min(begin + (int)grid.length, (int)grid.size_y);
    const int piece = lid / CHUNK, row = lid - piece * CHUNK;
    local real *const own = tile + row * PITCH + piece * CHUNK;
    global coefficient *out = target + WIDE(grid.offset) +
                              ((size_t)slice * grid.size_y + (uint)begin) * grid.size_x;
    real kept[KEPT], next[CHUNK], a[CHUNK];

    const strip_column column = column_of(from, grid, slice, x - SIDE + lid);
    const int first_plain = (int)from.pad_y, last_plain = (int)(from.pad_y + from.size_y);

    /* the first recursion begins CLSP_HALO above the strip */
    LOAD_ROWS(next, CHUNK, begin - CLSP_HALO, column, samples, from)
    real s = BY_GAIN(next[0], grid) / (R(1.0) - grid.pole);
    UNROLL
    for (int k = 1; k < CHUNK && k < CLSP_HALO; k++)
        s = MAD(grid.pole, s, BY_GAIN(next[k], grid));
#if CLSP_HALO > CHUNK
    LOAD_ROWS(next, CLSP_HALO - CHUNK, begin - CLSP_HALO + CHUNK, column, samples, from)
    UNROLL
    for (int k = 0; k < CLSP_HALO - CHUNK; k++)
        s = MAD(grid.pole, s, BY_GAIN(next[k], grid));
#endif
    LOAD_ROWS(kept, CLSP_HALO, begin, column, samples, from)
    UNROLL
    for (int k = 0; k < CLSP_HALO; k++) {
        s = MAD(grid.pole, s, BY_GAIN(kept[k], grid));
        kept[k] = s;
    }
    LOAD_ROWS(next, CHUNK, begin + CLSP_HALO, column, samples, from)

    for (int y = begin; y < end; y += CHUNK) {
        /* down the columns */
        UNROLL
        for (int k = 0; k < CHUNK; k++) {
            s = MAD(grid.pole, s, BY_GAIN(next[k], grid));
            kept[CLSP_HALO + k] = s;
        }
        if (y + CHUNK < end) { /* under way while rows are filtered */
            const int below = y + CHUNK + CLSP_HALO;
            if (below >= first_plain && below + CHUNK <= last_plain && column.is_there)
                LOAD_PLAIN_ROWS(next, CHUNK, below, column, samples, from)
            else
                LOAD_ROWS(next, CHUNK, below, column, samples, from)
        }
        real c = s * (grid.pole * (R(1.0) / (grid.pole + R(-1.0))));
        UNROLL
        for (int k = KEPT - 2; k >= 0; k--) {
            c = grid.pole * (c - kept[k]);
            if (k < CHUNK) tile[k * PITCH + lid] = c;
        }
        UNROLL
        for (int k = 0; k < CLSP_HALO; k++)
            kept[k] = kept[k + CHUNK];
        barrier(CLK_LOCAL_MEM_FENCE);

        /* along the rows: neighbouring items have neighbouring rows */
        UNROLL
        for (int k = 0; k < CHUNK; k++)
            a[k] = own[k];
        real r = BY_GAIN(a[0], grid);
        if (piece == 0) r = r / (R(1.0) - grid.pole);
        a[0] = r;
        UNROLL
        for (int k = 1; k < CHUNK; k++) {
            r = MAD(grid.pole, r, BY_GAIN(a[k], grid));
            a[k] = r;
        }
        ends[lid] = r;
        barrier(CLK_LOCAL_MEM_FENCE);
        r = grid.pole * NEIGHBOURS(ends, lid - CHUNK, lid - 2 * CHUNK, piece > 0, piece > 1, grid);
        UNROLL
        for (int k = 0; k < CHUNK; k++) {
            a[k] += r;
            r *= grid.pole;
        }
        r = piece == CLSP_GROUP / CHUNK - 1 ? a[CHUNK - 1] * (R(1.0) / (grid.pole + R(-1.0)))
                                            : -a[CHUNK - 1];
        r *= grid.pole;
        a[CHUNK - 1] = r;
        UNROLL
        for (int k = CHUNK - 2; k >= 0; k--) {
            r = grid.pole * (r - a[k]);
            a[k] = r;
        }
        begins[lid] = r;
        barrier(CLK_LOCAL_MEM_FENCE);
        r = grid.pole * NEIGHBOURS(begins, lid + CHUNK, lid + 2 * CHUNK,
                                   piece < CLSP_GROUP / CHUNK - 1, piece < CLSP_GROUP / CHUNK - 2,
                                   grid);
        UNROLL
        for (int k = CHUNK - 1; k >= 0; k--) {
            a[k] += r;
            r *= grid.pole;
        }
        UNROLL
        for (int k = 0; k < CHUNK; k++)
            own[k] = a[k];
        barrier(CLK_LOCAL_MEM_FENCE);

        const int num = min(CHUNK, end - y);
        if (lid < STRIP_X && x + lid < (int)grid.size_x)
            for (int k = 0; k < num; k++)
                STORE_COEFFICIENT(tile[k * PITCH + SIDE + lid],
                                  out + (size_t)(uint)(y - begin + k) * grid.size_x +
                                      (uint)(x + lid));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
