/* Points of cells by the weights of all their control points at all samples, a table for each
   class of cells in each frame (docs/math.md, 19). Sets of CLSP_SET cells of one table share its
   loads. Sums begin with the last points, whose weights are the least. The points of a set are
   copied when they are loaded: one after the other in memory then. The host sets, beside what
   cell_samples.clh says, CLSP_ROWS and CLSP_STEP, points whose weights an item loads together; and
   CLSP_QUADS with CLSP_UNITS where sets are many. Items with few registers have one of each.

   Four cells of one class and frame are made at once, so that a weight is loaded once for 12
   multiply-adds. A group stages 64 points of each cell at a time. An item has up to two samples and
   loads 16 weights together; in float, with many sets and 80 numbers an item, four samples as
   vectors. */
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
    const uint width = CLSP_SET * CLSP_DIM;
    for (uint x = g % COPIERS; x < (set.terms + 1) * width; x += COPIERS) {
        const uint k = x / width, r = x - k * width, j = r / CLSP_DIM;
        global const uint *const i = index + set.first[j];
        global const real *const p = points + r - j * CLSP_DIM;
        const real centre = p[(size_t)i[0] * CLSP_DIM];
        copies[set.copies + x] =
            k == set.terms ? centre : p[(size_t)i[k] * CLSP_DIM] - centre;
    }
}

#ifdef CLSP_SUMS
#include "table_vertices.clh"
#else

#ifndef CLSP_ROWS
#define CLSP_ROWS 1
#endif
#ifndef CLSP_STEP
#define CLSP_STEP 1
#endif

/* A run: adjacent samples of one channel, four where the host sets CLSP_QUADS, or one. */
#ifdef CLSP_QUADS
typedef real4 run;
enum { ADJACENT = 4 };
#else
typedef real run;
enum { ADJACENT = 1 };
#endif

/* The units of a device, between whose groups the sets of a launch are shared. */
#ifndef CLSP_UNITS
#define CLSP_UNITS 1
#endif

enum {
    CHUNK = 64,                   /* points of a cell that are staged at once */
    WIDTH = CLSP_SET * CLSP_BLOCK /* reals that one weight serves */
};

/* Where real x of a block of channels is among the copies. */
#if CLSP_BLOCK == CLSP_DIM
#define COPY(x) (x)
#else
#define COPY(x) ((x) / CLSP_BLOCK * CLSP_DIM + (x) % CLSP_BLOCK)
#endif

/* Stages `num` points of all cells of a set from `low` on. copies: the set's, from a channel on.
   staged: [num][cells][channels]. */
static void stage(local real *staged, global const real *copies, uint low, uint num)
{
    const uint item = (uint)get_local_id(0);
    for (uint x = item; x < num * WIDTH; x += CLSP_GROUP)
        staged[x] = copies[COPY(low * WIDTH + x)];
}

/* Tells whether all items of all groups have something to do. */
static bool is_exact(uint num_runs)
{
    return num_runs % (CLSP_GROUP * CLSP_ROWS) == 0;
}

/* Adds `num` terms, CLSP_STEP or fewer, to an item's sums, the last one first; its first run is
   number s. points: those of the terms, staged; table: their weights, [num][stride]. */
static void add_terms(run *sum, local const real *points, global const run *table, uint stride,
                      uint s, uint num_runs, uint num)
{
    run f[CLSP_STEP * CLSP_ROWS];
    UNROLL
    for (uint i = 0; i < CLSP_STEP * CLSP_ROWS; i++) {
        const uint r = s + i % CLSP_ROWS * CLSP_GROUP;
        if (i / CLSP_ROWS < num)
            f[i] = table[(size_t)(i / CLSP_ROWS * stride) +
                         (is_exact(num_runs) ? r : min(r, num_runs - 1))];
    }
    UNROLL
    for (uint i = 0; i < CLSP_STEP; i++) {
        const uint t = CLSP_STEP - 1 - i;
        if (t >= num) continue;
        UNROLL
        for (uint r = 0; r < CLSP_ROWS * WIDTH; r++)
            sum[r] =
                MAD(f[t * CLSP_ROWS + r / WIDTH], (run)(points[t * WIDTH + r % WIDTH]), sum[r]);
    }
}

/* Returns real x of the runs of a block's channels, which alternate in the output. */
static real pick(const run *runs, uint x)
{
#ifdef CLSP_QUADS
    const real4 v = runs[x % CLSP_BLOCK];
    const uint i = x / CLSP_BLOCK;
    return i == 0 ? v.s0 : i == 1 ? v.s1 : i == 2 ? v.s2 : v.s3;
#else
    return runs[x];
#endif
}

