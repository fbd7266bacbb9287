/* The sum over rows of tensor_sums.cl as a persistent kernel (docs/cooperation.md): few work-groups
   stay, and each takes tiles from a queue that it shares with the host and other devices. A row has
   the same bits as by sum_rows.

   The host sets CLSP_GROUP, the local size, whose items have adjacent columns, and what
   tile_queue.clh and tensor_sums.cl ask for. */
#include "row_block.clh"
#include "tile_queue.clh"
#include "real.clh"

/* The job: a tile is patches_per_tile whole patches, the last one fewer, or, where tiles_per_patch
   is above 1, tile_rows rows of one patch, a multiple of CLSP_ROWS. */
typedef struct tile_job {
    uint num_tiles, patches_per_tile, tile_rows, tiles_per_patch, num_patches;
    uint controls, terms, stride_t, stride_table;
    uint width, num_u;
} tile_job;

/* Takes tiles until none is left. t: [num_patches][controls][stride_t]; out:
   [num_patches][num_u][width], fine-grain shared memory. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void tile_rows(SVM volatile global shared_int *counter, global const real *restrict t,
               global const real *restrict table, global const uint *restrict first,
               SVM global real *restrict out, tile_job job)
{
    local int slot;

    for (;;) {
        const int taken = next_tile(counter, &slot);
        if (taken >= (int)job.num_tiles) break;

        const uint tile = (uint)taken / job.tiles_per_patch; /* of the patches, or of one of them */
        const uint first_row = ((uint)taken - tile * job.tiles_per_patch) * job.tile_rows;
        const uint end_row = min(first_row + job.tile_rows, job.num_u);
        const uint first_patch = tile * job.patches_per_tile;
        const uint end_patch = min(first_patch + job.patches_per_tile, job.num_patches);
        for (uint patch = first_patch; patch < end_patch; patch++) {
            global const real *const tp = t + (size_t)patch * job.controls * job.stride_t;
            global real *const to = out + (size_t)patch * job.num_u * job.width;
            for (uint x = (uint)get_local_id(0); x < job.width; x += CLSP_GROUP)
                for (uint u = first_row; u < end_row; u += CLSP_ROWS)
                    make_row_block(tp, job.stride_t, table + u, first + u, job.terms,
                                   job.stride_table, job.width, x,
                                   min((uint)CLSP_ROWS, end_row - u), to + (size_t)u * job.width);
        }
    }
}
