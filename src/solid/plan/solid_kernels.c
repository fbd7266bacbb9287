#include "solid_kernels.h"

#include "check.h"
#include "methods.h"
#include "solid_options.h"

/* Makes the kernels of regular cells; where all blocks are siblings, as in refined meshes, one that
   knows no others. */
static clsp_status create_regular(clsp_solid_plan *plan)
{
    const bool siblings = plan->points.blocks.num_patterns == CLSPI_SIBLINGS + 1;
    const clspi_options options = clspi_regular_options(plan->base.ctx, &plan->desc, siblings);
    const clspi_signature *const signature =
        plan->is_plain ? &clspi_regular_cells_signature : &clspi_regular_vertices_signature;

    CLSPI_CHECK(clspi_kernel_create_for_group(&plan->regular, plan->base.ctx, "regular_cells",
                                              signature, &options,
                                              clspi_regular_group(&plan->desc)));
    if (!clspi_has_block_copies(&plan->desc)) return CLSP_OK;
    return clspi_kernel_create_for_group(&plan->blocks_copied.kernel, plan->base.ctx,
                                         "regular_cells", &clspi_copy_blocks_signature, &options,
                                         plan->regular.local);
}

static clsp_status create_layers(clsp_solid_plan *plan)
{
    const clspi_options options =
        clspi_layer_options(plan->base.ctx, &plan->desc, plan->layout.layers.size);
    const clspi_signature *const signature =
        plan->is_plain ? &clspi_solid_layers_signature : &clspi_layer_vertices_signature;

    CLSPI_CHECK(clspi_kernel_create_for_group(&plan->layers, plan->base.ctx, "solid_layers",
                                              signature, &options, clspi_layer_group(&plan->desc)));
    return clspi_kernel_create_for_group(&plan->layers_copied.kernel, plan->base.ctx,
                                         "solid_layers", &clspi_copy_layers_signature, &options,
                                         plan->layers.local);
}

/* Makes the kernels of tables; with vectors where there are so many cells that fewer items, which
   take longer, keep a device busy. */
static clsp_status create_tables(clsp_solid_plan *plan)
{
    const clsp_context *const ctx = plan->base.ctx;
    const size_t busy = 2 * (size_t)ctx->device.compute_units;
    const bool quads = clspi_table_quads(ctx, &plan->desc) && plan->layout.full.num >= busy;
    const clspi_options options =
        clspi_table_options(ctx, &plan->desc, plan->layout.full.size, quads);
    const clspi_signature *const signature =
        plan->is_plain ? &clspi_solid_tables_signature : &clspi_table_vertices_signature;

    plan->has_quads = quads;
    CLSPI_CHECK(clspi_kernel_create_for_group(&plan->full, plan->base.ctx, "solid_tables",
                                              signature, &options,
                                              clspi_table_group(ctx, &plan->desc, quads)));
    return clspi_kernel_create_for_group(&plan->full_copied.kernel, plan->base.ctx, "solid_tables",
                                         &clspi_copy_sets_signature, &options, plan->full.local);
}

clsp_status clspi_solid_create_kernels(clsp_solid_plan *plan)
{
    const clspi_options options = clspi_solid_options(plan->base.ctx, &plan->desc, 1);

    if (!plan->owner && !plan->by_host)
        CLSPI_CHECK(clspi_kernel_create(&plan->continue_points, plan->base.ctx, "continue_points",
                                        &clspi_continue_points_signature, &options));
    if (!plan->has_grid) return CLSP_OK;
    if (plan->desc.method != CLSP_SOLID_CELLS) return clspi_published_cells.create(plan);
    if (plan->points.blocks.num) CLSPI_CHECK(create_regular(plan));
    if (plan->layout.layers.num) CLSPI_CHECK(create_layers(plan));
    return plan->layout.full.num ? create_tables(plan) : CLSP_OK;
}
