#include "native.h"

#include <stdlib.h>

#include "check.h"
#include "process.h"
#include "profile.h"

/* A function on its way. It lives as long as its keeper, a buffer that all its commands have among
   theirs: OpenCL ends that one when they are over, or will never run. */
typedef struct native_call {
    clspi_native native;
    void
        *memory[CLSPI_NATIVE_BUFFERS]; /* where they are: noted by commands before; NULL: not yet */
    uint64_t seat[8];                  /* the keeper's memory */
} native_call;

/* What a command gets a copy of. */
typedef struct native_args {
    native_call *call;
    cl_uint which;                          /* buffer is to be noted */
    void *memory[CLSPI_NATIVE_BUFFERS + 1]; /* of the command's buffers; the keeper's is last */
} native_args;

bool clspi_runs_native(const clsp_context *ctx)
{
    return ctx->device.device_class == CLSP_CLASS_CPU && ctx->device.native;
}

/* Tells whether a driver gives addresses in another order than that of the buffers. PoCL (3.1)
   sorts the buffers of a command by age and leaves out those that stand there twice. It has a
   command note the address of each, which has it and the keeper alone. */
static bool mixes_addresses(const clsp_context *ctx)
{
    return clspi_is_pocl(ctx->device.platform);
}

bool clspi_native_takes(const clsp_context *ctx, cl_mem buffer)
{
    cl_mem whole = NULL;

    if (!mixes_addresses(ctx)) return true;
    /* of a sub-buffer PoCL gives the address of the whole */
    return clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL) ==
               CL_SUCCESS &&
           !whole;
}

static void CL_CALLBACK end(cl_mem keeper, void *user)
{
    native_call *const call = user;

    (void)keeper;
    call->native.release(call->native.user);
    free(call);
}

/* Makes the keeper of a call. */
static clsp_status make_keeper(native_call *call, clsp_context *ctx, cl_mem *keeper)
{
    cl_int code;

    *keeper = clCreateBuffer(ctx->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                             sizeof call->seat, call->seat, &code);
    CLSPI_CHECK(clspi_cl(&ctx->log, code, "clCreateBuffer"));
    code = clSetMemObjectDestructorCallback(*keeper, end, call);
    if (code != CL_SUCCESS) clReleaseMemObject(*keeper);
    return clspi_cl(&ctx->log, code, "clSetMemObjectDestructorCallback");
}

/* Runs the function, unless a command before it has failed. */
static void run(const native_call *call, void *const *memory)
{
    bool is_there = true;

    for (cl_uint i = 0; i < call->native.num; i++)
        is_there = is_there && memory[i];
    if (is_there) call->native.fn(call->native.user, memory);
}

static void CL_CALLBACK run_in_order(void *user)
{
    const native_args *const args = user;

    run(args->call, args->memory);
}

static void CL_CALLBACK note(void *user)
{
    const native_args *const args = user;
    void *const seat = args->call->seat;

    args->call->memory[args->which] = args->memory[args->memory[0] == seat ? 1 : 0];
}

/* Takes an address out of those of a command, once: buffers may lie on the same memory. */
static void take_out(native_args *args, const void *address)
{
    cl_uint k = 0;

    while (k < args->call->native.num && args->memory[k] != address)
        k++;
    if (args->memory[k] == address) args->memory[k] = NULL;
}

/* Runs the function when all addresses but the last buffer's are noted, which is the one that is
   left. */
static void CL_CALLBACK run_noted(void *user)
{
    native_args *const args = user;
    native_call *const call = args->call;
    const cl_uint last = call->native.num - 1;

    take_out(args, call->seat);
    for (cl_uint i = 0; i < last; i++)
        take_out(args, call->memory[i]);
    for (cl_uint k = 0; k <= call->native.num; k++)
        if (args->memory[k]) call->memory[last] = args->memory[k];
    run(call, call->memory);
}

/* Enqueues a command that has some buffers and the keeper, which is the last of them. */
static clsp_status enqueue(clspi_series *series, clspi_native_fn fn, native_args *args,
                           const cl_mem *buffers, cl_uint num)
{
    const void *places[CLSPI_NATIVE_BUFFERS + 1];

    for (cl_uint i = 0; i < num; i++)
        places[i] = &args->memory[i];
    return clspi_series_native(series, fn, args, sizeof *args, buffers, places, num);
}

/* Enqueues commands that note all addresses but the last buffer's. They wait for nothing but what
   the queue holds. If the caller's list fails, one command alone fails in the queue then: several
   that follow each other end the process, in PoCL 3.1. */
static clsp_status enqueue_notes(clspi_series *notes, native_args *args, cl_mem keeper)
{
    const clspi_native *const native = &args->call->native;

    for (args->which = 0; args->which + 1 < native->num; args->which++) {
        const cl_mem buffers[] = {native->buffers[args->which], keeper};
        CLSPI_CHECK(enqueue(notes, note, args, buffers, 2));
    }
    return CLSP_OK;
}

/* Enqueues such commands, and lets the series wait for them where the queue does not. */
static clsp_status note_addresses(clspi_series *series, native_args *args, cl_mem keeper)
{
    clspi_series notes;
    clsp_status status;

    clspi_series_begin(&notes, series->ctx, 0, NULL, NULL);
    status = enqueue_notes(&notes, args, keeper);
    if (status == CLSP_OK && notes.last) status = clspi_series_join(series, notes.last);
    return clspi_series_fail(&notes, status); /* its event is not needed any more */
}

/* Enqueues the commands of a call that the keeper keeps. */
static clsp_status enqueue_all(clspi_series *series, native_call *call, cl_mem keeper)
{
    const bool notes = mixes_addresses(series->ctx);
    const cl_uint num = call->native.num;
    cl_mem buffers[CLSPI_NATIVE_BUFFERS + 1];
    native_args args = {.call = call};

    if (notes) CLSPI_CHECK(note_addresses(series, &args, keeper));
    for (cl_uint i = 0; i < num; i++)
        buffers[i] = call->native.buffers[i];
    buffers[num] = keeper;
    return enqueue(series, notes ? run_noted : run_in_order, &args, buffers, num + 1);
}

clsp_status clspi_native_enqueue(clspi_series *series, const clspi_native *native)
{
    clsp_context *const ctx = series->ctx;
    native_call *const call = calloc(1, sizeof *call);
    clsp_status status;
    cl_mem keeper;

    if (!call) {
        native->release(native->user);
        return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "no memory for a command");
    }
    call->native = *native;
    clspi_process_keep_code();
    CLSPI_TRY(make_keeper(call, ctx, &keeper));
    status = enqueue_all(series, call, keeper);
    clReleaseMemObject(keeper);
    return status;

fail:
    end(NULL, call);
    return status;
}
