/* The programs of the Bezier family. */
#ifndef CLSPI_BEZIER_PROGRAMS_H
#define CLSPI_BEZIER_PROGRAMS_H

#include "context_internal.h"

clsp_status clspi_bezier_build_all(clsp_context *ctx, clsp_kernel_fn fn, void *user);

#endif
