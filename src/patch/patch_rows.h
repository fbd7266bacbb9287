/* Rows and vertices of patches on their grids, checked and enqueued. */
#ifndef CLSPI_PATCH_ROWS_H
#define CLSPI_PATCH_ROWS_H

#include "patch_plan.h"
#include "tiles.h"

/* ---- checks (patch.c) ---- */

/* Checks a range of patches: CLSP_ERROR_STATE without control points, CLSP_ERROR_ARGUMENT for
   patches that are not there. run may be NULL; of a call that only asks nothing need be loaded. */
clsp_status clspi_patch_check_patches(const clsp_patch_plan *plan, clsp_range patches,
                                      const clsp_run *run);

/* Counts the elements of the vertices of patches that have been checked. run: as above. */
clsp_status clspi_patch_count_elements(const clsp_patch_plan *plan, clsp_range patches,
                                       const clsp_run *run, size_t *elements);

/* ---- grids ---- */

/* Returns the tiles of a range of patches with so many elements: rows of the common grid, else
   vertices one by one. */
clspi_tiling clspi_patch_tiling(const clsp_patch_plan *plan, clsp_range patches, size_t elements);

/* Returns the elements of a line of these tiles. */
size_t clspi_patch_line_elements(const clsp_patch_plan *plan);

/* Enqueues rows of patches on the common grid, whatever their vertices are. */
clsp_status clspi_patch_enqueue(clsp_patch_plan *plan, clspi_series *series,
                                const clspi_rows *rows);

/* Is a family's after_rows where its points program includes edge_normals.clh. */
clsp_status clspi_patch_edge_normals(clsp_patch_plan *plan, clspi_series *series,
                                     const clspi_rows *rows);

/* Changes the grids, as clsp_patch_set_grids says. */
clsp_status clspi_patch_set_grids(clsp_patch_plan *plan, const clsp_axis *axis, size_t num_patches,
                                  const clsp_input *num);

/* Returns to the common grid, which is sound. */
void clspi_patch_clear_grids(clsp_patch_plan *plan);

/* Tells what vertices are evaluated one by one from. */
clsp_status clspi_patch_find_source(clspi_point_source *source, clsp_patch_plan *plan,
                                    clspi_series *series);

/* Brings what they are evaluated from to the device. */
clsp_status clspi_patch_vertices_ready(clsp_patch_plan *plan, clspi_series *series);

/* Enqueues vertices, counted through the patches from the first one on, of patches that have grids
   of their own. offset: elements of `out` before the first of them. */
clsp_status clspi_patch_enqueue_vertices(clsp_patch_plan *plan, clspi_series *series,
                                         clsp_range vertices, cl_mem out, size_t offset);

/* Returns some vertices, counted from the first one of a patch on, as a cut whose pieces are
   patches. */
clspi_cut clspi_patch_cut_vertices(const clsp_patch_plan *plan, size_t first_patch,
                                   clsp_range vertices);

#endif
