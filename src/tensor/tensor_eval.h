/* The calls that evaluate plans of tensor-product patches, as the public ones of their families
   say: checked, enqueued or carried out. */
#ifndef CLSPI_TENSOR_EVAL_H
#define CLSPI_TENSOR_EVAL_H

#include "tensor_plan.h"

/* ---- checks ---- */

/* Checks a range of patches: CLSP_ERROR_STATE without control points, CLSP_ERROR_ARGUMENT for
   patches that are not there. */
clsp_status clspi_tensor_check_patches(const clspi_tensor_plan *plan, clsp_range patches);

/* Checks a range of rows: CLSP_ERROR_STATE without a grid, CLSP_ERROR_ARGUMENT for rows that a part
   of a patch cannot have. */
clsp_status clspi_tensor_check_rows(const clspi_tensor_plan *plan, clsp_range rows);

/* Counts the elements of the vertices of patches that have been checked. */
clsp_status clspi_tensor_count_elements(const clspi_tensor_plan *plan, clsp_range patches,
                                        size_t *elements);

/* ---- grids ---- */

clsp_status clspi_tensor_eval(clspi_tensor_plan *plan, clsp_range patches,
                              const clsp_output *vertices, const clsp_sync *sync);
clsp_status clspi_tensor_eval_rows(clspi_tensor_plan *plan, size_t patch, clsp_range rows,
                                   const clsp_output *vertices, const clsp_sync *sync);

/* Enqueues rows of patches on the common grid, whatever their vertices are. */
clsp_status clspi_tensor_enqueue(clspi_tensor_plan *plan, clspi_series *series,
                                 const clspi_rows *rows);

/* Is a family's after_rows where its points program includes edge_normals.clh. */
clsp_status clspi_tensor_edge_normals(clspi_tensor_plan *plan, clspi_series *series,
                                      const clspi_rows *rows);

clsp_status clspi_tensor_set_patch_grids(clspi_tensor_plan *plan, size_t num_patches,
                                         const clsp_input *num);

/* Returns to the common grid, which is sound. */
void clspi_tensor_clear_patch_grids(clspi_tensor_plan *plan);

/* ---- faces ---- */

clsp_status clspi_tensor_mesh_size(const clspi_tensor_plan *plan, clsp_range patches,
                                   clsp_mesh_size *size);
clsp_status clspi_tensor_indices(clspi_tensor_plan *plan, clsp_faces faces, clsp_range patches,
                                 const clsp_output *indices, const clsp_sync *sync);

/* ---- parameters ---- */

/* What vertices at parameters are made of, and where they go. */
typedef struct clspi_points_memory {
    clsp_input patches, params;
    clsp_output vertices;
} clspi_points_memory;

clsp_status clspi_tensor_eval_points(clspi_tensor_plan *plan, size_t num,
                                     const clspi_points_memory *memory, const clsp_sync *sync);

#endif
