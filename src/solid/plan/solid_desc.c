#include "solid_desc.h"

#include "check.h"
#include "methods.h"
#include "solid_plan.h"
#include "tensor_desc.h"

/* ---- axes ---- */

static clsp_status check_params(clspi_log *log, const clsp_axis *axis)
{
    if (axis->begin != 0.0 || axis->end != 0.0)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "solid: an axis has begin %g and end %g beside parameters of its own",
                          axis->begin, axis->end);
    for (uint32_t a = 0; a < axis->num; a++)
        if (!(axis->params[a] >= 0.0 && axis->params[a] <= 1.0))
            return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                              "solid: sample %u at %g is not within [0, 1]", a, axis->params[a]);
    return CLSP_OK;
}

static clsp_status check_axis(clspi_log *log, clsp_axis *axis)
{
    if (axis->num > CLSP_SOLID_MAX_SAMPLES)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "solid: %u samples: at most %d", axis->num,
                          CLSP_SOLID_MAX_SAMPLES);
    if (axis->params) return check_params(log, axis);
    if (axis->begin == 0.0 && axis->end == 0.0) axis->end = 1.0;
    if (axis->begin >= 0.0 && axis->begin <= 1.0 && axis->end >= 0.0 && axis->end <= 1.0)
        return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                      "solid: samples from %g to %g are not within [0, 1]", axis->begin, axis->end);
}

static clsp_status check_axes(clspi_log *log, clsp_solid_desc *desc)
{
    for (uint32_t a = 0; a < 3; a++)
        CLSPI_CHECK(check_axis(log, &desc->axis[a]));
    for (uint32_t a = 1; a < 3; a++)
        if ((desc->axis[a].num == 0) != (desc->axis[0].num == 0))
            return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                              "solid: a grid has samples in all directions or in none");
    if (clspi_grid_size(desc) <= CLSP_SOLID_MAX_GRID) return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_ARGUMENT, "solid: %zu samples of a cell: at most %d",
                      clspi_grid_size(desc), CLSP_SOLID_MAX_GRID);
}

/* ---- vertices ---- */

static clspi_vertex_kind kind_of(const clsp_solid_desc *desc)
{
    const uint32_t all = CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV | CLSP_VERTEX_DW |
                         CLSP_VERTEX_DUU | CLSP_VERTEX_DUV | CLSP_VERTEX_DVV | CLSP_VERTEX_DUW |
                         CLSP_VERTEX_DVW | CLSP_VERTEX_DWW | CLSP_VERTEX_PARAMS;
    const clspi_vertex_kind kind = {
        .family = "solid",
        .precision = desc->precision,
        .directions = 3,
        .dim = desc->dim,
        .allowed = all | (desc->dim == 3 ? CLSP_VERTEX_JACOBIAN | CLSP_VERTEX_NORMAL : 0)};

    return kind;
}

clspi_solid_shape clspi_solid_shape_of(const clsp_solid_desc *desc)
{
    const clsp_vertex_layout *const vertex = &desc->vertex;
    clspi_solid_shape shape = {.dim = desc->dim,
                               .is_double = desc->precision == CLSP_F64,
                               .bits = (uint32_t)(8 * clsp_type_bytes(vertex->type)),
                               .stride = vertex->stride};

    for (unsigned k = 0; k < CLSPI_SOLID_PARTS; k++)
        shape.at[k] = clspi_vertex_has(vertex, k) ? (int32_t)vertex->offset[k] : -1;
    clspi_solid_shape_complete(&shape);
    return shape;
}

bool clspi_solid_is_plain(const clsp_solid_desc *desc)
{
    const uint32_t others = CLSP_VERTEX_PARAMS | CLSP_VERTEX_JACOBIAN | CLSP_VERTEX_NORMAL;
    const uint32_t attributes = desc->vertex.attributes;

    return (attributes & others) == 0 && (attributes & (attributes - 1)) == 0 &&
           desc->vertex.type == desc->precision && desc->vertex.stride == desc->dim;
}

bool clspi_solid_has_gaps(const clsp_solid_desc *desc)
{
    const clspi_vertex_kind kind = kind_of(desc);

    return clspi_vertex_has_gaps(&kind, &desc->vertex);
}

static clsp_status check_vertex(clsp_context *ctx, clsp_solid_desc *desc)
{
    const clspi_vertex_kind kind = kind_of(desc);

    CLSPI_CHECK(clspi_vertex_resolve(ctx, &kind, &desc->vertex));
    if (desc->method <= CLSP_SOLID_CELLS || desc->method == CLSP_SOLID_LATTICES) return CLSP_OK;
    CLSPI_CHECK(clspi_published_check(&ctx->log, "solid"));
    if (clspi_solid_is_plain(desc)) return CLSP_OK;
    return clspi_fail(
        &ctx->log, CLSP_ERROR_ARGUMENT,
        "solid: methods other than cells and lattices make packed points, or derivatives of one "
        "order, in the plan's precision alone");
}

/* ---- all ---- */

clsp_status clspi_solid_desc_resolve(clsp_context *ctx, clsp_solid_desc *desc)
{
    CLSPI_CHECK(clspi_reserved_check(&ctx->log, "clsp_solid_desc", desc->reserved));
    if (desc->precision == CLSP_TYPE_DEFAULT) desc->precision = CLSP_F32;
    CLSPI_CHECK(clspi_precision_check(ctx, "solid", desc->precision));
    if (desc->method > CLSP_SOLID_LATTICES)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "solid: unknown method %d",
                          (int)desc->method);
    if (desc->dim == 0) desc->dim = 3;
    if (desc->dim > CLSP_SOLID_MAX_DIM)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "solid: dim %u: at most %d", desc->dim,
                          CLSP_SOLID_MAX_DIM);
    CLSPI_CHECK(check_axes(&ctx->log, desc));
    return check_vertex(ctx, desc);
}
