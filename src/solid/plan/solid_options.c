#include "solid_options.h"

#include "check.h"
#include "profile.h"
#include "solid_desc.h"

/* Tells whether programs are for the samples that a cell has, which are few then. PoCL 3.1 leaves
   results out where groups of a GPU's shape have sizes compiled in: loops around barriers then have
   one round. */
static bool has_sizes(const clsp_context *ctx, const clsp_solid_desc *desc)
{
    enum { FEW = 16 };
    const clsp_axis *const axis = desc->axis;

    return !clspi_is_pocl(ctx->device.platform) && axis[0].num <= FEW && axis[1].num <= FEW &&
           axis[2].num <= FEW;
}

void clspi_solid_size_options(clspi_options *options, const clsp_context *ctx,
                              const clsp_solid_desc *desc)
{
    if (!has_sizes(ctx, desc)) return;
    clspi_option(options, "FEW", 1);
    clspi_option(options, "NUM_U", desc->axis[0].num);
    clspi_option(options, "NUM_V", desc->axis[1].num);
    clspi_option(options, "NUM_W", desc->axis[2].num);
}

/* Returns how many samples are made at once: as many as the fewest parts of at most 8 need, or
   where programs are to serve other numbers too 4 or 8. */
static uint32_t share_samples(uint32_t num, bool is_exact)
{
    enum { MOST = 8, HALF = MOST / 2 };

    if (!is_exact) return num <= HALF ? HALF : MOST;
    return (uint32_t)clspi_div_up(num, clspi_div_up(num, MOST));
}

/* What an item may keep where it makes several samples or loads several weights together, and where
   it makes four samples of four cells (docs/notes/solid_kernels.md). */
enum { WIDE_REGISTERS = 32, QUAD_REGISTERS = 80 };

/* Tells whether cells have so few samples that GPUs need many of them at once. */
static bool has_few_samples(const clsp_solid_desc *desc)
{
    return clspi_grid_size(desc) <= 64;
}

/* Copies take 188 bytes a cell, in double twice that. */
bool clspi_has_block_copies(const clsp_solid_desc *desc)
{
    return has_few_samples(desc) && desc->precision == CLSP_F32 && clspi_solid_is_plain(desc);
}

uint32_t clspi_table_samples(const clsp_context *ctx, const clsp_solid_desc *desc, bool quads)
{
    if (quads) return 4;
    if (!clspi_solid_is_plain(desc)) return 1;
    return has_few_samples(desc) || ctx->tuning.item_registers < WIDE_REGISTERS ? 1 : 2;
}

size_t clspi_table_group(const clsp_context *ctx, const clsp_solid_desc *desc, bool quads)
{
    enum { LEAST = 32, MOST = 128 };
    const size_t samples = clspi_table_samples(ctx, desc, quads);
    const size_t items = clspi_div_up(clspi_grid_size(desc), samples);

    return clspi_min(clspi_round_up(items, LEAST), quads ? MOST / 2 : MOST);
}

bool clspi_table_quads(const clsp_context *ctx, const clsp_solid_desc *desc)
{
    return desc->precision == CLSP_F32 && clspi_solid_is_plain(desc) &&
           ctx->tuning.item_registers >= QUAD_REGISTERS && !has_few_samples(desc) &&
           clspi_grid_size(desc) % 4 == 0;
}

/* Returns the channels that are summed at once, a divisor of all. */
static uint32_t block_of(const clsp_solid_desc *desc)
{
    return desc->dim <= 4 ? desc->dim : 1;
}

/* Adds what tells kernels of vertices that are more than packed points. */
static void add_vertex(clspi_options *options, const clsp_solid_desc *desc)
{
    const clspi_solid_shape shape = clspi_solid_shape_of(desc);

    if (clspi_solid_is_plain(desc)) return;
    clspi_option(options, "SUMS", clspi_solid_sums(&shape));
    clspi_vertex_place_options(options, &desc->vertex);
    if (clspi_solid_has_gaps(desc)) clspi_option(options, "GAPS", 1);
}

/* Adds the option that says how many vertices a group has in local memory, at most `most`. */
static void add_pile(clspi_options *options, const clsp_solid_desc *desc, size_t most)
{
    enum { BYTES = 8192 };
    const size_t bytes = desc->vertex.stride * clsp_type_bytes(desc->precision);

    clspi_option(options, "PILE", clspi_min(clspi_max(1, BYTES / bytes), most));
}

clspi_options clspi_solid_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  uint32_t set)
{
    clspi_options options = clspi_options_of(ctx, desc->precision);

    clspi_option(&options, "DIM", desc->dim);
    clspi_option(&options, "BLOCK", block_of(desc));
    clspi_option(&options, "SET", set);
    clspi_solid_size_options(&options, ctx, desc);
    return options;
}

/* Returns how many samples of a column an item makes at once, in any direction. */
static uint32_t share_column(const clsp_context *ctx, const clsp_solid_desc *desc)
{
    const clsp_axis *const axis = desc->axis;
    const uint32_t most = (uint32_t)clspi_max(clspi_max(axis[0].num, axis[1].num), axis[2].num);

    return share_samples(most, has_sizes(ctx, desc));
}

