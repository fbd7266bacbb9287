/* Points of regular cells: tensor products of cubic B-splines over the 4 x 4 x 4 points around each
   (docs/math.md, 19), summed over w, then v, then u. Blocks of cells share their points, which are
   taken once; in a cell they are relative to one of its corners, its centre.

   The host sets, beside what cell_samples.clh says, CLSP_WIDE, CLSP_DEEP and CLSP_ACROSS, how many
   samples along w, v and u an item makes at once; and CLSP_SMALL where cells have so few samples
   that it counts what it takes to bring their points: then blocks have copies of their points, and
   siblings are made as one; CLSP_SIBLINGS where no other blocks are.

   A group has a block. An item has a channel of a line: it sums four points along w for up to 8
   samples; then a channel of a column along u: it sums four vectors along v. That is 21
   multiply-adds a point with 8 samples each way, 36 with 4. What local memory and caches bring to
   registers bounds it. Up to 64 samples in float 2 x 2 x 2 siblings are made as one
   (sibling_sums.clh). */
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
                          global real *restrict out, cell_samples at QUEUE)
{
    local real staged[STAGED];
    local real4 sums[SUMS];
    local real centres[BLOCK_CELLS * CLSP_BLOCK];
    local uint cells[BLOCK_CELLS]; /* of the launch, where they are not made as one */
    EACH_GROUP(BY_VALUE(cell_samples, at))
    const uint item = (uint)get_local_id(0);
    cell_block b = read_block(blocks, patterns, at.record + GROUP_NUMBER);
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
    END_GROUPS
}

#endif
