/* The search for nearest points of surfaces by the host's cores. */
#ifndef CLSPI_SURFACE_HOST_H
#define CLSPI_SURFACE_HOST_H

#include "tensor_plan.h"

enum { CLSPI_NORMAL_REALS = 4 /* a normal and a signed distance */ };

/* Makes plan->surfaces of the control points loaded, where that has not been done. Threads may call
   it at once. */
clsp_status clspi_surface_host_prepare(clspi_tensor_plan *plan);

/* Returns some queries of a plan's: `num` from `first` on. They have no order. */
clspi_surface_queries clspi_surface_queries_part(const clspi_tensor_plan *plan,
                                                 const clspi_surface_queries *queries, size_t first,
                                                 size_t num);

/* Searches for queries in host memory, prepared or not, with the context's workers if the thread is
   not to do all alone. */
clsp_status clspi_surface_host_find(clspi_tensor_plan *plan, const clspi_surface_queries *queries,
                                    bool alone);

/* Reports that there is no memory for a search. */
clsp_status clspi_surface_no_memory(const clspi_tensor_plan *plan);

#endif
