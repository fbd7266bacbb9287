/* Programs of tensor-product patches, built ahead of use. */
#ifndef CLSPI_PATCH_BUILD_H
#define CLSPI_PATCH_BUILD_H

#include "tensor_desc.h"

/* Builds what sums are made by, for all numbers of terms up to max_terms, and tables. desc: one of
   the precision and the coordinates, with a basis; the sizes of its grid do not matter. */
clsp_status clspi_patch_build_sums(const clspi_build *build, const clspi_tensor_desc *desc,
                                   uint32_t max_terms);

/* Builds what makes the control points of the derivatives that normals and CLSP_VERTEX_DUV need. */
clsp_status clspi_patch_build_derivatives(const clspi_build *build, const clspi_tensor_desc *desc);

/* Builds what makes the vertices of a description, which are not plain, from sums: by assembly, or
   in one pass after the partial sums. *fits: false where there is no such pass, and nothing is
   built. */
clsp_status clspi_patch_build_assembly(const clspi_build *build, const clspi_tensor_desc *desc);
clsp_status clspi_patch_build_rows(const clspi_build *build, const clspi_tensor_desc *desc,
                                   bool *fits);

/* Builds what makes them one by one. */
clsp_status clspi_patch_build_points(const clspi_build *build, const clspi_tensor_desc *desc,
                                     const char *program);

#endif
