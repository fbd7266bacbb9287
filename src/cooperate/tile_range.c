#include "tile_range.h"

#include "check.h"

void clspi_tile_range_init(clspi_tile_range *range, clsp_range all)
{
    range->all = all;
    range->unit = all.count / UINT32_MAX + 1;
    atomic_store(&range->ends, (uint64_t)clspi_div_up(all.count, range->unit) << 32);
}

static uint32_t front_of(uint64_t ends)
{
    return (uint32_t)ends;
}

static uint32_t back_of(uint64_t ends)
{
    return (uint32_t)(ends >> 32);
}

/* Turns units begin .. end - 1 into tiles; the last unit may be cut. */
static clsp_range tiles_of(const clspi_tile_range *range, uint32_t begin, uint32_t end)
{
    const size_t first = clspi_min(begin * range->unit, range->all.count);
    const size_t last = clspi_min(end * range->unit, range->all.count);

    return (clsp_range){range->all.first + first, last - first};
}

bool clspi_tile_range_take(clspi_tile_range *range, bool back, size_t wanted, clsp_range *taken)
{
    const size_t units = clspi_max(wanted / range->unit, 1);
    uint64_t ends = atomic_load_explicit(&range->ends, memory_order_relaxed), next;
    uint32_t begin, end;

    do {
        begin = front_of(ends);
        end = back_of(ends);
        if (begin == end) return false;
        const uint32_t count = (uint32_t)clspi_min(units, end - begin);
        next = back ? (uint64_t)(end - count) << 32 | begin : ends + count;
        if (back)
            begin = end - count;
        else
            end = begin + count;
    } while (!atomic_compare_exchange_weak_explicit(&range->ends, &ends, next, memory_order_relaxed,
                                                    memory_order_relaxed));
    *taken = tiles_of(range, begin, end);
    return true;
}

size_t clspi_tile_range_left(const clspi_tile_range *range)
{
    const uint64_t ends = atomic_load_explicit(&range->ends, memory_order_relaxed);

    return tiles_of(range, front_of(ends), back_of(ends)).count;
}

void clspi_requeued_put(clspi_requeued *requeued, clsp_range range)
{
    if (range.count == 0) return;
    pthread_mutex_lock(&requeued->lock);
    requeued->ranges[atomic_load(&requeued->num)] = range;
    atomic_fetch_add(&requeued->num, 1);
    pthread_mutex_unlock(&requeued->lock);
}

bool clspi_requeued_take(clspi_requeued *requeued, size_t wanted, clsp_range *taken)
{
    bool found = false;

    if (atomic_load_explicit(&requeued->num, memory_order_relaxed) == 0) return false;
    pthread_mutex_lock(&requeued->lock);
    const unsigned num = atomic_load(&requeued->num);
    if (num > 0) {
        clsp_range *const last = &requeued->ranges[num - 1];
        taken->first = last->first;
        taken->count = clspi_min(last->count, clspi_max(wanted, 1));
        last->first += taken->count;
        last->count -= taken->count;
        if (last->count == 0) atomic_store(&requeued->num, num - 1);
        found = true;
    }
    pthread_mutex_unlock(&requeued->lock);
    return found;
}
