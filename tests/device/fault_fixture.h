/* Calls made to fail: the n-th call of one kind fails, or some in a row, in whichever thread, and
   what is allocated is counted. Calls of the C library are redirected by the linker (-Wl,--wrap),
   in the library's objects and in the tests, those of OpenCL in the library's table; neither in
   drivers. */
#ifndef FAULT_FIXTURE_H
#define FAULT_FIXTURE_H

#include "../support.h"

#include <stdatomic.h>
#include <stdbool.h>

#include <clspline/context.h>

#include "opencl.h"

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
    THREAD,
    SVM_ALLOC,
    SET_SVM_ARG,
    FLUSH,
    NATIVE,
    SET_DESTRUCTOR,
    WAIT, /* the last one */
    NUM_KINDS
};

extern const char *const kind_names[NUM_KINDS];

typedef struct injected_fault {
    atomic_bool armed; /* calls are counted, and may fail */
    atomic_bool reached;
    enum kind kind;
    unsigned first, last; /* calls of the kind that fail; 0: none */
    bool keeps_device;    /* transfers fail for want of memory, after which a device stays usable */
    atomic_uint calls[NUM_KINDS + 1]; /* of each kind, failed or not; of those that never fail */
} injected_fault;

extern injected_fault fault;

extern atomic_long live_blocks;   /* host memory, and shared memory */
extern atomic_long live_objects;  /* OpenCL objects, by references, and mappings */
extern atomic_long live_mappings; /* these alone */
extern atomic_long live_events;

/* Redirects the calls of OpenCL; called first in main. */
void redirect_calls(void);

/* Arms the fault: the n-th call of the kind from now on fails; n 0: none does. */
void arm_fault(enum kind kind, unsigned n);

/* So do num calls from the n-th on. */
void arm_faults(enum kind kind, unsigned n, unsigned num);

/* Waits a moment until there are no more blocks than so many: what commands hold stays until OpenCL
   forgets them, on threads of its own. */
void let_go(clsp_context *ctx, long blocks);

#endif
