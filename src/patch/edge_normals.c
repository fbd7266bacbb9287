#include "edge_normals.h"

#include "check.h"
#include "vertex_assembly.h"

clsp_range clspi_side_items(const clspi_tensor_desc *desc, const clspi_rows *rows, uint32_t side)
{
    const size_t num_u = desc->axis[0].num, num_v = desc->axis[1].num;
    const size_t first = rows->first_row, end = first + rows->num_rows;
    const clsp_range whole = {0, side == 0 ? rows->num_patches * 2 * (num_u + num_v) : 0};
    const clsp_range of_rows[] = {{0, first == 0 ? num_v : 0},
                                  {num_v, end == num_u ? num_v : 0},
                                  {2 * num_v + first, end - first},
                                  {2 * num_v + num_u + first, end - first}};

    return end - first == num_u ? whole : of_rows[side];
}

/* Tells whether an axis begins or ends at an end of its direction. */
static bool meets_edge(const clspi_tensor_desc *d, uint32_t direction)
{
    const clsp_axis *const axis = &d->axis[direction];
    const double *const domain = d->domain[direction];

    return axis->begin == domain[0] || axis->begin == domain[1] || axis->end == domain[0] ||
           axis->end == domain[1];
}

/* Tells whether a table says where the sums of its samples begin. */
static bool is_known(const clspi_basis_table *table)
{
    return table->first && table->is_banded;
}

clsp_status clspi_edge_normals(clspi_kernel *kernel, clspi_series *series,
                               const clspi_point_source *source, const clspi_rows *rows,
                               const clspi_grid_tables *tables)
{
    const clspi_tensor_desc *const d = source->desc;
    const clspi_basis_table *const u = &tables->table[0][0], *const v = &tables->table[1][0];
    const uint64_t most = clspi_vertices_of_a_launch(series->ctx, d);

    if (d->samples && !meets_edge(d, 0) && !meets_edge(d, 1)) return CLSP_OK;
    CLSPI_CHECK(
        clspi_point_kernel_prepare(kernel, series->ctx, source, &clspi_edge_normals_signature));
    clspi_edge_normals_args args = {
        .points = source->points,
        .basis = source->basis,
        .first_u = u->first ? u->first : source->points,
        .first_v = v->first ? v->first : source->points,
        .samples = d->samples ? d->samples : source->points,
        .out = rows->out,
        .shape = clspi_patch_shape_of(d),
        .range = {.first_item = 0,
                  .items = 0,
                  .has_samples = d->samples != NULL,
                  .banded = (is_known(u) ? 1u : 0u) | (is_known(v) ? 2u : 0u)},
        .rows = clspi_row_range_of(rows->first_patch, rows),
        .axis_u = clspi_sample_axis_of(d, 0),
        .axis_v = clspi_sample_axis_of(d, 1)};
    for (uint32_t side = 0; side < CLSPI_SIDES; side++) {
        const clsp_range items = clspi_side_items(d, rows, side);
        clspi_cut cut = {.per_piece = clspi_max(1, items.count), .left = items.count};
        clspi_part part;
        while (clspi_cut_next(&cut, most, &part)) {
            args.range.first_item = items.first + part.before;
            args.range.items = (uint32_t)part.num_lines;
            CLSPI_CHECK(clspi_launch_edge_normals(series, kernel, &args, part.num_lines));
        }
    }
    return CLSP_OK;
}
