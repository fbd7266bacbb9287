/* The recursive prefilter for CPUs (docs/math.md, 18; docs/kernels.md). An item makes a tile of
   coefficients, all poles of one or two directions, from these samples and CLSP_HALO more at either
   end, where what the recursions begin with no longer counts: memory is read once and written once.

   Lines go side by side as components of vectors. With p_k = g s_k + z p_{k-1} and
   c_k = p_k + z c_{k+1}, where g = (1 - z)^2, a step of a recursion is one multiply-add. Of two
   poles the second recursion takes what the first one makes, and g is the product of both.

   The host sets CLSP_HALO, CLSP_POLES, CLSP_LENGTH and CLSP_WIDTH, the rows and columns of a tile
   at most, CLSP_LINES, the rows that are filtered side by side, CLSP_ROWS 1 for kernels that filter
   rows, CLSP_SCALED 0 for columns whose gain rows have had, and what pixel.clh asks for. */
#ifndef CLSP_LANES
#define CLSP_LANES 8
#endif
#include "sample_source.clh"
#include "turn.clh"

#ifndef CLSP_ROWS
#define CLSP_ROWS 1
#endif
#ifndef CLSP_HALO
#define CLSP_HALO 14
#endif
#ifndef CLSP_POLES
#define CLSP_POLES 1
#endif
#ifndef CLSP_LENGTH
#define CLSP_LENGTH 128
#endif
#ifndef CLSP_WIDTH
#define CLSP_WIDTH 128
#endif
#ifndef CLSP_SCALED
#define CLSP_SCALED 1
#endif
#ifndef CLSP_LINES
#define CLSP_LINES 16
#endif

#define ALIGNED    __attribute__((aligned(64)))
#define LEAD       ((CLSP_HALO + 3) / 4 * 4)                     /* of a row, before the tile */
#define SPAN       ((CLSP_WIDTH + LEAD + CLSP_HALO + 7) / 4 * 4) /* and room for four more */
#define TALL       (CLSP_LENGTH + 2 * CLSP_HALO + CLSP_LINES - 1)
#define CHUNK      4 /* vectors that go side by side */
#define CHUNK_WIDE (CHUNK * CLSP_LANES)
#define PITCH      ((CLSP_WIDTH + CHUNK_WIDE - 1) / CHUNK_WIDE * CHUNK_WIDE) /* of the tile */

/* The numbers of a filter: its poles, of which the second one may be missing, what a first sample
   is worth that has been there for ever, 1 / (1 - pole), and the gain as a sum of two numbers. */
typedef struct band_filter {
    real pole, second, begin, begin_second, gain, gain_rest;
} band_filter;

/* Tiles of slices of size_y x size_x coefficients, and by which modes these continue. The first one
   begins at first_y, first_x. A launch has the tiles from first_item on. */
typedef struct band_grid {
    wide offset, size_x;
    uint size_y, mode_y, mode_x, first_y, first_x, tiles_x, tiles_y, first_item, items;
} band_grid;

/* Goes a step on with a recursion, whose state is s, or s and t of two poles; x: the sample, and
   then what is made of it. */
#if CLSP_POLES == 1
#define STEP(x, s, t, f) (x) = (s) = MAD((f).pole, s, x);
#else
#define STEP(x, s, t, f)                                                                           \
    (s) = MAD((f).pole, s, x);                                                                     \
    (x) = (t) = MAD((f).second, t, s);
#endif

/* Begins a recursion as if x had been there for ever. */
#define BEGIN(x, s, t, f)                                                                          \
    (s) = (x) * (f).begin;                                                                         \
    (t) = (s) * (f).begin_second;

/* ---- rows ---- */

#define FOURS   (CLSP_LINES / 4)
#define FOUR(p) (*(local real4 *)(p))

#if CLSP_SCALED
#define BY_FILTER_GAIN(x, f) MAD((f).gain, x, (f).gain_rest *(x))
#else
#define BY_FILTER_GAIN(x, f) (x)
#endif

/* What a tile reads of each row: `num` places. Samples stand from `first` to `end` - 1, where they
   are those from `begin` on. Places before `low` and from `high` on are folded: copied in reverse,
   `edge` away from the last one. Between these and the samples is padding. What does not come in
   this way has its number in a table. */
typedef struct band_row {
    int num, first, end, begin, low, high, edge;
    bool by_table;
} band_row;

