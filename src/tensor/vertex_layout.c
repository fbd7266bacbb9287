#include "vertex_layout.h"

#include <string.h>

#include "check.h"

enum { ATTRIBUTES = 11 }; /* that there are */

uint32_t clspi_attributes_of(cl_uint directions, cl_uint dim)
{
    const uint32_t all =
        CLSP_VERTEX_POINT | CLSP_VERTEX_WEIGHT | CLSP_VERTEX_DU | CLSP_VERTEX_PARAMS;

    if (directions == 1)
        return all | CLSP_VERTEX_DUU | (dim == 2 || dim == 3 ? CLSP_VERTEX_CURVATURE : 0);
    if (directions == 3) return all | CLSP_VERTEX_DV | CLSP_VERTEX_DW;
    return all | CLSP_VERTEX_DV | CLSP_VERTEX_DUU | CLSP_VERTEX_DUV | CLSP_VERTEX_DVV |
           (dim == 3 ? CLSP_VERTEX_NORMAL | CLSP_VERTEX_CURVATURE : 0);
}

cl_uint clspi_attribute_elements(const clspi_tensor_desc *desc, unsigned attribute)
{
    switch (1 << attribute) {
    case CLSP_VERTEX_WEIGHT:
        return 1;
    case CLSP_VERTEX_PARAMS:
    case CLSP_VERTEX_CURVATURE:
        return desc->directions;
    default:
        return desc->dim;
    }
}

static bool has_attribute(const clspi_tensor_desc *desc, unsigned attribute)
{
    return (desc->vertex.attributes & 1u << attribute) != 0;
}

bool clspi_layout_has_gaps(const clspi_tensor_desc *desc)
{
    cl_uint used = 0;

    for (unsigned i = 0; i < ATTRIBUTES; i++)
        if (has_attribute(desc, i)) used += clspi_attribute_elements(desc, i);
    return used < desc->vertex.stride;
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

/* ---- resolving ---- */

/* Places the attributes; false when they overlap or end beyond the stride. */
static bool place(clspi_tensor_desc *desc)
{
    clsp_vertex_layout *const v = &desc->vertex;
    bool placed = false, taken[CLSP_VERTEX_MAX_STRIDE] = {false};
    uint32_t next = 0;

    for (unsigned i = 0; i < CLSP_VERTEX_MAX_ATTRIBUTES; i++)
        if (v->offset[i] != 0) placed = true;
    for (unsigned i = 0; i < CLSP_VERTEX_MAX_ATTRIBUTES; i++) {
        if (!has_attribute(desc, i)) {
            v->offset[i] = 0;
            continue;
        }
        const uint32_t elements = clspi_attribute_elements(desc, i);
        if (!placed) v->offset[i] = next;
        if (v->offset[i] > CLSP_VERTEX_MAX_STRIDE - elements) return false;
        for (uint32_t e = 0; e < elements; e++) {
            if (taken[v->offset[i] + e]) return false;
            taken[v->offset[i] + e] = true;
        }
        next = (uint32_t)clspi_max(next, v->offset[i] + elements);
    }
    if (v->stride == 0) v->stride = next;
    return next <= v->stride && v->stride <= CLSP_VERTEX_MAX_STRIDE;
}

clsp_status clspi_layout_resolve(clsp_context *ctx, clspi_tensor_desc *desc, const char *family,
                                 uint32_t allowed)
{
    clsp_vertex_layout *const v = &desc->vertex;
    clspi_log *const log = &ctx->log;

    CLSPI_CHECK(clspi_reserved_check(log, "clsp_vertex_layout", v->reserved));
    if (v->attributes == 0) v->attributes = CLSP_VERTEX_POINT;
    if (v->type == CLSP_TYPE_DEFAULT) v->type = desc->precision;
    if (v->type != CLSP_F16 && v->type != CLSP_F32 && v->type != CLSP_F64)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: vertex.type: %d is no type of vertices",
                          family, (int)v->type);
    if (v->type == CLSP_F64 && desc->precision != CLSP_F64)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "%s: vertex.type CLSP_F64 needs the precision CLSP_F64", family);
    if (v->attributes & ~allowed & CLSP_VERTEX_NORMAL)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "%s: vertex.attributes: normals are of surfaces with dim 3 (here dim %u)",
                          family, desc->dim);
    if (v->attributes & ~allowed & CLSP_VERTEX_CURVATURE)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "%s: vertex.attributes: curvatures are of curves with dim 2 or 3 and of "
                          "surfaces with dim 3 (here dim %u)",
                          family, desc->dim);
    if (v->attributes & ~allowed)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "%s: vertex.attributes: the form, with dim %u, has none of 0x%x", family,
                          desc->dim, v->attributes & ~allowed);
    if (place(desc)) return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                      "%s: attributes overlap or do not fit a vertex of %u elements", family,
                      v->stride ? v->stride : (uint32_t)CLSP_VERTEX_MAX_STRIDE);
}

/* ---- build options ---- */

clspi_options clspi_vertex_options(const clsp_context *ctx, const clspi_tensor_desc *desc,
                                   cl_uint lanes)
{
    static const char *const names[ATTRIBUTES] = {"AT_POINT",  "AT_WEIGHT", "AT_DU",       "AT_DV",
                                                  "AT_DW",     "AT_DUU",    "AT_DUV",      "AT_DVV",
                                                  "AT_NORMAL", "AT_PARAMS", "AT_CURVATURE"};
    clspi_options options = clspi_options_of(ctx, desc->precision, lanes);

    clspi_option(&options, "DIM", desc->dim);
    clspi_option(&options, "RATIONAL", desc->rational);
    clspi_option(&options, "DIRECTIONS", desc->directions);
    clspi_option(&options, "ATTRIBUTES", desc->vertex.attributes);
    clspi_option(&options, "STORE", 8 * clsp_type_bytes(desc->vertex.type));
    clspi_option(&options, "STRIDE", desc->vertex.stride);
    clspi_option(&options, "PLACED", 1);
    for (unsigned i = 0; i < ATTRIBUTES; i++)
        if (has_attribute(desc, i)) clspi_option(&options, names[i], desc->vertex.offset[i]);
    return options;
}
