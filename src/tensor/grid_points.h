/* Vertices of grids that the host makes as it makes lists, by points at parameters. */
#ifndef CLSPI_GRID_POINTS_H
#define CLSPI_GRID_POINTS_H

#include "list_recipe.h"

/* Some vertices of a patch of a curve, a surface or a volume. */
typedef struct clspi_grid_points {
    const void *points;   /* control points of all patches */
    const uint32_t *nums; /* the patch's samples, [directions] */
    size_t patch;
    size_t first, count; /* vertices */
    char *out;           /* where the first of them is */
} clspi_grid_points;

/* Tells whether rows lose normals on edges, of families that have no sums of edges. The recipe has
   to be prepared then, and below. */
bool clspi_rows_lose_normals(const clspi_tensor_plan *plan);

/* Makes normals of surfaces again that are (0, 0, 0) on edges (docs/math.md, 7). */
void clspi_grid_points_find_normals(const clspi_tensor_plan *plan, const clspi_grid_points *of);

/* Tells whether rows are not as exact as patch grids have to be: derivatives of rational splines,
   parts of which may be far from their centres. */
bool clspi_rows_lose_far_parts(const clspi_tensor_plan *plan);

void clspi_grid_points_make(const clspi_tensor_plan *plan, const clspi_grid_points *of);

#endif