/* Finds what stands at the places x to x + num - 1 of rows. */
IN_PLACE band_row find_places(local int *place, const sample_source *from, band_grid grid, int x,
                              int num)
{
    const int size_x = (int)WIDE(grid.size_x), pad = (int)from->pad_x;
    band_row row;
    row.num = num;
    row.first = clamp(pad - x, 0, num);
    row.end = clamp(pad + (int)from->size_x - x, row.first, num);
    row.begin = x + row.first - pad;
    row.low = clamp(-x, 0, num);
    row.high = clamp(size_x - x, 0, num);
    row.edge = grid.mode_x == MODE_MIRROR ? 1 : 0;
    const bool is_short = 2 * row.low + row.edge > row.high || 2 * row.high - row.edge - num < 3;
    const bool is_folded = row.low > 0 || row.high < num;
    row.by_table =
        row.first == row.end || (is_folded && (is_short || grid.mode_x == MODE_GRID_WRAP));
    for (int k = 0; row.by_table && k < num; k++)
        place[k] =
            index_of(index_of(x + k, size_x, grid.mode_x) - pad, (int)from->size_x, from->mode_x);
    return row;
}

/* Loads one sample by the table. */
#define LOAD_PLACE(line, p, k)                                                                     \
    {                                                                                              \
        const int at_ = place[k];                                                                  \
        const real x_ =                                                                            \
            at_ == NO_INDEX ? from->cval : LOAD_SAMPLE((p) + (size_t)(uint)max(at_, 0) * step);    \
        (line)[k] = BY_FILTER_GAIN(x_, f);                                                         \
    }

/* Continues a row beyond its samples; what is folded comes four at a time. */
IN_PLACE void continue_row(local real *line, band_row row, real left, real right)
{
    for (int k = row.low; k < row.first; k++)
        line[k] = left;
    for (int k = row.end; k < row.high; k++)
        line[k] = right;
    for (int k = 0; k < row.low; k += 4)
        vstore4(vload4(0, line + row.low + row.edge + k).s3210, 0, line + row.low - 4 - k);
    for (int k = 0; k < row.num - row.high; k += 4)
        vstore4(vload4(0, line + row.high - row.edge - 4 - k).s3210, 0, line + row.high + k);
}

/* Loads the samples of a row, multiplied by the gain. */
IN_PLACE void load_row(local real *line, global const sample *samples, const sample_source *from,
                       local const int *place, band_row row, band_filter f, size_t begin)
{
    const size_t step = from->step;
    const real cval = BY_FILTER_GAIN(from->cval, f);
    if (begin == ~(size_t)0) {
        for (int k = 0; k < row.num; k++)
            line[k] = cval;
        return;
    }
    global const sample *const p = samples + begin;
    global const sample *const q = p + (size_t)row.begin * step;
    local real *const side_by_side = line + row.first;
    if (step == 1) {
        for (int k = 0; k < row.end - row.first; k++) {
            const real x = LOAD_SAMPLE(q + k);
            side_by_side[k] = BY_FILTER_GAIN(x, f);
        }
    } else {
        for (int k = 0; k < row.end - row.first; k++) {
            const real x = LOAD_SAMPLE(q + (size_t)k * step);
            side_by_side[k] = BY_FILTER_GAIN(x, f);
        }
    }
    if (row.by_table) {
        for (int k = 0; k < row.first; k++)
            LOAD_PLACE(line, p, k)
        for (int k = row.end; k < row.num; k++)
            LOAD_PLACE(line, p, k)
        return;
    }
    const bool is_constant = from->mode_x == MODE_GRID_CONSTANT;
    continue_row(line, row, is_constant ? cval : line[row.first],
                 is_constant ? cval : line[row.end - 1]);
}

/* Filters CLSP_LINES rows of num samples, a multiple of 4, and stores the coefficients of `width`
   of them from LEAD on in rows of the tile; width: rounded up to 4. */
