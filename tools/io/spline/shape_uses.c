#include "shape_uses.h"

#include <stdlib.h>

#include "array.h"

bool shape_uses_add(shape_uses *uses, size_t spline, size_t user)
{
    shape_use *moved = array_reserve(uses->items, &uses->capacity, uses->num + 1, sizeof(*moved));
    if (!moved) return false;
    uses->items = moved;
    moved[uses->num++] = (shape_use){spline, user};
    return true;
}

static int compare(const void *a, const void *b)
{
    const shape_use *const p = a, *const q = b;
    if (p->spline != q->spline) return p->spline < q->spline ? -1 : 1;
    return (p->user > q->user) - (p->user < q->user);
}

void shape_uses_sort(shape_uses *uses)
{
    if (uses->num > 0) qsort(uses->items, uses->num, sizeof(*uses->items), compare);
}

size_t shape_uses_find(const shape_uses *uses, size_t spline)
{
    size_t low = 0, high = uses->num;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (uses->items[middle].spline < spline)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
