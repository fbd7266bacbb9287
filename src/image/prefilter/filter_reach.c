#include "filter_reach.h"

#include "check.h"
#include "filter_steps.h"
#include "image_lines.h"
#include "image_plan.h"

bool clspi_image_step_has_axis(const clspi_filter_step *step, uint32_t axis)
{
    if (step->kind == CLSPI_STEP_COPY) return false;
    return step->axis == axis || (clspi_makes_two_directions(step) && axis == 2);
}

/* Strips filter the pieces of a row by themselves, and then add what whole neighbours bring. */
uint32_t clspi_image_step_halo(const clspi_filter_step *step, uint32_t axis)
{
    return axis == 2 && step->kind == CLSPI_STEP_STRIPS
               ? (uint32_t)clspi_round_up(step->halo, STRIP_CHUNK)
               : step->halo;
}

/* How a step, or the host, filters a direction of a whole. */
typedef struct step_reach {
    uint32_t block; /* 0: whole lines, or what counts as such */
    uint32_t halo;
} step_reach;

/* Finds how a step filters a direction. Of images that are small all of a line counts for each
   coefficient of a recursion. */
static step_reach reach_of(const clsp_image_plan *plan, const clspi_filter_step *step,
                           uint32_t axis)
{
    const uint32_t block = clspi_is_convolution(step) ? 1
                           : plan->layout.is_small    ? 0
                                                      : clspi_image_step_block(plan, step, axis);

    return (step_reach){block, clspi_image_step_halo(step, axis)};
}

/* Tells whether it is the host that filters a direction, and finds how: all poles at once, and rows
   by whole lines of a cache. */
static bool host_reach(const clsp_image_plan *plan, uint32_t axis, step_reach *reach)
{
    const bool is_convolution = plan->desc.prefilter != CLSP_IMAGE_RECURSIVE;
    const uint32_t line = 64 / (uint32_t)clsp_type_bytes(plan->desc.precision);
    const uint32_t halo = is_convolution ? plan->desc.taps / 2 : clspi_filter_halo(plan);

    reach->block = is_convolution ? 1 : plan->layout.is_small ? 0 : CLSPI_LINE_BLOCK;
    reach->halo =
        !is_convolution && axis == 2 ? (uint32_t)clspi_round_up(halo, line) + line - 1 : halo;
    return clspi_image_is_filtered_by_host(plan) && plan->desc.prefilter != CLSP_IMAGE_NONE &&
           plan->layout.whole[axis] > 1;
}

/* Coefficients of a direction of the whole, which are those of index begin to end - 1, and whether
   what stands before and behind them is missing. */
typedef struct known_range {
    uint32_t begin, end;
    bool is_cut_before, is_cut_behind;
} known_range;

/* Gives what samples along a direction are there. What a periodic image has beyond an end is at the
   other one. */
static known_range known_along(const clspi_image_layout *l, uint32_t axis)
{
    known_range r = {.begin = clspi_given_begin(l, axis), .end = clspi_given_end(l, axis)};
    const bool is_part = r.begin > 0 || r.end < l->whole[axis];
    const bool is_periodic = clspi_image_filter_mode(l->mode[axis]) == CLSP_IMAGE_GRID_WRAP;

    r.is_cut_before = is_part && (is_periodic || r.begin > 0);
    r.is_cut_behind = is_part && (is_periodic || r.end < l->whole[axis]);
    return r;
}

/* Keeps of a range the whole blocks that a step makes of it. */
static void keep_made(known_range *r, step_reach reach)
{
    const uint64_t behind = r->end > reach.halo ? r->end - reach.halo : 0;
    uint64_t begin = r->begin, end = r->end;

    if (reach.block == 0 && (r->is_cut_before || r->is_cut_behind)) end = begin;
    if (reach.block > 0 && r->is_cut_before)
        begin = clspi_round_up((size_t)begin + reach.halo, reach.block);
    if (reach.block > 0 && r->is_cut_behind) end = behind / reach.block * reach.block;
    r->begin = (uint32_t)clspi_min_u64(begin, r->end);
    r->end = (uint32_t)(end < r->begin ? r->begin : end);
}

void clspi_filter_find_made(clspi_image_filter *filter, const clsp_image_plan *plan)
{
    const clspi_image_layout *const l = &plan->layout;

    for (uint32_t axis = 0; axis < 3; axis++) {
        known_range r = known_along(l, axis);
        step_reach reach;
        if (host_reach(plan, axis, &reach)) keep_made(&r, reach);
        for (uint32_t i = 0; i < filter->num; i++) {
            clspi_filter_step *const step = &filter->step[i];
            const bool has_axis = clspi_image_step_has_axis(step, axis);
            if (has_axis) keep_made(&r, reach_of(plan, step, axis));
            step->made[axis][0] = has_axis ? r.begin - l->low[axis] : 0;
            step->made[axis][1] = has_axis ? r.end - l->low[axis] : l->stored[axis];
        }
        filter->made[axis][0] = r.begin - l->low[axis];
        filter->made[axis][1] = r.end - l->low[axis];
    }
}

/* Widens a range to the blocks of a step, and to the samples around them. */
static void widen(known_range *r, const clspi_image_layout *l, uint32_t axis, step_reach reach)
{
    const uint32_t whole = l->whole[axis];
    const bool is_periodic = clspi_image_filter_mode(l->mode[axis]) == CLSP_IMAGE_GRID_WRAP;
    const uint64_t unit = reach.block > 0 ? reach.block : whole;
    const uint64_t begin = r->begin / unit * unit;
    const uint64_t end = clspi_div_up(r->end, (size_t)unit) * unit + reach.halo;

    if (is_periodic && (begin < reach.halo || end > whole)) {
        r->begin = 0;
        r->end = whole;
        return;
    }
    r->begin = begin > reach.halo ? (uint32_t)(begin - reach.halo) : 0;
    r->end = (uint32_t)clspi_min_u64(end, whole);
}

void clspi_filter_widen(const clsp_image_plan *plan, uint32_t axis, uint32_t *first, uint32_t *last)
{
    known_range r = {.begin = *first, .end = *last + 1};
    step_reach reach;

    for (uint32_t i = plan->filter.num; i-- > 0;) {
        const clspi_filter_step *const step = &plan->filter.step[i];
        if (clspi_image_step_has_axis(step, axis))
            widen(&r, &plan->layout, axis, reach_of(plan, step, axis));
    }
    if (host_reach(plan, axis, &reach)) widen(&r, &plan->layout, axis, reach);
    *first = r.begin;
    *last = r.end - 1;
}
