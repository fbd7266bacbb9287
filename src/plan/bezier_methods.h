/* The methods of summing a net that are not separable: point by point, and by matrix products.
   They are there to be compared with (docs/kernels.md). */
#ifndef CLSPI_BEZIER_METHODS_H
#define CLSPI_BEZIER_METHODS_H

#include <clspline/bezier.h>

#include "bezier_net.h"
#include "launch.h"

/* Nets of curves and surfaces; of a curve orders[1] and nums[1] are 1. */
typedef struct clspi_bezier_method_desc {
    clsp_bezier_method method; /* CLSP_BEZIER_MULTILEVEL, _MATRIX or _BRUTE */
    clsp_precision precision;
    cl_uint coords; /* of a control point, 1 to 5 */
    cl_uint orders[2];
    cl_uint nums[2];
    double intervals[2][2];
} clspi_bezier_method_desc;

typedef struct clspi_bezier_method clspi_bezier_method;

/* Makes *method, which may be NULL, ready for a description: tables of its own and kernels. Control
   points must then be loaded. Errors: CLSP_ERROR_NO_MEMORY, OpenCL's own. */
clsp_status clspi_bezier_method_prepare(clspi_bezier_method **method, clspi_series *series,
                                        const clspi_bezier_method_desc *desc);

/* Takes control points [num_patches][orders[0]][orders[1]][coords], which it retains; num_patches
   is at least 1. The matrix method makes R P R^T of them, and where it fits the memory set apart
   for that, what depends on them and on v. */
clsp_status clspi_bezier_method_load(clspi_bezier_method *method, clspi_series *series,
                                     cl_mem points, size_t num_patches);

/* As clspi_bezier_net_eval. Points do not depend on how the work is split, bit for bit. */
clsp_status clspi_bezier_method_eval(clspi_bezier_method *method, clspi_series *series,
                                     const clspi_bezier_range *range);

/* Releases it and writes NULL; *method may be NULL. */
void clspi_bezier_method_release(clspi_bezier_method **method);

#endif
