/* The recursive prefilter, one pass over memory for each direction and pole (docs/math.md, 18):
       c+_k = gain s_k + z c+_{k-1},    c_k = z (c_{k+1} - c+_k).
   A line is cut into blocks that begin at multiples of their length, and each is filtered by
   itself: both recursions begin `halo` samples outside of it, where what they begin with no longer
   counts. So all ways of continuing an image are the same to it, and results do not depend on how
   an image is shared. */
#include "line_pass.clh"

#if CLSP_LANES == 1

/* ---- an item for each block ---- */

/* Filters a block of a line. What the first recursion makes is kept in the target; what lies behind
   the block is summed as the second one needs it, c_b = -sum_j z^(j+1) c+_{b+j}. */
kernel void filter_pass(global const sample *samples, global coefficient *target,
                        sample_source from, line_pass pass)
{
    const uint item = (uint)get_global_id(0);
    if (item >= pass.items) return;

    const size_t inner = WIDE(pass.inner), number = WIDE(pass.first_item) + item;
    const size_t row = number / inner, outer = row / pass.num_blocks;
    const int begin = (int)(pass.first + (uint)(row - outer * pass.num_blocks) * pass.block);
    const int end = (int)min((uint)begin + pass.block, pass.end);
    const size_t first = outer * pass.n * inner + (number - row * inner);
    global coefficient *const out = target + WIDE(pass.offset) + first;
#if CLSP_ROWS
    const uint z = (uint)(outer / pass.num_y);
    const size_t source = row_begin(&from, WIDE(from.offset), z,
                                    (uint)(outer - (size_t)z * pass.num_y));
#else
    const size_t source = WIDE(from.offset) + first;
#endif
    const real pole = pass.pole;

    int k = begin - (int)pass.halo;
    real x = line_sample(samples, &from, &pass, source, k);
    real s = BY_GAIN(x, pass) / (R(1.0) - pole);
    for (k++; k < begin; k++) {
        x = line_sample(samples, &from, &pass, source, k);
        s = MAD(pole, s, BY_GAIN(x, pass));
    }
    for (; k < end; k++) {
        x = line_sample(samples, &from, &pass, source, k);
        s = MAD(pole, s, BY_GAIN(x, pass));
        STORE_COEFFICIENT(s, out + (size_t)k * inner);
    }
    real power = -pole, next = R(0.0);
    for (uint j = 0; j < pass.halo; j++, k++, power *= pole) {
        x = line_sample(samples, &from, &pass, source, k);
        s = MAD(pole, s, BY_GAIN(x, pass));
        next = MAD(power, s, next);
    }
    next = MAD(power, s / (R(1.0) - pole), next); /* the rest, as if it stayed as it is */
    for (k = end - 1; k >= begin; k--) {
        next = pole * (next - LOAD_COEFFICIENT(out + (size_t)k * inner));
        STORE_COEFFICIENT(next, out + (size_t)k * inner);
    }
}

#else

#include "row_scan.clh"

/* A block with the samples that its recursions begin with, at most: 128 + 2 * 48, and on to a whole
   vector. */
#define BLOCK_SAMPLES 240

#if CLSP_ROWS

/* ---- a block of a row for each item ---- */

/* Filters a block of a row, on which vectors go along. */
kernel void filter_pass(global const sample *samples, global coefficient *target,
                        sample_source from, line_pass pass)
{
    real line[BLOCK_SAMPLES];
    const uint item = (uint)get_global_id(0);
    if (item >= pass.items) return;

    const size_t number = WIDE(pass.first_item) + item, row = number / pass.num_blocks;
    const uint begin = pass.first + (uint)(number - row * pass.num_blocks) * pass.block;
    const uint count = min(pass.block, pass.end - begin), halo = pass.halo;
    const uint z = (uint)(row / pass.num_y);
    const uint num = (count + 2 * halo + CLSP_LANES - 1) / CLSP_LANES * CLSP_LANES;
    const size_t source = row_begin(&from, WIDE(from.offset), z,
                                    (uint)(row - (size_t)z * pass.num_y));
    const int first = (int)begin - (int)halo;

    if (from.pad_x == 0 && source != ~(size_t)0 && first >= 0 && first + (int)num <= (int)pass.n) {
        global const sample *const p = samples + source + (size_t)(uint)first * from.step;
        if (from.step == 1) {
            for (uint k = 0; k < num; k++)
                line[k] = BY_GAIN(LOAD_SAMPLE(p + k), pass);
        } else {
            for (uint k = 0; k < num; k++)
                line[k] = BY_GAIN(LOAD_SAMPLE(p + (size_t)k * from.step), pass);
        }
    } else {
        for (uint k = 0; k < num; k++) {
            const real x = line_sample(samples, &from, &pass, source, first + (int)k);
            line[k] = BY_GAIN(x, pass);
        }
    }
    scan_row(line, pass.pole, num);
    global coefficient *const out = target + WIDE(pass.offset) + row * pass.n + begin;
    for (uint k = 0; k < count; k++)
        STORE_COEFFICIENT(line[halo + k], out + k);
}

#else

/* ---- a bundle of columns for each item ---- */

