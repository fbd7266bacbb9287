/* Evaluation of plans of tensor-product patches by the host's cores, and by several processors. */
#ifndef CLSPI_TENSOR_SHARE_H
#define CLSPI_TENSOR_SHARE_H

#include "tensor_eval.h"

/* Evaluates rows on the calling thread. */
clsp_status clspi_tensor_host_rows(clspi_tensor_plan *plan, uint32_t worker, size_t patch,
                                   clsp_range rows, const clsp_output *vertices);

/* Evaluates patches by the context's devices and the host together. */
clsp_status clspi_tensor_cooperate(clspi_tensor_plan *plan, clsp_range patches,
                                   const clsp_output *vertices, const clsp_cooperate_opts *opts,
                                   clsp_cooperate_report *report);

clsp_status clspi_tensor_tune(clspi_tensor_plan *plan, clsp_range patches,
                              clsp_cooperate_report *report);

/* Reads the plan's control points to host memory, where that has not been done. */
clsp_status clspi_tensor_host_points(clspi_tensor_plan *plan, const void **points);

/* Gives a peer the plan's control points, as clspi_peer_kind asks. */
clsp_status clspi_tensor_load_peer(clspi_plan *peer, clspi_plan *plan);

#endif
