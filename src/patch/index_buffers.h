/* Index buffers: faces of grids as indices of their vertices. */
#ifndef CLSPI_INDEX_BUFFERS_H
#define CLSPI_INDEX_BUFFERS_H

#include "patch_grids.h"

/* The faces of a range of patches. */
typedef struct clspi_face_job {
    const clspi_tensor_desc *desc;
    const clspi_patch_grids *grids;
    clsp_faces faces;
    clsp_range patches;
    size_t num_facets; /* of the range */
} clspi_face_job;

/* Checks that the faces asked for exist: CLSP_ERROR_ARGUMENT. */
clsp_status clspi_faces_check(clsp_context *ctx, const char *family, const clspi_face_job *job);

/* Returns the indices of a facet. */
uint32_t clspi_indices_per_facet(const clspi_face_job *job);

/* Computes the indices of some facets, which are counted through the job's patches, on the host. */
void clspi_faces_on_host(const clspi_face_job *job, clsp_range facets, uint32_t *indices);

/* Enqueues them into out, from element `offset` on; patch grids have been brought. kernel: made
   when it is first needed. */
clsp_status clspi_faces_enqueue(clspi_kernel *kernel, clspi_series *series,
                                const clspi_face_job *job, clsp_range facets, cl_mem out,
                                size_t offset);

/* Builds the programs ahead of use. */
clsp_status clspi_faces_build(const clspi_build *build);

#endif
