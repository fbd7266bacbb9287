#include "solid_build.h"

#include "check.h"
#include "kernel_arguments.h"
#include "solid_desc.h"
#include "solid_options.h"
#include "solid_refine.h"

/* Builds a program of cells; group: items on GPUs. */
static clsp_status build_cells(const clspi_build *build, clsp_type precision, const char *program,
                               const clspi_signature *signature, const clspi_options *options,
                               size_t group)
{
    if (clspi_lanes(build->ctx, precision) > 1) return clspi_program_build(build, program, options);
    return clspi_program_build_for_group(build, program, signature, options, group);
}

/* Builds the programs of layers and of tables for so many samples along each direction. */
static clsp_status build_others(const clspi_build *build, clsp_solid_desc desc, uint32_t num)
{
    for (uint32_t a = 0; a < 3; a++)
        desc.axis[a].num = num;
    const clspi_set_sizes most = clspi_most_in_sets(build->ctx, &desc);
    const clspi_options layers = clspi_layer_options(build->ctx, &desc, most.layers);

    CLSPI_CHECK(build_cells(build, desc.precision, "solid_layers", &clspi_solid_layers_signature,
                            &layers, clspi_layer_group(&desc)));
    for (int quads = 0; quads <= clspi_table_quads(build->ctx, &desc); quads++) {
        const clspi_options options = clspi_table_options(build->ctx, &desc, most.full, quads);
        CLSPI_CHECK(build_cells(build, desc.precision, "solid_tables",
                                &clspi_solid_tables_signature, &options,
                                clspi_table_group(build->ctx, &desc, quads)));
    }
    return CLSP_OK;
}

static clsp_status build_kind(const clspi_build *build, clsp_type precision, uint32_t dim)
{
    clsp_context *const ctx = build->ctx;
    const clsp_axis axis = {.num = 4, .end = 1};
    clsp_solid_desc desc = {.precision = precision, .dim = dim, .axis = {axis, axis, axis}};

    CLSPI_CHECK(clspi_solid_desc_resolve(ctx, &desc));
    const clspi_options options = clspi_solid_options(ctx, &desc, 1);

    CLSPI_CHECK(clspi_program_build(build, "continue_points", &options));
    CLSPI_CHECK(clspi_program_build(build, "weighted_points", &options));
    const clspi_options refine = clspi_refine_options(ctx, precision, dim);
    CLSPI_CHECK(clspi_program_build_for_group(
        build, "refine_points", &clspi_refine_points_signature, &refine, CLSPI_REFINE_GROUP));
    for (int siblings = 0; siblings <= clspi_has_block_copies(ctx, &desc); siblings++) {
        const clspi_options regular = clspi_regular_options(ctx, &desc, siblings);
        CLSPI_CHECK(build_cells(build, precision, "regular_cells", &clspi_regular_cells_signature,
                                &regular, clspi_regular_group(&desc)));
    }
    CLSPI_CHECK(build_others(build, desc, 4));
    return clspi_lanes(ctx, precision) > 1 ? CLSP_OK : build_others(build, desc, 8);
}

clsp_status clspi_solid_build(const clspi_build *build)
{
    static const uint32_t dim[] = {1, 3, 4};

    for (size_t i = 0; i < CLSPI_COUNT(dim); i++) {
        CLSPI_CHECK(build_kind(build, CLSP_F32, dim[i]));
        if (build->ctx->device.fp64) CLSPI_CHECK(build_kind(build, CLSP_F64, dim[i]));
    }
    return CLSP_OK;
}
