/* Control points of the derivatives of tensor-product patches, on the host. */
#ifndef CLSPI_DERIVATIVE_POINTS_H
#define CLSPI_DERIVATIVE_POINTS_H

#include "vertex_tile.h"

/* Takes differences of the control points of some patches, of order by[d] along direction d, with
   the factors that make control points of a derivative of them. */
void clspi_derivative_points(const clspi_vertex_tile_desc *desc,
                             const clspi_vertex_functions *functions, const void *from,
                             size_t patches, const uint32_t by[3], void *out);

#endif
