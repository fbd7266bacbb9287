/* Points of regular cells: tensor products of cubic B-splines over the 4 x 4 x 4 points around each
   (docs/math.md, 19), summed over w, then v, then u. Blocks of cells share their points, which are
   taken once; in a cell they are relative to one of its corners, its centre.

   The host sets, beside what cell_samples.clh says, CLSP_WIDE, CLSP_DEEP and CLSP_ACROSS, how many
   samples along w, v and u an item of a GPU makes at once; and CLSP_SMALL on GPUs where cells have
   so few samples that it counts what it takes to bring their points: then blocks have copies of
   their points, and siblings are made as one; CLSP_SIBLINGS where no other blocks are. */
#include "cell_blocks.clh"
#include "sibling_sums.clh"
#ifdef CLSP_SUMS
#include "regular_vertices.clh"
#else

#ifdef CLSP_SMALL
#define PLACE(list, i) ((size_t)(i))
#ifdef CLSP_SIBLINGS
#define AS_ONE(block)  true
#else
#define AS_ONE(block)  ((block).has_siblings)
#endif
#define ASKED(at, b)   true /* as nearly all blocks are; to find out takes time */
#else
#define PLACE(list, i) ((size_t)(list)[i])
#define AS_ONE(block)  false
#define ASKED(at, b)   block_asked(at, b)
#endif

/* Copies the points of blocks, in their order, from the one of number `first` on. */
kernel void copy_blocks(global const real *restrict points, global const uint *restrict list,
                        global real *restrict copies, uint first, uint items)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;
    const uint k = g / CLSP_DIM;
    const size_t i = (size_t)first + k;
    copies[i * CLSP_DIM + g - k * CLSP_DIM] =
        points[(size_t)list[i] * CLSP_DIM + g - k * CLSP_DIM];
}

#if CLSP_LANES == 1

enum {
    LINE = CLSP_WIDE * CLSP_BLOCK, /* sums along w for one j; each is a vector of those for all i */
#ifdef CLSP_SMALL
    PADDED = LINE, /* groups that fit beside each other count more */
#else
    /* 3 above a multiple of 8, which spreads the banks that the items of a group write to */
    PADDED = LINE + (11 - LINE % 8) % 8,
#endif
    CELL_SUMS = 4 * PADDED,
#ifdef CLSP_SIBLINGS
    STAGED = SIDE * SIDE * SIDE * CLSP_BLOCK,    /* points of a block */
    SUMS = (SIDE * SIDE * LATTICE_LINE + 3) / 4, /* vectors of its sums along w */
#else
    STAGED = BLOCK_POINTS * CLSP_BLOCK,
    SUMS = BLOCK_CELLS * CELL_SUMS
#endif
};

/* Sums along w: an item has a line of a cell's points, one channel of them, and makes the samples
   from `begin` on. sums: [BLOCK_CELLS][4 j][samples][channels][4 i]. */
static void sum_lines(local real *sums, local real *centres, local const real *staged,
                      global const uchar *places, ALONG const real4 *along, uint begin, uint num,
                      uint item)
{
    real4 f[CLSP_WIDE];
    UNROLL
    for (uint w = 0; w < CLSP_WIDE; w++)
        f[w] = along[min(begin + w, num - 1)];
    for (uint x = item; x < BLOCK_CELLS * 16 * CLSP_BLOCK; x += CLSP_GROUP) {
        const uint cell = x / (16 * CLSP_BLOCK), rest = x - cell * (16 * CLSP_BLOCK);
        const uint line = rest / CLSP_BLOCK, c = rest - line * CLSP_BLOCK;
        const uchar4 id = ((global const uchar4 *)places)[cell * 16 + line];
        const real centre = staged[places[64 * cell + CENTRE] * CLSP_BLOCK + c];
        const real p0 = staged[id.s0 * CLSP_BLOCK + c] - centre;
        const real p1 = staged[id.s1 * CLSP_BLOCK + c] - centre;
        const real p2 = staged[id.s2 * CLSP_BLOCK + c] - centre;
        const real p3 = staged[id.s3 * CLSP_BLOCK + c] - centre;
        const uint place = cell * CELL_SUMS + (line & 3) * PADDED + c;
        local real *const to = sums + 4 * place + (line >> 2);
        if (line == 0) centres[cell * CLSP_BLOCK + c] = centre;
        UNROLL
        for (uint w = 0; w < CLSP_WIDE; w++) {
            const real4 b = f[w];
            to[4 * CLSP_BLOCK * w] = MAD(b.s0, p0, MAD(b.s1, p1, MAD(b.s2, p2, b.s3 * p3)));
        }
    }
}

