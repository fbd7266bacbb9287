/* The description of a Bezier plan: its checks and defaults. */
#ifndef CLSPI_BEZIER_DESC_H
#define CLSPI_BEZIER_DESC_H

#include <stdbool.h>

#include <clspline/bezier.h>

/* Checks desc against the device and the library's limits, and writes it with all defaults in place
   to *resolved. Errors as of clsp_bezier_plan_create. */
clsp_status clspi_bezier_resolve(clsp_context *ctx, const clsp_bezier_desc *desc,
                                 clsp_bezier_desc *resolved);

/* Directions of a form, 1 to 3. */
cl_uint clspi_bezier_directions(clsp_bezier_form form);

/* Elements of an attribute, given by its index, in a vertex of a resolved description. */
cl_uint clspi_bezier_attribute_elements(const clsp_bezier_desc *d, unsigned attribute);

/* Elements of a vertex that belong to an attribute. */
cl_uint clspi_bezier_used_elements(const clsp_bezier_desc *d);

/* Control points of a patch, reals of one with all coordinates not counted; 0 when that overflows.
 */
size_t clspi_bezier_num_controls(const clsp_bezier_desc *d);

/* Whether a vertex of a resolved description is dim packed reals of the precision, not rational. */
bool clspi_bezier_is_plain(const clsp_bezier_desc *d);

#endif
