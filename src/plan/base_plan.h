/* What a plan of any family has, and the calls that enqueue: opened, a series of commands, closed.

   A call goes through these steps: clspi_call_check, its own checks of ranges and memory
   (memory.h), clspi_call_begin, commands on call.series, clspi_call_end with what came of them. */
#ifndef CLSPI_BASE_PLAN_H
#define CLSPI_BASE_PLAN_H

#include <stdatomic.h>

#include <clspline/plan.h>

#include "host_memory.h"
#include "launch_queue.h"

/* Device memory through which a call reaches host memory, and pinned memory between the two. */
typedef struct clspi_staging {
    cl_mem buffer;
    size_t bytes;
    clspi_pinned pinned;
} clspi_staging;

/* What shared jobs bring, in turns into two staging buffers, so that one is written while kernels
   read the other. */
typedef struct clspi_uploaded {
    uint32_t slot;   /* of the staging buffer that was written last */
    cl_event before; /* of kernels that were enqueued before that; NULL: there may be none */
} clspi_uploaded;

enum {
    CLSPI_MAX_STREAMS = 6,     /* memories that a call reads and writes (transfer.h) */
    CLSPI_PARTS_IN_FLIGHT = 3, /* of a call whose transfers run beside its kernels */
    CLSPI_HOST_WORKERS = CLSP_MAX_WORKERS + 1 /* threads of a context, and the one that calls */
};

typedef struct clspi_plan {
    clsp_context *ctx;
    const char *family; /* first word of messages; static storage */
    uint32_t broken; /* kinds of changes that failed, a bit each: only such a change that succeeds
                        makes the plan usable */
    cl_event last;   /* on out-of-order queues: of the last call, which the next one waits for */
    cl_event later;  /* of the last call that the host makes as a command of its CPU's queue; NULL:
                        none is on its way */
    atomic_uint failed_later; /* such calls that found no memory; adding to it, be it 0, is the last
                                 that each of them does */
    clspi_staging staging[CLSPI_PARTS_IN_FLIGHT][CLSPI_MAX_STREAMS];
    cl_command_queue reads;  /* in-order, for transfers beside kernels; NULL: not made */
    cl_command_queue writes; /* the same, of what shared jobs bring */
    bool reads_tried, writes_tried;
    clspi_uploaded brought[CLSPI_MAX_STREAMS];
    atomic_flag callers[CLSPI_HOST_WORKERS]; /* numbers of workers that calling threads have */
    atomic_flag has_noted;                   /* that the host makes what the device does not */
    clspi_launch_queue queue;                /* of the svm schedule */
    pthread_mutex_t lock; /* of what the host makes tiles from: callers of their own may prepare it
                             at once */
} clspi_plan;

typedef struct clspi_call {
    clspi_plan *plan;
    clsp_run run; /* all 0 where the caller gave none */
    clspi_series series;
} clspi_call;

/* Makes what all plans have; clspi_plan_release must follow if it succeeds. */
clsp_status clspi_plan_init(clspi_plan *plan, clsp_context *ctx, const char *family);

/* Reports that a public function got NULL for its plan or another pointer. */
clsp_status clspi_null_argument(const clspi_plan *plan, const char *function);

/* Checks what every call needs: a device that is there, a plan that is not broken, a sound run,
   which may be NULL. */
clsp_status clspi_call_check(const clspi_plan *plan, const clsp_run *run);

/* Checks a run alone. */
clsp_status clspi_run_check(clsp_context *ctx, const clsp_run *run);

/* Checks that a call which one processor makes is not to be shared; call: names it. */
clsp_status clspi_unshared_check(const clspi_plan *plan, const clsp_run *run, const char *call);

/* Checks that a call which sets data is neither shared nor asked for its tiling. */
clsp_status clspi_setting_check(const clspi_plan *plan, const clsp_run *run, const char *call);

/* Checks what a call that changes the plan needs: a device that is there. The plan may be
   broken. Waits for what the host makes later. */
clsp_status clspi_change_check(clspi_plan *plan);

/* Waits for calls that the host makes later, as commands of its CPU's queue, and forgets whether
   one has failed: they work on what the plan holds. Setting data, changes and the plan's end begin
   with it, save where data are set by such a command, which has its turn behind them. */
void clspi_plan_settle(clspi_plan *plan);

/* Waits for them before a call reads at once what they may set. Threads may do so at once. Errors:
   CLSP_ERROR_NO_MEMORY (one has found none). */
clsp_status clspi_plan_catch_up(const clspi_plan *plan);

/* Checks that none has failed so far. */
clsp_status clspi_later_check(const clspi_plan *plan);

/* Tells whether a call is only asked what it would do. */
bool clspi_run_asks(const clsp_run *run);

/* Answers such a call that one processor makes: it writes so many elements. */
clsp_status clspi_run_report(const clsp_run *run, size_t elements);

/* Opens the call's series, behind the caller's wait list and the plan's calls before. */
clsp_status clspi_call_begin(clspi_call *call, clspi_plan *plan, const clsp_run *run);

/* Closes the call's series with the status of its commands: hands the caller's event over, or
   releases what there is of a series that failed. Returns the status of the whole. */
clsp_status clspi_call_end(clspi_call *call, clsp_status status);

/* Closes the call's series and waits until all is done, so that the caller's event is complete. */
clsp_status clspi_call_finish(clspi_call *call, clsp_status status);

/* Waits for the list of a call that only works on the host. */
clsp_status clspi_run_wait(const clspi_plan *plan, const clsp_run *run);

/* Waits for that list, for the plan's calls before, and for what an in-order queue holds: it may
   read or write the caller's memory. */
clsp_status clspi_plan_await(const clspi_plan *plan, const clsp_run *run);

/* Makes the event of a call that has worked on the host, complete. Threads may do so at once. */
clsp_status clspi_run_done(clspi_plan *plan, const clsp_run *run);

/* Waits for the list of a call, and makes its event. */
clsp_status clspi_call_on_host(clspi_plan *plan, const clsp_run *run);

/* Takes back the event of a call that failed after all; run may be NULL. */
void clspi_run_undo(const clsp_run *run);

/* Brings what a chunk of a shared job needs from host memory to a staging buffer of the plan's, for
   its stream number i, beside kernels of the chunks before where the device has memory of its own.
   The host memory stays until the chunk has run, and the buffer until the next chunk's kernels. */
clsp_status clspi_plan_upload(clspi_plan *plan, clspi_series *series, uint32_t i, const char *from,
                              size_t bytes, cl_mem *buffer);

void clspi_plan_release(clspi_plan *plan);

/* Does pieces of work on the host, on the calling thread and on the context's workers where they do
   nothing else: clspi_host_pieces for the layers above. */
void clspi_pieces_on_host(const clspi_plan *plan, size_t num, void (*fn)(void *user, size_t piece),
                          void *user);

#endif