/* Loads samples first .. first + num - 1 of the lines of a bundle, multiplied by the gain. */
static void load_bundle(real *bundle, global const sample *samples, sample_source from,
                        line_pass pass, uint line, uint num_lines, int first, int num)
{
    const size_t inner = WIDE(pass.inner), outer = line / inner;
    global const sample *const p =
        samples + WIDE(from.offset) + outer * pass.n * inner + (line - outer * inner);
    for (int k = 0; k < num; k++) {
        const int at = index_of(first + k, (int)pass.n, pass.mode);
        global const sample *const q = p + (size_t)at * inner;
        if (num_lines == CLSP_LANES) {
            const realv x = LOADV(q);
            STOREV(MAD((realv)(pass.gain), x, pass.gain_rest * x), bundle + k * CLSP_LANES);
        } else {
            for (uint i = 0; i < CLSP_LANES; i++) {
                const real x = q[min(i, num_lines - 1)];
                bundle[k * CLSP_LANES + i] = BY_GAIN(x, pass);
            }
        }
    }
}

/* Stores the coefficients begin .. begin + num - 1 of the lines of a bundle. */
static void store_bundle(global coefficient *target, const real *bundle, line_pass pass, uint line,
                         uint num_lines, int begin, int num)
{
    const size_t inner = WIDE(pass.inner), outer = line / inner;
    global coefficient *out = target + WIDE(pass.offset) + outer * pass.n * inner +
                              (line - outer * inner) + (size_t)begin * inner;
    for (int k = 0; k < num; k++, out += inner) {
#if CLSP_COEFFICIENTS == 0
        if (num_lines == CLSP_LANES) {
            STOREV(LOADV(bundle + k * CLSP_LANES), out);
            continue;
        }
#endif
        for (uint i = 0; i < num_lines; i++)
            STORE_COEFFICIENT(bundle[k * CLSP_LANES + i], out + i);
    }
}

/* Runs both recursions over a bundle. (With an int that falls in the second loop LLVM 18, as in
   PoCL 6.0, ends the process: its instruction combining does not reach a fixed point.) */
static void filter_bundle(real *bundle, real pole, uint num)
{
    realv s = LOADV(bundle) / (R(1.0) - pole);
    STOREV(s, bundle);
    for (size_t k = 1; k < num; k++) {
        s = MAD((realv)(pole), s, LOADV(bundle + k * CLSP_LANES));
        STOREV(s, bundle + k * CLSP_LANES);
    }
    s *= pole / (pole - R(1.0));
    for (size_t j = 1; j < num; j++) {
        const size_t k = num - 1 - j;
        s = pole * (s - LOADV(bundle + k * CLSP_LANES));
        STOREV(s, bundle + k * CLSP_LANES);
    }
}

/* Filters a block of CLSP_LANES neighbouring columns. */
kernel void filter_pass(global const sample *samples, global coefficient *target,
                        sample_source from, line_pass pass)
{
    real bundle[BLOCK_SAMPLES * CLSP_LANES];
    const uint item = (uint)get_global_id(0);
    if (item >= pass.items) return;

    const size_t number = WIDE(pass.first_item) + item, row = number / pass.bundles;
    const uint bundle_at = (uint)(number - row * pass.bundles);
    const size_t outer = row / pass.num_blocks;
    const int begin = (int)(pass.first + (uint)(row - outer * pass.num_blocks) * pass.block);
    const int end = (int)min((uint)begin + pass.block, pass.end), halo = (int)pass.halo;
    const uint at = bundle_at * CLSP_LANES; /* of the lines that are bundled */
    const uint num_lines = min(pass.num_lines - at, (uint)CLSP_LANES);
    const uint line = (uint)outer * pass.num_lines + at;

    load_bundle(bundle, samples, from, pass, line, num_lines, begin - halo, end - begin + 2 * halo);
    filter_bundle(bundle, pass.pole, (uint)(end - begin + 2 * halo));
    store_bundle(target, bundle + halo * CLSP_LANES, pass, line, num_lines, begin, end - begin);
}

#endif

#endif

/* ---- no filter ---- */

/* Copies the samples of rows as they are; items are [num_rows][num_blocks], a block of a row each.
 */
kernel void copy_samples(global const sample *samples, global coefficient *target,
                         sample_source from, line_pass pass)
{
    const uint item = (uint)get_global_id(0);
    if (item >= pass.items) return;

    const size_t number = WIDE(pass.first_item) + item, row = number / pass.num_blocks;
    const uint first = (uint)(number - row * pass.num_blocks) * pass.block;
    const uint num = min(pass.block, pass.n - first), z = (uint)(row / pass.num_y);
    const size_t begin = row_begin(&from, WIDE(from.offset), z,
                                   (uint)(row - (size_t)z * pass.num_y));
    global coefficient *const out = target + WIDE(pass.offset) + row * pass.n + first;

    if (from.pad_x == 0 && begin != ~(size_t)0) {
        global const sample *const p = samples + begin + (size_t)first * from.step;
        if (from.step == 1) {
            for (uint k = 0; k < num; k++)
                STORE_COEFFICIENT(LOAD_SAMPLE(p + k), out + k);
        } else {
            for (uint k = 0; k < num; k++)
                STORE_COEFFICIENT(LOAD_SAMPLE(p + (size_t)k * from.step), out + k);
        }
        return;
    }
    for (uint k = 0; k < num; k++)
        STORE_COEFFICIENT(sample_at(samples, &from, begin, (int)(first + k)), out + k);
}
