/* Arrays that grow as items really arrive, so that a number in a file never decides on an
   allocation. */
#ifndef CLSPLINE_TOOLS_IO_ARRAY_H
#define CLSPLINE_TOOLS_IO_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Returns items, moved where needed, with room for at least `needed` items of item_bytes each, and
   updates *capacity. The capacity at least grows by half, so that appending one by one stays
   linear. Returns NULL, with items and *capacity as they were, when memory or size_t runs out. */
void *array_reserve(void *items, size_t *capacity, size_t needed, size_t item_bytes);

#endif
