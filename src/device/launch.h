/* Enqueuing: one-dimensional launches, and series of commands that are one to the caller. */
#ifndef CLSPI_LAUNCH_H
#define CLSPI_LAUNCH_H

#include "program.h"

/* A series of commands: the first waits for the caller's wait list, each later one for the one
   before, and the last one's event is the caller's. On in-order queues no events are made beyond
   the caller's. */
typedef struct clspi_series {
    clsp_context *ctx;
    cl_uint num_wait;
    const cl_event *wait;
    bool want_event;
    cl_event last;
    bool has_run;                     /* some kernel is enqueued */
    struct clspi_launch_queue *queue; /* where launches are noted (launch_queue.h); NULL: they are
                                         enqueued */
} clspi_series;

void clspi_series_begin(clspi_series *series, clsp_context *ctx, cl_uint num_wait,
                        const cl_event *wait, const cl_event *done);

/* Makes the commands that follow wait for one more event, besides the caller's list and the
   commands before. */
clsp_status clspi_series_join(clspi_series *series, cl_event event);

/* Hands over the last event through done, which may be NULL. A series without commands only waits.
 */
clsp_status clspi_series_end(clspi_series *series, cl_event *done);

/* Ends a series that failed: releases its event. Returns status. */
clsp_status clspi_series_fail(clspi_series *series, clsp_status status);

/* Launches `items` work-items, rounded up to whole work-groups: the kernel must test its global id.
   Called through the functions of kernel_arguments.h, whose args are of the signature's type. */
clsp_status clspi_series_launch(clspi_series *series, const clspi_kernel *kernel,
                                const clspi_signature *signature, const void *args, size_t items);

/* Enqueues a kernel whose arguments are set, with whole work-groups. */
clsp_status clspi_series_run(clspi_series *series, cl_kernel kernel, size_t global, size_t local);

/* A function of the host's. */
typedef void(CL_CALLBACK *clspi_native_fn)(void *args);

/* Calls a function of the host's as a command, with a copy of `bytes` bytes of args in which the
   addresses of num buffers are put at `places` of args. */
clsp_status clspi_series_native(clspi_series *series, clspi_native_fn fn, void *args, size_t bytes,
                                const cl_mem *buffers, const void **places, cl_uint num);

clsp_status clspi_series_copy(clspi_series *series, cl_mem source, size_t source_offset,
                              cl_mem target, size_t target_offset, size_t bytes);

/* Copies a buffer's bytes from offset on to all of an image object, whose region is its size. */
clsp_status clspi_series_copy_to_image(clspi_series *series, cl_mem source, size_t offset,
                                       cl_mem image, const size_t region[3]);
clsp_status clspi_series_write(clspi_series *series, cl_mem target, size_t offset,
                               const void *source, size_t bytes);

/* Hold and adopt commands that another library enqueues on the context's queue. Before them, hold:
   they will start after what the series waits for, since such a library takes no wait list. After
   them, adopt: event is that of their last one and becomes the series' own; it may be NULL, also
   where one is wanted. */
clsp_status clspi_series_hold(clspi_series *series);
clsp_status clspi_series_adopt(clspi_series *series, cl_event event);

/* What hands a buffer over between graphics and the queue: clEnqueueAcquireGLObjects and its
   like. */
typedef cl_int(CL_API_CALL *clspi_pass_fn)(cl_command_queue, cl_uint, const cl_mem *, cl_uint,
                                           const cl_event *, cl_event *);

/* Hands a buffer over; what: names it in messages. */
clsp_status clspi_series_pass(clspi_series *series, clspi_pass_fn pass, cl_mem buffer,
                              const char *what);

/* Copies bytes from a buffer to the host, and waits until they are there. */
clsp_status clspi_series_read(clspi_series *series, cl_mem source, size_t offset, void *target,
                              size_t bytes);

/* Maps bytes of a buffer, for reading, writing or both, and waits until they are there: *at.
   clspi_series_unmap must follow. */
clsp_status clspi_series_map(clspi_series *series, cl_mem buffer, cl_map_flags flags, size_t offset,
                             size_t bytes, char **at);
clsp_status clspi_series_unmap(clspi_series *series, cl_mem buffer, char *at);

/* Copies as clspi_series_write does and returns before it is done: source must stay as it is until
   then. */
clsp_status clspi_series_write_later(clspi_series *series, cl_mem target, size_t offset,
                                     const void *source, size_t bytes);

/* Makes what the device has written to a buffer on memory of the host's visible there, and waits
   until it is. */
clsp_status clspi_series_show(clspi_series *series, cl_mem buffer, size_t offset, size_t bytes);

/* Waits for the commands of the series; where it has none yet, for its wait list. */
clsp_status clspi_series_await_list(clspi_series *series);

/* Waits for the commands of the series; where it has none yet, for its wait list, and on in-order
   queues for what the queue holds. */
clsp_status clspi_series_await(clspi_series *series);

#endif