clspi_options clspi_regular_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                    bool siblings)
{
    const bool is_double = desc->precision == CLSP_F64; /* sums fit into 32 KiB of local memory */
    uint32_t wide = share_samples(desc->axis[2].num, has_sizes(ctx, desc));
    clspi_options options = clspi_solid_options(ctx, desc, 1);

    add_vertex(&options, desc);
    if (is_double) wide = (uint32_t)clspi_min(wide, 4);
    if (!clspi_solid_is_plain(desc)) {
        clspi_option(&options, "WIDE", wide);
        clspi_option(&options, "DEEP", 4);
        clspi_option(&options, "ACROSS", share_column(ctx, desc));
        return options;
    }
    clspi_option(&options, "WIDE", wide);
    clspi_option(&options, "DEEP",
                 clspi_has_block_copies(desc) ? 1
                 : has_few_samples(desc)      ? 2
                                              : 4);
    clspi_option(&options, "ACROSS", share_column(ctx, desc));
    if (clspi_has_block_copies(desc)) clspi_option(&options, "SMALL", 1);
    if (clspi_has_block_copies(desc) && siblings) clspi_option(&options, "SIBLINGS", 1);
    return options;
}

clspi_options clspi_layer_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  uint32_t set)
{
    const bool few = has_few_samples(desc), has_room = ctx->tuning.item_registers >= WIDE_REGISTERS;
    const uint32_t across = share_column(ctx, desc);
    clspi_options options = clspi_solid_options(ctx, desc, set);

    clspi_option(&options, "MAX_SLICE", CLSPI_MAX_SLICE);
    add_vertex(&options, desc);
    if (!clspi_solid_is_plain(desc)) {
        clspi_option(&options, "COLUMNS", has_room ? 4 : 1);
        clspi_option(&options, "ACROSS", across);
        return options;
    }
    clspi_option(&options, "COLUMNS", few || !has_room ? 1 : 2);
    clspi_option(&options, "ACROSS", few || has_room ? across : (uint32_t)clspi_min(across, 2));
    return options;
}

clspi_options clspi_table_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  uint32_t set, bool quads)
{
    enum { STEP = 6, MOST_CELLS = 4, MOST_CHANNELS = 3, REGISTERS = 96 };
    enum { MOST_SUMS = 4, SUMS_REGISTERS = 80 };
    const bool few = has_few_samples(desc), has_room = ctx->tuning.item_registers >= WIDE_REGISTERS;
    const bool is_double = desc->precision == CLSP_F64;
    const clspi_solid_shape shape = clspi_solid_shape_of(desc);
    const uint32_t rows = quads ? 1 : clspi_table_samples(ctx, desc, false);
    const uint32_t loads = desc->dim == 4 ? 8 : 16; /* clang leaves longer loops as they are */
    clspi_options options = clspi_solid_options(ctx, desc, set);

    add_vertex(&options, desc);
    if (!clspi_solid_is_plain(desc)) {
        add_pile(&options, desc, clspi_table_group(ctx, desc, quads));
        if (has_room) clspi_option(&options, "STEP", is_double && few ? 2 : 4);
        if (!is_double && shape.num_sums <= MOST_SUMS) options.registers = SUMS_REGISTERS;
        return options;
    }
    clspi_option(&options, "ROWS", rows);
    if (has_room) clspi_option(&options, "STEP", quads ? STEP : loads / rows);
    if (quads) { /* up to 3 dim fit into so many registers, which leave room for ten groups */
        if (desc->dim <= MOST_CHANNELS && set <= MOST_CELLS) options.registers = REGISTERS;
        clspi_option(&options, "QUADS", 1);
        clspi_option(&options, "UNITS", ctx->device.compute_units);
    }
    return options;
}

clspi_set_sizes clspi_most_in_sets(const clsp_solid_desc *desc)
{
    enum { REALS = 48 }; /* sums that an item makes of cells with tables of their own */
    const clspi_set_sizes most = {3, 4};
    const clspi_solid_shape shape = clspi_solid_shape_of(desc);
    const size_t sums = clspi_max(1, shape.num_sums * block_of(desc));
    const uint32_t many = desc->precision == CLSP_F64 ? 1 : 2;
    const uint32_t layers = has_few_samples(desc) ? most.layers : many;

    if (desc->method != CLSP_SOLID_CELLS) return (clspi_set_sizes){1, 1};
    if (clspi_solid_is_plain(desc)) return most;
    return (clspi_set_sizes){layers, (uint32_t)clspi_max(1, clspi_min(most.full, REALS / sums))};
}

size_t clspi_regular_group(const clsp_solid_desc *desc)
{
    const bool few = has_few_samples(desc);

    if (clspi_solid_is_plain(desc)) return few ? 64 : 96; /* docs/notes/solid_kernels.md */
    return (few ? 384 : 768) / clsp_type_bytes(desc->precision);
}

size_t clspi_layer_group(const clsp_solid_desc *desc)
{
    if (has_few_samples(desc)) return 48;
    return clspi_solid_is_plain(desc) ? 96 : 768 / clsp_type_bytes(desc->precision);
}
