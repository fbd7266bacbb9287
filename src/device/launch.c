#include "launch.h"

#include "check.h"
#include "launch_queue.h"

void clspi_series_begin(clspi_series *series, clsp_context *ctx, cl_uint num_wait,
                        const cl_event *wait, const cl_event *done)
{
    series->ctx = ctx;
    if (num_wait > 0) atomic_store(&ctx->gated, true);
    series->num_wait = num_wait;
    series->wait = wait;
    series->want_event = done != NULL || !ctx->in_order;
    series->last = NULL;
    series->has_run = false;
    series->queue = NULL;
}

/* Gives the wait list of the next command, and returns its length. */
static cl_uint next_wait(const clspi_series *series, const cl_event **wait)
{
    *wait = series->last ? &series->last : series->wait;
    return series->last ? 1 : series->num_wait;
}

/* Takes over a command's event and result. */
static clsp_status enqueued(clspi_series *series, cl_int code, cl_event event, const char *what)
{
    if (code != CL_SUCCESS) return clspi_cl(&series->ctx->log, code, what);
    if (series->last) clReleaseEvent(series->last);
    series->last = event;
    series->num_wait = 0;
    series->wait = NULL;
    return CLSP_OK;
}

clsp_status clspi_series_fail(clspi_series *series, clsp_status status)
{
    if (series->last) clReleaseEvent(series->last);
    series->last = NULL;
    return status;
}

static clsp_status mark(clspi_series *series, cl_uint num_wait, const cl_event *wait)
{
    cl_event event = NULL;
    const cl_int code = clEnqueueMarkerWithWaitList(series->ctx->queue, num_wait, wait,
                                                    series->want_event ? &event : NULL);

    return enqueued(series, code, event, "clEnqueueMarkerWithWaitList");
}

clsp_status clspi_series_join(clspi_series *series, cl_event event)
{
    series->want_event = true;
    if (series->num_wait > 0) CLSPI_CHECK(mark(series, series->num_wait, series->wait));
    if (!series->last) return mark(series, 1, &event);
    const cl_event both[] = {series->last, event};
    return mark(series, 2, both);
}

clsp_status clspi_series_end(clspi_series *series, cl_event *done)
{
    clsp_status status;

    if (!series->last && (series->num_wait > 0 || series->want_event))
        CLSPI_TRY(mark(series, series->num_wait, series->wait));
    if (done)
        *done = series->last;
    else if (series->last)
        clReleaseEvent(series->last);
    series->last = NULL;
    return CLSP_OK;

fail:
    return clspi_series_fail(series, status);
}

clsp_status clspi_series_launch(clspi_series *series, const clspi_kernel *kernel,
                                const clspi_signature *signature, const void *args, size_t items)
{
    clsp_context *const ctx = series->ctx;

    if (items == 0) return CLSP_OK;
    if (kernel->signature != signature)
        return clspi_fail(&ctx->log, CL_INVALID_KERNEL_ARGS, "%s launched as %s",
                          kernel->signature->kernel, signature->kernel);
    if (series->queue) return clspi_launch_queue_add(series->queue, kernel, args, items);
    CLSPI_CHECK(
        clspi_arguments_set(&ctx->log, kernel->kernel, signature, args, kernel->real_bytes));
    return clspi_series_run(series, kernel->kernel, clspi_round_up(items, kernel->local),
                            kernel->local);
}

clsp_status clspi_series_run(clspi_series *series, cl_kernel kernel, size_t global, size_t local)
{
    const cl_event *wait;
    cl_event event = NULL;
    const cl_uint num_wait = next_wait(series, &wait);
    const cl_int code = clEnqueueNDRangeKernel(series->ctx->queue, kernel, 1, NULL, &global, &local,
                                               num_wait, wait, series->want_event ? &event : NULL);

    series->has_run = series->has_run || code == CL_SUCCESS;
    return enqueued(series, code, event, "clEnqueueNDRangeKernel");
}

