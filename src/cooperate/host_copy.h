/* Copies between memories of the host by several threads: one alone moves less than a bus does. */
#ifndef CLSPI_HOST_COPY_H
#define CLSPI_HOST_COPY_H

#include <stddef.h>

#include <clspline/context.h>

#include "device_set.h"

/* Keeps the context's workers awake between copies. Returns what clspi_copies_end takes; NULL where
   there is no memory. */
clspi_device_set *clspi_copies_begin(clsp_context *ctx);
void clspi_copies_end(clspi_device_set *set);

/* Copies bytes, which do not overlap; with the help of the context's workers where there is much to
   copy and they do nothing else. */
void clspi_host_copy(clsp_context *ctx, void *to, const void *from, size_t bytes);

#endif
