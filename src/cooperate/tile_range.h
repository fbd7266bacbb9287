/* Tiles that wait for a processor: a tile range, which is taken from both ends without a lock, and
   requeued tiles, which processors that failed gave back. */
#ifndef CLSPI_TILE_RANGE_H
#define CLSPI_TILE_RANGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clspline/share.h>

/* Both ends are in one word, so that tiles are taken by one exchange. They are counted in units of
   tiles, since an end has 32 bits. */
typedef struct clspi_tile_range {
    _Atomic uint64_t ends; /* the front below, the back above */
    clsp_range all;
    size_t unit; /* tiles */
} clspi_tile_range;

/* Makes `all` the tiles that wait. */
void clspi_tile_range_init(clspi_tile_range *range, clsp_range all);

/* Takes up to `wanted` tiles, at least one, from the front or the back; false when none are left.
 */
bool clspi_tile_range_take(clspi_tile_range *range, bool back, size_t wanted, clsp_range *taken);

/* Counts the tiles that are left, at this moment. */
size_t clspi_tile_range_left(const clspi_tile_range *range);

/* Ranges of requeued tiles, in no order. */
typedef struct clspi_requeued {
    pthread_mutex_t lock;
    atomic_uint num;
    clsp_range ranges[CLSP_MAX_WORKERS + 4 * CLSP_MAX_PROCESSORS];
} clspi_requeued;

/* Gives tiles back, for others to take. */
void clspi_requeued_put(clspi_requeued *requeued, clsp_range range);

/* Takes up to `wanted` tiles, at least one; false when none are left. */
bool clspi_requeued_take(clspi_requeued *requeued, size_t wanted, clsp_range *taken);

#endif