/* Sums along v and u, for the samples from `first` on along u: an item has a channel of CLSP_DEEP
   columns along u of a cell. Where a group has more items than that needs, it makes those of
   several cells side by side. to: where the first of the `wide` samples along w of the first cell
   of the launch goes, first channel. */
static void sum_columns(global real *to, local const real4 *sums, local const real *centres,
                        local const uint *cells, ALONG const real4 *along, cell_samples at,
                        uint first, uint wide, uint item)
{
    const uint row = wide * CLSP_BLOCK, deep = (NUM_V(at) + CLSP_DEEP - 1) / CLSP_DEEP;
    const uint columns = deep * row, beside = max(1u, CLSP_GROUP / columns), side = item / columns;
    const uint step = NUM_V(at) * NUM_W(at) * CLSP_DIM;
    real4 f[CLSP_ACROSS];
    UNROLL
    for (uint a = 0; a < CLSP_ACROSS; a++)
        f[a] = along[min(first + a, NUM_U(at) - 1)];
    for (uint x = side < beside ? item - side * columns : columns; x < columns; x += CLSP_GROUP) {
        const uint v = x / row, wc = x - v * row, w = wc / CLSP_BLOCK, c = wc - w * CLSP_BLOCK;
        for (uint j = side; j < BLOCK_CELLS; j += beside) {
            local const real4 *const s = sums + j * CELL_SUMS + wc;
            const real4 s0 = s[0], s1 = s[PADDED], s2 = s[2 * PADDED], s3 = s[3 * PADDED];
            const real centre = at.keep * centres[j * CLSP_BLOCK + c];
            if (cells[j] == NO_CELL) continue;
            global real *const column = to + cell_begin(at, cells[j]) + (size_t)first * step +
                                        w * CLSP_DIM + c;
            UNROLL
            for (uint d = 0; d < CLSP_DEEP; d++) {
                const uint mine = v + d * deep;
                const real4 b = along[NUM_U(at) + min(mine, NUM_V(at) - 1)];
                const real4 sum = b.s0 * s0 + b.s1 * s1 + b.s2 * s2 + b.s3 * s3;
                UNROLL
                for (uint a = 0; a < CLSP_ACROSS; a++) {
                    const real value =
                        MAD(f[a].s0, sum.s0,
                            MAD(f[a].s1, sum.s1, MAD(f[a].s2, sum.s2, f[a].s3 * sum.s3)));
                    if (first + a < NUM_U(at) && mine < NUM_V(at))
                        column[(size_t)a * step + mine * (NUM_W(at) * CLSP_DIM)] =
                            value + centre;
                }
            }
        }
    }
}

/* A group makes a block. */
kernel void regular_cells(global const real *restrict points, global const uint *restrict list,
                          global const uint *restrict blocks,
                          global const uchar *restrict patterns, ALONG const real4 *restrict along,
                          global real *restrict out, cell_samples at)
{
    local real staged[STAGED];
    local real4 sums[SUMS];
    local real centres[BLOCK_CELLS * CLSP_BLOCK];
    local uint cells[BLOCK_CELLS]; /* of the launch, where they are not made as one */
    const uint item = (uint)get_local_id(0);
    cell_block b = read_block(blocks, patterns, at.record + (uint)get_group_id(0));
    const bool asked = ASKED(at, b);
    b.has_siblings = AS_ONE(b); /* clang warns of loops that depend on a constant */
    for (uint j = item; j < BLOCK_CELLS && !b.has_siblings; j += CLSP_GROUP)
        cells[j] = is_asked(at, b.cells[j]) ? b.cells[j] : NO_CELL;

    for (uint block = 0; block < CLSP_DIM; block += CLSP_BLOCK) {
        if (b.has_siblings)
            stage_lattice(staged, points + (size_t)b.first * CLSP_DIM + block, item);
        for (uint x = item; x < b.num * CLSP_BLOCK && asked && !b.has_siblings; x += CLSP_GROUP) {
            const uint k = x / CLSP_BLOCK, c = x - k * CLSP_BLOCK;
            staged[x] = points[PLACE(list, b.first + k) * CLSP_DIM + block + c];
        }
        for (uint begin = 0; begin < NUM_W(at); begin += CLSP_WIDE) {
            ALONG const real4 *const along_w = along + NUM_U(at) + NUM_V(at);
            global real *const to = out + WIDE(at.offset) + begin * CLSP_DIM + block;
            const uint wide = min((uint)CLSP_WIDE, NUM_W(at) - begin);
            barrier(CLK_LOCAL_MEM_FENCE); /* points are staged, and the last sums are read */
            if (b.has_siblings)
                sum_lattice_lines((local real *)sums, centres, staged, along_w, begin, NUM_W(at),
                                  item);
            else if (asked)
                sum_lines((local real *)sums, centres, staged, b.places, along_w, begin, NUM_W(at),
                          item);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint u = 0; u < NUM_U(at) && b.has_siblings; u += CLSP_ACROSS)
                sum_lattice_columns(to, (local const real *)sums, centres, b.cells, along, at, u,
                                    wide, item);
            for (uint u = 0; u < NUM_U(at) && asked && !b.has_siblings; u += CLSP_ACROSS)
                sum_columns(to, sums, centres, cells, along, at, u, wide, item);
        }
    }
}

