/* The host as a device: a context of it has no OpenCL, and the host makes all. */
#ifndef CLSPI_HOST_DEVICE_H
#define CLSPI_HOST_DEVICE_H

#include "context_internal.h"

/* Describes it: name and maker of the processor, with the version and level of the library's code
   as the driver. */
void clspi_host_describe(clsp_device_info *info);

/* Counts the cores that the process may use. */
uint32_t clspi_usable_cores(void);

/* Gives CLSP_ERROR_ARGUMENT on a context of the host, which has no buffers, kernels or whatever
   `what` says; CLSP_OK on others. */
clsp_status clspi_needs_opencl(clsp_context *ctx, const char *what);

/* Gives CLSP_ERROR_ARGUMENT there of a method that kernels alone compute by. */
clsp_status clspi_needs_kernels(clsp_context *ctx);

#endif
