/* Functions of the host's as commands of the queue, on CPU devices. */
#ifndef CLSPI_NATIVE_H
#define CLSPI_NATIVE_H

#include "launch.h"

enum { CLSPI_NATIVE_BUFFERS = 4 };

/* A function, and the buffers that it works on. It may run when the context is gone. */
typedef struct clspi_native {
    void (*fn)(void *user, void *const *memory); /* memory: where the buffers are, in their order */
    void (*release)(void *user); /* called once, when no command needs user any more, whatever came
                                    of it, by any thread */
    void *user;
    cl_mem buffers[CLSPI_NATIVE_BUFFERS]; /* the last one is none of the others */
    cl_uint num;
} clspi_native;

/* Tells whether the device runs such functions. */
bool clspi_runs_native(const clsp_context *ctx);

/* Tells whether they can work on a buffer. */
bool clspi_native_takes(const clsp_context *ctx, cl_mem buffer);

/* Enqueues the function. user is released in every case. */
clsp_status clspi_native_enqueue(clspi_series *series, const clspi_native *native);

#endif