IN_PLACE void filter_rows(local real *tile, local const real *lines, local real4 *turned,
                          band_filter f, size_t num, size_t width)
{
    real4 s[FOURS], t[FOURS];

    UNROLL
    for (size_t i = 0; i < FOURS; i++) {
        local const real *const p = lines + 4 * i * SPAN;
        BEGIN((real4)(p[0], p[SPAN], p[2 * SPAN], p[3 * SPAN]), s[i], t[i], f)
    }
    for (size_t k = 0; k < num; k += 4) {
        UNROLL
        for (size_t i = 0; i < FOURS; i++) {
            local const real *const p = lines + 4 * i * SPAN + k;
            local real4 *const q = turned + FOURS * k + i;
            real4 a = FOUR(p), b = FOUR(p + SPAN), c = FOUR(p + 2 * SPAN), d = FOUR(p + 3 * SPAN);
            TURN_FOUR(a, b, c, d)
            STEP(a, s[i], t[i], f)
            STEP(b, s[i], t[i], f)
            STEP(c, s[i], t[i], f)
            STEP(d, s[i], t[i], f)
            q[0] = a;
            q[FOURS] = b;
            q[2 * FOURS] = c;
            q[3 * FOURS] = d;
        }
    }
    UNROLL
    for (size_t i = 0; i < FOURS; i++) {
        BEGIN(turned[FOURS * (num - 1) + i], s[i], t[i], f)
    }
    for (size_t j = 4; j <= num - LEAD; j += 4) {
        const size_t k = num - j;
        const bool is_kept = k < LEAD + width;
        UNROLL
        for (size_t i = 0; i < FOURS; i++) {
            local const real4 *const q = turned + FOURS * k + i;
            real4 a = q[0], b = q[FOURS], c = q[2 * FOURS], d = q[3 * FOURS];
            STEP(d, s[i], t[i], f)
            STEP(c, s[i], t[i], f)
            STEP(b, s[i], t[i], f)
            STEP(a, s[i], t[i], f)
            if (is_kept) {
                local real *const p = tile + 4 * i * PITCH + (k - LEAD);
                TURN_FOUR(a, b, c, d)
                FOUR(p) = a;
                FOUR(p + PITCH) = b;
                FOUR(p + 2 * PITCH) = c;
                FOUR(p + 3 * PITCH) = d;
            }
        }
    }
}

/* ---- columns ---- */

#define VECTOR(p, i) (*(local realv *)((p) + (i)*CLSP_LANES))

/* Runs the first recursion down num rows of `from`, `step` apart, on from `state`. */
IN_PLACE void go_down(local real *to, local const real *from, ptrdiff_t step, local real *state,
                      band_filter f, size_t num, size_t width)
{
    for (size_t x = 0; x < width; x += CHUNK_WIDE) {
        local const real *p = from + x;
        local real *q = to + x;
        local real *const r = state + x;
        realv s[CHUNK], t[CHUNK];
        UNROLL
        for (size_t i = 0; i < CHUNK; i++) {
            s[i] = VECTOR(r, i);
            t[i] = VECTOR(r + PITCH, i);
        }
        for (size_t k = 0; k < num; k++, p += step, q += PITCH) {
            UNROLL
            for (size_t i = 0; i < CHUNK; i++) {
                realv v = VECTOR(p, i);
                STEP(v, s[i], t[i], f)
                VECTOR(q, i) = v;
            }
        }
        UNROLL
        for (size_t i = 0; i < CHUNK; i++) {
            VECTOR(r, i) = s[i];
            VECTOR(r + PITCH, i) = t[i];
        }
    }
}

/* Begins the first recursion as if a row had been there for ever. */
IN_PLACE void begin_down(local real *state, local const real *row, band_filter f, size_t width)
{
    for (size_t x = 0; x < width; x += CLSP_LANES) {
        BEGIN(VECTOR(row + x, 0), VECTOR(state + x, 0), VECTOR(state + PITCH + x, 0), f)
    }
}

/* Stores num coefficients, of a chunk at most. */
IN_PLACE void store_chunk(global coefficient *out, const realv *x, size_t num)
{
#if CLSP_COEFFICIENTS == 0
    if (num >= CHUNK_WIDE) {
        UNROLL
        for (size_t i = 0; i < CHUNK; i++)
            *(global realv_anywhere *)(out + i * CLSP_LANES) = x[i];
        return;
    }
#endif
    real made[CHUNK_WIDE];
    UNROLL
    for (size_t i = 0; i < CHUNK; i++)
        STOREV(x[i], made + i * CLSP_LANES);
    for (size_t i = 0; i < CHUNK_WIDE && i < num; i++)
        STORE_COEFFICIENT(made[i], out + i);
}

/* Runs the second recursion up num + CLSP_HALO rows behind the first CLSP_HALO ones, and stores num
   rows of coefficients, `pitch` apart. */
IN_PLACE void go_up(global coefficient *target, size_t pitch, local real *tile, band_filter f,
                    size_t num, size_t width)
{
    for (size_t x = 0; x < width; x += CHUNK_WIDE) {
        local real *p = tile + x + (num + 2 * CLSP_HALO - 1) * PITCH;
        global coefficient *out = target + x + (num - 1) * pitch;
        realv s[CHUNK], t[CHUNK], v[CHUNK];
        UNROLL
        for (size_t i = 0; i < CHUNK; i++) {
            BEGIN(VECTOR(p, i), s[i], t[i], f)
        }
        for (size_t k = 0; k < CLSP_HALO; k++, p -= PITCH) {
            UNROLL
            for (size_t i = 0; i < CHUNK; i++) {
                v[i] = VECTOR(p, i);
                STEP(v[i], s[i], t[i], f)
            }
        }
        for (size_t k = 0; k < num; k++, p -= PITCH, out -= pitch) {
            UNROLL
            for (size_t i = 0; i < CHUNK; i++) {
                v[i] = VECTOR(p, i);
                STEP(v[i], s[i], t[i], f)
            }
            store_chunk(out, v, width - x);
        }
    }
}

