/* The recursive prefilter, one pass over memory for each direction and pole (docs/math.md, 18):
       c+_k = gain s_k + z c+_{k-1},    c_k = z (c_{k+1} - c+_k).
   A line is cut into blocks that begin at multiples of their length, and each is filtered by
   itself: both recursions begin `halo` samples outside of it, where what they begin with no longer
   counts. So all ways of continuing an image are the same to it, and results do not depend on how
   an image is shared.

   An item has a block of one line. The first recursion goes to the target in global memory, and
   what lies behind the block is summed as the second one needs it, so that nothing private is
   indexed. With a block of a whole line it is the kernel of Ruijters and Thevenaz
   (CLSP_IMAGE_LINES). copy_samples is for what needs no filter. */
#include "line_pass.clh"

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

/* ---- no filter ---- */

/* Copies the samples of rows as they are, one an item. */
kernel void copy_samples(global const sample *samples, global coefficient *target,
                         sample_source from, line_pass pass)
{
    const uint item = (uint)get_global_id(0);
    if (item >= pass.items) return;

    const size_t number = WIDE(pass.first_item) + item, row = number / pass.num_blocks;
    const uint at = (uint)(number - row * pass.num_blocks), z = (uint)(row / pass.num_y);
    const size_t begin = row_begin(&from, WIDE(from.offset), z,
                                   (uint)(row - (size_t)z * pass.num_y));
    global coefficient *const out = target + WIDE(pass.offset) + row * pass.n + at;

    if (from.pad_x == 0 && begin != ~(size_t)0)
        STORE_COEFFICIENT(LOAD_SAMPLE(samples + begin + (size_t)at * from.step), out);
    else
        STORE_COEFFICIENT(sample_at(samples, &from, begin, (int)at), out);
}
