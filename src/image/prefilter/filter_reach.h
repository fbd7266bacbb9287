/* Which samples the coefficients of a prefilter's steps are made of, and so which coefficients can
   be made of samples that are a part of a whole's. Steps and the host filter blocks, which begin at
   multiples of their length, counted from the whole's begin, and need `halo` samples on either side
   of each. */
#ifndef CLSPI_FILTER_REACH_H
#define CLSPI_FILTER_REACH_H

#include "image_filter.h"

/* Tells whether a step filters along a direction. */
bool clspi_image_step_has_axis(const clspi_filter_step *step, uint32_t axis);

/* Returns the samples around a block of a step that count. */
uint32_t clspi_image_step_halo(const clspi_filter_step *step, uint32_t axis);

/* Finds which coefficients the steps of a plan's filter make, or the host in their place. */
void clspi_filter_find_made(clspi_image_filter *filter, const clsp_image_plan *plan);

/* Widens a range of the whole's coefficients along a direction, `first` to `last`, to that of what
   a plan's filter makes them of. */
void clspi_filter_widen(const clsp_image_plan *plan, uint32_t axis, uint32_t *first,
                        uint32_t *last);

#endif
