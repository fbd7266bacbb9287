#include "host_grid.h"

#include "check.h"
#include "eval_points.h"
#include "patch_rows.h"
#include "recipe_points.h"
#include "triangle_grid.h"
#include "vertex_layout.h"

/* Returns the numbers of samples of a patch. */
static const uint32_t *nums_of(const clsp_patch_plan *plan, size_t patch, uint32_t common[3])
{
    for (int k = 0; k < 3; k++)
        common[k] = plan->desc.axis[k].num;
    return clspi_has_patch_grids(&plan->grids)
               ? plan->grids.nums + patch * clspi_grid_directions(&plan->desc)
               : common;
}

/* Returns the vertices of a patch. */
static size_t vertices_of(const clsp_patch_plan *plan, size_t patch)
{
    const size_t *const first = plan->grids.first_vertex;

    return clspi_has_patch_grids(&plan->grids) ? first[patch + 1] - first[patch]
                                               : plan->patch_vertices;
}

/* Makes vertices of triangles by rows: those of a patch or, where all have one grid, all. */
static void make_triangles(const clsp_patch_plan *plan, clspi_cut at, char *out)
{
    const bool own = clspi_has_patch_grids(&plan->grids);
    uint32_t common[3];

    for (size_t num; at.left > 0; at.left -= num) {
        num = own ? clspi_min(at.left, vertices_of(plan, at.piece) - at.line) : at.left;
        const clspi_triangle_part part = {
            .points = plan->host.data,
            .num_patches = plan->num_patches,
            .num = *nums_of(plan, at.piece, common),
            .patch = at.piece,
            .first = at.line,
            .count = num,
            .out = out,
        };
        clspi_triangle_grid_make(plan->list_recipe, &part);
        out += num * clspi_vertex_bytes(&plan->desc);
        at.line = 0;
        at.piece++;
    }
}

void clspi_host_grid_make(const clsp_patch_plan *plan, clsp_range vertices, char *out)
{
    const clspi_list_recipe *const recipe = plan->list_recipe;
    const size_t bytes = clspi_vertex_bytes(&plan->desc);
    clspi_cut at = clspi_patch_cut_vertices(plan, 0, vertices);
    clspi_point points[CLSPI_POINT_CHUNK];
    uint32_t common[3];

    if (clspi_triangle_has_rows(&plan->desc)) {
        make_triangles(plan, at, out);
        return;
    }
    for (size_t num; at.left > 0; at.left -= num, out += num * bytes) {
        num = clspi_min(CLSPI_POINT_CHUNK, at.left);
        for (size_t p = 0; p < num; p++) {
            clspi_point_begin(recipe, plan->host.data, at.piece, plan->num_patches, &points[p]);
            clspi_grid_point(recipe, at.piece, nums_of(plan, at.piece, common), at.line,
                             &points[p]);
            if (++at.line < vertices_of(plan, at.piece)) continue;
            at.line = 0;
            at.piece++;
        }
        clspi_point_vertices(&recipe->maker, points, num, out);
    }
}
