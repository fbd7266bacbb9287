/* Enqueuing: kernel arguments, one-dimensional launches, and series of commands that are one to the
 * caller. */
#ifndef CLSPI_LAUNCH_H
#define CLSPI_LAUNCH_H

#include "program.h"

typedef struct clspi_arg {
    size_t size; /* 0: value itself is the argument, a pointer into shared virtual memory */
    const void *value;
} clspi_arg;

#define CLSPI_ARG(variable)                                                                        \
    {                                                                                              \
        sizeof(variable), &(variable)                                                              \
    }

/* Only for devices that report SVM: the drivers of others have no such call. */
#define CLSPI_ARG_SVM(pointer)                                                                     \
    {                                                                                              \
        0, (pointer)                                                                               \
    }

/* A number above 32 bits as a kernel takes it: WIDE() of real.clh puts it together. */
static inline cl_uint2 clspi_halves(size_t number)
{
    const uint64_t wide = number;
    const cl_uint2 halves = {{(cl_uint)wide, (cl_uint)(wide >> 32)}};
    return halves;
}

/* A series of commands: the first waits for the caller's wait list, each later one for the one
   before, and the last one's event is the caller's. On in-order queues no events are made beyond
   the caller's. */
typedef struct clspi_series {
    clsp_context *ctx;
    cl_uint num_wait;
    const cl_event *wait;
    bool want_event;
    cl_event last;
} clspi_series;

void clspi_series_begin(clspi_series *series, clsp_context *ctx, cl_uint num_wait,
                        const cl_event *wait, const cl_event *done);

/* Makes the series wait for one more event, besides the caller's list; before its first command. */
clsp_status clspi_series_join(clspi_series *series, cl_event event);

/* Hands over the last event through done, which may be NULL. A series without commands only waits.
 */
clsp_status clspi_series_end(clspi_series *series, cl_event *done);

/* Ends a series that failed: releases its event. Returns status. */
clsp_status clspi_series_fail(clspi_series *series, clsp_status status);

/* Launches `items` work-items, rounded up to whole work-groups: the kernel must test its global id.
 */
clsp_status clspi_series_launch(clspi_series *series, const clspi_kernel *kernel,
                                const clspi_arg *args, cl_uint num_args, size_t items);

clsp_status clspi_series_copy(clspi_series *series, cl_mem source, size_t source_offset,
                              cl_mem target, size_t target_offset, size_t bytes);
clsp_status clspi_series_write(clspi_series *series, cl_mem target, size_t offset,
                               const void *source, size_t bytes);

/* For commands that another library enqueues on the context's queue. Before them: they will start
   after what the series waits for, since such a library takes no wait list. After them: event is
   that of their last one and becomes the series' own; it may be NULL, also where one is wanted. */
clsp_status clspi_series_hold(clspi_series *series);
clsp_status clspi_series_adopt(clspi_series *series, cl_event event);

/* Reads, and waits until the bytes are there. */
clsp_status clspi_series_read(clspi_series *series, cl_mem source, size_t offset, void *target,
                              size_t bytes);

#endif
