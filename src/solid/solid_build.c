#include "solid_build.h"

#include "check.h"
#include "kernel_arguments.h"
#include "solid_plan.h"

static clsp_status build_kind(const clspi_build *build, clsp_type precision, uint32_t channels)
{
    clsp_context *const ctx = build->ctx;
    const clsp_solid_desc desc = {
        .precision = precision, .channels = channels, .axis = {{4, 0, 1}, {4, 0, 1}, {4, 0, 1}}};
    const clspi_options layers = clspi_solid_options(ctx, &desc, clspi_layer_set(ctx, &desc));
    const clspi_options full = clspi_solid_options(ctx, &desc, CLSPI_MAX_SET);

    CLSPI_CHECK(clspi_program_build(build, "continue_points", &full));
    CLSPI_CHECK(clspi_program_build(build, "weighted_points", &full));
    if (clspi_lanes(ctx, precision) > 1) {
        CLSPI_CHECK(clspi_program_build(build, "solid_layers", &layers));
        return clspi_program_build(build, "solid_tables", &full);
    }
    CLSPI_CHECK(
        clspi_program_build_grouped(build, "solid_layers", &clspi_solid_layers_signature, &layers));
    return clspi_program_build_grouped(build, "solid_tables", &clspi_solid_tables_signature, &full);
}

clsp_status clspi_solid_build(const clspi_build *build)
{
    static const uint32_t channels[] = {1, 3, 4};

    for (size_t i = 0; i < CLSPI_COUNT(channels); i++) {
        CLSPI_CHECK(build_kind(build, CLSP_F32, channels[i]));
        if (build->ctx->device.fp64) CLSPI_CHECK(build_kind(build, CLSP_F64, channels[i]));
    }
    return CLSP_OK;
}
