/* Memory of the host's as devices reach it: in place, where both work on the same memory, and
   through pinned memory, from which transfers run at full speed and beside kernels. */
#ifndef CLSPI_HOST_MEMORY_H
#define CLSPI_HOST_MEMORY_H

#include "context_internal.h"

/* Tells whether a device is the host, or its own CPU by OpenCL. */
bool clspi_is_host_cpu(const clsp_device_info *info);

/* Tells whether the host makes what calls ask for: the device is such a one, and no more than
   memory. What is asked for by name is made by kernels all the same, by OpenCL. */
bool clspi_is_own_cpu(const clsp_context *ctx);

/* Tells whether device and host work on the same memory. */
bool clspi_is_unified(const clsp_device_info *info);

/* Tells whether kernels can work on memory of the host's where it is. */
bool clspi_works_in_place(const clsp_device_info *info, const char *at, size_t bytes);

/* Gives at what multiples of bytes buffers on memory of the host's begin and end: 1 on CPUs, which
   take any; elsewhere a page, or what the device asks for beyond it. Drivers copy others. */
size_t clspi_in_place_align(const clsp_device_info *info);

/* Gives the bytes of a large memory, counted from `at`, on which kernels can work where it is, from
   one such multiple to another. None where device and host do not work on the same memory. */
clsp_range clspi_bytes_in_place(const clsp_device_info *info, const char *at, size_t bytes);

/* Makes a buffer on `bytes` bytes of the host's memory at `at`, and on as many before them as
   *before gets, at most what it says: the buffer begins at an alignment of the device, since
   Intel's CPU runtime takes memory of clSVMAlloc for a part of the allocation, and that must.
   Nothing touches the bytes before. Reports nothing. */
cl_int clspi_buffer_wrap(cl_mem *buffer, clsp_context *ctx, char *at, size_t bytes, size_t *before);

/* Pinned memory: of the host's, reached at full speed by the device's transfers. OpenCL has it as a
   buffer that stays mapped. All 0 is none. */
typedef struct clspi_pinned {
    cl_command_queue queue; /* on which it is mapped and unmapped */
    cl_mem buffer;
    char *at;
    size_t bytes;
} clspi_pinned;

/* Makes pinned memory hold so many bytes at least; false, without a message, and none is left,
   where that fails. Nothing may use what was there. The queue must outlive it. */
bool clspi_pinned_reserve(clspi_pinned *pinned, clsp_context *ctx, cl_command_queue queue,
                          size_t bytes);

/* Waits until it is unmapped, and for what its queue holds before. */
void clspi_pinned_release(clspi_pinned *pinned);

#endif
