/* Vertex layouts of tensor products: which attributes there are, and how kernels are told. */
#ifndef CLSPI_VERTEX_LAYOUT_H
#define CLSPI_VERTEX_LAYOUT_H

#include "tensor_desc.h"
#include "vertex_sums.h"

/* Checks desc->vertex, whose attributes must be among those allowed, and puts defaults in place:
   the type, offsets and the stride. family begins messages. Errors: CLSP_ERROR_ARGUMENT. */
clsp_status clspi_layout_resolve(clsp_context *ctx, clspi_tensor_desc *desc, const char *family,
                                 uint32_t allowed);

/* Returns the attributes that vertices in so many directions, of so many coordinates, may have. */
uint32_t clspi_attributes_of(uint32_t directions, uint32_t dim);

/* Tells whether some elements of a vertex belong to no attribute. */
bool clspi_layout_has_gaps(const clspi_tensor_desc *desc);

/* Tells whether a vertex is dim packed reals of the precision, not rational. */
bool clspi_layout_is_plain(const clspi_tensor_desc *desc);

/* Returns the bytes of a vertex. */
size_t clspi_vertex_bytes(const clspi_tensor_desc *desc);

/* Returns the host's number of a type of vertices. */
clspi_row_type clspi_row_type_of(clsp_type type);

/* Describes vertices to the host's evaluators. */
clspi_vertex_shape clspi_vertex_shape_of(const clspi_tensor_desc *d);

/* Returns the build options that vertex.clh asks for, real.clh's included. */
clspi_options clspi_vertex_options(const clsp_context *ctx, const clspi_tensor_desc *desc);

#endif
