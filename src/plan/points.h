/* What callers say of points: the parameters of a grid's axes, and lists. */
#ifndef CLSPI_POINTS_H
#define CLSPI_POINTS_H

#include <clspline/vertex.h>

#include "base_plan.h"

/* Copies the parameters of axes, which then refer to the copies; an axis of no samples has none.
   Errors: CLSP_ERROR_NO_MEMORY, and all params are NULL. */
clsp_status clspi_axes_copy(double *params[3], clsp_context *ctx, clsp_axis axis[3]);

void clspi_axes_free(double *params[3]);

/* Checks the fields of a list, of which each point takes so many doubles at most. Errors:
   CLSP_ERROR_ARGUMENT, CLSP_ERROR_NO_MEMORY (more than the address space). */
clsp_status clspi_points_check(const clspi_plan *plan, const clsp_points *points, size_t doubles);

#endif