clsp_status clspi_series_native(clspi_series *series, clspi_native_fn fn, void *args, size_t bytes,
                                const cl_mem *buffers, const void **places, cl_uint num)
{
    const cl_event *wait;
    cl_event event = NULL;
    const cl_uint num_wait = next_wait(series, &wait);
    const cl_int code =
        clEnqueueNativeKernel(series->ctx->queue, fn, args, bytes, num, buffers, places, num_wait,
                              wait, series->want_event ? &event : NULL);

    return enqueued(series, code, event, "clEnqueueNativeKernel");
}

clsp_status clspi_series_copy(clspi_series *series, cl_mem source, size_t source_offset,
                              cl_mem target, size_t target_offset, size_t bytes)
{
    const cl_event *wait;
    cl_event event = NULL;
    const cl_uint num_wait = next_wait(series, &wait);

    if (bytes == 0) return CLSP_OK;
    const cl_int code =
        clEnqueueCopyBuffer(series->ctx->queue, source, target, source_offset, target_offset, bytes,
                            num_wait, wait, series->want_event ? &event : NULL);
    return enqueued(series, code, event, "clEnqueueCopyBuffer");
}

clsp_status clspi_series_pass(clspi_series *series, clspi_pass_fn pass, cl_mem buffer,
                              const char *what)
{
    const cl_event *wait;
    cl_event event = NULL;
    const cl_uint num_wait = next_wait(series, &wait);
    const cl_int code =
        pass(series->ctx->queue, 1, &buffer, num_wait, wait, series->want_event ? &event : NULL);

    return enqueued(series, code, event, what);
}

clsp_status clspi_series_copy_to_image(clspi_series *series, cl_mem source, size_t offset,
                                       cl_mem image, const size_t region[3])
{
    static const size_t origin[3] = {0, 0, 0};
    const cl_event *wait;
    cl_event event = NULL;
    const cl_uint num_wait = next_wait(series, &wait);
    const cl_int code =
        clEnqueueCopyBufferToImage(series->ctx->queue, source, image, offset, origin, region,
                                   num_wait, wait, series->want_event ? &event : NULL);

    return enqueued(series, code, event, "clEnqueueCopyBufferToImage");
}

clsp_status clspi_series_write(clspi_series *series, cl_mem target, size_t offset,
                               const void *source, size_t bytes)
{
    const cl_event *wait;
    cl_event event = NULL;
    const cl_uint num_wait = next_wait(series, &wait);

    if (bytes == 0) return CLSP_OK;
    const cl_int code =
        clEnqueueWriteBuffer(series->ctx->queue, target, CL_TRUE, offset, bytes, source, num_wait,
                             wait, series->want_event ? &event : NULL);
    if (code != CL_SUCCESS) return clspi_waited(series->ctx, code, "clEnqueueWriteBuffer");
    return enqueued(series, code, event, "clEnqueueWriteBuffer");
}

clsp_status clspi_series_write_later(clspi_series *series, cl_mem target, size_t offset,
                                     const void *source, size_t bytes)
{
    const cl_event *wait;
    cl_event event = NULL;
    const cl_uint num_wait = next_wait(series, &wait);

    if (bytes == 0) return CLSP_OK;
    const cl_int code =
        clEnqueueWriteBuffer(series->ctx->queue, target, CL_FALSE, offset, bytes, source, num_wait,
                             wait, series->want_event ? &event : NULL);
    return enqueued(series, code, event, "clEnqueueWriteBuffer");
}

clsp_status clspi_series_read(clspi_series *series, cl_mem source, size_t offset, void *target,
                              size_t bytes)
{
    const cl_event *wait;
    cl_event event = NULL;
    const cl_uint num_wait = next_wait(series, &wait);

    if (bytes == 0) return CLSP_OK;
    const cl_int code =
        clEnqueueReadBuffer(series->ctx->queue, source, CL_TRUE, offset, bytes, target, num_wait,
                            wait, series->want_event ? &event : NULL);
    if (code != CL_SUCCESS) return clspi_waited(series->ctx, code, "clEnqueueReadBuffer");
    return enqueued(series, code, event, "clEnqueueReadBuffer");
}

