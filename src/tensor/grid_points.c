#include "grid_points.h"

#include "host_grid.h"
#include "triangle_grid.h"
#include "vertex_layout.h"

bool clspi_rows_lose_normals(const clspi_tensor_plan *plan)
{
    return plan->family->after_rows && !plan->family->has_edges && plan->desc.directions == 2 &&
           (plan->desc.vertex.attributes & CLSP_VERTEX_NORMAL) != 0;
}

/* Finds a vertex of the patch, by its number. */
static clspi_point point_of(const clspi_tensor_plan *plan, const clspi_grid_points *of,
                            size_t vertex)
{
    clspi_point point;

    clspi_point_begin(plan->list_recipe, of->points, of->patch, plan->num_patches, &point);
    clspi_host_grid_point(plan->list_recipe, of->patch, of->nums, vertex, &point);
    return point;
}

void clspi_grid_points_find_normals(const clspi_tensor_plan *plan, const clspi_grid_points *of)
{
    const size_t num_v = of->nums[1], vertex_bytes = clspi_vertex_bytes(&plan->desc);

    for (size_t k = 0, next; k < of->count; k = next) {
        const size_t a = (of->first + k) / num_v, b = (of->first + k) % num_v;
        const bool is_side = a == 0 || a + 1 == of->nums[0];
        char *const vertex = of->out + k * vertex_bytes;
        const bool is_inside = !is_side && b > 0 && b + 1 < num_v;
        next = k + (is_inside ? num_v - 1 - b : 1);
        if (is_inside || !clspi_normal_is_lost(&plan->list_recipe->maker.vertex, vertex)) continue;
        const clspi_point point = point_of(plan, of, of->first + k);
        clspi_point_sides(&plan->list_recipe->maker, &point, 1, vertex);
    }
}

bool clspi_rows_lose_far_parts(const clspi_tensor_plan *plan)
{
    return clspi_is_centred(&plan->desc) && !plan->desc.basis.is_bernstein;
}

void clspi_grid_points_make(const clspi_tensor_plan *plan, const clspi_grid_points *of)
{
    const size_t vertex_bytes = clspi_vertex_bytes(&plan->desc);
    clspi_point points[CLSPI_POINT_CHUNK];

    if (clspi_triangle_has_rows(&plan->desc)) {
        const clspi_triangle_part some = {of->points, plan->num_patches, of->nums[0], of->patch,
                                          of->first,  of->count,         of->out};
        clspi_triangle_grid_make(plan->list_recipe, &some);
        return;
    }
    for (size_t k = 0, num; k < of->count; k += num) {
        num = of->count - k < CLSPI_POINT_CHUNK ? of->count - k : CLSPI_POINT_CHUNK;
        for (size_t p = 0; p < num; p++)
            points[p] = point_of(plan, of, of->first + k + p);
        clspi_point_vertices(&plan->list_recipe->maker, points, num, of->out + k * vertex_bytes);
    }
}
