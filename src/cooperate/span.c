#include "span.h"

#include "check.h"

void clspi_span_init(clspi_span *span, clspi_range all)
{
    span->all = all;
    span->unit = all.count / UINT32_MAX + 1;
    atomic_store(&span->ends, (uint64_t)clspi_div_up(all.count, span->unit) << 32);
}

static uint32_t front_of(uint64_t ends)
{
    return (uint32_t)ends;
}

static uint32_t back_of(uint64_t ends)
{
    return (uint32_t)(ends >> 32);
}

/* Units begin .. end - 1 in tiles; the last unit may be cut. */
static clspi_range tiles_of(const clspi_span *span, uint32_t begin, uint32_t end)
{
    const size_t first = begin * span->unit;
    const size_t last = clspi_min(end * span->unit, span->all.count);
    const clspi_range range = {span->all.first + first, last - first};

    return range;
}

bool clspi_span_take(clspi_span *span, bool back, size_t wanted, clspi_range *taken)
{
    const size_t units = clspi_max(wanted / span->unit, 1);
    uint64_t ends = atomic_load_explicit(&span->ends, memory_order_relaxed), next;
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
    } while (!atomic_compare_exchange_weak_explicit(&span->ends, &ends, next, memory_order_relaxed,
                                                    memory_order_relaxed));
    *taken = tiles_of(span, begin, end);
    return true;
}

size_t clspi_span_left(const clspi_span *span)
{
    const uint64_t ends = atomic_load_explicit(&span->ends, memory_order_relaxed);

    return tiles_of(span, front_of(ends), back_of(ends)).count;
}

void clspi_returns_put(clspi_returns *returns, clspi_range range)
{
    if (range.count == 0) return;
    pthread_mutex_lock(&returns->lock);
    returns->ranges[atomic_load(&returns->num)] = range;
    atomic_fetch_add(&returns->num, 1);
    pthread_mutex_unlock(&returns->lock);
}

bool clspi_returns_take(clspi_returns *returns, size_t wanted, clspi_range *taken)
{
    bool found = false;

    if (atomic_load_explicit(&returns->num, memory_order_relaxed) == 0) return false;
    pthread_mutex_lock(&returns->lock);
    const unsigned num = atomic_load(&returns->num);
    if (num > 0) {
        clspi_range *const last = &returns->ranges[num - 1];
        taken->first = last->first;
        taken->count = clspi_min(last->count, clspi_max(wanted, 1));
        last->first += taken->count;
        last->count -= taken->count;
        if (last->count == 0) atomic_store(&returns->num, num - 1);
        found = true;
    }
    pthread_mutex_unlock(&returns->lock);
    return found;
}
