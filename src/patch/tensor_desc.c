#include "tensor_desc.h"

#include "check.h"

bool clspi_same_controls(const clspi_tensor_desc *a, const clspi_tensor_desc *b)
{
    bool same = a->num_controls == b->num_controls;

    for (int i = 0; i < 3; i++)
        same = same && a->controls[i] == b->controls[i] && a->degrees[i] == b->degrees[i];
    return same;
}

bool clspi_is_unit_axis(const clsp_axis *axis)
{
    return !axis->params && axis->begin == 0.0 && axis->end == 1.0;
}

static clsp_status check_params(clspi_log *log, const char *family, const clsp_axis *axis,
                                const double domain[2])
{
    if (axis->begin != 0.0 || axis->end != 0.0)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: an axis with params has no begin and end",
                          family);
    for (uint32_t a = 0; a < axis->num; a++)
        if (!(axis->params[a] >= domain[0] && axis->params[a] <= domain[1]))
            return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                              "%s: sample %u of an axis, %g, is not within [%g, %g]", family, a,
                              axis->params[a], domain[0], domain[1]);
    return CLSP_OK;
}

clsp_axis clspi_axis_with_ends(const clsp_axis *axis)
{
    clsp_axis with = *axis;

    if (!axis->params || axis->num == 0) return with;
    with.begin = axis->params[0];
    with.end = axis->params[axis->num - 1];
    return with;
}

clsp_status clspi_axis_resolve(clspi_log *log, const char *family, clsp_axis *axis,
                               const double domain[2])
{
    if (axis->num > CLSP_PATCH_MAX_SAMPLES)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: a grid of %u samples: at most %d", family,
                          axis->num, CLSP_PATCH_MAX_SAMPLES);
    if (axis->params) return check_params(log, family, axis, domain);
    if (axis->begin == 0.0 && axis->end == 0.0) {
        axis->begin = domain[0];
        axis->end = domain[1];
    }
    if (axis->begin >= domain[0] && axis->begin <= domain[1] && axis->end >= domain[0] &&
        axis->end <= domain[1])
        return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: an axis from %g to %g is not within [%g, %g]",
                      family, axis->begin, axis->end, domain[0], domain[1]);
}

clsp_status clspi_axes_resolve(clspi_log *log, const char *family, clsp_axis axis[3],
                               const double domain[3][2], uint32_t directions)
{
    for (uint32_t k = 0; k < 3; k++)
        CLSPI_CHECK(clspi_axis_resolve(log, family, &axis[k], domain[k]));
    for (uint32_t k = 1; k < directions; k++)
        if ((axis[k].num == 0) != (axis[0].num == 0))
            return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                              "%s: a grid has samples in all directions or in none, not along one "
                              "of: %u",
                              family, axis[k].num);
    return CLSP_OK;
}

clsp_status clspi_precision_check(clsp_context *ctx, const char *family, clsp_type precision)
{
    if (precision != CLSP_F32 && precision != CLSP_F64)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: precision is neither CLSP_F32 nor CLSP_F64: %s", family,
                          clspi_type_name(precision));
    if (precision == CLSP_F32 || ctx->device.fp64) return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_NO_FP64,
                      "%s: %s has no double precision; use single precision or another device",
                      family, ctx->device.name);
}
