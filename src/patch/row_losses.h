/* What rows of grids that the host makes lose: what the host makes by points at parameters instead,
   as it makes lists. */
#ifndef CLSPI_ROW_LOSSES_H
#define CLSPI_ROW_LOSSES_H

#include "list_recipe.h"

/* Some vertices of a patch of a surface. */
typedef struct clspi_row_vertices {
    const void *points;   /* control points of all patches */
    const uint32_t *nums; /* the patch's samples, [2] */
    size_t patch;
    size_t first, count; /* vertices */
    char *out;           /* where the first of them is */
} clspi_row_vertices;

/* Tells whether rows lose normals on edges, of families that have no sums of edges. The recipe has
   to be prepared then, and below. */
bool clspi_rows_lose_normals(const clsp_patch_plan *plan);

/* Makes normals of surfaces again that are (0, 0, 0) on edges (docs/math.md, 7). */
void clspi_rows_find_normals(const clsp_patch_plan *plan, const clspi_row_vertices *of);

/* Tells whether rows are not as exact as patch grids have to be: derivatives of rational splines,
   parts of which may be far from their centres. */
bool clspi_rows_lose_far_parts(const clsp_patch_plan *plan);

#endif
