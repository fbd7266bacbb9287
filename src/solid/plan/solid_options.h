/* Build options of the kernels of solids, and the shapes that they are compiled for. */
#ifndef CLSPI_SOLID_OPTIONS_H
#define CLSPI_SOLID_OPTIONS_H

#include "solid_plan.h"

/* Returns the build options of all kernels. set: cells that are made together. */
clspi_options clspi_solid_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  uint32_t set);

/* Adds to these what the samples of a grid say. */
void clspi_solid_size_options(clspi_options *options, const clsp_context *ctx,
                              const clsp_solid_desc *desc);

/* Returns those of regular_cells.cl; siblings: all blocks are such. */
clspi_options clspi_regular_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                    bool siblings);

/* Returns those of solid_layers.cl. */
clspi_options clspi_layer_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  uint32_t set);

/* Returns those of solid_tables.cl; quads: four adjacent samples are made as a vector. */
clspi_options clspi_table_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  uint32_t set, bool quads);

/* Tells whether the blocks of regular cells have copies of their points. */
bool clspi_has_block_copies(const clsp_solid_desc *desc);

/* Returns the items of a group for regular cells. */
size_t clspi_regular_group(const clsp_solid_desc *desc);

/* Returns the items of a group for layered ones. */
size_t clspi_layer_group(const clsp_solid_desc *desc);

/* Returns the items of a group for tables of all points. */
size_t clspi_table_group(const clsp_context *ctx, const clsp_solid_desc *desc, bool quads);

/* Returns the samples that an item makes of those of a table. */
uint32_t clspi_table_samples(const clsp_context *ctx, const clsp_solid_desc *desc, bool quads);

/* Tells whether items may make four adjacent samples as a vector. */
bool clspi_table_quads(const clsp_context *ctx, const clsp_solid_desc *desc);

/* Returns what sets may have. */
clspi_set_sizes clspi_most_in_sets(const clsp_solid_desc *desc);

#endif