IN_PLACE void copy_row(local real *to, local const real *from, size_t width)
{
    for (size_t x = 0; x < width; x += CLSP_LANES)
        VECTOR(to + x, 0) = VECTOR(from + x, 0);
}

/* ---- kernels ---- */

#if CLSP_ROWS

/* Which rows a tile filters: those from `first` to `end` - 1, counted from CLSP_HALO before the
   tile. Rows beyond an edge of the image are others folded back, `edge` away from the last one; so
   where the tile has these, they are not filtered again. fold: the row that the first one behind
   the image is. */
typedef struct band_rows {
    uint first, end, fold, edge;
    bool is_top, is_bottom;
} band_rows;

IN_PLACE band_rows rows_of(band_grid grid, uint y, uint num)
{
    band_rows r;
    r.edge = grid.mode_y == MODE_MIRROR ? 1 : 0;
    const bool can_fold = grid.mode_y != MODE_GRID_WRAP && num >= CLSP_HALO + r.edge;
    r.is_top = can_fold && y == 0 && CLSP_HALO + r.edge <= CLSP_LINES;
    r.is_bottom = can_fold && y + num == grid.size_y;
    r.first = r.is_top ? CLSP_HALO : 0;
    r.end = num + (r.is_bottom ? 1 : 2) * CLSP_HALO;
    r.fold = num + CLSP_HALO - 1 - r.edge;
    return r;
}

/* Begins the first recursion of a tile above its rows, where those of a top have room. */
IN_PLACE void begin_tile(local real *state, local real *rows, band_rows r, band_filter f,
                         size_t width)
{
    if (!r.is_top) {
        begin_down(state, rows, f, width);
        return;
    }
    local const real *const highest = rows + (CLSP_HALO - 1 + r.edge) * PITCH;
    begin_down(state, highest, f, width);
    go_down(rows - CLSP_HALO * PITCH, highest, -PITCH, state, f, CLSP_HALO, width);
}

/* Filters both directions of a tile. */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
filter_bands(global const sample *restrict samples, global coefficient *restrict target,
             sample_source from, band_grid grid, band_filter filter)
{
    local real tile[TALL * PITCH] ALIGNED, state[2 * PITCH] ALIGNED;
    local real beyond[CLSP_HALO * PITCH] ALIGNED, lines[CLSP_LINES * SPAN] ALIGNED;
    local real4 turned[FOURS * SPAN];
    local int place[SPAN];
    const uint item = grid.first_item + (uint)get_global_id(0);
    const uint line = item / grid.tiles_x, slice = line / grid.tiles_y;
    const uint x = grid.first_x + (item - line * grid.tiles_x) * CLSP_WIDTH;
    const uint y = grid.first_y + (line - slice * grid.tiles_y) * CLSP_LENGTH;
    const size_t size_x = WIDE(grid.size_x);
    const uint width = min((uint)CLSP_WIDTH, (uint)size_x - x);
    const uint num = min((uint)CLSP_LENGTH, grid.size_y - y);
    const uint span = (LEAD + width + CLSP_HALO + 3) / 4 * 4;
    const band_row row = find_places(place, &from, grid, (int)x - LEAD, (int)span);
    const band_rows r = rows_of(grid, y, num);

    for (uint k = r.first; k < r.end; k += CLSP_LINES) {
        local real *const rows = tile + (size_t)k * PITCH;
        const uint count = min((uint)CLSP_LINES, r.end - k);
        for (uint i = 0; i < CLSP_LINES; i++) {
            const int at = index_of((int)(y + k + i) - CLSP_HALO, (int)grid.size_y, grid.mode_y);
            load_row(lines + i * SPAN, samples, &from, place, row, filter,
                     row_begin(&from, WIDE(from.offset), slice, (uint)at));
        }
        filter_rows(rows, lines, turned, filter, span, (width + 3) / 4 * 4);
        if (k == r.first) begin_tile(state, rows, r, filter, width);
        for (uint i = 0; r.is_bottom && i < count; i++)
            if (k + i <= r.fold && k + i + CLSP_HALO > r.fold)
                copy_row(beyond + (r.fold - k - i) * PITCH, rows + i * PITCH, width);
        go_down(rows, rows, PITCH, state, filter, count, width);
    }
    if (r.is_bottom)
        go_down(tile + (num + CLSP_HALO) * PITCH, beyond, PITCH, state, filter, CLSP_HALO, width);
    go_up(target + WIDE(grid.offset) + ((size_t)slice * grid.size_y + y) * size_x + x, size_x, tile,
          filter, num, width);
}

