/* The sum over rows of bezier_rows.cl for the svm rung (docs/cooperation.md): few work-groups stay,
   and each pops tiles from a counter that it shares with the host and other devices. A row has the
   same bits as by bezier_rows.

   The host sets CLSP_GROUP, the local size: 1 on CPUs; on GPUs its items have adjacent columns; and
   what cooperate_pop.clh asks for. */
#include "bezier_row_block.clh"
#include "cooperate_pop.clh"
#include "real.clh"

/* Until num_tiles are gone. A tile is patches_per_tile whole patches, the last one fewer, or, where
   tiles_per_patch is above 1, tile_rows rows of one patch, a multiple of CLSP_ROWS. T:
   [num_patches][order_u][stride_t]; out: [num_patches][num_u][width], fine-grain shared memory.
   strip: columns whose T stay in a cache, a multiple of CLSP_LANES; one without vectors. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void bezier_shared(volatile global shared_int *counter, int num_tiles, uint patches_per_tile,
                   uint tile_rows, uint tiles_per_patch, uint num_patches,
                   global const real *restrict t, uint order_u, uint stride_t,
                   global const real *restrict table_u, uint stride_u, uint width, uint num_u,
                   uint strip, global real *restrict out)
{
    const uint begin = (uint)get_local_id(0) * strip;
    local int slot;

    for (;;) {
        const int popped = pop_tile(counter, &slot);
        if (popped >= num_tiles) break;

        const uint tile = (uint)popped / tiles_per_patch; /* of the patches, or of one of them */
        const uint first_row = ((uint)popped - tile * tiles_per_patch) * tile_rows;
        const uint end_row = min(first_row + tile_rows, num_u);
        const uint first_patch = tile * patches_per_tile;
        const uint end_patch = min(first_patch + patches_per_tile, num_patches);
        for (uint patch = first_patch; patch < end_patch; patch++) {
            global const real *const tp = t + (size_t)patch * order_u * stride_t;
            global real *const to = out + (size_t)patch * num_u * width;
            for (uint x = begin; x < width; x += strip * CLSP_GROUP)
                for (uint u = first_row; u < end_row; u += CLSP_ROWS)
                    make_row_block(tp, order_u, stride_t, table_u + u, stride_u, width, x,
                                   min(x + strip, width), min((uint)CLSP_ROWS, end_row - u),
                                   to + (size_t)u * width);
        }
    }
}
