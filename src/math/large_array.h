/* Memory of large arrays. */
#ifndef CLSPI_LARGE_ARRAY_H
#define CLSPI_LARGE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Returns memory for so many elements of so many bytes, with any content, that free() releases.
   Where it is large and the system has large pages, it is asked for them: those of common size take
   longer to get than to fill. NULL: no memory. */
void *clspi_large_array(uint64_t count, size_t bytes);

/* Gives such memory, or NULL, room for so many elements, as realloc() does. */
void *clspi_large_array_resize(void *memory, uint64_t count, size_t bytes);

#endif
