/* Points of layered cells, whose limit is a product of that of slices along two directions and of a
   cubic B-spline along the third (docs/math.md, 19). First the sums over slices, once for each of
   the four layers; then those over layers, for each sample. The terms of a set are followed by two
   bits of the direction across slices; a cell's points are layer after layer in the index. Those
   of a set are copied when they are loaded: neighbouring items then read neighbouring vectors.

   The host sets, beside what cell_samples.clh says, CLSP_MAX_SLICE, the points of a slice at most,
   CLSP_ACROSS, how many samples across slices an item makes at once, and CLSP_COLUMNS, for
   how many samples of a slice.

   A group has up to three cells, an item a channel of one or two columns across slices of all of
   them. Where slices lie across w, samples of a column are neighbours in the output and go through
   local memory. */
#include "slice_shape.clh"

#ifndef CLSP_MAX_SLICE
#define CLSP_MAX_SLICE 32
#endif

/* Copies the points of sets `first` and on, relative to one of the second layer, the centre, which
   comes last: [cells][terms + 1][channels][4 layers]. */
kernel void copy_layers(global const real *restrict points, global const uint *restrict index,
                        global const uint *restrict sets, global real *restrict copies, uint first,
                        uint items)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;
    const cell_set set = read_set(sets, first + g / COPIERS);
    const uint terms = set.terms >> 2, each = (terms + 1) * CLSP_DIM;
    for (uint x = g % COPIERS; x < CLSP_SET * each; x += COPIERS) {
        const uint j = x / each, r = x - j * each, k = r / CLSP_DIM, c = r - k * CLSP_DIM;
        global const uint *const all = index + set.first[j], *const i = all + k;
        global const real *const p = points + c;
        const real centre = p[(size_t)all[terms] * CLSP_DIM];
        real4 copy = (real4)(centre);
        if (k < terms)
            copy = (real4)(p[(size_t)i[0] * CLSP_DIM] - centre,
                           p[(size_t)i[terms] * CLSP_DIM] - centre,
                           p[(size_t)i[2 * terms] * CLSP_DIM] - centre,
                           p[(size_t)i[3 * terms] * CLSP_DIM] - centre);
        vstore4(copy, x, copies + set.copies);
    }
}

#ifndef CLSP_ACROSS
#define CLSP_ACROSS 4
#endif
#ifndef CLSP_COLUMNS
#define CLSP_COLUMNS 1
#endif

enum { COLUMNS = CLSP_COLUMNS * CLSP_SET }; /* across slices that an item makes at once */

/* Returns one of an item's sums. An index would put all into memory where a loop over them stays
   one. */
static real4 chosen(const real4 *sum, uint i)
{
    real4 one = sum[0];
    UNROLL
    for (uint k = 1; k < COLUMNS; k++)
        one = k == i ? sum[k] : one;
    return one;
}

#ifdef CLSP_SUMS
#include "layer_vertices.clh"
#else

enum {
    SAMPLES = CLSP_GROUP / CLSP_BLOCK,  /* of a slice, whose columns are beside each other */
    PASS = CLSP_COLUMNS * SAMPLES,      /* of a slice that a group makes at once */
    RUN = CLSP_ACROSS * CLSP_BLOCK,     /* adjacent reals across slices */
    PADDED = RUN + 1
};

/* Returns the sum over layers. f: the weights of a sample across slices. */
static real across(real4 sum, real4 f, real centre)
{
    return MAD(f.s0, sum.s0, MAD(f.s1, sum.s1, MAD(f.s2, sum.s2, f.s3 * sum.s3))) + centre;
}

/* Writes samples `begin` and on across slices at sample s of these; those of neighbouring items
   are neighbours. f: weights of these samples. */
static void write_across(global real *to, real4 sum, const real4 *f, real centre, slice_shape shape,
                         uint s, uint begin)
{
    const uint ip = s / shape.num_q, iq = s - ip * shape.num_q;
    global real *const column =
        to + (size_t)(begin * shape.step + ip * shape.step_p + iq * shape.step_q) * CLSP_DIM;
    UNROLL
    for (uint a = 0; a < CLSP_ACROSS; a++) {
        const real value = across(sum, f[a], centre);
        if (begin + a < shape.across) column[(size_t)(a * shape.step) * CLSP_DIM] = value;
    }
}

/* Writes `num` columns of a group through local memory, where an item's samples are neighbours:
   then neighbouring items write neighbouring reals again. tile: [SAMPLES][PADDED]. */
static void write_turned(local real *tile, global real *to, real4 sum, const real4 *f, real centre,
                         uint num_w, uint num, uint run)
{
    const uint item = (uint)get_local_id(0), mine = item / CLSP_BLOCK, wide = run * CLSP_BLOCK;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine < SAMPLES) {
        UNROLL
        for (uint a = 0; a < CLSP_ACROSS; a++)
            tile[mine * PADDED + a * CLSP_BLOCK + item - mine * CLSP_BLOCK] =
                across(sum, f[a], centre);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint x = item; x < num * wide; x += CLSP_GROUP) {
        const uint s = x / wide, r = x - s * wide, a = r / CLSP_BLOCK;
        to[(size_t)(s * num_w + a) * CLSP_DIM + r - a * CLSP_BLOCK] = tile[s * PADDED + r];
    }
}

