#include "vertex_layout.h"

#include "vertex_attributes.h"

uint32_t clspi_attributes_of(uint32_t directions, uint32_t dim)
{
    const uint32_t curves = CLSP_VERTEX_POINT | CLSP_VERTEX_WEIGHT | CLSP_VERTEX_DU |
                            CLSP_VERTEX_DUU | CLSP_VERTEX_PARAMS;
    const uint32_t more = curves | CLSP_VERTEX_DV | CLSP_VERTEX_DUV | CLSP_VERTEX_DVV;

    const uint32_t bends = dim == 3 ? CLSP_VERTEX_NORMAL | CLSP_VERTEX_CURVATURE : 0;
    const uint32_t along_w = CLSP_VERTEX_DW | CLSP_VERTEX_DUW | CLSP_VERTEX_DVW | CLSP_VERTEX_DWW;

    if (directions == 1) return curves | (dim == 2 || dim == 3 ? CLSP_VERTEX_CURVATURE : 0);
    return more | bends | (directions > 2 ? along_w : 0);
}

static clspi_vertex_kind kind_of(const clspi_tensor_desc *desc, const char *family,
                                 uint32_t allowed)
{
    const clspi_vertex_kind kind = {.family = family,
                                    .precision = desc->precision,
                                    .directions = desc->directions,
                                    .dim = desc->dim,
                                    .allowed = allowed};

    return kind;
}

bool clspi_layout_has_gaps(const clspi_tensor_desc *desc)
{
    const clspi_vertex_kind kind = kind_of(desc, "", UINT32_MAX);

    return clspi_vertex_has_gaps(&kind, &desc->vertex);
}

bool clspi_layout_is_plain(const clspi_tensor_desc *desc)
{
    return desc->vertex.attributes == CLSP_VERTEX_POINT && !desc->rational &&
           desc->vertex.type == desc->precision && desc->vertex.stride == desc->dim;
}

size_t clspi_vertex_bytes(const clspi_tensor_desc *desc)
{
    return desc->vertex.stride * clsp_type_bytes(desc->vertex.type);
}

clspi_row_type clspi_row_type_of(clsp_type type)
{
    return type == CLSP_F16 ? CLSPI_ROW_F16 : type == CLSP_F32 ? CLSPI_ROW_F32 : CLSPI_ROW_F64;
}

clspi_vertex_shape clspi_vertex_shape_of(const clspi_tensor_desc *d)
{
    const clsp_vertex_layout *const vertex = &d->vertex;
    clspi_vertex_shape shape = {.dim = d->dim,
                                .rational = d->rational,
                                .directions = d->directions,
                                .type = clspi_row_type_of(vertex->type),
                                .stride = vertex->stride};

    for (unsigned k = 0; k < ATTRIBUTES; k++)
        shape.at[k] = vertex->attributes & 1u << k ? (int32_t)vertex->offset[k] : -1;
    return shape;
}

clsp_status clspi_layout_resolve(clsp_context *ctx, clspi_tensor_desc *desc, const char *family,
                                 uint32_t allowed)
{
    const clspi_vertex_kind kind = kind_of(desc, family, allowed);

    return clspi_vertex_resolve(ctx, &kind, &desc->vertex);
}

clspi_options clspi_vertex_options(const clsp_context *ctx, const clspi_tensor_desc *desc)
{
    clspi_options options = clspi_options_of(ctx, desc->precision);

    clspi_option(&options, "DIM", desc->dim);
    clspi_option(&options, "RATIONAL", desc->rational);
    clspi_option(&options, "DIRECTIONS", desc->directions);
    clspi_vertex_place_options(&options, &desc->vertex);
    return options;
}
