/* Vertices of grids that are no rows of tables, made one by one by the host: triangles, curves with
   bases of their own, samples that go back and forth or are on edges within a grid. */
#ifndef CLSPI_HOST_GRID_H
#define CLSPI_HOST_GRID_H

#include "list_recipe.h"
#include "split.h"

/* Makes vertices, counted through from patch 0 on. The plan's recipe and its control points on the
   host are there; out is aligned to its elements. */
void clspi_host_grid_make(const clsp_patch_plan *plan, clsp_range vertices, char *out);

/* Takes vertex number `vertex` of the grid of a patch with these numbers of samples; point: begun.
 */
void clspi_host_grid_point(const clspi_list_recipe *recipe, size_t patch, const uint32_t *nums,
                           size_t vertex, clspi_point *point);

/* Returns the parameter of sample a of num from begin to end as it is stored: the bits of rows of
   tables. */
double clspi_host_grid_param(const clspi_tensor_desc *d, double begin, double end, uint32_t a,
                             uint32_t num);

#endif
