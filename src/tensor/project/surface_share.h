/* Projections onto surfaces that several processors share (docs/cooperation.md). */
#ifndef CLSPI_SURFACE_SHARE_H
#define CLSPI_SURFACE_SHARE_H

#include "tensor_plan.h"
#include "tiles.h"

/* A query takes longer than so many vertices: tiles are of so many fewer. */
enum { CLSPI_QUERY_ITEMS = 64 };

/* A shared call, whose device searches and whose memory is the host's. */
typedef struct clspi_surface_shared {
    clspi_tensor_plan *plan;
    clspi_surface_queries queries; /* of the call's tiles, with their results */
    size_t num;                    /* queries of the whole job */
    clspi_tiling tiling;           /* of the job */
    clspi_tiles tiles;
} clspi_surface_shared;

/* Carries a shared call out. Joined devices that do not search drop out of it. */
clsp_status clspi_surface_share(const clspi_surface_shared *call, const clsp_run *run);

#endif
