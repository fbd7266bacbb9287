/* Evaluation of plans of tensor-product patches by the host's cores, and by several processors. */
#ifndef CLSPI_PATCH_EVAL_H
#define CLSPI_PATCH_EVAL_H

#include "patch_rows.h"

/* Gives a peer the plan's control points, as clspi_peer_kind asks. */
clsp_status clspi_patch_load_peer(clspi_plan *peer, clspi_plan *plan);

#endif
