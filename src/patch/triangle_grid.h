/* Grids of triangles, made by the host row by row (docs/math.md, 12). */
#ifndef CLSPI_TRIANGLE_GRID_H
#define CLSPI_TRIANGLE_GRID_H

#include "list_recipe.h"

/* Tells whether vertices are made so: those of triangles of low degree, but derivatives of rational
   ones. */
bool clspi_triangle_has_rows(const clspi_tensor_desc *desc);

/* Some vertices of triangles that have a number of samples in common, counted from the first one of
   a patch on. */
typedef struct clspi_triangle_part {
    const void *points; /* control points of all patches */
    size_t num_patches;
    uint32_t num; /* samples along an edge */
    size_t patch, first, count;
    char *out; /* aligned to its elements; where the first of them is */
} clspi_triangle_part;

void clspi_triangle_grid_make(const clspi_list_recipe *recipe, const clspi_triangle_part *part);

#endif
