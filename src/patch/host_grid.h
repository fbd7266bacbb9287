/* Vertices of grids that are no rows of tables, made one by one by the host: triangles, curves with
   bases of their own, samples that go back and forth or are on edges within a grid. */
#ifndef CLSPI_HOST_GRID_H
#define CLSPI_HOST_GRID_H

#include "list_recipe.h"
#include "split.h"

/* Makes vertices, counted through from patch 0 on. The plan's recipe and its control points on the
   host are there; out is aligned to its elements. */
void clspi_host_grid_make(const clsp_patch_plan *plan, clsp_range vertices, char *out);

#endif
