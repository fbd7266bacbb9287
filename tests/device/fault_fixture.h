/* Calls made to fail: the n-th call of one kind from a test fails, and what is allocated is
   counted. The calls are redirected by the linker (-Wl,--wrap), in the library's objects and in the
   tests, not in the drivers. */
#ifndef FAULT_FIXTURE_H
#define FAULT_FIXTURE_H

#include "../support.h"

#include <stdbool.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum kind {
    MALLOC,
    CALLOC,
    REALLOC,
    CREATE_CONTEXT,
    CREATE_QUEUE,
    CREATE_PROGRAM,
    CREATE_BINARY,
    BUILD_PROGRAM,
    CREATE_KERNEL,
    CREATE_BUFFER,
    CREATE_IMAGE,
    COPY_TO_IMAGE,
    SET_ARG,
    LAUNCH,
    COPY,
    WRITE,
    READ,
    MAP,
    UNMAP,
    MARKER,
    QUERY_DEVICE,
    QUERY_KERNEL,
    GET_PLATFORMS,
    GET_DEVICES,
    NUM_KINDS
};

extern const char *const kind_names[NUM_KINDS];

typedef struct injected_fault {
    bool armed;
    enum kind kind;
    unsigned countdown; /* calls of the kind until the one that fails */
    bool reached;
    bool keeps_device; /* transfers fail for want of memory, after which a device stays usable */
    unsigned calls[NUM_KINDS]; /* of each kind, failed or not */
} injected_fault;

extern injected_fault fault;

extern long live_blocks;  /* host memory */
extern long live_objects; /* OpenCL objects, by references */

/* Arms the fault: the n-th call of the kind from now on fails; n 0: none does. */
void arm_fault(enum kind kind, unsigned n);

#endif