#else

enum {
    ROW = 96,   /* reals of a row, samples along w times channels, that are made at once */
    PLANE = 768 /* of some rows */
};

/* Sums along w: of 16 lines of points of a cell, beginning with those of the first i, ROW reals
   each. */
static void sum_lines(real *sums, const real *staged, global const uchar *places,
                      ALONG const real *along, const real *centre, uint wide)
{
    for (uint line = 0; line < 16; line++)
        for (uint c = 0; c < CLSP_BLOCK; c++) {
            const uchar4 id = vload4(line, places);
            const real p0 = staged[id.s0 * CLSP_BLOCK + c] - centre[c];
            const real p1 = staged[id.s1 * CLSP_BLOCK + c] - centre[c];
            const real p2 = staged[id.s2 * CLSP_BLOCK + c] - centre[c];
            const real p3 = staged[id.s3 * CLSP_BLOCK + c] - centre[c];
            real *const to = sums + line * ROW + c;
            for (uint w = 0; w < wide; w++) {
                ALONG const real *const b = along + 4 * w;
                to[w * CLSP_BLOCK] = MAD(b[0], p0, MAD(b[1], p1, MAD(b[2], p2, b[3] * p3)));
            }
        }
}

/* Sums along v: planes of rows `row` reals long, for the four i. Vectors may go beyond a row's end,
   where the next row then stands. */
static void sum_rows(real *planes, const real *sums, ALONG const real *along, uint row, uint num)
{
    for (uint i = 0; i < 4; i++)
        for (uint v = 0; v < num; v++) {
            const real *const s = sums + 4 * i * ROW;
            ALONG const real *const b = along + 4 * v;
            const realv b0 = (realv)(b[0]), b1 = (realv)(b[1]), b2 = (realv)(b[2]),
                        b3 = (realv)(b[3]);
            real *const to = planes + i * (PLANE + CLSP_LANES) + v * row;
            for (uint x = 0; x < row; x += CLSP_LANES)
                STOREV(b0 * LOADV(s + x) + b1 * LOADV(s + ROW + x) + b2 * LOADV(s + 2 * ROW + x) +
                           b3 * LOADV(s + 3 * ROW + x),
                       to + x);
        }
}

enum { PERIOD = CLSP_LANES * CLSP_BLOCK }; /* of the centre's share in vectors of a row */

/* Sums adjacent reals along u and writes them. middle: [PERIOD], the centre's share of them. */
static void write_run(global real *to, const real *planes, const real *middle, ALONG const real *b,
                      uint num)
{
    const realv b0 = (realv)(b[0]), b1 = (realv)(b[1]), b2 = (realv)(b[2]), b3 = (realv)(b[3]);
    const real *const p1 = planes + PLANE + CLSP_LANES, *const p2 = p1 + PLANE + CLSP_LANES;
    const real *const p3 = p2 + PLANE + CLSP_LANES;
    uint x = 0, m = 0;
    for (; x + CLSP_LANES <= num; x += CLSP_LANES) {
        const realv sum = b0 * LOADV(planes + x) + b1 * LOADV(p1 + x) + b2 * LOADV(p2 + x) +
                          b3 * LOADV(p3 + x);
        *(global realv_anywhere *)(to + x) = LOADV(middle + m) + sum;
        m = m + CLSP_LANES < PERIOD ? m + CLSP_LANES : 0;
    }
    for (; x < num; x++, m++)
        to[x] = middle[m] + (b[0] * planes[x] + b[1] * p1[x] + b[2] * p2[x] + b[3] * p3[x]);
}

