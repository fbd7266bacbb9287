/* The coefficients of a part of an image that cannot be made of its samples: they become NaN.

   Steps of such images begin with the first block for which all samples are there (filter_reach.h).
 */
#include "pixel.clh"

/* Coefficients of slices of num_y x num_x, from element `offset` on, of which those from begin_ to
   end_ - 1 stay along each direction. A launch has the items from first_item on, of `block`
   coefficients of a row each, num_blocks a row. */
typedef struct kept_box {
    wide offset, first_item;
    uint num_y, num_x, begin_z, end_z, begin_y, end_y, begin_x, end_x, num_blocks, block, items;
} kept_box;

kernel void fill_outside(global coefficient *target, kept_box kept)
{
    const uint item = (uint)get_global_id(0);
    if (item >= kept.items) return;

    const size_t number = WIDE(kept.first_item) + item, row = number / kept.num_blocks;
    const uint first = (uint)(number - row * kept.num_blocks) * kept.block;
    const uint end = min(first + kept.block, kept.num_x);
    const uint z = (uint)(row / kept.num_y), y = (uint)(row - (size_t)z * kept.num_y);
    const bool is_kept =
        z >= kept.begin_z && z < kept.end_z && y >= kept.begin_y && y < kept.end_y;
    global coefficient *const out = target + WIDE(kept.offset) + row * kept.num_x;

    for (uint x = first; x < end; x++)
        if (!is_kept || x < kept.begin_x || x >= kept.end_x)
            STORE_COEFFICIENT(REAL_NAN, out + x);
}
