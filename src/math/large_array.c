#ifdef __linux__
#define _DEFAULT_SOURCE /* for madvise */
#endif
#include "large_array.h"

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#ifdef MADV_HUGEPAGE
/* Asks for large pages. They may be refused, which does no harm. */
static void ask_for_large_pages(void *memory, size_t size)
{
    enum { PAGE = 4096, LARGE = 4 << 20 };
    const size_t before = PAGE - (uintptr_t)memory % PAGE;

    if (memory && size >= LARGE)
        madvise((char *)memory + before, (size - before) / PAGE * PAGE, MADV_HUGEPAGE);
}
#else
static void ask_for_large_pages(void *memory, size_t size)
{
    (void)memory;
    (void)size;
}
#endif

void *clspi_large_array(uint64_t count, size_t bytes)
{
    if (count >= SIZE_MAX / bytes) return NULL;
    const size_t size = (size_t)count * bytes;
    void *const made = malloc(size + (size == 0));

    ask_for_large_pages(made, size);
    return made;
}
