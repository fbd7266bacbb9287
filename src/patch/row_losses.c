#include "row_losses.h"

#include "recipe_points.h"
#include "vertex_layout.h"

bool clspi_rows_lose_normals(const clsp_patch_plan *plan)
{
    return plan->family->after_rows && !plan->family->has_edges && plan->desc.directions == 2 &&
           (plan->desc.vertex.attributes & CLSP_VERTEX_NORMAL) != 0;
}

void clspi_rows_find_normals(const clsp_patch_plan *plan, const clspi_row_vertices *of)
{
    const size_t num_v = of->nums[1], vertex_bytes = clspi_vertex_bytes(&plan->desc);
    const clspi_list_recipe *const recipe = plan->list_recipe;
    clspi_point point;

    for (size_t k = 0, next; k < of->count; k = next) {
        const size_t a = (of->first + k) / num_v, b = (of->first + k) % num_v;
        const bool is_side = a == 0 || a + 1 == of->nums[0];
        char *const vertex = of->out + k * vertex_bytes;
        const bool is_inside = !is_side && b > 0 && b + 1 < num_v;
        next = k + (is_inside ? num_v - 1 - b : 1);
        if (is_inside || !clspi_normal_is_lost(&recipe->maker.vertex, vertex)) continue;
        clspi_point_begin(recipe, of->points, of->patch, plan->num_patches, &point);
        clspi_grid_point(recipe, of->patch, of->nums, of->first + k, &point);
        clspi_point_sides(&recipe->maker, &point, 1, vertex);
    }
}

bool clspi_rows_lose_far_parts(const clsp_patch_plan *plan)
{
    return clspi_is_centred(&plan->desc) && !plan->desc.basis.is_bernstein;
}
