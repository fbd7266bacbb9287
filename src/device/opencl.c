#define CLSPI_OPENCL_BY_NAME
#include "opencl.h"

#include <pthread.h>
#include <string.h>

#include "check.h"
#include "library.h"

#ifdef CLSPI_OPENCL_LINKED /* to a loader, or to the one implementation that there is */

#define HERE(name) .name = &(name),
clspi_opencl_table clspi_opencl = {CLSPI_OPENCL_FUNCTIONS(HERE) CLSPI_OPENCL_2_FUNCTIONS(HERE)};

const char *clspi_opencl_open(clspi_opencl_address address)
{
    (void)address;
    return NULL;
}

void *clspi_opencl_function(const char *name)
{
    return clspi_library_function(NULL, name);
}

#else

clspi_opencl_table clspi_opencl;

static const struct {
    const char *name;
    size_t at;
} functions[] = {
#define ENTRY(name) {#name, offsetof(clspi_opencl_table, name)},
    CLSPI_OPENCL_FUNCTIONS(ENTRY) CLSPI_OPENCL_2_FUNCTIONS(ENTRY)};

#define ONE(name) +1
enum { NUM_NEEDED = 0 CLSPI_OPENCL_FUNCTIONS(ONE) };

static void *open_loader(void)
{
#if defined(__APPLE__)
    static const char *const names[] = {"/System/Library/Frameworks/OpenCL.framework/OpenCL", NULL};
#elif defined(_WIN32)
    static const char *const names[] = {"OpenCL.dll", NULL};
#else
    static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
#endif

    return clspi_library_open(names);
}

/* Where functions come from. */
static clspi_opencl_address by_caller;
static void *loader;

/* A layer that was loaded before the program may show some functions alone. */
void *clspi_opencl_function(const char *name)
{
    if (by_caller) return by_caller(name);
    void *const shown = clspi_library_function(NULL, name);
    return shown || !loader ? shown : clspi_library_function(loader, name);
}

static const char *fill(clspi_opencl_address address)
{
    clspi_opencl_table found = {0};

    by_caller = address;
    if (!address && !loader) loader = open_loader();
    for (size_t i = 0; i < CLSPI_COUNT(functions); i++) {
        void *const function = clspi_opencl_function(functions[i].name);
        if (!function && i == 0) return "there is no OpenCL loader (libOpenCL)";
        if (!function && i < NUM_NEEDED) return "the OpenCL loader is older than OpenCL 1.2";
        memcpy((char *)&found + functions[i].at, &function, sizeof function);
    }
    clspi_opencl = found;
    return NULL;
}

const char *clspi_opencl_open(clspi_opencl_address address)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_open;
    const char *why_not = NULL;

    pthread_mutex_lock(&lock);
    if (!is_open) why_not = fill(address);
    is_open = !why_not;
    pthread_mutex_unlock(&lock);
    return why_not;
}

#endif
