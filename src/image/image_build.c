#include "image_build.h"

#include "check.h"
#include "image_plan.h"

enum { SIDE = 256 /* a size for which everything pays that does for large ones */ };

/* Plans that stand for those that users make. */
static const clsp_image_desc kinds[] = {
    {.directions = 2, .order = CLSP_IMAGE_CUBIC},
    {.directions = 2, .order = CLSP_IMAGE_CUBIC, .samples = CLSP_U8},
    {.directions = 2, .order = CLSP_IMAGE_LINEAR},
    {.directions = 2, .order = CLSP_IMAGE_CUBIC, .prefilter = CLSP_IMAGE_LEAST_SQUARES},
    {.directions = 3, .order = CLSP_IMAGE_CUBIC},
    {.directions = 3, .order = CLSP_IMAGE_CUBIC, .coefficients = CLSP_F16},
    {.directions = 1, .order = CLSP_IMAGE_CUBIC}};

static clsp_status build_kind(const clspi_build *build, clsp_type precision, size_t kind)
{
    clsp_image_plan plan = {.base = {.ctx = build->ctx}, .desc = kinds[kind]};

    for (uint32_t k = 0; k < 3; k++)
        plan.desc.size[k] = SIDE;
    plan.desc.precision = precision;
    CLSPI_CHECK(clspi_image_resolve(build->ctx, &plan.desc));
    CLSPI_CHECK(clspi_image_lay_out(&plan.layout, build->ctx, &plan.desc));
    CLSPI_CHECK(clspi_image_filter_build(build, &plan));
    CLSPI_CHECK(clspi_image_values_build(build, &plan.desc, CLSP_IMAGE_VALUE));
    if (kind > 0) return CLSP_OK;
    const clspi_options range = clspi_sample_options(build->ctx, &plan.desc);
    CLSPI_CHECK(clspi_program_build(build, "image_range", &range));
    return clspi_image_values_build(build, &plan.desc, CLSP_IMAGE_VALUE | CLSP_IMAGE_GRADIENT);
}

clsp_status clspi_image_build(const clspi_build *build)
{
    for (size_t kind = 0; kind < CLSPI_COUNT(kinds); kind++) {
        CLSPI_CHECK(build_kind(build, CLSP_F32, kind));
        if (build->ctx->device.fp64) CLSPI_CHECK(build_kind(build, CLSP_F64, kind));
    }
    return CLSP_OK;
}