/* A group makes a set: an item CLSP_COLUMNS columns across slices, one channel of all cells. */
kernel void solid_layers(global const real4 *restrict copies, global const uint *restrict sets,
                         global const real *restrict slices, ALONG const real4 *restrict along,
                         global real *restrict out, cell_samples at QUEUE)
{
    local real4 staged[CLSP_MAX_SLICE * CLSP_BLOCK * CLSP_SET];
    local real centres[CLSP_SET * CLSP_BLOCK], tile[SAMPLES * PADDED];
    EACH_GROUP(BY_VALUE(cell_samples, at))
    const uint item = (uint)get_local_id(0), mine = item / CLSP_BLOCK, c = item - mine * CLSP_BLOCK;
    const cell_set set = read_set(sets, at.record + GROUP_NUMBER);
    const uint terms = set.terms >> 2, direction = set.terms & 3;
    const slice_shape shape = shape_of(at, direction);
    const bool asked = any_asked(at, set);

    for (uint block = 0; block < CLSP_DIM; block += CLSP_BLOCK) {
        global const real4 *const from = copies + set.copies / 4 + block;
        for (uint x = item; x < terms * CLSP_BLOCK * CLSP_SET && asked; x += CLSP_GROUP) {
            const uint j = x / (terms * CLSP_BLOCK), r = x - j * (terms * CLSP_BLOCK);
            const uint k = r / CLSP_BLOCK, b = r - k * CLSP_BLOCK;
            staged[j * (CLSP_MAX_SLICE * CLSP_BLOCK) + r] =
                from[(j * (terms + 1) + k) * CLSP_DIM + b];
        }
        for (uint x = item; x < CLSP_SET * CLSP_BLOCK && asked; x += CLSP_GROUP) {
            const uint j = x / CLSP_BLOCK, b = x - j * CLSP_BLOCK;
            centres[x] = at.keep * from[(j * (terms + 1) + terms) * CLSP_DIM + b].s0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint first = 0; first < shape.num && asked; first += PASS) {
            real4 sum[COLUMNS];
            UNROLL
            for (uint i = 0; i < COLUMNS; i++)
                sum[i] = (real4)(R(0.0));
            for (uint k = 0; k < terms; k++) {
                global const real *const table = slices + set.table + k * shape.stride;
                real4 p[CLSP_SET];
                UNROLL
                for (uint j = 0; j < CLSP_SET; j++)
                    p[j] = staged[(j * CLSP_MAX_SLICE + k) * CLSP_BLOCK + c];
                UNROLL
                for (uint i = 0; i < COLUMNS; i++)
                    sum[i] += table[min(first + i / CLSP_SET * SAMPLES + mine, shape.num - 1)] *
                              p[i % CLSP_SET];
            }
            for (uint begin = 0; begin < shape.across && direction != 2; begin += CLSP_ACROSS) {
                real4 f[CLSP_ACROSS];
                UNROLL
                for (uint a = 0; a < CLSP_ACROSS; a++)
                    f[a] = along[shape.along + min(begin + a, shape.across - 1)];
                UNROLL
                for (uint i = 0; i < COLUMNS; i++) {
                    const uint j = i % CLSP_SET, s = first + i / CLSP_SET * SAMPLES + mine;
                    const real4 one = chosen(sum, i);
                    if (mine < SAMPLES && s < shape.num && is_asked(at, set.cells[j]))
                        write_across(out + WIDE(at.offset) + cell_begin(at, set.cells[j]) + block +
                                         c,
                                     one, f, centres[j * CLSP_BLOCK + c], shape, s, begin);
                }
            }
            /* a loop of its own: PoCL 3.1 leaves results out where barriers stand in conditions */
            for (uint begin = 0; begin < shape.across && direction == 2; begin += CLSP_ACROSS) {
                const uint run = min((uint)CLSP_ACROSS, shape.across - begin);
                real4 f[CLSP_ACROSS];
                UNROLL
                for (uint a = 0; a < CLSP_ACROSS; a++)
                    f[a] = along[shape.along + min(begin + a, shape.across - 1)];
                UNROLL
                for (uint i = 0; i < COLUMNS; i++) {
                    const uint j = i % CLSP_SET, part = first + i / CLSP_SET * SAMPLES;
                    const uint num = is_asked(at, set.cells[j]) && part < shape.num
                                         ? min((uint)SAMPLES, shape.num - part)
                                         : 0;
                    write_turned(tile,
                                 out + WIDE(at.offset) + cell_begin(at, set.cells[j]) + block +
                                     (size_t)(part * shape.across + begin) * CLSP_DIM,
                                 chosen(sum, i), f, centres[j * CLSP_BLOCK + c], shape.across,
                                 num, run);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    END_GROUPS
}

#endif
