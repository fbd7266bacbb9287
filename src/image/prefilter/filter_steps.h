/* Which steps a prefilter has: chosen by the description, the size and the device. */
#ifndef CLSPI_FILTER_STEPS_H
#define CLSPI_FILTER_STEPS_H

#include "image_filter.h"

enum {
    CLSPI_TILE_GROUP = 256,       /* items of a group that filters tiles or strips, at most */
    CLSPI_STRIP_GROUP_LEAST = 128 /* and down strips at least */
};

/* Tells whether recursions are to go through registers and tiles: where they are asked for, and by
   default on GPUs. */
bool clspi_filter_wants_tiles(const clsp_image_plan *plan);

/* Chooses the steps of a plan's filter; tiles: recursions go through them where they can. */
void clspi_filter_choose(clspi_image_filter *filter, const clsp_image_plan *plan, bool tiles);

/* Checks that kernels that were asked for can be had. */
clsp_status clspi_filter_check(const clsp_image_plan *plan);

/* Returns the halo of all poles of a recursion together. */
uint32_t clspi_filter_halo(const clsp_image_plan *plan);

/* Returns the items that a group of the kernel of two directions has, no more than rows of the
   image need, and needs at least. */
size_t clspi_filter_group(const clsp_image_plan *plan, const clspi_filter_step *step);
size_t clspi_filter_least_group(const clsp_image_plan *plan);

/* Returns the coefficients of a block that an item keeps in registers. */
uint32_t clspi_register_block(const clsp_context *ctx);

/* Returns the columns that a group of so many items stores by a step. */
size_t clspi_group_width(const clsp_image_plan *plan, const clspi_filter_step *step, size_t group);

static inline bool clspi_makes_two_directions(const clspi_filter_step *step)
{
    return step->kind == CLSPI_STEP_TILES || step->kind == CLSPI_STEP_STRIPS ||
           step->kind == CLSPI_STEP_FIR_STRIPS;
}

static inline bool clspi_is_convolution(const clspi_filter_step *step)
{
    return step->kind == CLSPI_STEP_FIR || step->kind == CLSPI_STEP_STAGED ||
           step->kind == CLSPI_STEP_FIR_STRIPS;
}

#endif
