/* Points of cells by the weights of all their control points at all samples, a table for each
   class of cells in each frame (docs/math.md, 19). Sets of CLSP_SET cells of one table share its
   loads. Sums begin with the last points, whose weights are the least. The points of a set are
   copied when they are loaded: one after the other in memory then. */
#include "cell_samples.clh"

/* Copies the points of sets `first` and on, relative to the first one of their cell, the centre,
   which comes last: [terms + 1][cells][channels]. */
kernel void copy_sets(global const real *restrict points, global const uint *restrict index,
                      global const uint *restrict sets, global real *restrict copies, uint first,
                      uint items)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;
    const cell_set set = read_set(sets, first + g / COPIERS);
    const uint width = CLSP_SET * CLSP_CHANNELS;
    for (uint x = g % COPIERS; x < (set.terms + 1) * width; x += COPIERS) {
        const uint k = x / width, r = x - k * width, j = r / CLSP_CHANNELS;
        global const uint *const i = index + set.first[j];
        global const real *const p = points + r - j * CLSP_CHANNELS;
        const real centre = p[(size_t)i[0] * CLSP_CHANNELS];
        copies[set.copies + x] =
            k == set.terms ? centre : p[(size_t)i[k] * CLSP_CHANNELS] - centre;
    }
}

#if CLSP_LANES == 1

#ifndef CLSP_ROWS
#define CLSP_ROWS 4
#endif

enum {
    CHUNK = 64,                    /* points of a cell that are staged at once */
    WIDTH = CLSP_SET * CLSP_BLOCK, /* reals that one weight serves */
    STEP = 16 / CLSP_ROWS          /* points whose weights are loaded together */
};

/* Where real x of a block of channels is among the copies. */
#if CLSP_BLOCK == CLSP_CHANNELS
#define COPY(x) (x)
#else
#define COPY(x) ((x) / CLSP_BLOCK * CLSP_CHANNELS + (x) % CLSP_BLOCK)
#endif

/* Stages `rows` points of all cells of a set from `low` on; 0 where there are but `num`. copies:
   the set's, from a channel on. staged: [rows][cells][channels]. */
void stage(local real *staged, global const real *copies, uint low, uint num, uint rows)
{
    const uint item = (uint)get_local_id(0);
    for (uint x = item; x < rows * WIDTH; x += CLSP_GROUP)
        staged[x] = x < num * WIDTH ? copies[COPY(low * WIDTH + x)] : R(0.0);
}

/* An item makes CLSP_ROWS samples, a group's items apart, of all cells of a set: so each weight
   serves all their channels, and each of these many samples. */
