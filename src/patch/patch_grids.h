/* Patch grids: numbers of samples that patches have for themselves, and the counts of vertices and
   facets of whichever grids there are. A facet is what faces are made of: the square between four
   samples of a surface, a triangle of a triangular grid. */
#ifndef CLSPI_PATCH_GRIDS_H
#define CLSPI_PATCH_GRIDS_H

#include "split.h"
#include "tensor_desc.h"

typedef struct clspi_patch_grids {
    size_t num;           /* patches */
    size_t longest_row;   /* vertices, of all patches */
    uint32_t *nums;       /* [num][clspi_grid_directions] */
    size_t *first_vertex; /* [num + 1]: vertices before each patch; NULL: the common grid holds */
    size_t *first_facet;  /* [num + 1] */
    cl_mem nums_buffer;   /* the same on the device, where the counts are modulo 2^32; NULL: not
                             brought there */
    cl_mem vertex_buffer, facet_buffer;
} clspi_patch_grids;

/* Checks numbers of samples, [num_patches][clspi_grid_directions]: CLSP_ERROR_ARGUMENT. */
clsp_status clspi_patch_grids_check(clsp_context *ctx, const clspi_tensor_desc *desc,
                                    size_t num_patches, const uint32_t *nums);

/* Replaces the numbers of samples of patches. Errors: CLSP_ERROR_NO_MEMORY. */
clsp_status clspi_patch_grids_set(clspi_patch_grids *grids, clsp_context *ctx,
                                  const clspi_tensor_desc *desc, size_t num_patches,
                                  const uint32_t *nums);

/* Brings them to the device, where there are any and that has not been done. */
clsp_status clspi_patch_grids_upload(clspi_patch_grids *grids, clspi_series *series,
                                     const clspi_tensor_desc *desc);

/* Returns vertices or facets, counted from the first one of a patch on, as a cut whose pieces are
   patches. prefix: first_vertex or first_facet; NULL: each patch has per_patch of them. */
clspi_cut clspi_patch_grids_cut(const clspi_patch_grids *grids, const size_t *prefix,
                                size_t per_patch, size_t first_patch, clsp_range range);

/* Lists the numbers of samples that patches have along a direction, ascending, each once; NULL
   without memory. *count: of them. */
uint32_t *clspi_patch_grids_nums(const clspi_patch_grids *grids, const clspi_tensor_desc *desc,
                                 uint32_t direction, size_t *count);

/* Returns to the common grid. */
void clspi_patch_grids_clear(clspi_patch_grids *grids);

static inline bool clspi_has_patch_grids(const clspi_patch_grids *grids)
{
    return grids->first_vertex != NULL;
}

/* Returns the samples of a patch along a direction. */
uint32_t clspi_samples_of(const clspi_patch_grids *grids, const clspi_tensor_desc *desc,
                          size_t patch, uint32_t direction);

/* Counts the vertices and facets of the common grid; both 0 when there is none. Facets are those of
   surfaces and triangles. False: more than the address space. */
bool clspi_count_grid(const clspi_tensor_desc *desc, size_t *vertices, size_t *facets);

/* Counts those of a range of patches; the caller has checked the range. False: elements of the
   vertices, or indices of the facets, in bytes are more than the address space. */
bool clspi_count_patches(const clspi_patch_grids *grids, const clspi_tensor_desc *desc,
                         clsp_range patches, size_t *vertices, size_t *facets);

#endif
