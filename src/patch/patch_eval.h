/* Evaluation of plans of tensor-product patches by the host's cores, and by several processors. */
#ifndef CLSPI_PATCH_EVAL_H
#define CLSPI_PATCH_EVAL_H

#include "patch_rows.h"

/* Reads the plan's control points to host memory, where that has not been done. */
clsp_status clspi_patch_host_points(clsp_patch_plan *plan, const void **points);

/* Gives a peer the plan's control points, as clspi_peer_kind asks. */
clsp_status clspi_patch_load_peer(clspi_plan *peer, clspi_plan *plan);

/* Describes a plan's vertices to the host's evaluators. */
clspi_vertex_shape clspi_vertex_shape_of(const clspi_tensor_desc *d);

#endif
