/* A ledger of how often each tile was made: the self-test of the svm schedule, and the kernels of
   its tests. A queue that gives a tile twice, or not at all, shows here and nowhere else. */
#include "tile_queue.clh"
#include "real.clh"

/* Takes tiles from the counter until num_tiles are gone and adds 1 to ledger[tile] for each. Any
   number of work-groups of CLSP_GROUP items. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void take_ledger(SVM volatile global shared_int *counter, int num_tiles,
                 SVM volatile global shared_int *ledger)
{
    local int slot;

    for (;;) {
        const int tile = next_tile(counter, &slot);
        if (tile >= num_tiles) break;
        if (get_local_id(0) == 0) take(ledger + tile);
    }
}

/* Adds 1 to count entries of the ledger from number first on. */
kernel void add_ledger(global int *ledger, uint first, uint count)
{
    const uint g = (uint)get_global_id(0);

    if (g < count) ledger[first + g] += 1;
}