/* Filters CLSP_LINES rows of a tile alone, as filter_bands does. */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
filter_across(global const sample *restrict samples, global coefficient *restrict target,
              sample_source from, band_grid grid, band_filter filter)
{
    local real tile[CLSP_LINES * PITCH] ALIGNED, lines[CLSP_LINES * SPAN] ALIGNED;
    local real4 turned[FOURS * SPAN];
    local int place[SPAN];
    const uint item = grid.first_item + (uint)get_global_id(0);
    const uint line = item / grid.tiles_x, slice = line / grid.tiles_y;
    const uint x = grid.first_x + (item - line * grid.tiles_x) * CLSP_WIDTH;
    const uint y = grid.first_y + (line - slice * grid.tiles_y) * CLSP_LINES;
    const size_t size_x = WIDE(grid.size_x);
    const uint width = min((uint)CLSP_WIDTH, (uint)size_x - x);
    const uint num = min((uint)CLSP_LINES, grid.size_y - y);
    const uint span = (LEAD + width + CLSP_HALO + 3) / 4 * 4;
    const band_row row = find_places(place, &from, grid, (int)x - LEAD, (int)span);
    global coefficient *const out =
        target + WIDE(grid.offset) + ((size_t)slice * grid.size_y + y) * size_x + x;

    for (uint i = 0; i < CLSP_LINES; i++)
        load_row(lines + i * SPAN, samples, &from, place, row, filter,
                 row_begin(&from, WIDE(from.offset), slice, min(y + i, grid.size_y - 1)));
    filter_rows(tile, lines, turned, filter, span, (width + 3) / 4 * 4);
    for (uint i = 0; i < num; i++)
        for (uint k = 0; k < width; k++)
            STORE_COEFFICIENT(tile[i * PITCH + k], out + i * size_x + k);
}

#else

/* Loads reals of a row, multiplied by the gain. */
IN_PLACE void load_reals(local real *row, global const real *p, band_filter f, size_t num)
{
    size_t x = 0;
    for (; x + CLSP_LANES <= num; x += CLSP_LANES) {
        const realv v = *(global const realv_anywhere *)(p + x);
        VECTOR(row + x, 0) = BY_FILTER_GAIN(v, f);
    }
    for (; x < num; x++)
        row[x] = BY_FILTER_GAIN(p[x], f);
}

/* Filters columns of planes of reals. */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
filter_down(global const real *restrict samples, global coefficient *restrict target,
            sample_source from, band_grid grid, band_filter filter)
{
    local real tile[TALL * PITCH] ALIGNED, state[2 * PITCH] ALIGNED;
    const uint item = grid.first_item + (uint)get_global_id(0);
    const uint line = item / grid.tiles_x, plane = line / grid.tiles_y;
    const size_t x = (size_t)(item - line * grid.tiles_x) * CLSP_WIDTH;
    const size_t size_x = WIDE(grid.size_x), width = min((size_t)CLSP_WIDTH, size_x - x);
    const uint y = grid.first_y + (line - plane * grid.tiles_y) * CLSP_LENGTH;
    const uint num = min((uint)CLSP_LENGTH, grid.size_y - y);
    const size_t first = (size_t)plane * grid.size_y * size_x + x;
    global const real *const p = samples + WIDE(from.offset) + first;

    for (uint k = 0; k < num + 2 * CLSP_HALO; k += CLSP_LINES) {
        local real *const rows = tile + (size_t)k * PITCH;
        for (uint i = 0; i < CLSP_LINES; i++) {
            const int at = index_of((int)(y + k + i) - CLSP_HALO, (int)grid.size_y, grid.mode_y);
            load_reals(rows + i * PITCH, p + (size_t)(uint)at * size_x, filter, width);
        }
        if (k == 0) begin_down(state, rows, filter, width);
        go_down(rows, rows, PITCH, state, filter, CLSP_LINES, width);
    }
    go_up(target + WIDE(grid.offset) + first + (size_t)y * size_x, size_x, tile, filter, num,
          width);
}

#endif
