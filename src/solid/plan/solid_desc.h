/* Descriptions of plans of solids. */
#ifndef CLSPI_SOLID_DESC_H
#define CLSPI_SOLID_DESC_H

#include <clspline/solid.h>

#include "solid_vertex.h"
#include "vertex_attributes.h"

/* Checks a description and puts defaults in place. Errors: CLSP_ERROR_ARGUMENT,
   CLSP_ERROR_NO_FP64. */
clsp_status clspi_solid_desc_resolve(clsp_context *ctx, clsp_solid_desc *desc);

/* Tells how the vertices of a resolved description are stored, and of which sums they are. */
clspi_solid_shape clspi_solid_shape_of(const clsp_solid_desc *desc);

/* Tells whether vertices are packed points, or derivatives of one order, in the precision. */
bool clspi_solid_is_plain(const clsp_solid_desc *desc);

/* Tells whether some elements of a vertex belong to no attribute. */
bool clspi_solid_has_gaps(const clsp_solid_desc *desc);

#endif