/* Writes runs of a block's channels. */
static void write_runs(global real *to, const run *runs)
{
#if defined(CLSP_QUADS) && CLSP_BLOCK == CLSP_DIM
    if (((size_t)to & (sizeof(real4) - 1)) == 0) {
        UNROLL
        for (uint x = 0; x < 4 * CLSP_BLOCK; x += 4)
            *(global real4 *)(to + x) = (real4)(pick(runs, x), pick(runs, x + 1), pick(runs, x + 2),
                                                pick(runs, x + 3));
        return;
    }
#endif
    UNROLL
    for (uint x = 0; x < ADJACENT * CLSP_BLOCK; x++)
        to[COPY(x)] = pick(runs, x);
}

/* Returns which part of a launch a group makes. Groups are given to units in turns; those of a unit
   make neighbouring parts, whose tables it then has at hand. */
static uint own_part(uint group, uint parts)
{
    const uint unit = group % CLSP_UNITS;
    return unit * (parts / CLSP_UNITS) + min(unit, parts % CLSP_UNITS) + group / CLSP_UNITS;
}

/* An item makes CLSP_ROWS runs, a group's items apart, of all cells of a set: so each weight serves
   all their channels, and each of these many samples. */
kernel void solid_tables(global const real *restrict copies, global const uint *restrict sets,
                         global const real *restrict tables, global real *restrict out,
                         cell_samples at QUEUE)
{
    local real staged[CHUNK * WIDTH] __attribute__((aligned(16)));
    EACH_GROUP(BY_VALUE(cell_samples, at))
    const uint item = (uint)get_local_id(0), mine = own_part(GROUP_NUMBER, at.sets * at.groups);
    const uint number = mine / at.groups, part = mine - number * at.groups;
    const uint samples = NUM_U(at) * NUM_V(at) * NUM_W(at), stride = (samples + 15) & ~15u;
    const uint num_runs = samples / ADJACENT, run_stride = stride / ADJACENT;
    const cell_set set = read_set(sets, at.record + number);
    const bool asked = any_asked(at, set);
    const uint s = part * (CLSP_GROUP * CLSP_ROWS) + item;
    global const run *const table = (global const run *)(tables + set.table);

    for (uint block = 0; block < CLSP_DIM; block += CLSP_BLOCK) {
        global const real *const from = copies + set.copies + block;
        run sum[CLSP_ROWS * WIDTH];
        UNROLL
        for (uint i = 0; i < CLSP_ROWS * WIDTH; i++)
            sum[i] = (run)(R(0.0));
        for (uint done = 0; done < set.terms; done += CHUNK) {
            const uint num = min((uint)CHUNK, set.terms - done), low = set.terms - done - num;
            uint k = num;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (asked) stage(staged, from, low, num);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (asked && num % CLSP_STEP) { /* what is no whole step comes first */
                k -= num % CLSP_STEP;
                add_terms(sum, staged + k * WIDTH, table + (size_t)((low + k) * run_stride),
                          run_stride, s, num_runs, num % CLSP_STEP);
            }
            while (k > 0 && asked) {
                k -= CLSP_STEP;
                add_terms(sum, staged + k * WIDTH, table + (size_t)((low + k) * run_stride),
                          run_stride, s, num_runs, CLSP_STEP);
            }
        }
        UNROLL
        for (uint j = 0; j < CLSP_SET; j++) {
            const uint cell = set.cells[j];
            global const real *const centre = from + COPY(set.terms * WIDTH + j * CLSP_BLOCK);
            global real *const to = out + WIDE(at.offset) + cell_begin(at, cell) + block;
            if (!is_asked(at, cell)) continue;
            UNROLL
            for (uint i = 0; i < CLSP_ROWS; i++) {
                const uint r = s + i * CLSP_GROUP;
                run value[CLSP_BLOCK];
                UNROLL
                for (uint c = 0; c < CLSP_BLOCK; c++)
                    value[c] = MAD((run)(at.keep), (run)(centre[c]),
                                   sum[i * WIDTH + j * CLSP_BLOCK + c]);
                if (is_exact(num_runs) || r < num_runs)
                    write_runs(to + (size_t)r * (ADJACENT * CLSP_DIM), value);
            }
        }
    }
    END_GROUPS
}

#endif
