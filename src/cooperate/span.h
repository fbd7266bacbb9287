/* Tiles that wait for a processor: a span, which is taken from both ends without a lock, and what
   processors that failed gave back. */
#ifndef CLSPI_SPAN_H
#define CLSPI_SPAN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clspline/cooperate.h>

typedef struct clspi_range {
    size_t first, count;
} clspi_range;

/* Both ends in one word, so that a range is taken by one exchange. Counted in units of tiles, since
   an end has 32 bits. */
typedef struct clspi_span {
    _Atomic uint64_t ends; /* the front below, the back above */
    clspi_range all;
    size_t unit;
} clspi_span;

void clspi_span_init(clspi_span *span, clspi_range all);

/* Takes up to `wanted` tiles, at least one, from the front or the back; false when none are left.
 */
bool clspi_span_take(clspi_span *span, bool back, size_t wanted, clspi_range *taken);

/* Tiles that are left, at this moment. */
size_t clspi_span_left(const clspi_span *span);

/* Ranges that were given back, in no order. */
typedef struct clspi_returns {
    pthread_mutex_t lock;
    atomic_uint num;
    clspi_range ranges[CLSP_MAX_WORKERS + 4 * CLSP_MAX_PROCESSORS];
} clspi_returns;

void clspi_returns_put(clspi_returns *returns, clspi_range range);
bool clspi_returns_take(clspi_returns *returns, size_t wanted, clspi_range *taken);

#endif
