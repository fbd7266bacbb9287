/* The description of a Bezier plan: its checks and defaults. */
#ifndef CLSPI_BEZIER_DESC_H
#define CLSPI_BEZIER_DESC_H

#include <clspline/bezier.h>

#include "tensor_desc.h"

/* Checks a description against the device and the library's limits, puts all defaults in place, and
   makes of it the patch layer's, without a basis. Errors as of clsp_bezier_plan_create. */
clsp_status clspi_bezier_resolve(clsp_context *ctx, clsp_bezier_desc *desc,
                                 clspi_tensor_desc *tensor);

#endif
