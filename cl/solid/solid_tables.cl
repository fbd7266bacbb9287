/* Points of cells by the weights of all their control points at all samples, a table for each
   class of cells in each frame (docs/math.md, 19). Sets of CLSP_SET cells of one table share its
   loads. Sums begin with the last points, whose weights are the least. */
#include "cell_samples.clh"

/* The cells of a set, their points' places in the index, the table, and the points of a cell. */
enum { SET_WORDS = 2 * CLSP_SET + 2 };

/* Tells whether any cell of a set is one of the launch. */
bool any_asked(cell_samples at, global const uint *set)
{
    bool any = false;
    for (uint j = 0; j < CLSP_SET; j++)
        any = any || is_asked(at, set[j]);
    return any;
}

#if CLSP_LANES == 1

/* An item makes one sample of all cells of a set. groups: of a set. No item returns beside the
   barrier: some implementations lose track of the others. */
kernel void solid_tables(global const real *restrict points, global const uint *restrict index,
                         global const uint *restrict sets, global const real *restrict tables,
                         global real *restrict out, cell_samples at, uint groups)
{
    local real staged[CLSP_SET * CLSP_STAGED * CLSP_CHANNELS];
    const uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
    const uint number = group / groups, part = group - number * groups;
    const uint samples = at.num_u * at.num_v * at.num_w, stride = (samples + 15) & ~15u;
    global const uint *const set = sets + (size_t)(at.record + number) * SET_WORDS;
    const uint terms = set[2 * CLSP_SET + 1];
    const bool fits = terms <= CLSP_STAGED, asked = any_asked(at, set);
    for (uint i = item; i < CLSP_SET * terms && fits && asked; i += CLSP_GROUP) {
        const uint j = i / terms, k = i - j * terms, first = set[CLSP_SET + j];
        const size_t p = (size_t)index[first + k] * CLSP_CHANNELS;
        const size_t centre = (size_t)index[first] * CLSP_CHANNELS;
        for (uint b = 0; b < CLSP_CHANNELS; b++)
            staged[(j * CLSP_STAGED + k) * CLSP_CHANNELS + b] = points[p + b] - points[centre + b];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint s = part * CLSP_GROUP + item;
    const bool exists = s < samples && asked;
    global const real *const table = tables + (size_t)set[2 * CLSP_SET] * 16 + s;
    for (uint block = 0; block < CLSP_CHANNELS && exists; block += CLSP_BLOCK) {
        real sum[CLSP_SET * CLSP_BLOCK];
        UNROLL
        for (uint b = 0; b < CLSP_SET * CLSP_BLOCK; b++)
            sum[b] = R(0.0);
        for (uint k = terms; k-- > 0;) {
            const real f = table[(size_t)k * stride];
            UNROLL
            for (uint b = 0; b < CLSP_SET * CLSP_BLOCK; b++) {
                const uint j = b / CLSP_BLOCK, c = block + b % CLSP_BLOCK;
                const uint first = set[CLSP_SET + j];
                const real p = fits ? staged[(j * CLSP_STAGED + k) * CLSP_CHANNELS + c]
                                    : points[(size_t)index[first + k] * CLSP_CHANNELS + c] -
                                          points[(size_t)index[first] * CLSP_CHANNELS + c];
                sum[b] = MAD(f, p, sum[b]);
            }
        }
        UNROLL
        for (uint b = 0; b < CLSP_SET * CLSP_BLOCK; b++) {
            const uint cell = set[b / CLSP_BLOCK], c = block + b % CLSP_BLOCK;
            const real centre =
                points[(size_t)index[set[CLSP_SET + b / CLSP_BLOCK]] * CLSP_CHANNELS + c];
            if (is_asked(at, cell))
                out[WIDE(at.offset) + cell_begin(at, cell) + (size_t)s * CLSP_CHANNELS + c] =
                    MAD(at.keep, centre, sum[b]);
        }
    }
}

#else

/* Copies the points of a set's cells, relative to their centres. staged: [points][cells][channels].
   Those of sets with more points are taken from where they are. */
void stage(real *staged, global const real *points, global const uint *index,
           global const uint *set, uint terms)
{
    for (uint j = 0; j < CLSP_SET; j++) {
        const uint first = set[CLSP_SET + j];
        global const real *const centre = points + (size_t)index[first] * CLSP_CHANNELS;
        for (uint k = 0; k < terms; k++) {
            global const real *const p = points + (size_t)index[first + k] * CLSP_CHANNELS;
            for (uint b = 0; b < CLSP_CHANNELS; b++)
                staged[(k * CLSP_SET + j) * CLSP_CHANNELS + b] = p[b] - centre[b];
        }
    }
}

/* An item makes a set. groups: not used. */
kernel void solid_tables(global const real *restrict points, global const uint *restrict index,
                         global const uint *restrict sets, global const real *restrict tables,
                         global real *restrict out, cell_samples at, uint groups)
{
    real staged[CLSP_SET * CLSP_STAGED * CLSP_CHANNELS];
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;

    const uint samples = at.num_u * at.num_v * at.num_w, stride = (samples + 15) & ~15u;
    global const uint *const set = sets + (size_t)(at.record + g) * SET_WORDS;
    const uint terms = set[2 * CLSP_SET + 1];
    global const real *const table = tables + (size_t)set[2 * CLSP_SET] * 16;
    const bool fits = terms <= CLSP_STAGED;
    if (!any_asked(at, set)) return;
    if (fits) stage(staged, points, index, set, terms);
    for (uint s = 0; s < samples; s += CLSP_LANES)
        for (uint block = 0; block < CLSP_CHANNELS; block += CLSP_BLOCK) {
            realv sum[CLSP_SET * CLSP_BLOCK];
            for (uint b = 0; b < CLSP_SET * CLSP_BLOCK; b++)
                sum[b] = (realv)R(0.0);
            for (uint k = terms; k-- > 0;) {
                const realv f = LOADV(table + (size_t)k * stride + s);
                UNROLL
                for (uint b = 0; b < CLSP_SET * CLSP_BLOCK; b++) {
                    const uint j = b / CLSP_BLOCK, c = block + b % CLSP_BLOCK;
                    const uint first = set[CLSP_SET + j];
                    const real p = fits ? staged[(k * CLSP_SET + j) * CLSP_CHANNELS + c]
                                        : points[(size_t)index[first + k] * CLSP_CHANNELS + c] -
                                              points[(size_t)index[first] * CLSP_CHANNELS + c];
                    sum[b] += f * (realv)(p);
                }
            }
            for (uint b = 0; b < CLSP_SET * CLSP_BLOCK; b++) {
                const uint cell = set[b / CLSP_BLOCK], c = block + b % CLSP_BLOCK;
                const real centre =
                    points[(size_t)index[set[CLSP_SET + b / CLSP_BLOCK]] * CLSP_CHANNELS + c];
                real lanes[CLSP_LANES];
                if (!is_asked(at, cell)) continue;
                global real *const target =
                    out + WIDE(at.offset) + cell_begin(at, cell) + (size_t)s * CLSP_CHANNELS + c;
                STOREV(sum[b], lanes);
                for (uint i = 0; i < min((uint)CLSP_LANES, samples - s); i++)
                    target[(size_t)i * CLSP_CHANNELS] = at.keep * centre + lanes[i];
            }
        }
}

#endif
