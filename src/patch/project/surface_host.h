/* The search for nearest points of surfaces by the host's cores. */
#ifndef CLSPI_SURFACE_HOST_H
#define CLSPI_SURFACE_HOST_H

#include "patch_plan.h"

enum { CLSPI_NORMAL_REALS = 4 /* a normal and a signed distance */ };

/* Makes plan->surfaces of the control points loaded, where that has not been done. The caller holds
   the plan's lock. */
clsp_status clspi_surface_host_prepare(clsp_patch_plan *plan);

/* Searches for queries in host memory, with the context's workers if the thread is not to do all
   alone. What is searched is there. */
clsp_status clspi_surface_host_find(clsp_patch_plan *plan, const clspi_surface_queries *queries,
                                    bool alone);

/* Reports that there is no memory for a search. */
clsp_status clspi_surface_no_memory(const clsp_patch_plan *plan);

#endif
