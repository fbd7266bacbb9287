#ifdef __linux__
#define _DEFAULT_SOURCE /* for madvise */
#endif
#include "large_array.h"

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#ifdef MADV_HUGEPAGE
/* Asks for large pages, which may be refused. Whole pages are named, so that the system does not
   keep parts of the memory apart: it could not be resized in place then. */
static void ask_for_large_pages(void *memory, size_t size)
{
    enum { PAGE = 4096, LARGE = 4 << 20 };
    const size_t before = (uintptr_t)memory % PAGE;

    if (memory && size >= LARGE)
        madvise((char *)memory - before, (size + before + PAGE - 1) / PAGE * PAGE, MADV_HUGEPAGE);
}
#else
static void ask_for_large_pages(void *memory, size_t size)
{
    (void)memory;
    (void)size;
}
#endif

void *clspi_large_array_resize(void *memory, uint64_t count, size_t bytes)
{
    if (count >= SIZE_MAX / bytes) return NULL;
    const size_t size = (size_t)count * bytes;
    void *const made = realloc(memory, size + (size == 0));

    ask_for_large_pages(made, size);
    return made;
}

void *clspi_large_array(uint64_t count, size_t bytes)
{
    if (count >= SIZE_MAX / bytes) return NULL;
    const size_t size = (size_t)count * bytes;
    void *const made = malloc(size + (size == 0));

    ask_for_large_pages(made, size);
    return made;
}
