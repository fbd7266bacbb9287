/* Buffers of the library's own, and checks of the caller's. */
#ifndef CLSPI_BUFFER_H
#define CLSPI_BUFFER_H

#include "context_internal.h"

/* Makes a read-write buffer. bytes 0 gives NULL. Above the device's largest buffer:
 * CL_INVALID_BUFFER_SIZE. */
clsp_status clspi_buffer_create(cl_mem *buffer, clsp_context *ctx, size_t bytes);
void clspi_buffer_release(cl_mem *buffer);

/* Makes a buffer hold at least `bytes`. Where *capacity, which the caller keeps, is less, a larger
   buffer of undefined contents takes its place. */
clsp_status clspi_buffer_reserve(cl_mem *buffer, size_t *capacity, clsp_context *ctx, size_t bytes);

/* Checks that a caller's buffer belongs to the context's cl_context and holds `count` elements of
   `element` bytes from element `offset` on. what names it in messages. */
clsp_status clspi_buffer_check(clsp_context *ctx, cl_mem buffer, size_t offset, size_t count,
                               size_t element, const char *what);

/* Checks a wait list: its length, and that its events are of the context's cl_context. */
clsp_status clspi_wait_list_check(clsp_context *ctx, cl_uint num_wait, const cl_event *wait);

#endif
