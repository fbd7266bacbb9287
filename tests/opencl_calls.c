#define SUPPORT_OPENCL_BY_NAME
#include "opencl_calls.h"

#include <dlfcn.h>
#include <stddef.h>

struct support_opencl_table support_opencl;

void support_open_opencl(void)
{
#define ENTRY(name) {#name, (void **)(void *)&support_opencl.name},
    static const struct {
        const char *name;
        void **function;
    } calls[] = {SUPPORT_OPENCL_CALLS(ENTRY)};
    void *const loader = dlopen("libOpenCL.so.1", RTLD_NOW);

    for (size_t i = 0; loader && i < sizeof calls / sizeof *calls; i++)
        *calls[i].function = dlsym(loader, calls[i].name);
}
