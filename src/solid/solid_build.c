#include "solid_build.h"

#include "check.h"
#include "kernel_arguments.h"
#include "solid_plan.h"
#include "solid_refine.h"

/* Builds a program of cells for a set; group: items on GPUs. */
static clsp_status build_cells(const clspi_build *build, const clsp_solid_desc *desc,
                               const char *program, const clspi_signature *signature, uint32_t set,
                               size_t group)
{
    const clspi_options options = clspi_solid_options(build->ctx, desc, set);

    if (clspi_lanes(build->ctx, desc->precision) > 1)
        return clspi_program_build(build, program, &options);
    return clspi_program_build_for_group(build, program, signature, &options, group);
}

static clsp_status build_kind(const clspi_build *build, clsp_type precision, uint32_t channels)
{
    clsp_context *const ctx = build->ctx;
    const clsp_solid_desc desc = {
        .precision = precision, .channels = channels, .axis = {{4, 0, 1}, {4, 0, 1}, {4, 0, 1}}};
    const clspi_options options = clspi_solid_options(ctx, &desc, 1);
    const clspi_set_sizes most = clspi_most_in_sets(ctx, &desc);

    CLSPI_CHECK(clspi_program_build(build, "continue_points", &options));
    CLSPI_CHECK(clspi_program_build(build, "weighted_points", &options));
    const clspi_options refine = clspi_refine_options(ctx, precision, channels);
    CLSPI_CHECK(clspi_program_build_for_group(
        build, "refine_points", &clspi_refine_points_signature, &refine, CLSPI_REFINE_GROUP));
    CLSPI_CHECK(build_cells(build, &desc, "regular_cells", &clspi_regular_cells_signature, 1,
                            clspi_regular_group(&desc)));
    CLSPI_CHECK(build_cells(build, &desc, "solid_layers", &clspi_solid_layers_signature,
                            most.layers, clspi_layer_group(&desc)));
    return build_cells(build, &desc, "solid_tables", &clspi_solid_tables_signature, most.full,
                       clspi_table_group(&desc));
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
