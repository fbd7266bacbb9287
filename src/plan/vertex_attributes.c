#include "vertex_attributes.h"

#include "check.h"

uint32_t clspi_vertex_elements(const clspi_vertex_kind *kind, unsigned attribute)
{
    switch (1 << attribute) {
    case CLSP_VERTEX_WEIGHT:
    case CLSP_VERTEX_JACOBIAN:
        return 1;
    case CLSP_VERTEX_PARAMS:
        return kind->directions;
    case CLSP_VERTEX_CURVATURE:
        return kind->directions > 1 ? 2 : 1;
    default:
        return kind->dim;
    }
}

bool clspi_vertex_has_gaps(const clspi_vertex_kind *kind, const clsp_vertex_layout *vertex)
{
    uint32_t used = 0;

    for (unsigned i = 0; i < ATTRIBUTES; i++)
        if (clspi_vertex_has(vertex, i)) used += clspi_vertex_elements(kind, i);
    return used < vertex->stride;
}

/* ---- resolving ---- */

/* Places the attributes; false when they overlap or end beyond the stride. */
static bool place(const clspi_vertex_kind *kind, clsp_vertex_layout *v)
{
    bool placed = false, taken[CLSP_VERTEX_MAX_STRIDE] = {false};
    uint32_t next = 0;

    for (unsigned i = 0; i < CLSP_VERTEX_MAX_ATTRIBUTES; i++)
        if (v->offset[i] != 0) placed = true;
    for (unsigned i = 0; i < CLSP_VERTEX_MAX_ATTRIBUTES; i++) {
        if (!clspi_vertex_has(v, i)) {
            v->offset[i] = 0;
            continue;
        }
        const uint32_t elements = clspi_vertex_elements(kind, i);
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

/* Refuses attributes that are not allowed. */
static clsp_status check_allowed(clspi_log *log, const clspi_vertex_kind *kind, uint32_t attributes)
{
    const uint32_t wrong = attributes & ~kind->allowed;

    if (wrong == 0) return CLSP_OK;
    if (wrong & CLSP_VERTEX_NORMAL)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "%s: vertex.attributes: normals are of surfaces, volumes and solids with "
                          "dim 3 (here dim %u)",
                          kind->family, kind->dim);
    if (wrong & CLSP_VERTEX_CURVATURE)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "%s: vertex.attributes: curvatures are of curves with dim 2 or 3 and of "
                          "surfaces and volumes with dim 3 (here dim %u)",
                          kind->family, kind->dim);
    return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                      "%s: vertex.attributes: the form, with dim %u, has none of 0x%x",
                      kind->family, kind->dim, wrong);
}

clsp_status clspi_vertex_resolve(clsp_context *ctx, const clspi_vertex_kind *kind,
                                 clsp_vertex_layout *v)
{
    clspi_log *const log = &ctx->log;

    CLSPI_CHECK(clspi_reserved_check(log, "clsp_vertex_layout", v->reserved));
    if (v->attributes == 0) v->attributes = CLSP_VERTEX_POINT;
    if (v->type == CLSP_TYPE_DEFAULT) v->type = kind->precision;
    if (v->type != CLSP_F16 && v->type != CLSP_F32 && v->type != CLSP_F64)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: vertex.type: %d is no type of vertices",
                          kind->family, (int)v->type);
    if (v->type == CLSP_F64 && kind->precision != CLSP_F64)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "%s: vertex.type CLSP_F64 needs the precision CLSP_F64", kind->family);
    CLSPI_CHECK(check_allowed(log, kind, v->attributes));
    if (place(kind, v)) return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                      "%s: attributes overlap or do not fit a vertex of %u elements", kind->family,
                      v->stride ? v->stride : (uint32_t)CLSP_VERTEX_MAX_STRIDE);
}

/* ---- build options ---- */

void clspi_vertex_place_options(clspi_options *options, const clsp_vertex_layout *vertex)
{
    static const char *const names[ATTRIBUTES] = {
        "AT_POINT",     "AT_WEIGHT", "AT_DU",  "AT_DV",     "AT_DW",
        "AT_DUU",       "AT_DUV",    "AT_DVV", "AT_NORMAL", "AT_PARAMS",
        "AT_CURVATURE", "AT_DUW",    "AT_DVW", "AT_DWW",    "AT_JACOBIAN"};

    clspi_option(options, "ATTRIBUTES", vertex->attributes);
    clspi_option(options, "STORE", 8 * clsp_type_bytes(vertex->type));
    clspi_option(options, "STRIDE", vertex->stride);
    clspi_option(options, "PLACED", 1);
    for (unsigned i = 0; i < ATTRIBUTES; i++)
        if (clspi_vertex_has(vertex, i)) clspi_option(options, names[i], vertex->offset[i]);
}
