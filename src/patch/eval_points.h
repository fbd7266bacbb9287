/* Vertices that are evaluated one by one: at parameters of their own, on patch grids, on triangles.
   Their kernels are the family's (eval_points.clh). */
#ifndef CLSPI_EVAL_POINTS_H
#define CLSPI_EVAL_POINTS_H

#include "kernel_arguments.h"
#include "patch_grids.h"
#include "split.h"

/* Kernels depend on what plans cannot change, and on whether patches have bases of their own; each
   is made when it is first asked for. */
typedef struct clspi_point_kernels {
    clspi_kernel points, grids, edges;
} clspi_point_kernels;

/* What vertices are evaluated from. */
typedef struct clspi_point_source {
    const clspi_tensor_desc *desc;
    const char *program; /* the family's .cl file */
    cl_mem points;       /* control points [num_patches][num_controls][coords] */
    cl_mem basis;        /* the family's, or points again where it has none */
    size_t num_patches;
} clspi_point_source;

void clspi_point_kernels_release(clspi_point_kernels *kernels);

/* Makes the build options of the family's program. */
clspi_options clspi_point_options(const clsp_context *ctx, const clspi_tensor_desc *desc);

/* Makes a kernel of the family's program, unless it is there. */
clsp_status clspi_point_kernel_prepare(clspi_kernel *kernel, clsp_context *ctx,
                                       const clspi_point_source *source,
                                       const clspi_signature *signature);

/* Returns the vertices of one launch: few enough for the device's time limit, and for kernels to
   count in 32 bits. */
uint64_t clspi_vertices_of_a_launch(const clsp_context *ctx, const clspi_tensor_desc *desc);

/* Tells kernels what all patches share. */
clspi_patch_shape clspi_patch_shape_of(const clspi_tensor_desc *desc);

/* Patches and parameters of vertices, and where these go; offsets in elements. */
typedef struct clspi_point_job {
    cl_mem patches, params[3], out; /* params: by direction */
    bool has_patches;               /* else patch 0 for all, and patches is not read */
    size_t patches_offset, params_offset[3], offset;
    size_t step; /* from one vertex's parameter to the next one's */
    size_t num;
} clspi_point_job;

clsp_status clspi_eval_points(clspi_point_kernels *kernels, clspi_series *series,
                              const clspi_point_source *source, const clspi_point_job *job);

/* Vertices of patches, counted through all of them: `num` from one of a patch on. */
typedef struct clspi_grid_job {
    const clspi_patch_grids *grids;
    cl_mem samples;   /* of all axes (own_samples.h); NULL: the axes say it */
    size_t per_patch; /* vertices of the common grid, where there are no patch grids */
    size_t patch, vertex, num;
    cl_mem out;
    size_t offset;
} clspi_grid_job;

clsp_status clspi_eval_grids(clspi_point_kernels *kernels, clspi_series *series,
                             const clspi_point_source *source, const clspi_grid_job *job);

/* Finds the last row r of a triangle of rows of length, length - step, length - 2 step, .. that
   begins at or before an item; *rest: items from there. */
uint32_t clspi_triangle_row(uint32_t length, uint32_t step, size_t item, uint32_t *rest);

#endif