/* Writes reals one by one, between the other channels. */
static void write_apart(global real *to, const real *planes, const real *middle,
                        ALONG const real *b, uint num)
{
    for (uint x = 0; x < num; x++) {
        const real *const p = planes + x;
        const uint sample = x / CLSP_BLOCK, c = x - sample * CLSP_BLOCK;
        to[sample * CLSP_DIM + c] =
            middle[c] + (b[0] * p[0] + b[1] * p[PLANE + CLSP_LANES] +
                         b[2] * p[2 * (PLANE + CLSP_LANES)] + b[3] * p[3 * (PLANE + CLSP_LANES)]);
    }
}

/* Makes a block of channels of a cell. to: its first point, first channel. */
static void make_cell(global real *to, const real *staged, global const uchar *places,
                      ALONG const real *along, cell_samples at)
{
    real sums[16 * ROW + CLSP_LANES], planes[4 * (PLANE + CLSP_LANES)], middle[PERIOD];
    real centre[CLSP_BLOCK];
    ALONG const real *const along_v = along + 4 * NUM_U(at);
    ALONG const real *const along_w = along_v + 4 * NUM_V(at);
    const uint most = min(NUM_W(at), (uint)(ROW / CLSP_BLOCK));
    for (uint c = 0; c < CLSP_BLOCK; c++)
        centre[c] = staged[places[CENTRE] * CLSP_BLOCK + c];
    for (uint x = 0; x < CLSP_LANES; x++)
        for (uint c = 0; c < CLSP_BLOCK; c++)
            middle[x * CLSP_BLOCK + c] = at.keep * centre[c];
    for (uint w = 0; w < NUM_W(at); w += most) {
        const uint wide = min(most, NUM_W(at) - w), row = wide * CLSP_BLOCK, rows = PLANE / row;
        sum_lines(sums, staged, places, along_w + 4 * w, centre, wide);
        for (uint v = 0; v < NUM_V(at); v += rows) {
            const uint num = min(rows, NUM_V(at) - v);
            const bool adjacent = wide * CLSP_BLOCK == NUM_W(at) * CLSP_DIM;
            sum_rows(planes, sums, along_v + 4 * v, row, num);
            for (uint u = 0; u < NUM_U(at); u++) {
                global real *const plane =
                    to + ((size_t)(u * NUM_V(at) + v) * NUM_W(at) + w) * CLSP_DIM;
                if (adjacent) write_run(plane, planes, middle, along + 4 * u, num * row);
                for (uint y = 0; y < num && !adjacent; y++)
                    write_apart(plane + (size_t)y * NUM_W(at) * CLSP_DIM, planes + y * row,
                                middle, along + 4 * u, row);
            }
        }
    }
}

/* An item makes a block. */
kernel void regular_cells(global const real *restrict points, global const uint *restrict list,
                          global const uint *restrict blocks,
                          global const uchar *restrict patterns, ALONG const real *restrict along,
                          global real *restrict out, cell_samples at)
{
    real staged[BLOCK_POINTS * CLSP_BLOCK];
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;
    const cell_block b = read_block(blocks, patterns, at.record + g);
    if (!block_asked(at, b)) return;

    for (uint block = 0; block < CLSP_DIM; block += CLSP_BLOCK) {
        for (uint k = 0; k < b.num; k++)
            for (uint c = 0; c < CLSP_BLOCK; c++)
                staged[k * CLSP_BLOCK + c] =
                    points[(size_t)list[b.first + k] * CLSP_DIM + block + c];
        for (uint j = 0; j < BLOCK_CELLS; j++)
            if (is_asked(at, b.cells[j]))
                make_cell(out + WIDE(at.offset) + cell_begin(at, b.cells[j]) + block, staged,
                          b.places + 64 * j, along, at);
    }
}

#endif

#endif
