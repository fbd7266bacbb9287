#include "array.h"

#include <stdint.h>
#include <stdlib.h>

void *array_reserve(void *items, size_t *capacity, size_t needed, size_t item_bytes)
{
    if (items && needed <= *capacity) return items;
    size_t wanted = needed < 16 ? 16 : needed;
    if (*capacity <= SIZE_MAX / 2 && wanted < *capacity + *capacity / 2)
        wanted = *capacity + *capacity / 2;
    if (wanted > SIZE_MAX / item_bytes) return NULL;
    void *moved = realloc(items, wanted * item_bytes);
    if (moved) *capacity = wanted;
    return moved;
}
