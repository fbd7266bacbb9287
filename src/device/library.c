#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "library.h"

#include <stddef.h>
#include <dlfcn.h>

void *clspi_library_open(const char *const names[])
{
    void *library = NULL;

    for (size_t i = 0; names[i] && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

void *clspi_library_function(void *library, const char *name)
{
    return dlsym(library ? library : RTLD_DEFAULT, name);
}
