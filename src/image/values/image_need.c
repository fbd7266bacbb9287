/* The public call that tells which samples results need. */
#include "check.h"
#include "filter_reach.h"
#include "image_call.h"
#include "coefficient_part.h"

/* Finds the coordinates of all points of a map. */
static clsp_status find_reach(const clsp_image_plan *plan, const clsp_image_map *map,
                              clspi_image_reach *reach)
{
    clspi_image_call call = {.job = {.plan = (clsp_image_plan *)plan}}; /* it is only read */
    clspi_memory_need need;
    const char *at = NULL;

    CLSPI_CHECK(clspi_image_take_map(&call, map));
    CLSPI_CHECK(clspi_image_count_points(&call));
    if (call.given) CLSPI_CHECK(clspi_image_given_need(&call, &need));
    if (call.given) CLSPI_CHECK(clspi_shared_input(&plan->base, call.given, &need, &at));
    clspi_image_find_given(&call, at, call.job.given);
    *reach = clspi_image_reach_of(&call.job, call.points);
    return CLSP_OK;
}

/* Gives which samples of a direction coefficients first to last are made of. */
static void take_samples(const clsp_image_plan *plan, uint32_t d, uint32_t first, uint32_t last,
                         clsp_image_desc *part)
{
    const uint32_t k = d - (3 - plan->desc.directions), pad = plan->layout.pad[d];
    const uint32_t num = plan->layout.whole[d] - 2 * pad;

    clspi_filter_widen(plan, d, &first, &last);
    const uint32_t begin = first < pad ? 0 : first - pad < num ? first - pad : num - 1;
    const uint32_t end = last < pad ? 1 : last - pad < num ? last - pad + 1 : num;
    part->part.begin[k] = begin;
    part->size[k] = end - begin;
}

clsp_status clsp_image_need(const clsp_image_plan *plan, const clsp_image_map *map,
                            clsp_image_desc *part)
{
    clspi_image_reach reach;

    if (!plan || !part) return clspi_null_argument(plan ? &plan->base : NULL, "clsp_image_need");
    clspi_image_layout whole = plan->layout;
    clsp_image_desc made = plan->desc;
    for (uint32_t d = 0; d < 3; d++) {
        whole.low[d] = 0;
        whole.stored[d] = whole.whole[d];
    }
    CLSPI_CHECK(find_reach(plan, map, &reach));
    const clspi_image_part need = clspi_image_need(&whole, clspi_image_order(&made), &reach);
    for (uint32_t d = 3 - made.directions; d < 3; d++) {
        const bool is_one = (int32_t)need.num[d] == need.cut[d] - need.low[d];
        const int32_t end = is_one ? need.cut[d] : (int32_t)need.num[d] + need.high[d];
        take_samples(plan, d, (uint32_t)need.low[d], (uint32_t)(end - 1), &made);
    }
    *part = made;
    return CLSP_OK;
}