clsp_status clspi_series_map(clspi_series *series, cl_mem buffer, cl_map_flags flags, size_t offset,
                             size_t bytes, char **at)
{
    const cl_event *wait;
    cl_event event = NULL;
    cl_int code;
    const cl_uint num_wait = next_wait(series, &wait);

    *at = clEnqueueMapBuffer(series->ctx->queue, buffer, CL_TRUE, flags, offset, bytes, num_wait,
                             wait, series->want_event ? &event : NULL, &code);
    if (code != CL_SUCCESS) return clspi_waited(series->ctx, code, "clEnqueueMapBuffer");
    return enqueued(series, code, event, "clEnqueueMapBuffer");
}

clsp_status clspi_series_unmap(clspi_series *series, cl_mem buffer, char *at)
{
    const cl_event *wait;
    cl_event event = NULL;
    const cl_uint num_wait = next_wait(series, &wait);
    const cl_int code = clEnqueueUnmapMemObject(series->ctx->queue, buffer, at, num_wait, wait,
                                                series->want_event ? &event : NULL);

    return enqueued(series, code, event, "clEnqueueUnmapMemObject");
}

/* Unmaps what is being mapped, and waits for both: events[0] is of the mapping, [1] becomes that of
   the unmapping. Waiting once is half the time of a small result. rusticl knows of no mapping until
   it is over. */
static clsp_status unmap(clspi_series *series, cl_mem buffer, void *mapped, cl_event events[2])
{
    clsp_context *const ctx = series->ctx;
    cl_int code = clEnqueueUnmapMemObject(ctx->queue, buffer, mapped, 1, &events[0], &events[1]);

    if (code != CL_SUCCESS) {
        const cl_int waited = clWaitForEvents(1, &events[0]);
        if (waited != CL_SUCCESS) return clspi_waited(ctx, waited, "clWaitForEvents");
        code = clEnqueueUnmapMemObject(ctx->queue, buffer, mapped, 0, NULL, &events[1]);
    }
    if (code != CL_SUCCESS) return clspi_cl(&ctx->log, code, "clEnqueueUnmapMemObject");
    return clspi_waited(ctx, clWaitForEvents(2, events), "clWaitForEvents");
}

clsp_status clspi_series_show(clspi_series *series, cl_mem buffer, size_t offset, size_t bytes)
{
    const cl_event *wait;
    cl_event events[2] = {NULL, NULL};
    cl_int code;
    const cl_uint num_wait = next_wait(series, &wait);

    if (bytes == 0) return CLSP_OK;
    void *const mapped = clEnqueueMapBuffer(series->ctx->queue, buffer, CL_FALSE, CL_MAP_READ,
                                            offset, bytes, num_wait, wait, &events[0], &code);
    if (code != CL_SUCCESS) return clspi_waited(series->ctx, code, "clEnqueueMapBuffer");
    const clsp_status status = unmap(series, buffer, mapped, events);
    clReleaseEvent(events[0]);
    if (status == CLSP_OK && series->want_event)
        return enqueued(series, CL_SUCCESS, events[1], "clEnqueueUnmapMemObject");
    if (events[1]) clReleaseEvent(events[1]);
    return status;
}

clsp_status clspi_series_await_list(clspi_series *series)
{
    const cl_event *wait;
    const cl_uint num_wait = next_wait(series, &wait);

    if (num_wait == 0) return CLSP_OK;
    return clspi_waited(series->ctx, clWaitForEvents(num_wait, wait), "clWaitForEvents");
}

clsp_status clspi_series_await(clspi_series *series)
{
    clsp_context *const ctx = series->ctx;
    const bool is_all = series->last || !ctx->in_order || !ctx->queue;

    CLSPI_CHECK(clspi_series_await_list(series));
    return is_all ? CLSP_OK : clspi_waited(ctx, clFinish(ctx->queue), "clFinish");
}

clsp_status clspi_series_hold(clspi_series *series)
{
    const cl_event *wait;
    const cl_uint num_wait = next_wait(series, &wait);

    /* a barrier without a list would wait for everything that the queue holds */
    if (num_wait == 0) return CLSP_OK;
    return clspi_cl(&series->ctx->log,
                    clEnqueueBarrierWithWaitList(series->ctx->queue, num_wait, wait, NULL),
                    "clEnqueueBarrierWithWaitList");
}

clsp_status clspi_series_adopt(clspi_series *series, cl_event event)
{
    if (series->want_event && !event) return mark(series, 0, NULL);
    return enqueued(series, CL_SUCCESS, event, NULL);
}
