#include "buffer.h"

#include "check.h"
#include "host_device.h"

clsp_status clspi_buffer_create(cl_mem *buffer, clsp_context *ctx, size_t bytes)
{
    cl_int code;

    *buffer = NULL;
    if (bytes == 0) return CLSP_OK;
    CLSPI_CHECK(clspi_needs_opencl(ctx, "buffers"));
    if (bytes > ctx->device.max_alloc_bytes)
        return clspi_fail(&ctx->log, CL_INVALID_BUFFER_SIZE,
                          "%zu bytes are more than the device's largest buffer, %llu", bytes,
                          (unsigned long long)ctx->device.max_alloc_bytes);
    *buffer = clCreateBuffer(ctx->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    return clspi_cl(&ctx->log, code, "clCreateBuffer");
}

void clspi_buffer_release(cl_mem *buffer)
{
    if (*buffer) clReleaseMemObject(*buffer);
    *buffer = NULL;
}

clsp_status clspi_buffer_reserve(cl_mem *buffer, size_t *capacity, clsp_context *ctx, size_t bytes)
{
    clsp_status status;

    if (bytes <= *capacity) return CLSP_OK;
    clspi_buffer_release(buffer);
    *capacity = 0;
    status = clspi_buffer_create(buffer, ctx, bytes);
    if (status == CLSP_OK) *capacity = bytes;
    return status;
}

clsp_status clspi_buffer_check(clsp_context *ctx, cl_mem buffer, size_t offset, size_t count,
                               size_t element, const char *what)
{
    cl_context context;
    size_t size;

    if (!buffer) return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "%s: the buffer is NULL", what);
    CLSPI_CHECK(clspi_needs_opencl(ctx, "buffers"));
    CLSPI_CHECK(clspi_cl(&ctx->log,
                         clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL),
                         what));
    if (context != ctx->context)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "%s: the buffer is of another cl_context",
                          what);
    CLSPI_CHECK(clspi_cl(&ctx->log,
                         clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL), what));
    if (count > SIZE_MAX - offset || count + offset > size / element)
        return clspi_fail(
            &ctx->log, CLSP_ERROR_BUFFER_SIZE,
            "%s: %zu elements from element %zu on do not fit into a buffer of %zu bytes", what,
            count, offset, size);
    return CLSP_OK;
}

/* Checks an event of a wait list. OpenCL's commands refuse events of another context, but
   clWaitForEvents takes them, so that memory of one kind would do what others do not. */
static clsp_status check_event(clsp_context *ctx, cl_event event, cl_uint place)
{
    cl_context context = NULL;

    if (!event)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "event %u of the wait list is NULL",
                          place);
    CLSPI_CHECK(clspi_cl(
        &ctx->log, clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof context, (void *)&context, NULL),
        "an event of the wait list"));
    if (context == ctx->context) return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                      "event %u of the wait list is of another cl_context", place);
}

clsp_status clspi_wait_list_check(clsp_context *ctx, cl_uint num_wait, const cl_event *wait)
{
    if ((num_wait == 0) != (wait == NULL))
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "a wait list of %u events %s", num_wait,
                          wait ? "is given as an array" : "is NULL");
    if (num_wait > 0) CLSPI_CHECK(clspi_needs_opencl(ctx, "events"));
    for (cl_uint i = 0; i < num_wait; i++)
        CLSPI_CHECK(check_event(ctx, wait[i], i));
    return CLSP_OK;
}
