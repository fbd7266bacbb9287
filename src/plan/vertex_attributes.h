/* Attributes of vertices: which there are, how long they are, and where they stand in a layout. */
#ifndef CLSPI_VERTEX_ATTRIBUTES_H
#define CLSPI_VERTEX_ATTRIBUTES_H

#include <clspline/vertex.h>

#include "attributes.clh"
#include "options.h"

/* What the vertices of a plan can be. */
typedef struct clspi_vertex_kind {
    const char *family; /* begins messages */
    clsp_type precision;
    uint32_t directions, dim;
    uint32_t allowed; /* attributes */
} clspi_vertex_kind;

/* Checks a layout and puts defaults in place: the type, offsets and the stride. Errors:
   CLSP_ERROR_ARGUMENT. */
clsp_status clspi_vertex_resolve(clsp_context *ctx, const clspi_vertex_kind *kind,
                                 clsp_vertex_layout *vertex);

/* Returns the elements of an attribute, by its number, in a vertex. */
uint32_t clspi_vertex_elements(const clspi_vertex_kind *kind, unsigned attribute);

/* Tells whether some elements of a vertex belong to no attribute. */
bool clspi_vertex_has_gaps(const clspi_vertex_kind *kind, const clsp_vertex_layout *vertex);

static inline bool clspi_vertex_has(const clsp_vertex_layout *vertex, unsigned attribute)
{
    return (vertex->attributes & 1u << attribute) != 0;
}

/* Adds the build options that tell kernels of a layout: CLSP_ATTRIBUTES, CLSP_STORE, CLSP_STRIDE,
   CLSP_PLACED and CLSP_AT_.. of each attribute. */
void clspi_vertex_place_options(clspi_options *options, const clsp_vertex_layout *vertex);

#endif
