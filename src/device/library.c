#define _GNU_SOURCE      /* dladdr, RTLD_DEFAULT, RTLD_NOLOAD */
#define _DARWIN_C_SOURCE /* the same on macOS */
#include "library.h"

#include <stddef.h>

#ifdef _WIN32

#include <string.h>
#include <windows.h>

static void *open_one(const char *name)
{
    return (void *)LoadLibraryExA(name, NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
}

void *clspi_library_function(void *library, const char *name)
{
    const FARPROC function =
        GetProcAddress(library ? (HMODULE)library : GetModuleHandleA(NULL), name);
    void *address;

    memcpy(&address, &function, sizeof address);
    return address;
}

void clspi_library_keep(const void *inside)
{
    HMODULE module;

    GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                       inside, &module);
}

#else

#include <dlfcn.h>

static void *open_one(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void *clspi_library_function(void *library, const char *name)
{
#ifdef RTLD_DEFAULT /* which POSIX leaves to systems */
    return dlsym(library ? library : RTLD_DEFAULT, name);
#else
    return library ? dlsym(library, name) : NULL;
#endif
}

/* A program's own file is not found by its name, or stays as it is. */
void clspi_library_keep(const void *inside)
{
#if defined(RTLD_NOLOAD) && defined(RTLD_NODELETE)
    Dl_info here;
    void *const module = dladdr(inside, &here)
                             ? dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE)
                             : NULL;

    if (module) dlclose(module);
#else
    (void)inside;
#endif
}

#endif

void *clspi_library_open(const char *const names[])
{
    void *library = NULL;

    for (; !library && *names; names++)
        library = open_one(*names);
    return library;
}
