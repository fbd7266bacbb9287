/* Memory of clsp_shared_alloc. */
#ifndef CLSPI_SHARED_MEMORY_H
#define CLSPI_SHARED_MEMORY_H

#include "device_set.h"

/* Tells whether memory lies in fine-grain SVM of the set. */
bool clspi_shared_holds(clspi_device_set *set, const void *memory);

/* Tells whether memory is the set's at all: transfers into it take other times than into plain
   memory. */
bool clspi_shared_owns(clspi_device_set *set, const void *memory);

/* Tells whether all of these bytes are pinned memory of the context's device set. */
bool clspi_shared_is_pinned(clsp_context *ctx, const void *memory, size_t bytes);

/* Frees all memory of the set. */
void clspi_shared_release_all(clspi_device_set *set);

#endif
