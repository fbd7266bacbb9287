/* Control points of rational patches relative to a centre of each patch, which derivatives are made
   of: where a patch is far from the origin their differences keep their digits. */
#ifndef CLSPI_CENTRE_POINTS_H
#define CLSPI_CENTRE_POINTS_H

#include "tensor_desc.h"

/* Reals that vertices need to know of a patch: what rounding errors of its tangents are relative to
   (tangent_sizes), and its centre. */
enum { CLSPI_PATCH_SIZES = 8 };

typedef struct clspi_centred_points {
    cl_mem points; /* [patches][controls][coords], and behind them the centres, [patches][4] */
    size_t bytes;
} clspi_centred_points;

void clspi_centred_points_release(clspi_centred_points *centred);

/* Makes them and the centres, which go into sizes, [num_patches][CLSPI_PATCH_SIZES]. points: the
   control points as they are. */
clsp_status clspi_centre_points_make(clspi_centred_points *centred, clspi_series *series,
                                     const clspi_tensor_desc *desc, cl_mem points, cl_mem sizes,
                                     size_t num_patches);

/* Builds the program ahead of use, for descriptions that need it. */
clsp_status clspi_centre_points_build(const clspi_build *build, const clspi_tensor_desc *desc);

#endif