kernel void solid_tables(global const real *restrict copies, global const uint *restrict sets,
                         global const real *restrict tables, global real *restrict out,
                         cell_samples at)
{
    local real staged[CHUNK * WIDTH] __attribute__((aligned(16)));
    const uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
    const uint number = group / at.groups, part = group - number * at.groups;
    const uint samples = NUM_U(at) * NUM_V(at) * NUM_W(at), stride = (samples + 15) & ~15u;
    const cell_set set = read_set(sets, at.record + number);
    const bool asked = any_asked(at, set), exact = samples % (CLSP_GROUP * CLSP_ROWS) == 0;
    const uint s = part * (CLSP_GROUP * CLSP_ROWS) + item;

    for (uint block = 0; block < CLSP_CHANNELS; block += CLSP_BLOCK) {
        global const real *const from = copies + set.copies + block;
        real sum[CLSP_ROWS * WIDTH];
        UNROLL
        for (uint i = 0; i < CLSP_ROWS * WIDTH; i++)
            sum[i] = R(0.0);
        for (uint done = 0; done < set.terms; done += CHUNK) {
            const uint num = min((uint)CHUNK, set.terms - done), low = set.terms - done - num;
            const uint rows = (num - 1) / STEP * STEP + STEP;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (asked) stage(staged, from, low, num, rows);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint k = rows; k > 0 && asked; k -= STEP) {
                local const real *const p = staged + (k - STEP) * WIDTH;
                real f[STEP * CLSP_ROWS];
                UNROLL
                for (uint i = 0; i < STEP * CLSP_ROWS; i++) {
                    const uint row = low + min(k - STEP + i / CLSP_ROWS, num - 1);
                    const uint mine = s + i % CLSP_ROWS * CLSP_GROUP;
                    f[i] = tables[set.table + (size_t)(row * stride) +
                                  (exact ? mine : min(mine, samples - 1))];
                }
                UNROLL
                for (uint i = 0; i < STEP * CLSP_ROWS * WIDTH; i++) {
                    const uint t = STEP - 1 - i / (CLSP_ROWS * WIDTH), r = i % (CLSP_ROWS * WIDTH);
                    sum[r] = MAD(f[t * CLSP_ROWS + r / WIDTH], p[t * WIDTH + r % WIDTH], sum[r]);
                }
            }
        }
        UNROLL
        for (uint j = 0; j < CLSP_SET; j++) {
            const uint cell = set.cells[j];
            global const real *const centre = from + COPY(set.terms * WIDTH + j * CLSP_BLOCK);
            global real *const to = out + WIDE(at.offset) + cell_begin(at, cell) + block;
            if (!is_asked(at, cell)) continue;
            UNROLL
            for (uint i = 0; i < CLSP_ROWS * CLSP_BLOCK; i++) {
                const uint mine = s + i / CLSP_BLOCK * CLSP_GROUP, c = i % CLSP_BLOCK;
                const real value =
                    MAD(at.keep, centre[c], sum[i / CLSP_BLOCK * WIDTH + j * CLSP_BLOCK + c]);
                if (exact || mine < samples) to[(size_t)mine * CLSP_CHANNELS + c] = value;
            }
        }
    }
}

#else

/* An item makes a set. */
kernel void solid_tables(global const real *restrict copies, global const uint *restrict sets,
                         global const real *restrict tables, global real *restrict out,
                         cell_samples at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;

    const uint samples = NUM_U(at) * NUM_V(at) * NUM_W(at), stride = (samples + 15) & ~15u;
    const uint width = CLSP_SET * CLSP_CHANNELS;
    const cell_set set = read_set(sets, at.record + g);
    global const real *const table = tables + set.table;
    if (!any_asked(at, set)) return;
    for (uint s = 0; s < samples; s += CLSP_LANES)
        for (uint block = 0; block < CLSP_CHANNELS; block += CLSP_BLOCK) {
            global const real *const from = copies + set.copies + block;
            realv sum[CLSP_SET * CLSP_BLOCK];
            for (uint b = 0; b < CLSP_SET * CLSP_BLOCK; b++)
                sum[b] = (realv)R(0.0);
            for (uint k = set.terms; k-- > 0;) {
                const realv f = LOADV(table + (size_t)k * stride + s);
                UNROLL
                for (uint b = 0; b < CLSP_SET * CLSP_BLOCK; b++)
                    sum[b] += f * (realv)(from[k * width + b / CLSP_BLOCK * CLSP_CHANNELS +
                                               b % CLSP_BLOCK]);
            }
            for (uint b = 0; b < CLSP_SET * CLSP_BLOCK; b++) {
                const uint j = b / CLSP_BLOCK, cell = set.cells[j], c = b % CLSP_BLOCK;
                const real centre = from[set.terms * width + j * CLSP_CHANNELS + c];
                real lanes[CLSP_LANES];
                if (!is_asked(at, cell)) continue;
                global real *const target = out + WIDE(at.offset) + cell_begin(at, cell) +
                                            (size_t)s * CLSP_CHANNELS + block + c;
                STOREV(sum[b], lanes);
                for (uint i = 0; i < min((uint)CLSP_LANES, samples - s); i++)
                    target[(size_t)i * CLSP_CHANNELS] = at.keep * centre + lanes[i];
            }
        }
}

#endif
