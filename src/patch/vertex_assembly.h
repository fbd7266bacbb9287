/* Vertex assembly: the pass that makes vertices of sums, where they are not plain points. */
#ifndef CLSPI_VERTEX_ASSEMBLY_H
#define CLSPI_VERTEX_ASSEMBLY_H

#include "centre_points.h"
#include "grid_sums.h"

typedef struct clspi_assembly {
    clspi_kernel kernel;
    cl_mem planes; /* [sums][vertices][coords] */
    size_t planes_bytes;
    cl_mem sizes; /* of tangents, for normals, and centres, [patches][CLSPI_PATCH_SIZES] */
    size_t sizes_bytes;
    clspi_centred_points centred; /* where the sums are of these */
} clspi_assembly;

/* Makes the build options of vertex_assembly.cl. */
clspi_options clspi_assembly_options(const clsp_context *ctx, const clspi_tensor_desc *desc);

/* Makes the kernel for a description. */
clsp_status clspi_assembly_prepare(clspi_assembly *assembly, clsp_context *ctx,
                                   const clspi_tensor_desc *desc);
void clspi_assembly_release(clspi_assembly *assembly);

/* Takes control points that are loaded, and gives in *sources those that the sums are of: relative
   to centres where that is needed. */
clsp_status clspi_assembly_centre(clspi_assembly *assembly, clspi_series *series,
                                  const clspi_tensor_desc *desc, cl_mem points, size_t num_patches,
                                  cl_mem *sources);

/* Takes what normals need of control points that the sums have loaded. */
clsp_status clspi_assembly_load(clspi_assembly *assembly, const clspi_grid_sums *sums,
                                clspi_series *series, const clspi_tensor_desc *desc,
                                size_t num_patches);

/* Tells whether the sums of so many rows fit the device at once, and makes room for them: where
   launches are queued. */
bool clspi_assembly_fits(const clsp_context *ctx, const clspi_grid_sums *sums,
                         const clspi_tensor_desc *desc, size_t rows);
clsp_status clspi_assembly_reserve(clspi_assembly *assembly, const clspi_grid_sums *sums,
                                   clspi_series *series, const clspi_tensor_desc *desc,
                                   size_t rows);

/* Evaluates the sums on some rows, a part at a time that stays in a cache, and makes vertices of it
   in rows->out. */
clsp_status clspi_assembly_eval(clspi_assembly *assembly, clspi_grid_sums *sums,
                                clspi_series *series, const clspi_tensor_desc *desc,
                                const clspi_rows *rows);

/* Returns an axis as kernels take it. */
clspi_sample_axis clspi_sample_axis_of(const clspi_tensor_desc *desc, uint32_t direction);

#endif
