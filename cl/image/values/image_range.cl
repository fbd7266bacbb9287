/* The least and the greatest sample of a channel, to which values are clipped. NaN is passed over;
   of nothing else the range is empty.

   range_of_samples and join_ranges are two steps. Planes one behind another are filtered as slices
   of one volume, and their ranges found together: a batch of small images takes as many launches as
   a large one. */
#include "pixel.clh"

/* Planes of num samples each from element `offset` on, `step` elements apart, of which an item
   takes `share`; per_plane items a plane. Of `channels` of an image samples alternate. */
typedef struct range_source {
    wide offset, num, share;
    uint step, channels, per_plane, items;
} range_source;

/* Finds the range of each item's share: parts is [planes][per_plane][2]. */
kernel void range_of_samples(global const sample *samples, global real *parts, range_source from)
{
    const uint item = (uint)get_global_id(0);
    if (item >= from.items) return;

    const uint plane = item / from.per_plane;
    const size_t share = WIDE(from.share), begin = (item - plane * from.per_plane) * share;
    const size_t end = min(begin + share, WIDE(from.num));
    real low = CONVERT_REAL(INFINITY), high = -CONVERT_REAL(INFINITY);
    const uint image = plane / from.channels, channel = plane - image * from.channels;
    samples += WIDE(from.offset) + image * WIDE(from.num) * from.step + channel;
    for (size_t i = begin; i < end; i++) {
        const real x = LOAD_SAMPLE(samples + i * from.step);
        low = fmin(low, x);
        high = fmax(high, x);
    }
    parts[2 * item] = low;
    parts[2 * item + 1] = high;
}

/* Joins num parts of each of some planes into their ranges, from that of plane `first` on. */
kernel void join_ranges(global const real *parts, global real *range, uint num, wide first,
                        uint planes)
{
    const uint plane = (uint)get_global_id(0);
    if (plane >= planes) return;

    parts += 2 * (size_t)plane * num;
    real low = parts[0], high = parts[1];
    for (uint i = 1; i < num; i++) {
        low = fmin(low, parts[2 * i]);
        high = fmax(high, parts[2 * i + 1]);
    }
    range += 2 * (WIDE(first) + plane);
    range[0] = low;
    range[1] = high;
}
