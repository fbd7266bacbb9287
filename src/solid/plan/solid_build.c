#include "solid_build.h"

#include "check.h"
#include "device_lists.h"
#include "kernel_arguments.h"
#include "lattice.h"
#include "solid_desc.h"
#include "solid_options.h"
#include "solid_refine.h"

/* Builds the programs of regular cells, where blocks are copied also those for siblings alone. */
static clsp_status build_regular(const clspi_build *build, const clsp_solid_desc *desc)
{
    const clspi_signature *const signature = clspi_solid_is_plain(desc)
                                                 ? &clspi_regular_cells_signature
                                                 : &clspi_regular_vertices_signature;

    for (int siblings = 0; siblings <= clspi_has_block_copies(desc); siblings++) {
        const clspi_options options = clspi_regular_options(build->ctx, desc, siblings);
        CLSPI_CHECK(clspi_program_build_for_group(build, "regular_cells", signature, &options,
                                                  clspi_regular_group(desc)));
    }
    return CLSP_OK;
}

/* Builds those of layers and of tables. */
static clsp_status build_others(const clspi_build *build, const clsp_solid_desc *desc)
{
    const bool is_plain = clspi_solid_is_plain(desc);
    const clspi_set_sizes most = clspi_most_in_sets(desc);
    const clspi_options layers = clspi_layer_options(build->ctx, desc, most.layers);

    CLSPI_CHECK(clspi_program_build_for_group(build, "solid_layers",
                                              is_plain ? &clspi_solid_layers_signature
                                                       : &clspi_layer_vertices_signature,
                                              &layers, clspi_layer_group(desc)));
    for (int quads = 0; quads <= clspi_table_quads(build->ctx, desc); quads++) {
        const clspi_options options = clspi_table_options(build->ctx, desc, most.full, quads);
        CLSPI_CHECK(clspi_program_build_for_group(
            build, "solid_tables",
            is_plain ? &clspi_solid_tables_signature : &clspi_table_vertices_signature, &options,
            clspi_table_group(build->ctx, desc, quads)));
    }
    return CLSP_OK;
}

/* Describes cells with so many samples along each direction, whose vertices have these
   attributes. */
static clsp_status describe(const clspi_build *build, clsp_solid_desc *desc, clsp_type precision,
                            uint32_t dim, uint32_t num, uint32_t attributes)
{
    const clsp_axis axis = {.num = num, .end = 1};

    *desc = (clsp_solid_desc){.precision = precision,
                              .dim = dim,
                              .axis = {axis, axis, axis},
                              .vertex.attributes = attributes,
                              .method = CLSP_SOLID_CELLS};
    return clspi_solid_desc_resolve(build->ctx, desc);
}

static clsp_status build_kind(const clspi_build *build, clsp_type precision, uint32_t dim)
{
    enum { FEW = 4, MANY = 8 };
    clsp_context *const ctx = build->ctx;
    clsp_solid_desc desc;

    CLSPI_CHECK(describe(build, &desc, precision, dim, FEW, CLSP_VERTEX_POINT));
    const clspi_options options = clspi_solid_options(ctx, &desc, 1);
    CLSPI_CHECK(clspi_program_build(build, "continue_points", &options));
    const clspi_options lists = clspi_device_list_options(ctx, &desc);
    CLSPI_CHECK(clspi_program_build(build, "list_points", &lists));
    const clspi_options refine = clspi_refine_options(ctx, precision, dim);
    CLSPI_CHECK(clspi_program_build_for_group(
        build, "refine_points", &clspi_refine_points_signature, &refine, CLSPI_REFINE_GROUP));
    CLSPI_CHECK(build_regular(build, &desc));
    CLSPI_CHECK(build_others(build, &desc));
    CLSPI_CHECK(clspi_lattice_build(build, &desc));
    CLSPI_CHECK(describe(build, &desc, precision, dim, MANY, CLSP_VERTEX_POINT));
    return build_others(build, &desc);
}

/* Builds the programs for vertices of value and gradient. */
static clsp_status build_vertices(const clspi_build *build, clsp_type precision)
{
    static const uint32_t num[] = {4, 8};

    for (size_t i = 0; i < CLSPI_COUNT(num); i++) {
        clsp_solid_desc desc;
        CLSPI_CHECK(describe(build, &desc, precision, 3, num[i],
                             CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV | CLSP_VERTEX_DW));
        CLSPI_CHECK(build_regular(build, &desc));
        CLSPI_CHECK(build_others(build, &desc));
    }
    return CLSP_OK;
}

clsp_status clspi_solid_build(const clspi_build *build)
{
    static const uint32_t dim[] = {1, 3, 4};

    for (size_t i = 0; i < CLSPI_COUNT(dim); i++) {
        CLSPI_CHECK(build_kind(build, CLSP_F32, dim[i]));
        if (build->ctx->device.fp64) CLSPI_CHECK(build_kind(build, CLSP_F64, dim[i]));
    }
    CLSPI_CHECK(build_vertices(build, CLSP_F32));
    return build->ctx->device.fp64 ? build_vertices(build, CLSP_F64) : CLSP_OK;
}
