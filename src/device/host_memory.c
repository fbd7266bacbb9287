#include "host_memory.h"

#include "buffer.h"
#include "check.h"

bool clspi_is_host_cpu(const clsp_device_info *info)
{
    return info->device_class == CLSP_CLASS_CPU || info->device_class == CLSP_CLASS_HOST;
}

bool clspi_is_own_cpu(const clsp_context *ctx)
{
    return clspi_is_host_cpu(&ctx->device);
}

/* ---- in place ---- */

bool clspi_is_unified(const clsp_device_info *info)
{
    return clspi_is_host_cpu(info) ||
           (info->device_class == CLSP_CLASS_INTEGRATED && info->unified_memory);
}

static bool is_multiple(size_t value, size_t of)
{
    return of == 0 || value % of == 0;
}

/* Devices that are not coherent with the host must share no cache line with it. */
bool clspi_works_in_place(const clsp_device_info *info, const char *at, size_t bytes)
{
    const size_t begin = (size_t)(uintptr_t)at, end = begin + bytes;

    if (!clspi_is_unified(info)) return false;
    if (clspi_is_host_cpu(info)) return true;
    return is_multiple(begin, info->base_align_bytes) && is_multiple(end, info->base_align_bytes) &&
           is_multiple(begin, info->cacheline_bytes) && is_multiple(end, info->cacheline_bytes);
}

size_t clspi_in_place_align(const clsp_device_info *info)
{
    enum { PAGE_BYTES = 4096 };

    if (clspi_is_host_cpu(info)) return 1;
    return clspi_max(PAGE_BYTES, clspi_max(info->base_align_bytes, info->cacheline_bytes));
}

clsp_range clspi_bytes_in_place(const clsp_device_info *info, const char *at, size_t bytes)
{
    const size_t align = clspi_in_place_align(info);
    const size_t first = clspi_round_up((size_t)(uintptr_t)at, align) - (size_t)(uintptr_t)at;
    clsp_range range = {0, 0};

    if (!clspi_is_unified(info) || bytes < first + align) return range;
    range.first = first;
    range.count = (bytes - first) / align * align;
    return range;
}

cl_int clspi_buffer_wrap(cl_mem *buffer, clsp_context *ctx, char *at, size_t bytes, size_t *before)
{
    const size_t over = (size_t)(uintptr_t)at % clspi_max(1, ctx->device.base_align_bytes);
    cl_int code;

    *before = over <= *before ? over : 0;
    *buffer = NULL;
    if (bytes > SIZE_MAX - *before) return CL_INVALID_BUFFER_SIZE;
    *buffer = clCreateBuffer(ctx->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, *before + bytes,
                             at - *before, &code);
    if (code != CL_SUCCESS) *buffer = NULL;
    return code;
}

/* ---- pinned ---- */

bool clspi_pinned_reserve(clspi_pinned *pinned, clsp_context *ctx, cl_command_queue queue,
                          size_t bytes)
{
    cl_int code;

    if (bytes <= pinned->bytes) return true;
    clspi_pinned_release(pinned);
    if (bytes > ctx->device.max_alloc_bytes) return false;
    cl_mem buffer =
        clCreateBuffer(ctx->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
    if (code != CL_SUCCESS || !buffer) return false;
    void *const at = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                        bytes, 0, NULL, NULL, &code);
    if (code != CL_SUCCESS || !at) {
        clspi_buffer_release(&buffer);
        return false;
    }
    *pinned = (clspi_pinned){queue, buffer, at, bytes};
    return true;
}

void clspi_pinned_release(clspi_pinned *pinned)
{
    if (!pinned->buffer) return;
    /* the unmapping must be over before the memory is gone */
    clEnqueueUnmapMemObject(pinned->queue, pinned->buffer, pinned->at, 0, NULL, NULL);
    clFinish(pinned->queue);
    clspi_buffer_release(&pinned->buffer);
    *pinned = (clspi_pinned){0};
}
